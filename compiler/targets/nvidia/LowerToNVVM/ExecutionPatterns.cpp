//===- ExecutionPatterns.cpp - Indices, barriers, shuffles ------------------===//
#include "compiler/targets/nvidia/LowerToNVVM/Patterns.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace {

/// An index of the grid or the block: a special register, widened.
template <typename Op, typename X, typename Y, typename Z>
struct LowerIndex : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type i32 = rewriter.getI32Type();
    Value read;
    switch (op.getDimension()) {
    case gpu::Dimension::x:
      read = X::create(rewriter, op.getLoc(), i32);
      break;
    case gpu::Dimension::y:
      read = Y::create(rewriter, op.getLoc(), i32);
      break;
    case gpu::Dimension::z:
      read = Z::create(rewriter, op.getLoc(), i32);
      break;
    }
    if (std::optional<APInt> bound = op.getUpperBound())
      read.getDefiningOp()->setAttr("range", LLVM::ConstantRangeAttr::get(rewriter.getContext(),
                                                                          APInt(32, 0),
                                                                          bound->zextOrTrunc(32)));
    rewriter.replaceOpWithNewOp<LLVM::ZExtOp>(op, this->getTypeConverter()->getIndexType(), read);
    return success();
  }
};

struct LowerBarrier : ConvertOpToLLVMPattern<gpu::BarrierOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(gpu::BarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::Barrier0Op>(op);
    return success();
  }
};

/// 32 bits from another lane of the whole warp.
struct LowerShuffle : ConvertOpToLLVMPattern<gpu::ShuffleOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  static NVVM::ShflKind getKind(gpu::ShuffleMode mode) {
    switch (mode) {
    case gpu::ShuffleMode::XOR:
      return NVVM::ShflKind::bfly;
    case gpu::ShuffleMode::UP:
      return NVVM::ShflKind::up;
    case gpu::ShuffleMode::DOWN:
      return NVVM::ShflKind::down;
    case gpu::ShuffleMode::IDX:
      return NVVM::ShflKind::idx;
    }
    llvm_unreachable("all modes are listed");
  }
  LogicalResult matchAndRewrite(gpu::ShuffleOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = op.getValue().getType();
    if (!op.getValid().use_empty() || !type.isIntOrFloat() || type.getIntOrFloatBitWidth() != 32)
      return rewriter.notifyMatchFailure(op, "expects 32 bits, and no question about validity");
    Location loc = op.getLoc();
    auto constant = [&](int32_t value) -> Value {
      return LLVM::ConstantOp::create(rewriter, loc, rewriter.getI32IntegerAttr(value));
    };
    NVVM::ShflKind kind = getKind(op.getMode());
    // The clamp: the lowest lane for `up`, else the highest.
    Value clamp = constant(kind == NVVM::ShflKind::up ? 0 : 31);
    Value result = NVVM::ShflOp::create(rewriter, loc, type, constant(-1), adaptor.getValue(),
                                        adaptor.getOffset(), clamp, kind, UnitAttr());
    Value valid = LLVM::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(true));
    rewriter.replaceOp(op, {result, valid});
    return success();
  }
};

} // namespace

void tile::nvidia::populateExecutionPatterns(const LLVMTypeConverter &converter,
                                             RewritePatternSet &patterns) {
  patterns.add<LowerIndex<gpu::ThreadIdOp, NVVM::ThreadIdXOp, NVVM::ThreadIdYOp, NVVM::ThreadIdZOp>,
               LowerIndex<gpu::BlockIdOp, NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>,
               LowerIndex<gpu::GridDimOp, NVVM::GridDimXOp, NVVM::GridDimYOp, NVVM::GridDimZOp>,
               LowerBarrier, LowerShuffle>(converter);
}
