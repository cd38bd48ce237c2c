//===- CpuKernel.h - A kernel compiled for the CPU ---------------*- C++ -*-===//
#ifndef TILE_RUNTIME_CPU_CPUKERNEL_H
#define TILE_RUNTIME_CPU_CPUKERNEL_H

#include "runtime/cpu/Library.h"
#include "runtime/launcher/Executable.h"

#include <atomic>
#include <memory>

namespace tile::runtime::cpu {

/// The compiled kernel runs one program: packed arguments, the thread's arena, and
/// program ids and grid extents.
using KernelFunction = void (*)(const uint64_t *slots, void *scratch, const int32_t *position);

class CpuKernel : public Executable {
public:
  CpuKernel(std::string name, std::unique_ptr<Library> library, KernelFunction function,
            size_t scratchBytes, bool hasExtents)
      : Executable(std::move(name)), library(std::move(library)), function(function),
        scratchBytes(scratchBytes), hasExtents(hasExtents) {}

  bool launch(const LaunchRequest &request) override;
  bool usesStream() const override { return false; }
  bool takesExtents() const override { return hasExtents; }

private:
  struct Grid;
  static void runPrograms(void *context, int64_t begin, int64_t end);
  void updateCost(double nanoseconds);

  std::unique_ptr<Library> library;
  const KernelFunction function;
  const size_t scratchBytes;
  const bool hasExtents;
  /// What a program takes, in nanoseconds; negative before the first launch.
  std::atomic<float> cost{-1};
};

/// Load the library of a kernel. Null with a Python error.
PyObject *loadCpuKernel(const char *name, const void *library, size_t size, size_t scratchBytes,
                        bool takesExtents);

} // namespace tile::runtime::cpu

#endif // TILE_RUNTIME_CPU_CPUKERNEL_H
