//===- BlockCopies.h - Which accesses are left to copies of blocks --------===//
#ifndef TILE_COMPILER_TRANSFORMS_EXPANDDESCRIPTORS_BLOCKCOPIES_H
#define TILE_COMPILER_TRANSFORMS_EXPANDDESCRIPTORS_BLOCKCOPIES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tile {

/// Marks the accesses by descriptors that the machine shall make by copies of
/// whole blocks, and gives them descriptors of their own, marked too: those of a
/// kernel with a loop whose dots read what another warp can fetch for them.
void selectBlockCopies(mlir::func::FuncOp function);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_EXPANDDESCRIPTORS_BLOCKCOPIES_H
