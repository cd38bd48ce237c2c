//===- MatrixLoad.h - Blocks that lanes fetch for each other ----------------===//
#ifndef TILE_CONVERSION_TILETOGPU_MATRIXLOAD_H
#define TILE_CONVERSION_TILETOGPU_MATRIXLOAD_H

#include "compiler/conversion/TileToGPU/ThreadLowering.h"

namespace tile {

/// Read a block of fragments of some matmul unit by the target's collective
/// loads: the registers of `layout`, of `element`. Empty where the memory's
/// layout or the target does not allow it. `base` is the buffer's offset.
llvm::SmallVector<mlir::Value> emitMatrixLoads(ThreadLowering &t, const LinearLayout &layout,
                                               const AccessMap &access, mlir::Type element,
                                               mlir::Value base);

} // namespace tile

#endif // TILE_CONVERSION_TILETOGPU_MATRIXLOAD_H
