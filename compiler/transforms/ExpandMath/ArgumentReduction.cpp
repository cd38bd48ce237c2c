//===- ArgumentReduction.cpp - Remainders of pi/2 -------------------------===//
#include "compiler/transforms/ExpandMath/ArgumentReduction.h"

#include "compiler/transforms/ExpandMath/FloatFormat.h"

using namespace llvm;
using namespace tile;
using namespace tile::expand;

static constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;

//===----------------------------------------------------------------------===//
// Small arguments: pi/2 in three parts
//===----------------------------------------------------------------------===//

/// Below this the multiple of pi/2 has so few bits that its product with the
/// first part, subtracted from x, is exact, and three parts suffice.
static double getSmallLimit(Lanes x) { return choose(x, 0x1p16, 0x1p30); }

static Reduced reduceSmall(Lanes x) {
  Rounded n = roundProduct(x, kTwoOverPi);
  Lanes r = fma(n.real, Number(choose(x, -0x1.921fb6p+0, -0x1.921fb54442d18p+0)), x);
  r = fma(n.real, Number(choose(x, 0x1.777a5cp-25, -0x1.1a62633145c07p-54)), r);
  r = fma(n.real, Number(choose(x, 0x1.ee59dap-50, 0x1.f1976b7ed8fbcp-110)), r);
  return {r, n.integer};
}

//===----------------------------------------------------------------------===//
// Large arguments: the digits of 2/pi that matter
//===----------------------------------------------------------------------===//
//
// x = m 2^e with an integer m, and 2/pi = sum of b_k 2^-k. Digits with k < e - 1
// contribute multiples of 4 to x * 2/pi, which turn full circles. The product
// of m with the window of digits from k = e - 1 on, modulo its size, is hence a
// fixed-point number with the quadrant in the upper two bits.

/// 2/pi after the binary point, with a word of zeros in front: windows may begin
/// before the point.
static constexpr uint64_t kDigits32[] = {0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                         0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};
static constexpr uint64_t kDigits64[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
    0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

/// `count` words from position `index` on, by halving: each bit of the index
/// selects between the list and the list moved by its value.
static SmallVector<Lanes> selectWords(ArrayRef<uint64_t> words, Lanes index, int bits,
                                      size_t count) {
  SmallVector<Lanes> window = map_to_vector(words, [&](uint64_t word) { return index.like(word); });
  for (int bit = bits - 1; bit >= 0; --bit) {
    size_t step = size_t(1) << bit;
    Lanes isSet = (index & int64_t(step)) != 0;
    for (size_t i = 0; i < std::min(count + step - 1, window.size()); ++i)
      if (i + step < window.size())
        window[i] = select(isSet, window[i + step], window[i]);
    window.truncate(std::min(count + step - 1, window.size()));
  }
  return window;
}

namespace {
/// An argument beyond the limit, taken apart; integers have its width.
struct Scaled {
  Lanes significand;
  SmallVector<Lanes> window;
};
} // namespace

/// The significand of x, and the window of three words of digits for it.
static Scaled scale(Lanes x) {
  int bits = getSignificandBits(x), width = x.getWidth();
  Lanes pattern = x.asInt();
  int64_t mask = (int64_t(1) << bits) - 1;
  Lanes significand = (pattern & mask) | (mask + 1);
  // Digit k is at position width - 1 + k; e = exponent - bias - bits.
  Lanes exponent = shiftUnsigned(pattern, bits);
  Lanes position = exponent + (width - 2 - getExponentBias(x) - bits);
  Lanes index = shiftUnsigned(position, width == 64 ? 6 : 5);
  Lanes shift = position & (width - 1);
  ArrayRef<uint64_t> digits = isDouble(x) ? ArrayRef(kDigits64) : ArrayRef(kDigits32);
  SmallVector<Lanes> words = selectWords(digits, index, isDouble(x) ? 5 : 3, 4);
  SmallVector<Lanes> window;
  // The lower word moves by width - shift in two steps, each below the width.
  Lanes rest = (width - 1) - shift;
  for (int i = 0; i < 3; ++i)
    window.push_back((words[i] << shift) | shiftUnsigned(shiftUnsigned(words[i + 1], 1), rest));
  return {significand, window};
}

namespace {
/// x * 2/pi modulo 4: quadrant and signed rest, which is the fraction times 2^64
/// and as much again below it.
struct FixedPoint {
  Lanes quadrant;
  Lanes high;
  Lanes low;
};
} // namespace

/// The nearest quadrant for the upper two bits and what follows.
static Lanes roundQuadrant(Lanes product) {
  return shiftUnsigned(product, 62) + (shiftUnsigned(product, 61) & 1);
}

/// f32: 24 bits by 96, of which the upper 64 are kept.
static Reduced reduceLargeSingle(Lanes x) {
  Scaled scaled = scale(x);
  Lanes m = scaled.significand.extendUnsigned(64);
  auto times = [&](int i) { return m * scaled.window[i].extendUnsigned(64); };
  Lanes product = (times(0) << 32) + times(1) + shiftUnsigned(times(2), 32);
  // By way of f64, so that the conversion and the product round once.
  Lanes fraction = (product << 2).toFloat(mlir::Float64Type::get(x.getType().getContext()));
  Lanes rest = (fraction * 0x1.921fb54442d18p-64).truncateFloat(x.getElement());
  return {rest, roundQuadrant(product).truncate(32)};
}

/// f64: 53 bits by 192 in digits of 32 bits, of which the upper 128 are kept.
static FixedPoint multiplyDouble(Scaled scaled) {
  constexpr int64_t kDigit = 0xffffffff;
  auto upper = [](Lanes value) { return shiftUnsigned(value, 32); };
  auto lower = [](Lanes value) { return value & kDigit; };
  SmallVector<Lanes> digits;
  for (Lanes word : scaled.window) {
    digits.push_back(upper(word));
    digits.push_back(lower(word));
  }
  Lanes low = lower(scaled.significand), high = upper(scaled.significand);
  SmallVector<Lanes> sums;
  Lanes carry = low.like(0);
  for (int i = 4; i >= 0; --i) {
    Lanes a = low * digits[i], b = high * digits[i + 1];
    Lanes sum = carry + lower(a) + lower(b);
    sums.push_back(lower(sum));
    carry = upper(sum) + upper(a) + upper(b);
  }
  Lanes top = (sums[4] << 32) | sums[3], bottom = (sums[2] << 32) | sums[1];
  return {roundQuadrant(top), (top << 2) | shiftUnsigned(bottom, 62), bottom << 2};
}

static Reduced reduceLargeDouble(Lanes x) {
  FixedPoint fixed = multiplyDouble(scale(x));
  // In two floats that do not overlap: 53 bits, and the 63 below.
  constexpr int64_t kTail = 0x7ff;
  Lanes upper = (fixed.high & ~kTail).toFloat(x.getElement()) * 0x1p-64;
  Lanes below = ((fixed.high & kTail) << 52) | shiftUnsigned(fixed.low, 12);
  Lanes lower = below.toFloat(x.getElement()) * 0x1p-116;
  Lanes high = upper + lower;
  Lanes low = (upper - high) + lower;
  Lanes rest = high * 0x1.921fb54442d18p+0;
  Lanes lost = fma(high, Number(0x1.921fb54442d18p+0), -rest);
  lost = fma(low, Number(0x1.921fb54442d18p+0), fma(high, Number(0x1.1a62633145c07p-54), lost));
  return {rest + lost, fixed.quadrant};
}

Reduced expand::reduceByHalfPi(Lanes x) {
  Reduced small = reduceSmall(x);
  Reduced large = isDouble(x) ? reduceLargeDouble(x) : reduceLargeSingle(x);
  // Infinity and NaN give NaN as small ones do.
  Lanes isLarge = (x >= getSmallLimit(x)) & (x < kInfinity);
  return {select(isLarge, large.rest, small.rest), select(isLarge, large.quadrant, small.quadrant)};
}
