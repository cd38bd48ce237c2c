//===- MathPatterns.cpp - Functions that the hardware has -------------------===//
#include "compiler/targets/nvidia/LowerToNVVM/Patterns.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/VectorPattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace {
/// A function of f32 as the hardware's approximation, element by element. What
/// arrives here has been found exact enough, or was asked for by `afn`.
template <typename Op> struct LowerNative : ConvertOpToLLVMPattern<Op> {
  LowerNative(const LLVMTypeConverter &converter, StringRef intrinsic)
      : ConvertOpToLLVMPattern<Op>(converter, /*benefit=*/2), intrinsic(intrinsic) {}

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = adaptor.getOperand().getType();
    if (!getElementTypeOrSelf(type).isF32())
      return rewriter.notifyMatchFailure(op, "the hardware has it for f32 alone");
    auto call = [&](Value x) -> Value {
      return LLVM::CallIntrinsicOp::create(rewriter, loc, x.getType(),
                                           rewriter.getStringAttr(intrinsic), ValueRange{x})
          .getResult(0);
    };
    auto vector = dyn_cast<VectorType>(type);
    if (!vector) {
      rewriter.replaceOp(op, call(adaptor.getOperand()));
      return success();
    }
    Value result = LLVM::PoisonOp::create(rewriter, loc, type);
    for (int64_t i = 0; i < vector.getNumElements(); ++i) {
      Value index = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64IntegerAttr(i));
      Value x = LLVM::ExtractElementOp::create(rewriter, loc, adaptor.getOperand(), index);
      result = LLVM::InsertElementOp::create(rewriter, loc, result, call(x), index);
    }
    rewriter.replaceOp(op, result);
    return success();
  }

  StringRef intrinsic;
};

/// Code of scalars of f32.
class Scalars {
public:
  Scalars(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  Value getConstant(double number) {
    return LLVM::ConstantOp::create(b, loc, b.getF32FloatAttr(static_cast<float>(number)));
  }
  /// For normal numbers whose inverse is normal; that of others may be zero.
  Value invert(Value y) {
    return LLVM::CallIntrinsicOp::create(
               b, loc, y.getType(), b.getStringAttr("llvm.nvvm.rcp.approx.ftz.f"), ValueRange{y})
        .getResult(0);
  }
  Value multiply(Value x, Value y) { return LLVM::FMulOp::create(b, loc, x, y); }
  /// What brings the largest and smallest divisors, and their inverses, among the normal
  /// numbers.
  Value getScale(Value y) {
    Value size = LLVM::FAbsOp::create(b, loc, y);
    Value least = getConstant(0x1p-126), most = getConstant(0x1p126);
    Value isSmall = LLVM::FCmpOp::create(b, loc, LLVM::FCmpPredicate::olt, size, least);
    Value isLarge = LLVM::FCmpOp::create(b, loc, LLVM::FCmpPredicate::ogt, size, most);
    Value one = getConstant(1.0), up = getConstant(0x1p24), down = getConstant(0.25);
    Value scale = LLVM::SelectOp::create(b, loc, isSmall, up, one);
    return LLVM::SelectOp::create(b, loc, isLarge, down, scale);
  }

private:
  OpBuilder &b;
  Location loc;
};

/// A quotient of f32 within 2 ulp. The one instruction for it takes as many as this, but
/// here what depends on the divisor alone is shared by all quotients with the same one. With
/// `arcp` divisors need no scale.
struct LowerDivision : ConvertOpToLLVMPattern<arith::DivFOp> {
  explicit LowerDivision(const LLVMTypeConverter &converter)
      : ConvertOpToLLVMPattern(converter, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(arith::DivFOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    bool isApproximate = arith::bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn);
    if (!isApproximate || !getElementTypeOrSelf(op.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "only approximate quotients of f32");
    Location loc = op.getLoc();
    Scalars at(rewriter, loc);
    bool isScaled = !arith::bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::arcp);
    auto divide = [&](Value x, Value y) {
      if (!isScaled)
        return at.multiply(x, at.invert(y));
      Value scale = at.getScale(y);
      Value scaled = at.multiply(x, scale), inverse = at.invert(at.multiply(y, scale));
      return at.multiply(scaled, inverse);
    };
    auto vector = dyn_cast<VectorType>(adaptor.getLhs().getType());
    if (!vector) {
      rewriter.replaceOp(op, divide(adaptor.getLhs(), adaptor.getRhs()));
      return success();
    }
    Value result = LLVM::PoisonOp::create(rewriter, loc, vector);
    for (int64_t i = 0; i < vector.getNumElements(); ++i) {
      Value index = LLVM::ConstantOp::create(rewriter, loc, rewriter.getI64IntegerAttr(i));
      Value x = LLVM::ExtractElementOp::create(rewriter, loc, adaptor.getLhs(), index);
      Value y = LLVM::ExtractElementOp::create(rewriter, loc, adaptor.getRhs(), index);
      result = LLVM::InsertElementOp::create(rewriter, loc, result, divide(x, y), index);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};
} // namespace

void tile::nvidia::populateNativeMathPatterns(const LLVMTypeConverter &converter,
                                              RewritePatternSet &patterns) {
  patterns.add<LowerDivision>(converter);
  // The form that keeps results below 2^-126 costs three instructions more.
  patterns.add<LowerNative<math::Exp2Op>>(converter, "llvm.nvvm.ex2.approx.ftz.f32");
  patterns.add<LowerNative<math::Log2Op>>(converter, "llvm.nvvm.lg2.approx.f");
  patterns.add<LowerNative<math::RsqrtOp>>(converter, "llvm.nvvm.rsqrt.approx.f");
  patterns.add<LowerNative<math::SinOp>>(converter, "llvm.nvvm.sin.approx.f");
  patterns.add<LowerNative<math::CosOp>>(converter, "llvm.nvvm.cos.approx.f");
}
