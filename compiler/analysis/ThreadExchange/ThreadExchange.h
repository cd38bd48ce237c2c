//===- ThreadExchange.h - On-chip memory that ops exchange data through -----===//
//
// What the conversion to per-thread code will do, for passes that plan on-chip
// memory before it runs.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_THREADEXCHANGE_THREADEXCHANGE_H
#define TILE_ANALYSIS_THREADEXCHANGE_THREADEXCHANGE_H

#include "compiler/analysis/LinearLayout/Conversion.h"
#include "dialects/tile/IR/TileOps.h"

namespace tile {

/// What conversions of blocks of `element` cost and may use on a machine.
ConversionFacts getConversionFacts(TargetAttr target, mlir::Type element);

/// Bits of an element in memory: booleans take a byte, pointers 64 bits.
unsigned getMemoryBits(mlir::Type element);

/// On-chip bytes through which the threads of a program exchange data for `op`,
/// of stage `scheduled`; 0 where they need none. Held only while `op` runs.
int64_t getExchangeBytes(mlir::Operation *op);

/// How values of several element types, of the same two layouts, move between threads.
struct JointMove {
  llvm::SmallVector<ConversionPlan, 2> plans;
  /// Of each value's part of the scratch memory. Values that do not move at once use the
  /// same part, one after the other.
  llvm::SmallVector<int64_t> offsets;
  int64_t bytes = 0;
  bool isAtOnce = false;
};

/// At once, between two barriers, where all go through memory and need little of it.
JointMove planJointMove(TargetAttr target, llvm::ArrayRef<mlir::Type> elements,
                        const LinearLayout &source, const LinearLayout &result,
                        llvm::ArrayRef<int64_t> shape);

/// On a reduction, a conversion within warps, or an operation of one thread that gives all its
/// number: when it begins, no thread of another warp is at work on its scratch memory.
inline constexpr llvm::StringLiteral kScratchIsFreeAttr = "scratch_is_free";

/// On a conversion that its block takes several passes through the scratch memory: how many.
inline constexpr llvm::StringLiteral kScratchPassesAttr = "scratch_passes";

/// Whether all threads of a program meet while `op`, which has scratch memory, exchanges data:
/// between writes and reads, so that they need not meet at its beginning where that memory is free.
bool meetsInside(mlir::Operation *op);

} // namespace tile

#endif // TILE_ANALYSIS_THREADEXCHANGE_THREADEXCHANGE_H
