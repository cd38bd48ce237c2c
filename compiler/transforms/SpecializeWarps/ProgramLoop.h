//===- ProgramLoop.h - Programs one after the other -----------------------===//
//
// A launch of as many thread blocks as run at once, each of which runs several
// programs: what the next one reads is fetched while this one stores its results.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_PROGRAMLOOP_H
#define TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_PROGRAMLOOP_H

#include "compiler/transforms/SpecializeWarps/Rings.h"

namespace tile {

/// Whether the kernel, in which `loads` are fetched, may be run so, and gains by it:
/// programs that wait for nobody, tell nobody and do equal work.
bool canLoopOverPrograms(mlir::func::FuncOp function, llvm::ArrayRef<RingLoad> loads);

/// Lets the kernel run every n-th program of a grid. Its sides are the last arguments
/// then, and the launch is along one axis.
void loopOverPrograms(mlir::func::FuncOp function);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_PROGRAMLOOP_H
