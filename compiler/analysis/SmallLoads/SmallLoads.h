//===- SmallLoads.h - What a loop loads beside operands of dots -----------===//
//
// Scales and the like: few elements, which many threads need each. They are made
// ahead, as the operands are: carried in registers where a thread has few of them,
// copied on chip where it has many, or where the loop advances their address.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_ANALYSIS_SMALLLOADS_SMALLLOADS_H
#define TILE_COMPILER_ANALYSIS_SMALLLOADS_SMALLLOADS_H

#include "compiler/analysis/LoopSlice/LoopSlice.h"

namespace tile {

/// Elements of a block in a thread that a loop carries, loaded ahead.
constexpr int64_t kMostCarriedElements = 4;

/// Elements that a thread has; of a block without a layout nobody knows.
int64_t countElements(mlir::Type type);

/// Elements that one copy moves at least; zero where none moves whole ones.
int64_t getLeastCopyWidth(LoadOp load);

/// Whether threads of the program can copy what `load` gives ahead of the iterations of `loop`:
/// a block of at most two elements for each of them, zero where they are not loaded, that is no
/// operand of a dot, from where the loop does not write, at a place that no other load tells.
bool isSmallLoad(LoadOp load, mlir::scf::ForOp loop, const LoopWrites &writes);

/// Whether the loop advances the load's address.
bool isAdvanced(LoadOp load, mlir::scf::ForOp loop);

/// Whether such a load is better copied on chip than carried in registers, as it is now.
bool isBetterCopied(LoadOp load, mlir::scf::ForOp loop);

} // namespace tile

#endif // TILE_COMPILER_ANALYSIS_SMALLLOADS_SMALLLOADS_H
