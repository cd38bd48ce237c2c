//===- DataType.h - Types of elements and scalars ----------------*- C++ -*-===//
#ifndef TILE_RUNTIME_LAUNCHER_DATATYPE_H
#define TILE_RUNTIME_LAUNCHER_DATATYPE_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace tile::runtime {

enum class DataType : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  FP8E5,
  FP8E5B16,
  FP8E4NV,
  FP8E4B8,
  FP8E4B15,
  FP16,
  BF16,
  FP32,
  FP64,
};

/// As signatures spell it: "i32", "fp8e4nv".
const char *getName(DataType type);
std::optional<DataType> parseDataType(std::string_view name);

bool isInteger(DataType type); ///< I8 to U64, without I1
bool isFloat(DataType type);

/// Bytes of an element in memory.
unsigned getByteWidth(DataType type);

/// The least and the largest value of an integer type.
int64_t getMinimum(DataType type);
uint64_t getMaximum(DataType type);

/// The bits of `value` rounded to nearest even; no value for 8-bit floats, whose
/// rounding belongs to the compiler.
std::optional<uint64_t> encodeFloat(DataType type, double value);

} // namespace tile::runtime

#endif // TILE_RUNTIME_LAUNCHER_DATATYPE_H
