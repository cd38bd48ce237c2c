//===- StridedBlock.h - Loads whose elements lie at regular distances -----===//
//
// Pointers that a program computes from ranges, strides and numbers are those of a
// box of an array, unless ranges wrap around, are masked or overflow: what a unit that
// copies whole blocks can be told at launch, and what has to be asked for each block.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_ANALYSIS_STRIDEDBLOCK_STRIDEDBLOCK_H
#define TILE_COMPILER_ANALYSIS_STRIDEDBLOCK_STRIDEDBLOCK_H

#include "compiler/analysis/AccessPattern/AccessPattern.h"
#include "dialects/tile/IR/TileOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tile {

/// Units copy blocks that begin below so many elements from the base on, and whose rows are at most
/// so many apart.
inline constexpr int64_t kMostOffset = int64_t(1) << 31, kMostStride = int64_t(1) << 32;

/// coefficient * factors, times the index along `dim`, one of `size`, where there is one.
struct StridedTerm {
  int64_t coefficient = 1;
  llvm::SmallVector<mlir::Value, 2> factors = {};
  std::optional<unsigned> dim = {};
  int64_t size = 1;
};

/// What the elements of a block are the sums of.
using StridedSum = llvm::SmallVector<StridedTerm, 0>;

/// A block whose elements are `base` + `offset`, in elements, as long as its conditions hold.
struct StridedBlock {
  /// What a sum over the block is compared with: its elements are at least `least` and below
  /// `limit`, a number of the program or a constant.
  struct Bound {
    StridedSum sum;
    int64_t least = 0;
    mlir::Value limit = {};
    int64_t constantLimit = 0;
  };

  mlir::Value base;
  StridedSum offset;
  llvm::SmallVector<int64_t> shape;
  /// The dimension along which elements lie side by side.
  unsigned fastest = 0;
  llvm::SmallVector<Bound, 2> bounds;
  /// Masks that are true everywhere.
  llvm::SmallVector<mlir::Value> masks;

  /// The dimensions, the fastest last.
  llvm::SmallVector<int32_t> getOrder() const;
  /// The distance of elements along a dimension; null where there is one element.
  const StridedTerm *getStride(unsigned dim) const;
};

/// What `load` reads; nothing where that is not known, or where no unit copies it: the host knows
/// base and strides, which are multiples of `alignment` bytes.
std::optional<StridedBlock> findStridedBlock(LoadOp load, const AccessAnalysis &patterns,
                                             int64_t alignment);

/// Code that tells where a block begins: elements (`i32`) from the base on. `lookup` gives what
/// stands for values at the builder's place.
mlir::Value createOffset(mlir::ImplicitLocOpBuilder &b, const StridedBlock &block,
                         llvm::function_ref<mlir::Value(mlir::Value)> lookup);
/// Code that tells whether the block's conditions hold, and copies know its offset and strides.
mlir::Value createIsStrided(mlir::ImplicitLocOpBuilder &b, const StridedBlock &block,
                            llvm::function_ref<mlir::Value(mlir::Value)> lookup);

} // namespace tile

#endif // TILE_COMPILER_ANALYSIS_STRIDEDBLOCK_STRIDEDBLOCK_H
