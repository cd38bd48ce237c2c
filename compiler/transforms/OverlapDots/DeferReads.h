//===- DeferReads.h - Read on chip while products are at work ----------------===//
#ifndef TILE_COMPILER_TRANSFORMS_OVERLAPDOTS_DEFERREADS_H
#define TILE_COMPILER_TRANSFORMS_OVERLAPDOTS_DEFERREADS_H

#include "mlir/IR/Block.h"

namespace tile {

/// Moves reads of buffers that stand before a product, and what is computed from them alone,
/// behind its start where it does not need them.
void deferReads(mlir::Block &block);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_OVERLAPDOTS_DEFERREADS_H
