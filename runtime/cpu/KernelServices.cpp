//===- KernelServices.cpp - What compiled CPU kernels may call ------------===//
#include "runtime/cpu/KernelServices.h"

#include "runtime/cpu/LaunchReport.h"
#include "runtime/cpu/Library.h"

#include <chrono>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

namespace tile::runtime::cpu {

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

namespace {
/// A float format of at most 16 bits.
struct SmallFloat {
  const char *name;
  int exponentBits, mantissaBits, bias;
  enum { IEEE, Finite, FiniteNoNegativeZero } specials;
};

/// How the bits of an element are read.
struct ElementType {
  enum { Bool, Signed, Unsigned, Float, Pointer } kind;
  int width;               ///< in bits, in memory
  const SmallFloat *small; ///< null for f32 and f64
};
} // namespace

static constexpr SmallFloat smallFloats[] = {
    {"f16", 5, 10, 15, SmallFloat::IEEE},
    {"bf16", 8, 7, 127, SmallFloat::IEEE},
    {"f8E5M2", 5, 2, 15, SmallFloat::IEEE},
    {"f8E4M3FN", 4, 3, 7, SmallFloat::Finite},
    {"f8E5M2FNUZ", 5, 2, 16, SmallFloat::FiniteNoNegativeZero},
    {"f8E4M3FNUZ", 4, 3, 8, SmallFloat::FiniteNoNegativeZero},
};

static ElementType parseType(std::string_view name) {
  if (name == "ptr")
    return {ElementType::Pointer, 64, nullptr};
  for (const SmallFloat &format : smallFloats)
    if (name == format.name)
      return {ElementType::Float, 1 + format.exponentBits + format.mantissaBits, &format};
  int width = std::atoi(name.data() + 1);
  if (name[0] == 'f')
    return {ElementType::Float, width, nullptr};
  if (width == 1)
    return {ElementType::Bool, 8, nullptr};
  return {name[0] == 'u' ? ElementType::Unsigned : ElementType::Signed, width, nullptr};
}

static double decode(const SmallFloat &format, uint32_t bits) {
  int signShift = format.exponentBits + format.mantissaBits;
  uint32_t exponentMask = (1u << format.exponentBits) - 1;
  uint32_t mantissaMask = (1u << format.mantissaBits) - 1;
  uint32_t exponent = bits >> format.mantissaBits & exponentMask;
  uint32_t mantissa = bits & mantissaMask;
  bool isNegative = bits >> signShift & 1;
  bool isNaN = false;
  switch (format.specials) {
  case SmallFloat::IEEE:
    isNaN = exponent == exponentMask && mantissa;
    if (exponent == exponentMask && !mantissa)
      return isNegative ? -INFINITY : INFINITY;
    break;
  case SmallFloat::Finite:
    isNaN = exponent == exponentMask && mantissa == mantissaMask;
    break;
  case SmallFloat::FiniteNoNegativeZero:
    isNaN = isNegative && !exponent && !mantissa;
    break;
  }
  if (isNaN)
    return std::numeric_limits<double>::quiet_NaN();
  // A denormal has the exponent of the smallest normal number, without its leading one.
  double significand = mantissa + (exponent ? static_cast<double>(mantissaMask) + 1 : 0);
  int scale = static_cast<int>(exponent ? exponent : 1) - format.bias - format.mantissaBits;
  double value = std::ldexp(significand, scale);
  return isNegative ? -value : value;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static double readFloat(const ElementType &type, uint64_t bits) {
  if (type.small)
    return decode(*type.small, static_cast<uint32_t>(bits));
  if (type.width == 64) {
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

static std::string formatElement(const ElementType &type, const char *data, bool hex) {
  uint64_t bits = 0;
  std::memcpy(&bits, data, static_cast<size_t>(type.width / 8));
  char text[40];
  switch (type.kind) {
  case ElementType::Bool:
    return bits & 1 ? "True" : "False";
  case ElementType::Float:
    // Enough digits to tell any two values of the type apart.
    std::snprintf(text, sizeof(text), "%.*g",
                  type.width == 64   ? 17
                  : type.width == 32 ? 9
                                     : 6,
                  readFloat(type, bits));
    return text;
  case ElementType::Signed:
    if (hex)
      break;
    std::snprintf(text, sizeof(text), "%" PRId64,
                  static_cast<int64_t>(bits << (64 - type.width)) >> (64 - type.width));
    return text;
  case ElementType::Unsigned:
    if (hex)
      break;
    std::snprintf(text, sizeof(text), "%" PRIu64, bits);
    return text;
  case ElementType::Pointer:
    break;
  }
  std::snprintf(text, sizeof(text), "0x%0*" PRIx64, type.width / 4, bits);
  return text;
}

static std::string formatPosition(const int32_t *position) {
  return "pid (" + std::to_string(position[0]) + ", " + std::to_string(position[1]) + ", " +
         std::to_string(position[2]) + ")";
}

/// "idx ( 3, 5)" of the element with this number, as wide as the largest index, and its place in
/// memory.
static std::string formatIndices(int64_t number, int32_t rank, const int64_t *sizes,
                                 int64_t &offset) {
  std::string text = ")";
  offset = 0;
  for (int32_t dim = rank - 1; dim >= 0; --dim) {
    std::string index = std::to_string(number % sizes[dim]);
    offset += number % sizes[dim] * sizes[rank + dim];
    number /= sizes[dim];
    size_t width = std::to_string(sizes[dim] - 1).size();
    text = (dim ? ", " : "") + std::string(width - index.size(), ' ') + index + text;
  }
  return "idx (" + text;
}

/// The prefix with something before it and between it and a value, where the user gave nothing.
static std::string separate(const char *prefix) {
  std::string text = prefix;
  if (text.empty() || (text.front() != ' ' && text.front() != ':'))
    text = " " + text;
  if (text.back() == ' ')
    return text;
  return text + (text.back() == ':' ? " " : ": ");
}

static void print(const int32_t *position, const char *prefix, const char *typeName, int32_t hex,
                  const void *data, int32_t rank, const int64_t *sizes) {
  LaunchReport *report = LaunchReport::getCurrent();
  if (!report)
    return;
  std::string head = formatPosition(position);
  if (!*typeName)
    return report->print(head + (*prefix == ' ' ? "" : " ") + prefix + "\n");
  ElementType type = parseType(typeName);
  std::string label = separate(prefix);
  int64_t count = 1;
  for (int32_t dim = 0; dim < rank; ++dim)
    count *= sizes[dim];
  std::string lines;
  for (int64_t i = 0; i < count; ++i) {
    int64_t offset = 0;
    std::string indices = formatIndices(i, rank, sizes, offset);
    const char *element = static_cast<const char *>(data) + offset * (type.width / 8);
    lines += head + " " + indices + label + formatElement(type, element, hex) + "\n";
  }
  report->print(lines);
}

static void failAssertion(const int32_t *, const char *message, const char *place) {
  if (LaunchReport *report = LaunchReport::getCurrent())
    report->setFailure(message, place);
}

static void readTimer(int64_t *nanoseconds) {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  *nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

void connectServices(const Library &library) {
  if (void *variable = library.find("tile_rt_print"))
    *static_cast<PrintFunction *>(variable) = print;
  if (void *variable = library.find("tile_rt_assert"))
    *static_cast<AssertFunction *>(variable) = failAssertion;
  if (void *variable = library.find("tile_rt_timer"))
    *static_cast<TimerFunction *>(variable) = readTimer;
}

} // namespace tile::runtime::cpu
