//===- F2.h - Subspaces of bit vectors over the two-element field ---------===//
//
// Gaussian elimination on vectors of up to 64 bits, the machinery below every
// layout operation. Vectors are `uint64_t`; addition is XOR.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_LINEARLAYOUT_F2_H
#define TILE_ANALYSIS_LINEARLAYOUT_F2_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <optional>

namespace tile {

/// A growing subspace. Remembers, for every vector in it, how it is a sum of
/// the vectors that were inserted.
class Subspace {
public:
  Subspace() = default;
  explicit Subspace(llvm::ArrayRef<uint64_t> generators);

  /// Adds `vector`. Returns false when it was in the subspace already; it then
  /// does not count as a generator. At most 64 calls may succeed.
  bool insert(uint64_t vector);

  bool contains(uint64_t vector) const { return reduce(vector) == 0; }

  /// The smallest representative of `vector` modulo this subspace.
  uint64_t reduce(uint64_t vector) const;

  /// Writes `vector` as a sum of inserted generators: bit i of the answer says
  /// that the i-th successfully inserted one takes part. Nothing if outside.
  std::optional<uint64_t> express(uint64_t vector) const;

  unsigned getDim() const { return generators.size(); }
  llvm::ArrayRef<uint64_t> getGenerators() const { return generators; }

private:
  struct Row {
    uint64_t vector; // its top bit is set in no other row
    uint64_t combination;
  };
  llvm::SmallVector<Row, 16> rows;
  llvm::SmallVector<uint64_t, 16> generators;
};

/// Basis of the intersection of the spans of `a` and `b`.
llvm::SmallVector<uint64_t> intersectSpans(llvm::ArrayRef<uint64_t> a, llvm::ArrayRef<uint64_t> b);

/// Those of `candidates`, in order, that extend span(`base`) to the span of
/// both. With unit vectors as candidates: a basis of a complement.
llvm::SmallVector<uint64_t> extendBasis(llvm::ArrayRef<uint64_t> base,
                                        llvm::ArrayRef<uint64_t> candidates);

/// Input combinations (bit i stands for `columns[i]`) whose sum is zero; a
/// basis of the null space.
llvm::SmallVector<uint64_t> nullSpace(llvm::ArrayRef<uint64_t> columns);

/// XOR of those `columns` whose bit is set in `selection`.
uint64_t combine(llvm::ArrayRef<uint64_t> columns, uint64_t selection);

} // namespace tile

#endif // TILE_ANALYSIS_LINEARLAYOUT_F2_H
