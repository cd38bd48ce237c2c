//===- Trigonometry.cpp - sin, cos, tan -----------------------------------===//
//
// Arguments are reduced to [-pi/4, pi/4] and a quadrant. Up to a bound this is
// done with pi/2 in three parts. Beyond, the digits of 2/pi that matter for the
// exponent are selected and multiplied as integers (Payne and Hanek), which is
// exact for all finite arguments. Both are computed, one is selected.
//
//===----------------------------------------------------------------------===//
#include "compiler/transforms/ExpandMath/ArgumentReduction.h"
#include "compiler/transforms/ExpandMath/Expansions.h"
#include "compiler/transforms/ExpandMath/FloatFormat.h"

using namespace tile;
using namespace tile::expand;

/// sin(r) = r + r^3 P(r^2), cos(r) = 1 - r^2/2 + r^4 Q(r^2) on |r| <= pi/4.
static constexpr double kSin32[] = {-0x1.555556p-3, 0x1.111108p-7, -0x1.a00f74p-13, 0x1.6ccf5ep-19};
static constexpr double kSin64[] = {-0x1.5555555555548p-3,  0x1.111111110f78fp-7,
                                    -0x1.a01a019bf577ep-13, 0x1.71de35603957ap-19,
                                    -0x1.ae5e546d5a537p-26, 0x1.5d8dfcabe6338p-33};
static constexpr double kCos32[] = {0x1.55554ap-5, -0x1.6c0c28p-10, 0x1.99e86cp-16};
static constexpr double kCos64[] = {0x1.555555555554bp-5,  -0x1.6c16c16c14f47p-10,
                                    0x1.a01a019c7cd86p-16, -0x1.27e4f7e53cedbp-22,
                                    0x1.1ee9d3db769fap-29, -0x1.8fa2904bc365ep-37};

static Lanes sinReduced(Lanes r) {
  Lanes square = r * r;
  return fma(r * square, polynomial(square, choose(r, kSin32, kSin64)), r);
}

static Lanes cosReduced(Lanes r) {
  Lanes square = r * r, half = square * 0.5;
  // 1 - half, and what the difference loses.
  Lanes high = 1.0 - half;
  Lanes low = (1.0 - high) - half;
  return high + fma(square * square, polynomial(square, choose(r, kCos32, kCos64)), low);
}

/// `sin` of an argument in the quadrant, with the sign given by the bit `sign`.
static Lanes sinInQuadrant(Lanes r, Lanes quadrant, Lanes sign) {
  Lanes value = select((quadrant & 1) != 0, cosReduced(r), sinReduced(r));
  Lanes flip = ((quadrant & 2) << (r.getWidth() - 2)) ^ sign;
  return (value.asInt() ^ flip).asFloat(r.getElement());
}

Lanes expand::sin(Lanes x) {
  Reduced reduced = reduceByHalfPi(abs(x));
  int64_t signBit = static_cast<int64_t>(uint64_t(1) << (x.getWidth() - 1));
  return sinInQuadrant(reduced.rest, reduced.quadrant, x.asInt() & signBit);
}

Lanes expand::cos(Lanes x) {
  Reduced reduced = reduceByHalfPi(abs(x));
  return sinInQuadrant(reduced.rest, reduced.quadrant + 1, reduced.quadrant.like(0));
}

Lanes expand::tan(Lanes x) {
  Reduced reduced = reduceByHalfPi(abs(x));
  Lanes isOdd = (reduced.quadrant & 1) != 0;
  Lanes sine = sinReduced(reduced.rest), cosine = cosReduced(reduced.rest);
  Lanes value = select(isOdd, -cosine, sine) / select(isOdd, sine, cosine);
  int64_t signBit = static_cast<int64_t>(uint64_t(1) << (x.getWidth() - 1));
  return (value.asInt() ^ (x.asInt() & signBit)).asFloat(x.getElement());
}
