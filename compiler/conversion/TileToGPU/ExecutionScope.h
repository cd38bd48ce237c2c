//===- ExecutionScope.h - Which threads carry out a piece of code -----------===//
//
// Lowerings ask here for thread, lane and warp, for the number of participants
// and for barriers, and nowhere else: the same lowering then serves a whole
// program and a part of its warps.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_CONVERSION_TILETOGPU_EXECUTIONSCOPE_H
#define TILE_CONVERSION_TILETOGPU_EXECUTIONSCOPE_H

#include "compiler/conversion/TileToGPU/GPUHooks.h"
#include "compiler/conversion/TileToGPU/RoleHooks.h"

namespace tile {

class ExecutionScope {
public:
  ExecutionScope(const GPUHooks &hooks, int64_t lanes, int64_t warps)
      : hooks(&hooks), lanes(lanes), warps(warps) {}

  /// Compute the thread's place among `launchedWarps`; what follows may ask for it.
  void enter(mlir::ImplicitLocOpBuilder &b, int64_t launchedWarps);
  /// From here on the scope is a part of the warps, which meet at a barrier of
  /// their own.
  void enterRole(mlir::ImplicitLocOpBuilder &b, const RoleHooks &roleHooks, int64_t firstWarp,
                 int64_t warps, int64_t barrier);
  /// From here on one thread acts for the scope.
  void setSingleThread() { isSingle = true; }
  bool isSingleThread() const { return isSingle; }

  int64_t getNumLanes() const { return lanes; }
  int64_t getNumWarps() const { return warps; }
  int64_t getNumThreads() const { return lanes * warps; }

  /// i32 indices, from 0.
  mlir::Value getThread() const { return thread; }
  mlir::Value getLane() const { return lane; }
  mlir::Value getWarp() const { return warp; }
  /// Lane or warp, by the name of its index space.
  mlir::Value getIndex(Dim dim) const { return dim == Dim::Lane ? lane : warp; }

  /// All threads of the scope meet and see each other's writes.
  void emitBarrier(mlir::ImplicitLocOpBuilder &b) const;
  /// The same for the threads of each warp.
  void emitWarpBarrier(mlir::ImplicitLocOpBuilder &b) const;

private:
  const GPUHooks *hooks;
  /// Of a part of the program's warps; else null.
  const RoleHooks *roleHooks = nullptr;
  int64_t lanes, warps, barrier = 0;
  bool isSingle = false;
  mlir::Value thread, lane, warp;
};

} // namespace tile

#endif // TILE_CONVERSION_TILETOGPU_EXECUTIONSCOPE_H
