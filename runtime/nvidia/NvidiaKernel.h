//===- NvidiaKernel.h - A kernel loaded by NVIDIA's driver -------*- C++ -*-===//
#ifndef TILE_RUNTIME_NVIDIA_NVIDIAKERNEL_H
#define TILE_RUNTIME_NVIDIA_NVIDIAKERNEL_H

#include "runtime/launcher/Executable.h"
#include "runtime/nvidia/Driver.h"
#include "runtime/nvidia/TensorMap.h"

namespace tile::runtime::nvidia {

/// How a kernel is launched, apart from its arguments and grid.
struct LaunchShape {
  uint32_t threads = 0;       ///< of a block
  uint32_t sharedBytes = 0;   ///< dynamic shared memory of a block
  uint32_t clusterSize = 1;   ///< blocks of a program
  bool isCooperative = false; ///< all blocks run at once, or the launch fails
  bool mayOverlap = false;    ///< may begin while the kernel before it still runs
  uint32_t mostBlocks = 0;    ///< blocks that take turns over the grid, which is passed; or 0

  /// Whether the driver's oldest call says it all.
  bool isPlain() const { return clusterSize == 1 && !isCooperative && !mayOverlap; }
};

class NvidiaKernel : public Executable {
public:
  NvidiaKernel(std::string name, void *function, void *context, LaunchShape shape,
               std::vector<TensorMap> maps, Ref owner)
      : Executable(std::move(name)), function(function), context(context), shape(shape),
        maps(std::move(maps)), owner(std::move(owner)) {}

  bool launch(const LaunchRequest &request) override;
  bool usesStream() const override { return true; }

private:
  bool checkGrid(const int64_t (&grid)[3]) const;
  bool shareGrid(const int64_t (&grid)[3], uint32_t (&sides)[3], uint32_t &blocks) const;
  uint32_t listAttributes(LaunchAttribute (&attributes)[3]) const;

  void *const function, *const context;
  const LaunchShape shape;
  std::vector<TensorMap> maps; ///< passed behind the arguments
  Ref owner;                   ///< keeps the module loaded
};

/// Wrap a loaded function; `descriptors` are the recipes of its tensor maps, or null.
/// Null with a Python error.
PyObject *wrapNvidiaKernel(const char *name, uint64_t function, uint64_t context, LaunchShape shape,
                           PyObject *descriptors, PyObject *owner);

} // namespace tile::runtime::nvidia

#endif // TILE_RUNTIME_NVIDIA_NVIDIAKERNEL_H
