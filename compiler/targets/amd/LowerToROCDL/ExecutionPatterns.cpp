//===- ExecutionPatterns.cpp - Indices and barriers -------------------------===//
#include "compiler/targets/amd/Hooks.h"
#include "compiler/targets/amd/LowerToROCDL/Patterns.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;

namespace {

/// An index of the grid or the block: a register that is set at the start.
template <typename Op, typename X, typename Y, typename Z>
struct LowerIndex : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type i32 = rewriter.getI32Type();
    LLVM::ConstantRangeAttr range;
    if (std::optional<APInt> bound = op.getUpperBound())
      range =
          LLVM::ConstantRangeAttr::get(rewriter.getContext(), APInt(32, 0), bound->zextOrTrunc(32));
    Value read;
    switch (op.getDimension()) {
    case gpu::Dimension::x:
      read = X::create(rewriter, op.getLoc(), i32, range);
      break;
    case gpu::Dimension::y:
      read = Y::create(rewriter, op.getLoc(), i32, range);
      break;
    case gpu::Dimension::z:
      read = Z::create(rewriter, op.getLoc(), i32, range);
      break;
    }
    rewriter.replaceOpWithNewOp<LLVM::ZExtOp>(op, this->getTypeConverter()->getIndexType(), read);
    return success();
  }
};

/// The hidden arguments begin with the grid's extents in blocks, 32 bits each.
/// The dispatch packet counts threads instead, and upstream's operation calls a
/// library for a division.
struct LowerGridDim : ConvertOpToLLVMPattern<gpu::GridDimOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(gpu::GridDimOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    constexpr unsigned kConstantSpace = 4;
    Type pointer = LLVM::LLVMPointerType::get(rewriter.getContext(), kConstantSpace);
    Type i32 = rewriter.getI32Type();
    Value hidden = LLVM::CallIntrinsicOp::create(
                       rewriter, loc, pointer,
                       rewriter.getStringAttr("llvm.amdgcn.implicitarg.ptr"), ValueRange())
                       .getResult(0);
    auto index = static_cast<int32_t>(op.getDimension());
    Value place =
        LLVM::GEPOp::create(rewriter, loc, pointer, i32, hidden, ArrayRef<LLVM::GEPArg>{index});
    Value extent = LLVM::LoadOp::create(rewriter, loc, i32, place, /*alignment=*/4);
    rewriter.replaceOpWithNewOp<LLVM::ZExtOp>(op, getTypeConverter()->getIndexType(), extent);
    return success();
  }
};

/// The instruction alone orders no memory.
struct LowerBarrier : ConvertOpToLLVMPattern<gpu::BarrierOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(gpu::BarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    tile::amd::emitCompilerFence(rewriter, loc);
    LLVM::FenceOp::create(rewriter, loc, LLVM::AtomicOrdering::release, "workgroup");
    ROCDL::SBarrierOp::create(rewriter, loc);
    LLVM::FenceOp::create(rewriter, loc, LLVM::AtomicOrdering::acquire, "workgroup");
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tile::amd::populateExecutionPatterns(const LLVMTypeConverter &converter,
                                          RewritePatternSet &patterns) {
  patterns
      .add<LowerIndex<gpu::ThreadIdOp, ROCDL::ThreadIdXOp, ROCDL::ThreadIdYOp, ROCDL::ThreadIdZOp>,
           LowerIndex<gpu::BlockIdOp, ROCDL::BlockIdXOp, ROCDL::BlockIdYOp, ROCDL::BlockIdZOp>,
           LowerGridDim, LowerBarrier>(converter);
}
