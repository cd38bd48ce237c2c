//===- Driver.h - The few driver functions a launch needs --------*- C++ -*-===//
//
// The driver is opened when first needed, so that the launcher imports anywhere.
// Loading and properties are in Python; see runtime/nvidia/*.py.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_RUNTIME_NVIDIA_DRIVER_H
#define TILE_RUNTIME_NVIDIA_DRIVER_H

#include <cstdint>
#include <string>

namespace tile::runtime::nvidia {

using Result = int; ///< CUresult; 0 is success

/// CUlaunchAttribute of the driver's interface.
struct LaunchAttribute {
  int32_t id;
  char padding[4];
  alignas(8) uint32_t value[16];
};

/// CUlaunchConfig of the driver's interface.
struct LaunchConfig {
  uint32_t gridX, gridY, gridZ;
  uint32_t blockX, blockY, blockZ;
  uint32_t sharedBytes;
  void *stream;
  LaunchAttribute *attributes;
  uint32_t attributeCount;
};

/// CUtensorMap of the driver's interface.
struct alignas(64) EncodedMap {
  uint64_t words[16];
};

class Driver {
public:
  static Driver &get();

  /// Open the driver's library. False with a Python error that says what to do.
  bool open();
  /// The index of the device that an address is on; negative with a Python error.
  int getDeviceOf(uint64_t address);
  /// Raise an error that names the kernel, the call, and the driver's text.
  void raise(const std::string &kernel, const char *call, Result result);

  Result (*launchKernel)(void *function, uint32_t gridX, uint32_t gridY, uint32_t gridZ,
                         uint32_t blockX, uint32_t blockY, uint32_t blockZ, uint32_t sharedBytes,
                         void *stream, void **parameters, void **extra) = nullptr;
  /// Null in drivers older than CUDA 11.8.
  Result (*launchKernelEx)(const LaunchConfig *config, void *function, void **parameters,
                           void **extra) = nullptr;
  /// cuTensorMapEncodeTiled; null in drivers older than CUDA 12.0.
  Result (*encodeTensorMap)(EncodedMap *map, int32_t type, uint32_t rank, void *address,
                            const uint64_t *sizes, const uint64_t *strides, const uint32_t *box,
                            const uint32_t *steps, int32_t interleave, int32_t swizzle,
                            int32_t promotion, int32_t fill) = nullptr;
  Result (*getCurrentContext)(void **context) = nullptr;
  Result (*pushContext)(void *context) = nullptr;
  Result (*popContext)(void **context) = nullptr;

private:
  Result (*pointerGetAttribute)(void *data, int attribute, uint64_t address) = nullptr;
  Result (*getErrorName)(Result result, const char **text) = nullptr;
  Result (*getErrorString)(Result result, const char **text) = nullptr;
  bool isOpen = false;
};

} // namespace tile::runtime::nvidia

#endif // TILE_RUNTIME_NVIDIA_DRIVER_H
