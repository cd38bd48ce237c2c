//===- RegisterCount.h - Registers of products in flight ------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_OVERLAPDOTS_REGISTERCOUNT_H
#define TILE_COMPILER_TRANSFORMS_OVERLAPDOTS_REGISTERCOUNT_H

#include "dialects/tile/IR/TileOps.h"

namespace tile {

/// Registers of a thread, of 32 bits, that hold `block`.
int64_t countRegisters(mlir::Type block);

/// Those that a product in flight writes and reads.
int64_t countRegisters(AsyncDotOp dot);

/// Those of blocks that were there before `op`, but for what `except` gives, and are needed
/// behind it.
int64_t countLive(mlir::Operation *op, mlir::Operation *except);

/// Whether so many leave enough to the thread that runs `op`. Where products in flight do not,
/// assemblers let them run one after another.
bool fitRegisters(int64_t count, mlir::Operation *op);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_OVERLAPDOTS_REGISTERCOUNT_H
