//===- DataType.cpp - Types of elements and scalars -----------------------===//
#include "runtime/launcher/DataType.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

namespace tile::runtime {

static constexpr const char *names[] = {
    "i1",    "i8",       "i16",     "i32",     "i64",      "u8",   "u16",  "u32",  "u64",
    "fp8e5", "fp8e5b16", "fp8e4nv", "fp8e4b8", "fp8e4b15", "fp16", "bf16", "fp32", "fp64"};

const char *getName(DataType type) { return names[static_cast<size_t>(type)]; }

std::optional<DataType> parseDataType(std::string_view name) {
  for (size_t i = 0; i < std::size(names); ++i)
    if (name == names[i])
      return static_cast<DataType>(i);
  return std::nullopt;
}

bool isInteger(DataType type) { return type >= DataType::I8 && type <= DataType::U64; }
bool isFloat(DataType type) { return type >= DataType::FP8E5; }

static unsigned getBits(DataType type) {
  switch (type) {
  case DataType::I8:
  case DataType::U8:
    return 8;
  case DataType::I16:
  case DataType::U16:
    return 16;
  case DataType::I32:
  case DataType::U32:
    return 32;
  default:
    return 64;
  }
}

unsigned getByteWidth(DataType type) {
  switch (type) {
  case DataType::I1:
  case DataType::FP8E5:
  case DataType::FP8E5B16:
  case DataType::FP8E4NV:
  case DataType::FP8E4B8:
  case DataType::FP8E4B15:
    return 1;
  case DataType::FP16:
  case DataType::BF16:
    return 2;
  case DataType::FP32:
    return 4;
  default:
    return getBits(type) / 8;
  }
}

int64_t getMinimum(DataType type) {
  if (type >= DataType::U8)
    return 0;
  return std::numeric_limits<int64_t>::min() >> (64 - getBits(type));
}

uint64_t getMaximum(DataType type) {
  unsigned bits = getBits(type) - (type < DataType::U8);
  return std::numeric_limits<uint64_t>::max() >> (64 - bits);
}

/// Round to an IEEE-like format of 16 bits. The double is rounded once, so no
/// detour through float can round twice.
static uint64_t encodeSmall(double value, int mantissaBits, int maxExponent) {
  uint64_t sign = std::signbit(value) ? 0x8000 : 0;
  uint64_t infinity = static_cast<uint64_t>(2 * maxExponent + 1) << mantissaBits;
  if (std::isnan(value))
    return sign | infinity | (uint64_t(1) << (mantissaBits - 1));
  double magnitude = std::fabs(value);
  if (std::isinf(magnitude))
    return sign | infinity;
  if (magnitude == 0)
    return sign;
  int minExponent = 1 - maxExponent;
  int exponent = std::max(std::ilogb(magnitude), minExponent);
  // In units of the last place, rounded to even by the default rounding mode.
  double units = std::nearbyint(std::ldexp(magnitude, mantissaBits - exponent));
  // A denormal has less than one full mantissa; the sum carries into the exponent.
  uint64_t bits = static_cast<uint64_t>(units) +
                  (static_cast<uint64_t>(exponent - minExponent) << mantissaBits);
  return sign | std::min(bits, infinity);
}

std::optional<uint64_t> encodeFloat(DataType type, double value) {
  switch (type) {
  case DataType::FP64: {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
  }
  case DataType::FP32: {
    float rounded = static_cast<float>(value);
    uint32_t bits;
    std::memcpy(&bits, &rounded, sizeof(bits));
    return bits;
  }
  case DataType::FP16:
    return encodeSmall(value, 10, 15);
  case DataType::BF16:
    return encodeSmall(value, 7, 127);
  default:
    return std::nullopt;
  }
}

} // namespace tile::runtime
