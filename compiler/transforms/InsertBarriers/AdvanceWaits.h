//===- AdvanceWaits.h - Waits before barriers that come anyway ------------===//
#ifndef TILE_COMPILER_TRANSFORMS_INSERTBARRIERS_ADVANCEWAITS_H
#define TILE_COMPILER_TRANSFORMS_INSERTBARRIERS_ADVANCEWAITS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tile {

/// The thread that waits for stores of blocks has to tell the others. Move its
/// waits up to products of what threads store just before, since all meet there.
void advanceWaits(mlir::func::FuncOp function);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_INSERTBARRIERS_ADVANCEWAITS_H
