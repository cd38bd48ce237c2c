//===- SkewedStore.h - Lanes that store in different orders -----------------===//
#ifndef TILE_CONVERSION_TILETOGPU_SKEWEDSTORE_H
#define TILE_CONVERSION_TILETOGPU_SKEWEDSTORE_H

#include "compiler/analysis/LinearLayout/Access.h"
#include "compiler/conversion/TileToGPU/ThreadLowering.h"

namespace tile {

/// Where lanes that are served together would meet at a bank, some of them swap
/// the order in which they store their registers. Swaps `registers`, a layout of
/// the elements of `vector` that a buffer of layout `memory` gets by accesses of
/// `width` elements of `bits` bits.
void skewStore(ThreadLowering &t, LinearLayout &registers, mlir::Value &vector,
               const LinearLayout &memory, int64_t width, unsigned bits);

} // namespace tile

#endif // TILE_CONVERSION_TILETOGPU_SKEWEDSTORE_H
