//===- Shuffle.h - Values from other lanes ----------------------------------===//
#ifndef TILE_CONVERSION_TILETOGPU_SHUFFLE_H
#define TILE_CONVERSION_TILETOGPU_SHUFFLE_H

#include "compiler/conversion/TileToGPU/ThreadLowering.h"

namespace tile {

/// The bits of a scalar as an integer of 8 bits or more, and back.
mlir::Value toBits(mlir::ImplicitLocOpBuilder &b, mlir::Value value);
mlir::Value fromBits(mlir::ImplicitLocOpBuilder &b, mlir::Value bits, mlir::Type type);

/// What lane `from ^ flips` holds of an integer of up to 64 bits; `from` null:
/// this lane.
mlir::Value emitBitShuffle(ThreadLowering &t, mlir::Value value, mlir::Value from, uint64_t flips);
/// The same for a scalar of any type.
mlir::Value emitShuffle(ThreadLowering &t, mlir::Value value, mlir::Value from, uint64_t flips);

} // namespace tile

#endif // TILE_CONVERSION_TILETOGPU_SHUFFLE_H
