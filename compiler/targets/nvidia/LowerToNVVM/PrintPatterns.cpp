//===- PrintPatterns.cpp - gpu.printf by the driver's vprintf ---------------===//
#include "compiler/targets/nvidia/LowerToNVVM/Patterns.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

/// `int vprintf(const char *format, const void *arguments)`
static LLVM::LLVMFuncOp getVprintf(OpBuilder &b, ModuleOp module) {
  if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>("vprintf"))
    return function;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  auto type = LLVM::LLVMFunctionType::get(b.getI32Type(), {pointer, pointer});
  return LLVM::LLVMFuncOp::create(b, module.getLoc(), "vprintf", type);
}

/// The text as a constant in memory, shared by equal texts.
static Value getText(OpBuilder &b, Location loc, ModuleOp module, StringRef text) {
  std::string content = text.str() + '\0';
  auto value = b.getStringAttr(content);
  LLVM::GlobalOp global;
  unsigned count = 0;
  for (auto other : module.getOps<LLVM::GlobalOp>()) {
    if (other.getSymName().starts_with("printf_text_"))
      ++count;
    if (other.getValueOrNull() == value)
      global = other;
  }
  if (!global) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), content.size());
    global = LLVM::GlobalOp::create(b, module.getLoc(), type, /*isConstant=*/true,
                                    LLVM::Linkage::Internal, "printf_text_" + std::to_string(count),
                                    value);
  }
  return LLVM::AddressOfOp::create(b, loc, global);
}

/// C's promotion of variadic arguments.
static Value promote(OpBuilder &b, Location loc, Value value) {
  if (isa<FloatType>(value.getType()) && !value.getType().isF64())
    return LLVM::FPExtOp::create(b, loc, b.getF64Type(), value);
  if (value.getType().isInteger(1))
    return LLVM::ZExtOp::create(b, loc, b.getI32Type(), value);
  if (value.getType().isIntOrIndex() && value.getType().getIntOrFloatBitWidth() < 32)
    return LLVM::SExtOp::create(b, loc, b.getI32Type(), value);
  return value;
}

namespace {
struct LowerPrintf : ConvertOpToLLVMPattern<gpu::PrintfOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(gpu::PrintfOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto module = op->getParentOfType<ModuleOp>();
    Type pointer = LLVM::LLVMPointerType::get(rewriter.getContext());
    SmallVector<Value> arguments;
    SmallVector<Type> types;
    for (Value argument : adaptor.getArgs()) {
      arguments.push_back(promote(rewriter, loc, argument));
      types.push_back(arguments.back().getType());
    }
    Value buffer = LLVM::ZeroOp::create(rewriter, loc, pointer);
    if (!types.empty()) {
      auto layout = LLVM::LLVMStructType::getLiteral(rewriter.getContext(), types);
      buffer = allocate(rewriter, loc, op, layout);
      for (auto [i, argument] : llvm::enumerate(arguments)) {
        Value field = LLVM::GEPOp::create(rewriter, loc, pointer, layout, buffer,
                                          ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(i)});
        LLVM::StoreOp::create(rewriter, loc, argument, field);
      }
    }
    Value text = getText(rewriter, loc, module, op.getFormat());
    LLVM::CallOp::create(rewriter, loc, getVprintf(rewriter, module), ValueRange{text, buffer});
    rewriter.eraseOp(op);
    return success();
  }

  /// Stack memory, once a function and not once an iteration of a loop.
  static Value allocate(OpBuilder &b, Location loc, Operation *op, Type layout) {
    OpBuilder::InsertionGuard guard(b);
    auto function = op->getParentOfType<FunctionOpInterface>();
    b.setInsertionPointToStart(&function.getFunctionBody().front());
    Value one = LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(1));
    return LLVM::AllocaOp::create(b, loc, LLVM::LLVMPointerType::get(b.getContext()), layout, one);
  }
};
} // namespace

void tile::nvidia::populatePrintPatterns(const LLVMTypeConverter &converter,
                                         RewritePatternSet &patterns) {
  patterns.add<LowerPrintf>(converter);
}
