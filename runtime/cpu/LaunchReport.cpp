//===- LaunchReport.cpp - What kernels say during a launch ----------------===//
#include "runtime/cpu/LaunchReport.h"

#include "runtime/cpu/KernelServices.h"
#include "runtime/launcher/Registry.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace tile::runtime::cpu {

static thread_local LaunchReport *currentReport = nullptr;
static thread_local const int32_t *currentPosition = nullptr;

LaunchReport::Scope::Scope(LaunchReport &report, const int32_t *position)
    : outerReport(currentReport), outerPosition(currentPosition) {
  currentReport = &report;
  currentPosition = position;
}

LaunchReport::Scope::~Scope() {
  currentReport = outerReport;
  currentPosition = outerPosition;
}

void LaunchReport::setOutOfMemory() {
  std::lock_guard<std::mutex> lock(mutex);
  isOutOfMemory = true;
  failed = true;
}

void LaunchReport::setFailure(const char *text, const char *where, int lineNumber) {
  std::lock_guard<std::mutex> lock(mutex);
  if (failed.exchange(true))
    return;
  message = text;
  file = where;
  line = lineNumber;
}

void LaunchReport::print(const std::string &lineOfText) {
  std::lock_guard<std::mutex> lock(mutex);
  text += lineOfText;
  hasText = true;
}

static bool writeText(const std::string &text) {
  PyObject *output = PySys_GetObject("stdout");
  if (!output || output == Py_None)
    return true;
  // A prefix may hold any bytes of a source file.
  Ref string(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
  if (!string)
    return false;
  return static_cast<bool>(
      Ref(PyObject_CallMethodOneArg(output, Registry::get().names.write, string.get())));
}

bool LaunchReport::finish(const std::string &kernelName) {
  if (hasText && !writeText(text))
    return false;
  if (!failed)
    return true;
  if (isOutOfMemory) {
    PyErr_NoMemory();
    return false;
  }
  Ref error(PyObject_CallFunction(Registry::get().deviceFailure.get(), "sssi", kernelName.c_str(),
                                  message.c_str(), file.c_str(), line));
  if (error)
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.get())), error.get());
  return false;
}

//===----------------------------------------------------------------------===//
// Formatting
//===----------------------------------------------------------------------===//

/// The integer in the low `width` bits.
static int64_t signExtend(int64_t bits, int width) {
  return static_cast<int64_t>(static_cast<uint64_t>(bits) << (64 - width)) >> (64 - width);
}
static uint64_t zeroExtend(int64_t bits, int width) {
  return static_cast<uint64_t>(bits) << (64 - width) >> (64 - width);
}

static std::string formatInteger(int64_t bits, int width, bool isSigned, bool hex) {
  char text[32];
  if (hex)
    std::snprintf(text, sizeof(text), "0x%0*" PRIx64, width / 4, zeroExtend(bits, width));
  else if (isSigned)
    std::snprintf(text, sizeof(text), "%" PRId64, signExtend(bits, width));
  else
    std::snprintf(text, sizeof(text), "%" PRIu64, zeroExtend(bits, width));
  return text;
}

/// Enough digits to tell any two values of the type apart.
static std::string formatFloat(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.*g", digits, value);
  return text;
}

static std::string formatValue(int32_t kind, int64_t bits, bool hex) {
  switch (kind) {
  case TILE_PRINT_I1:
    return bits & 1 ? "True" : "False";
  case TILE_PRINT_F32: {
    uint32_t low = static_cast<uint32_t>(bits);
    float value;
    std::memcpy(&value, &low, sizeof(value));
    return formatFloat(value, 9);
  }
  case TILE_PRINT_F64: {
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    return formatFloat(value, 17);
  }
  case TILE_PRINT_POINTER:
    return formatInteger(bits, 64, false, true);
  default: {
    bool isSigned = kind <= TILE_PRINT_I64;
    int width = 8 << (kind - (isSigned ? TILE_PRINT_I8 : TILE_PRINT_U8));
    return formatInteger(bits, width, isSigned, hex);
  }
  }
}

static std::string joinIndices(const int64_t *indices, int32_t rank) {
  std::string text;
  for (int32_t i = 0; i < rank; ++i)
    text += (i ? ", " : "") + std::to_string(indices[i]);
  return text;
}

} // namespace tile::runtime::cpu

using namespace tile::runtime::cpu;

#define TILE_EXPORT extern "C" __attribute__((visibility("default")))

TILE_EXPORT void tile_rt_print(const char *prefix, int32_t operand, const int64_t *indices,
                               int32_t rank, int32_t kind, int64_t bits, int32_t hex) {
  if (!currentReport)
    return;
  const int32_t *p = currentPosition;
  std::string line = "pid (" + std::to_string(p[0]) + ", " + std::to_string(p[1]) + ", " +
                     std::to_string(p[2]) + ") ";
  if (rank)
    line += "idx (" + joinIndices(indices, rank) + ") ";
  line += prefix;
  if (operand)
    line += "(operand " + std::to_string(operand) + ") ";
  currentReport->print(line + formatValue(kind, bits, hex) + "\n");
}

TILE_EXPORT void tile_rt_assert_failed(const char *message, const char *file, int32_t line) {
  if (currentReport)
    currentReport->setFailure(message, file, line);
}
