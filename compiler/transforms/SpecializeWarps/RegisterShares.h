//===- RegisterShares.h - Registers of a thread of each role --------------===//
#ifndef TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_REGISTERSHARES_H
#define TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_REGISTERSHARES_H

#include "dialects/tile/IR/TileOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tile {

/// Registers of a thread of each role; 0: as many as all have.
struct RegisterShares {
  int32_t computing = 0, fetching = 0;
};

/// A fetching thread needs few, and `addressWords` for addresses; what its warps leave goes to
/// those that compute.
/// Programs of few warps, which take `onChipBytes` each, share the machine: some
/// multiply while others wait. There are as many as what they compute leaves room
/// for.
RegisterShares shareRegisters(mlir::func::FuncOp function, int64_t computingWarps,
                              int64_t fetchingWarps, int64_t addressWords, int64_t onChipBytes);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_REGISTERSHARES_H
