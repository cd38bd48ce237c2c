//===- TensorMap.h - Descriptions of arrays for the GPU's copies -*- C++ -*-===//
//
// A kernel that copies blocks of an array by the copy unit takes a map of the array
// as a parameter: 128 bytes that the driver encodes from address, sizes and strides.
// The compiler says how these follow from the arguments; the launch computes them.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_RUNTIME_NVIDIA_TENSORMAP_H
#define TILE_RUNTIME_NVIDIA_TENSORMAP_H

#include "runtime/launcher/Executable.h"
#include "runtime/nvidia/Driver.h"
#include "runtime/nvidia/LaunchExpression.h"

#include <string>
#include <vector>

namespace tile::runtime::nvidia {

/// One map of a kernel: how it is made, and the map of the last launch.
class TensorMap {
public:
  static constexpr size_t mostDimensions = 5;

  /// The map that stands as `number` behind the kernel's arguments.
  explicit TensorMap(size_t number) : number(number) {}

  /// Take the compiler's recipe, a dictionary. False with a Python error that names
  /// the kernel.
  bool read(const std::string &kernel, PyObject *recipe);

  /// The map for a launch, in place until the next call; null with a Python error.
  /// Only what an argument changed is encoded again.
  void *get(const std::string &kernel, const LaunchRequest &request) {
    if (isEncoded && isUnchanged(request))
      return &map;
    return encode(kernel, request) ? &map : nullptr;
  }

private:
  /// An argument that the map depends on, with its value when the map was encoded.
  struct Source {
    size_t argument;
    uint64_t value;
  };
  /// What the driver is told; its first dimension is the fastest.
  struct Layout {
    uint64_t address = 0;
    uint64_t sizes[mostDimensions] = {};
    uint64_t strides[mostDimensions] = {}; ///< in bytes, of all dimensions but the first
  };

  bool isUnchanged(const LaunchRequest &request) const {
    for (const Source &source : sources)
      if (request.slots[source.argument] != source.value)
        return false;
    return true;
  }
  bool encode(const std::string &kernel, const LaunchRequest &request);
  bool computeLayout(const std::string &kernel, const uint64_t *slots, Layout &layout) const;
  void raiseRefusal(const std::string &kernel, const Layout &layout, Result result) const;

  bool readElement(const std::string &kernel, PyObject *recipe);
  bool readBlock(const std::string &kernel, PyObject *recipe);
  bool readExpressions(const std::string &kernel, PyObject *recipe);
  bool fail(const std::string &kernel, const std::string &problem) const;

  EncodedMap map = {};
  const size_t number;
  bool isEncoded = false;
  std::vector<Source> sources;
  size_t slotsNeeded = 0;
  // The recipe. Expressions are in the compiler's order: the last dimension is the fastest.
  size_t rank = 0;
  int32_t dataType = 0;    ///< CUtensorMapDataType
  int32_t swizzleMode = 0; ///< CUtensorMapSwizzle
  int32_t fill = 0;        ///< CUtensorMapFloatOOBfill
  int64_t elementBytes = 0;
  uint32_t box[mostDimensions] = {}; ///< of one copy, the fastest dimension first
  LaunchExpression base;             ///< the address in bytes
  std::vector<LaunchExpression> sizes, strides;
};

/// Take the recipes of a kernel's maps, a sequence. False with a Python error.
bool readTensorMaps(const std::string &kernel, PyObject *recipes, std::vector<TensorMap> &maps);

} // namespace tile::runtime::nvidia

#endif // TILE_RUNTIME_NVIDIA_TENSORMAP_H
