//===- Arrays.h - Addresses of the arrays of many libraries ------*- C++ -*-===//
#ifndef TILE_RUNTIME_LAUNCHER_ARRAYS_H
#define TILE_RUNTIME_LAUNCHER_ARRAYS_H

#include "runtime/launcher/Registry.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace tile::runtime {

/// Where memory is, in DLPack's numbers.
struct Device {
  enum Type : int32_t { None = 0, Cpu = 1, Cuda = 2, CudaHost = 3, Rocm = 10, CudaManaged = 13 };
  int32_t type = None, index = 0;

  bool isGpu() const { return type == Cuda || type == Rocm; }
  bool operator==(const Device &other) const { return type == other.type && index == other.index; }
  bool operator!=(const Device &other) const { return !(*this == other); }
};

/// An array as a kernel sees it. Strides are the kernel's own arguments.
struct Array {
  uint64_t address = 0;
  DataType type = DataType::I8;
  Device device;
  bool writable = true;
  /// The stream its library works on, where the array tells.
  std::optional<uint64_t> stream;
  bool usesTorchStream = false;
};

/// Read an array of the given kind. Objects that must outlive the launch go to
/// `kept`. False with a Python error that does not name the argument yet.
bool readArray(PyObject *value, ArgumentKind kind, Array &result, std::vector<Ref> &kept);

/// Whether the fields of this numpy array are where we read them.
bool isNumpyLayoutKnown(PyObject *array);

} // namespace tile::runtime

#endif // TILE_RUNTIME_LAUNCHER_ARRAYS_H
