//===- StoreTurns.h - Parts of blocks that may meet those of other warps ----===//
//
// A warp awaits its own stores, not those of other warps. Where a block may lie over the one
// that the program has stored before, warps tell each other what they have written.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_STORETURNS_H
#define TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_STORETURNS_H

#include "compiler/transforms/SpecializeWarps/StoreOrder.h"

namespace tile {

/// Whether warps can tell each other: loops around the store are counted, and it is in
/// nothing else.
bool canTakeTurns(const BlockStore &store);

/// Before `store`, parts of which the warps of a role store: a warp goes on once all have
/// written what they stored before the last block, and the last one too where the block
/// lies over it. Loops around carry where that was.
void takeTurns(const BlockStore &store);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_STORETURNS_H
