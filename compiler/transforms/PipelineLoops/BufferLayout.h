//===- BufferLayout.h - Where a copied block lies on chip -----------------===//
#ifndef TILE_COMPILER_TRANSFORMS_PIPELINELOOPS_BUFFERLAYOUT_H
#define TILE_COMPILER_TRANSFORMS_PIPELINELOOPS_BUFFERLAYOUT_H

#include "dialects/tile/IR/TileOps.h"

namespace tile {

/// Whether the unit of the dot that a load feeds fetches what was loaded, as it
/// is, from on-chip memory by itself.
bool feedsOnChip(LoadOp load);

/// A buffer for what `load` reads, written in runs of `width` elements along
/// `fastest`, and read by the unit of the dot that it feeds, or in each layout
/// that it is converted to by each thread for itself.
BufferType chooseBuffer(LoadOp load, int64_t width, unsigned fastest);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_PIPELINELOOPS_BUFFERLAYOUT_H
