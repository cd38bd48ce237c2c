//===- Executable.h - A loaded kernel ----------------------------*- C++ -*-===//
#ifndef TILE_RUNTIME_LAUNCHER_EXECUTABLE_H
#define TILE_RUNTIME_LAUNCHER_EXECUTABLE_H

#include "runtime/launcher/Python.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace tile::runtime {

/// One launch: packed arguments and a grid without empty sides.
struct LaunchRequest {
  uint64_t *slots; ///< an argument each, its value in its natural size at the start
  size_t slotCount;
  int64_t grid[3];
  uint64_t stream;
};

/// A kernel that a target's shim has loaded.
class Executable {
public:
  explicit Executable(std::string name) : name(std::move(name)) {}
  virtual ~Executable() = default;

  /// Run the grid, or put it on its stream. Called with the GIL held; false with a
  /// Python error.
  virtual bool launch(const LaunchRequest &request) = 0;
  /// Whether the kernel runs on a stream of a GPU.
  virtual bool usesStream() const = 0;
  /// Whether the kernel checks its accesses: behind the arguments it is told where
  /// the memory of each array begins and ends.
  virtual bool takesExtents() const { return false; }

  const std::string name;
};

/// The Python object that owns a loaded kernel: `tilewright._launcher.Executable`.
struct ExecutableObject {
  PyObject_HEAD Executable *executable;
};
extern PyTypeObject *executableType;
/// Wraps; takes ownership.
PyObject *wrapExecutable(Executable *executable);

} // namespace tile::runtime

#endif // TILE_RUNTIME_LAUNCHER_EXECUTABLE_H
