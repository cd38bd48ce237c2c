//===- Combiner.h - The region of a reduction or scan ---------------------===//
#ifndef TILE_COMPILER_CONVERSION_TILETOLOOPS_COMBINER_H
#define TILE_COMPILER_CONVERSION_TILETOLOOPS_COMBINER_H

#include "compiler/conversion/TileToLoops/Emitter.h"

namespace tile::loops {

/// The body of `region`, of elementwise operations, on vectors or scalars `a` and `b`.
llvm::SmallVector<mlir::Value> applyCombiner(Emitter &emitter, mlir::OpBuilder &builder,
                                             mlir::Location loc, mlir::Region &region,
                                             mlir::ValueRange a, mlir::ValueRange b);

} // namespace tile::loops

#endif // TILE_COMPILER_CONVERSION_TILETOLOOPS_COMBINER_H
