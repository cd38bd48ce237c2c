//===- MatrixAccess.h - Blocks that lanes fetch for each other ----------------===//
#ifndef TILE_CONVERSION_TILETOGPU_MATRIXACCESS_H
#define TILE_CONVERSION_TILETOGPU_MATRIXACCESS_H

#include "compiler/conversion/TileToGPU/ThreadLowering.h"

namespace tile {

/// Read a block of fragments of some matmul unit by the target's collective
/// loads: the registers of `layout`, of `element`. Empty where the memory's
/// layout or the target does not allow it. `base` is the buffer's offset.
llvm::SmallVector<mlir::Value> emitMatrixLoads(ThreadLowering &t, const LinearLayout &layout,
                                               const AccessMap &access, mlir::Type element,
                                               mlir::Value base);

/// Emits the instructions by which lanes write `registers`, of a block of layout
/// `layout`, to on-chip memory for each other. False where they cannot; nothing
/// is emitted then.
bool emitMatrixStores(ThreadLowering &t, const LinearLayout &layout, const AccessMap &access,
                      mlir::Type element, mlir::Value base, mlir::Value vector);

} // namespace tile

#endif // TILE_CONVERSION_TILETOGPU_MATRIXACCESS_H
