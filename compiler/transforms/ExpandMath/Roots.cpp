//===- Roots.cpp - Roots and powers ---------------------------------------===//
#include "compiler/transforms/ExpandMath/Expansions.h"
#include "compiler/transforms/ExpandMath/FloatFormat.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace tile;
using namespace tile::expand;

Lanes expand::rsqrt(Lanes x) { return Number(1.0) / sqrt(x); }

//===----------------------------------------------------------------------===//
// cbrt
//===----------------------------------------------------------------------===//

/// The cube root on [1, 2] to 13 bits.
static constexpr double kCbrt[] = {0x1.1b0bb1af1ccc9p-1, 0x1.2c9a30ccc64b9p-1,
                                   -0x1.4dc2e22a3928dp-3, 0x1.7a8cf0da45273p-6};

/// A better approximation y of the cube root of m, by Newton. The residue is
/// computed with what the square loses, so that the last step rounds once.
static Lanes improveCbrt(Lanes y, Lanes m) {
  Lanes square = y * y;
  Lanes lost = fma(y, y, -square);
  Lanes residue = fma(square, y, -m);
  residue = fma(lost, y, residue);
  return y - residue / (3.0 * square);
}

Lanes expand::cbrt(Lanes x) {
  int bits = getSignificandBits(x), bias = getExponentBias(x);
  Lanes magnitude = abs(x);
  // A multiple of three, so that its root is a power of two as well.
  int lift = isDouble(x) ? 54 : 24;
  Lanes isSmall = magnitude < getLeastNormal(x);
  Lanes normal = select(isSmall, magnitude * double(uint64_t(1) << lift), magnitude);
  Lanes pattern = normal.asInt();
  Lanes exponent = shiftUnsigned(pattern, bits);
  // exponent = 3 third + rest; the bias is made a multiple of three.
  int excess = bias % 3;
  Lanes shifted = exponent + (3 - excess);
  Lanes third = shiftUnsigned(shifted * 0x5556, 16);
  Lanes rest = shifted - third * 3;
  Lanes fraction =
      ((pattern & ((int64_t(1) << bits) - 1)) | (int64_t(bias) << bits)).asFloat(x.getElement());
  Lanes m = fraction * select(rest == 0, fraction.like(1.0),
                              select(rest == 1, fraction.like(2.0), fraction.like(4.0)));
  Lanes y = polynomial(fraction, kCbrt);
  Lanes root = select(rest == 1, y.like(0x1.428a2f98d728bp+0), y.like(0x1.965fea53d6e3dp+0));
  y = y * select(rest == 0, y.like(1.0), root);
  for (int step = 0; step < (isDouble(x) ? 3 : 2); ++step)
    y = improveCbrt(y, m);
  Lanes power =
      third - (bias + 3 - excess) / 3 - select(isSmall, third.like(lift / 3), third.like(0));
  Lanes result = y * ((power + bias) << bits).asFloat(x.getElement());
  Lanes isFinite = (magnitude > 0.0) & (magnitude < kInfinity);
  return select(isFinite, copySign(result, x), x);
}

//===----------------------------------------------------------------------===//
// pow
//===----------------------------------------------------------------------===//

static Lanes floor(Lanes x) {
  LaneBuilder &at = x.getBuilder();
  return {at, at.create<mlir::math::FloorOp>(mlir::Value(x)).getResult()};
}

/// f32 alone: in f64 the logarithm has the digits that its product with y needs.
Lanes expand::powf(Lanes x, Lanes y) {
  mlir::Type single = x.getElement(), twice = mlir::Float64Type::get(single.getContext());
  Lanes magnitude = abs(x);
  Lanes exponent = y.extendFloat(twice) * log2(magnitude.extendFloat(twice));
  Lanes power = exp2(exponent).truncateFloat(single);
  // By definition, also for NaN and infinity.
  Lanes isOne = (y == 0.0) | (magnitude == 1.0);
  Lanes result = select(isOne & ((y == 0.0) | (y == y)), 1.0, power);

  Lanes half = y * 0.5;
  Lanes isInteger = floor(y) == y;
  Lanes isOdd = isInteger & (floor(half) != half);
  Lanes flip = select(isOdd, x.asInt() & 0x80000000, x.asInt().like(0));
  Lanes isNaN = (x < 0.0) & (x > -kInfinity) & ((y < 0.0) | (y > 0.0)) & ~isInteger;
  Lanes value = (result.asInt() ^ flip).asFloat(single);
  return select((x == 1.0) | (y == 0.0), 1.0, select(isNaN, kNaN, value));
}
