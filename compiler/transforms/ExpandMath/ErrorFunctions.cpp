//===- ErrorFunctions.cpp - erf and erfc ----------------------------------===//
#include "compiler/transforms/ExpandMath/Expansions.h"
#include "compiler/transforms/ExpandMath/FloatFormat.h"

using namespace tile;
using namespace tile::expand;

/// erf(x) = x + x P(x^2) on [0, 0.921875].
static constexpr double kErf32[] = {0x1.06eba8p-3, -0x1.812744p-2,  0x1.ce2e2p-4,  -0x1.b8107cp-6,
                                    0x1.54dad8p-8, -0x1.aae988p-11, 0x1.5f114cp-14};
static constexpr double kErf64[] = {
    0x1.06eba8214db69p-3,  -0x1.812746b0379e7p-2,  0x1.ce2f21a042bc0p-4,  -0x1.b82ce31287dafp-6,
    0x1.565bcd0e3cd4ep-8,  -0x1.c02db3f4ef49bp-11, 0x1.f9a3252a1b8efp-14, -0x1.f4d22a6b233dcp-17,
    0x1.b9e31cd5b0465p-20, -0x1.5f444f35156bfp-23, 0x1.f975595188ed2p-27, -0x1.3ea256d408861p-30,
    0x1.181968387be92p-34};

/// erf(x) = 1 - exp(-P(x - 1)) on [0.921875, 4], for f64 up to 6.
static constexpr double kErfTail32[] = {0x1.d97fcp+0,    0x1.51c9bp+1,   0x1.afabc2p-1,
                                        0x1.547a1cp-5,   -0x1.4915a4p-7, 0x1.071f58p-9,
                                        -0x1.2cd7aap-12, 0x1.6250dcp-16};
static constexpr double kErfTail64[] = {
    0x1.d97fbf27aa2a1p+0,   0x1.51c9b0006c23dp+1,   0x1.afabc11a28f3ap-1,   0x1.5477f09caa7a3p-5,
    -0x1.48c9d40c2fae2p-7,  0x1.033f69906065cp-9,   -0x1.f1b4b68c77df5p-13, -0x1.b8bf532e18b0fp-16,
    0x1.c75d666019223p-16,  -0x1.416b3907b9aa5p-17, 0x1.0f4ab45e73736p-19,  -0x1.c56f60579b75bp-24,
    -0x1.0c2207d2003cfp-23, 0x1.2047ed8d8484dp-24,  -0x1.6b2ae6ff87215p-26, 0x1.46937009f1ce6p-28,
    -0x1.aa4a5b503d04ep-31, 0x1.822a4bf9e9595p-34,  -0x1.b2b07e34511e0p-38, 0x1.c932e5324e868p-43};

/// erfc(x) = exp(-x^2) P(t) / (1 + 2x) with t = (x - 4) / (x + 4), for x >= 0.
static constexpr double kErfc32[] = {0x1.3ba592p+0,  -0x1.1df1a6p-3, 0x1.f7e2ap-7,   0x1.16e8d6p-4,
                                     -0x1.9da8e8p-4, 0x1.804cd8p-4,  -0x1.10e7ccp-4, 0x1.2a4c6ap-5,
                                     -0x1.050f1p-6,  0x1.c9a918p-8,  0x1.c91828p-11};
static constexpr double kErfc64[] = {
    0x1.3ba5916e9fd7fp+0,   -0x1.1df1ad154a28fp-3,  0x1.f7f5df66fd7d3p-7,   0x1.16ecefcfa53fep-4,
    -0x1.9ddb23c3e91bbp-4,  0x1.7fee004e11412p-4,   -0x1.0fb06dfe47af0p-4,  0x1.3079edf6acd96p-5,
    -0x1.096238856d7c5p-6,  0x1.49c67277a1af5p-8,   -0x1.8d4a9989e4313p-11, -0x1.a1df19032b175p-13,
    0x1.3be035d9f7538p-13,  -0x1.995afef85d0f6p-16, -0x1.788335fbe27bdp-17, 0x1.7f3d416de19ccp-18,
    0x1.393b2d4774d9ap-22,  -0x1.bc565dc782f2dp-21, 0x1.4a9433ed5bcb3p-24,  0x1.e5ef74de0972bp-24,
    -0x1.47f409455cc17p-26, -0x1.1bbbfb005897dp-26, 0x1.d439cb247ffffp-30,  0x1.1d6f790c17134p-29,
    0x1.350565e38d821p-32};

/// erf(x) for |x| < 0.921875.
static Lanes erfNear(Lanes x) { return fma(x, polynomial(x * x, choose(x, kErf32, kErf64)), x); }

Lanes expand::erf(Lanes x) {
  Lanes magnitude = abs(x);
  Lanes bounded = clampAbove(magnitude, choose(x, 4.0, 6.0));
  Lanes far = 1.0 - exp(-polynomial(bounded - 1.0, choose(x, kErfTail32, kErfTail64)));
  return select(magnitude < 0.921875, erfNear(x), copySign(far, x));
}

Lanes expand::erfc(Lanes x) {
  // Zero to the last place at the bound.
  Lanes a = clampAbove(abs(x), choose(x, 10.1, 27.3));
  Lanes t = (a - 4.0) / (a + 4.0);
  Lanes scaled = polynomial(t, choose(x, kErfc32, kErfc64)) / fma(a, Number(2.0), Number(1.0));
  // The square in two parts: exp of the second is 1 plus it.
  Lanes square = a * a;
  Lanes lost = fma(a, a, -square);
  Lanes power = exp(-square);
  Lanes positive = scaled * fma(power, -lost, power);
  Lanes far = select(x < 0.0, 2.0 - positive, positive);
  return select(a < 0.5, 1.0 - erfNear(x), far);
}
