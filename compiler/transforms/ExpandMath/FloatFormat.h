//===- FloatFormat.h - The bits of f32 and f64, for expansions ------------===//
#ifndef TILE_COMPILER_TRANSFORMS_EXPANDMATH_FLOATFORMAT_H
#define TILE_COMPILER_TRANSFORMS_EXPANDMATH_FLOATFORMAT_H

#include "compiler/transforms/Elementwise/Lanes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <limits>

namespace tile::expand {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

inline bool isDouble(Lanes x) { return x.getWidth() == 64; }
/// Bits of the significand that are stored.
inline int getSignificandBits(Lanes x) { return isDouble(x) ? 52 : 23; }
inline int getExponentBias(Lanes x) { return isDouble(x) ? 1023 : 127; }
inline double getLeastNormal(Lanes x) { return isDouble(x) ? 0x1p-1022 : 0x1p-126; }

/// The constant of the type of `x`.
inline double choose(Lanes x, double single, double twice) { return isDouble(x) ? twice : single; }
inline llvm::ArrayRef<double> choose(Lanes x, llvm::ArrayRef<double> single,
                                     llvm::ArrayRef<double> twice) {
  return isDouble(x) ? twice : single;
}

/// A number as a float and as an integer of the same width.
struct Rounded {
  Lanes real;
  Lanes integer;
};

/// `a * b` rounded to an integer of at most half the significand's bits. Adding
/// 1.5 * 2^bits leaves the integer in the low bits: unlike a conversion, this
/// is defined for NaN (which stays in `real`; `integer` is then any number).
inline Rounded roundProduct(Lanes a, double b) {
  Number magic(choose(a, 0x1.8p23, 0x1.8p52));
  Lanes shifted = fma(a, Number(b), magic);
  Lanes origin = a.like(magic);
  return {shifted - origin, shifted.asInt() - origin.asInt()};
}

/// `x * 2^n` for `|n|` up to about twice the largest exponent, rounded once: in one
/// instruction where there is one, else by two factors of which the first is exact.
inline Lanes scaleByPower(Lanes x, Lanes n) {
  LaneBuilder &at = x.getBuilder();
  if (at.scalesByPower) {
    Lanes exponent = n.getWidth() > 32 ? n.truncate(32) : n;
    auto call = at.create<mlir::LLVM::CallIntrinsicOp>(
        x.getType(), at.getBuilder().getStringAttr("llvm.ldexp"),
        mlir::ValueRange{mlir::Value(x), mlir::Value(exponent)});
    return {at, call.getResult(0)};
  }
  int bits = getSignificandBits(x), bias = getExponentBias(x);
  Lanes half = n >> 1;
  auto power = [&](Lanes exponent) { return ((exponent + bias) << bits).asFloat(x.getElement()); };
  Lanes first = x * power(half);
  return first * power(n - half);
}

} // namespace tile::expand

#endif // TILE_COMPILER_TRANSFORMS_EXPANDMATH_FLOATFORMAT_H
