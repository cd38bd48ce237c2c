//===- Encoding.cpp - Floats as integers: narrowing and widening ----------===//
#include "compiler/transforms/ExpandCasts/Encoding.h"

#include <cmath>

using namespace mlir;
using namespace tile;

static constexpr int64_t kSignBit = 0x80000000;
static constexpr int64_t kMagnitude = 0x7fffffff;
static constexpr int64_t kInfinity = 0x7f800000;
static constexpr int kSingleBits = 23, kSingleBias = 127;

namespace {
/// How a narrow type is encoded: sign, exponent, `bits` of significand.
struct Format {
  int width;
  int bits;
  int bias;
  /// Codes of magnitudes: the largest finite one, and NaN.
  int64_t largest;
  int64_t nan;
  /// Infinity follows the largest finite code.
  bool hasInfinity;
  /// Zero has no sign, and NaN is the code that would be a negative zero.
  bool isUnsignedZero;

  /// Bits of f32 that a code lacks.
  int getShift() const { return kSingleBits - bits; }
  int64_t getExponentShift() const { return int64_t(kSingleBias - bias) << kSingleBits; }
  int64_t getSignMask() const { return int64_t(1) << (width - 1); }
};
} // namespace

static Format getFormat(Type type) {
  if (type.isF16())
    return {16, 10, 15, 0x7bff, 0x7e00, true, false};
  if (type.isBF16())
    return {16, 7, 127, 0x7f7f, 0x7fc0, true, false};
  if (isa<Float8E5M2Type>(type))
    return {8, 2, 15, 0x7b, 0x7f, true, false};
  if (isa<Float8E4M3FNType>(type))
    return {8, 3, 7, 0x7e, 0x7f, false, false};
  if (isa<Float8E5M2FNUZType>(type))
    return {8, 2, 16, 0x7f, 0x80, false, true};
  return {8, 3, 8, 0x7f, 0x80, false, true};
}

bool tile::isByteFloat(Type type) {
  return isa<Float8E5M2Type, Float8E4M3FNType, Float8E5M2FNUZType, Float8E4M3FNUZType>(type);
}

bool tile::isNarrowFloat(Type type) { return type.isF16() || type.isBF16() || isByteFloat(type); }

//===----------------------------------------------------------------------===//
// Narrowing
//===----------------------------------------------------------------------===//

/// Drop the low bits of a pattern; ties go to the even code.
static Lanes dropBits(Lanes pattern, int count, Rounding rounding) {
  if (rounding == Rounding::TowardZero)
    return shiftUnsigned(pattern, count);
  Lanes odd = shiftUnsigned(pattern, count) & 1;
  return shiftUnsigned(pattern + odd + ((int64_t(1) << (count - 1)) - 1), count);
}

/// Codes below the least normal number: multiples of a unit, which are the low
/// bits of the sum with a float whose last place is that unit.
static Lanes encodeSubnormal(Lanes magnitude, const Format &format, Rounding rounding) {
  Type single = Float32Type::get(magnitude.getType().getContext());
  Lanes x = magnitude.asFloat(single);
  Lanes anchor = x.like(std::ldexp(1.0, kSingleBits + 1 - format.bias - format.bits));
  Lanes sum = x + anchor;
  Lanes code = sum.asInt() - anchor.asInt();
  if (rounding == Rounding::TowardZero)
    code = code - ((sum - anchor) > x).extendUnsigned(32);
  return code;
}

/// The code of the magnitude of a finite f32, not yet bounded.
static Lanes encodeMagnitude(Lanes magnitude, const Format &format, Rounding rounding) {
  // bf16 has the exponents of f32.
  if (format.bias == kSingleBias)
    return dropBits(magnitude, format.getShift(), rounding);
  Lanes normal = dropBits(magnitude - format.getExponentShift(), format.getShift(), rounding);
  Lanes subnormal = encodeSubnormal(magnitude, format, rounding);
  int64_t leastNormal = int64_t(kSingleBias + 1 - format.bias) << kSingleBits;
  return select(magnitude < leastNormal, subnormal, normal);
}

/// What a magnitude beyond the largest finite one becomes.
static Lanes boundCode(Lanes code, Lanes magnitude, const Format &format, Rounding rounding) {
  bool saturates = format.width == 8 || rounding == Rounding::TowardZero;
  int64_t bound = saturates ? format.largest : format.largest + 1;
  Lanes bounded = select(code > bound, bound, code);
  bool keepsInfinity = format.width == 16 && saturates;
  if (keepsInfinity)
    bounded = select(magnitude == kInfinity, format.largest + 1, bounded);
  return bounded;
}

Lanes tile::narrowFromSingle(Lanes x, FloatType to, Rounding rounding) {
  Format format = getFormat(to);
  Lanes pattern = x.asInt();
  Lanes magnitude = pattern & kMagnitude;
  Lanes code = boundCode(encodeMagnitude(magnitude, format, rounding), magnitude, format, rounding);
  Lanes sign = shiftUnsigned(pattern, 32 - format.width) & format.getSignMask();
  // Types without infinities and with one NaN make NaN of both.
  Lanes isNaN = format.isUnsignedZero ? magnitude >= magnitude.like(kInfinity)
                                      : magnitude > magnitude.like(kInfinity);
  if (format.isUnsignedZero) {
    Lanes signedCode = select(code == 0, code, code | sign);
    code = select(isNaN, format.nan, signedCode);
  } else {
    code = select(isNaN, format.nan, code) | sign;
  }
  return code.truncate(format.width).asFloat(to);
}

//===----------------------------------------------------------------------===//
// Widening
//===----------------------------------------------------------------------===//

/// The magnitude of f32 for the magnitude's code: placed as if the exponents
/// had one bias, then scaled, which also normalises subnormal numbers.
static Lanes decodeMagnitude(Lanes code, const Format &format) {
  Type single = Float32Type::get(code.getType().getContext());
  Lanes placed = (code << format.getShift()).asFloat(single);
  Lanes scaled = (placed * std::ldexp(1.0, kSingleBias - format.bias)).asInt();
  if (format.isUnsignedZero)
    return scaled;
  if (!format.hasInfinity)
    return select(code == format.nan, int64_t(0x7fc00000), scaled);
  return select(code > format.largest, scaled | kInfinity, scaled);
}

Lanes tile::widenToSingle(Lanes x) {
  Format format = getFormat(x.getElement());
  Type single = Float32Type::get(x.getType().getContext());
  Lanes code = x.asInt().extendUnsigned(32);
  if (format.bias == kSingleBias)
    return (code << format.getShift()).asFloat(single);
  Lanes sign = (code & format.getSignMask()) << (32 - format.width);
  Lanes result = decodeMagnitude(code & (format.getSignMask() - 1), format) | sign;
  if (format.isUnsignedZero)
    result = select(code == format.nan, int64_t(0x7fc00000), result);
  return result.asFloat(single);
}

//===----------------------------------------------------------------------===//
// f64 to f32
//===----------------------------------------------------------------------===//

namespace {
struct Truncated {
  Lanes pattern;
  Lanes isInexact;
};
} // namespace

/// Towards zero: the nearest f32, or its neighbour where that is too large. An
/// infinity from rounding is too large as well, and its neighbour is finite.
static Truncated truncateDouble(Lanes x) {
  Type single = Float32Type::get(x.getType().getContext());
  Lanes nearest = x.truncateFloat(single);
  Lanes back = nearest.extendFloat(x.getElement());
  Lanes isLarger = abs(back) > abs(x);
  Lanes isInexact = isLarger | (abs(back) < abs(x));
  return {nearest.asInt() - isLarger.extendUnsigned(32), isInexact};
}

Lanes tile::narrowToSingleTowardZero(Lanes x) {
  return truncateDouble(x).pattern.asFloat(Float32Type::get(x.getType().getContext()));
}

Lanes tile::narrowToSingleOdd(Lanes x) {
  Truncated truncated = truncateDouble(x);
  Lanes odd = truncated.pattern | truncated.isInexact.extendUnsigned(32);
  return odd.asFloat(Float32Type::get(x.getType().getContext()));
}
