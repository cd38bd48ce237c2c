//===- AccessPattern.h - What is known about runs of values ---------------===//
//
// For each integer, boolean or pointer value: how long runs of consecutive and
// of equal elements are, and what divides where they begin. This decides how
// wide accesses to memory may be.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_ANALYSIS_ACCESSPATTERN_ACCESSPATTERN_H
#define TILE_COMPILER_ANALYSIS_ACCESSPATTERN_ACCESSPATTERN_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace tile {

/// One entry per dimension; a scalar counts as one dimension of size one. All
/// numbers are powers of two.
struct ValuePattern {
  using Dims = llvm::SmallVector<int64_t, 4>;

  /// Aligned groups of this many elements count up by one (pointers: by one
  /// element of the pointee).
  Dims contiguity;
  /// Divides the first element of each such group; of pointers, its address in
  /// bytes.
  Dims divisibility;
  /// Aligned groups of this many elements are equal.
  Dims constancy;
  /// Aligned groups of this many booleans begin with those that are true; groups of equal ones do
  /// so as well.
  Dims leading;
  /// The value of all elements.
  std::optional<int64_t> constant;

  /// Nothing is known.
  static ValuePattern getUnknown(unsigned rank);
  unsigned getRank() const { return contiguity.size(); }
  /// What divides the elements at multiples of `group` along `dim`.
  int64_t getDivisibilityAt(unsigned dim, int64_t group) const;
  /// How long groups are that begin with what is true.
  int64_t getLeading(unsigned dim) const { return std::max(leading[dim], constancy[dim]); }
  /// What holds of both.
  ValuePattern meet(const ValuePattern &other) const;
  bool operator==(const ValuePattern &other) const;
};

/// Patterns of all values below an operation. Loops are iterated to a fixed
/// point, beginning with what holds on entry.
///
/// The dividend of a remainder or quotient of a contiguous block is taken not
/// to change its sign within an aligned group, the divisor not to be zero.
class AccessAnalysis {
public:
  /// `loadedDivisibility` is taken to divide numbers and addresses that are loaded.
  explicit AccessAnalysis(mlir::Operation *root, int64_t loadedDivisibility = 1);

  ValuePattern get(mlir::Value value) const;

  /// Most elements that one access through `pointer` may move along `dim`:
  /// consecutive, aligned to their size in bytes, all masked alike. Accesses that
  /// are `partial` can leave out the last ones.
  int64_t getVectorWidth(mlir::Value pointer, mlir::Value mask, unsigned dim, int64_t maxBits,
                         bool partial = false) const;

private:
  void visitBlock(mlir::Block &block);
  void visit(mlir::Operation *op);
  void visitLoop(mlir::Operation *op);
  bool update(mlir::Value value, ValuePattern pattern);

  int64_t loadedDivisibility;
  llvm::DenseMap<mlir::Value, ValuePattern> patterns;
};

/// Most elements that one access of `maxBits` moves, wherever `pointer` is.
int64_t getMostElements(mlir::Value pointer, int64_t maxBits);

/// The pattern of a result of `op`, which has no regions, given its operands'.
ValuePattern getResultPattern(mlir::OpResult result, llvm::ArrayRef<ValuePattern> operands);

/// The largest power of two that divides `value`; a very large one for zero.
int64_t getPowerOfTwoPart(int64_t value);

} // namespace tile

#endif // TILE_COMPILER_ANALYSIS_ACCESSPATTERN_ACCESSPATTERN_H
