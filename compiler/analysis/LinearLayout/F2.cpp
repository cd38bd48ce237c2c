//===- F2.cpp - Subspaces of bit vectors over the two-element field -------===//
//
// Elimination by top bit; rows are kept sorted, largest first.
//
//===----------------------------------------------------------------------===//
#include "compiler/analysis/LinearLayout/F2.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

namespace tile {

Subspace::Subspace(llvm::ArrayRef<uint64_t> initial) {
  for (uint64_t vector : initial)
    insert(vector);
}

/// Subtracting `row` helps iff `vector` has the row's top bit.
static bool hasTopBitOf(uint64_t vector, uint64_t row) { return vector >> llvm::Log2_64(row) & 1; }

bool Subspace::insert(uint64_t vector) {
  uint64_t rest = vector, combination = 0;
  for (const Row &row : rows) {
    if (!hasTopBitOf(rest, row.vector))
      continue;
    rest ^= row.vector;
    combination ^= row.combination;
  }
  if (rest == 0)
    return false;
  assert(generators.size() < 64 && "too many generators");
  combination ^= uint64_t(1) << generators.size();
  generators.push_back(vector);
  auto *place = llvm::find_if(rows, [&](const Row &row) { return row.vector < rest; });
  rows.insert(place, Row{rest, combination});
  return true;
}

uint64_t Subspace::reduce(uint64_t vector) const {
  for (const Row &row : rows)
    if (hasTopBitOf(vector, row.vector))
      vector ^= row.vector;
  return vector;
}

std::optional<uint64_t> Subspace::express(uint64_t vector) const {
  uint64_t combination = 0;
  for (const Row &row : rows) {
    if (!hasTopBitOf(vector, row.vector))
      continue;
    vector ^= row.vector;
    combination ^= row.combination;
  }
  if (vector != 0)
    return std::nullopt;
  return combination;
}

uint64_t combine(llvm::ArrayRef<uint64_t> columns, uint64_t selection) {
  uint64_t sum = 0;
  for (auto [i, column] : llvm::enumerate(columns))
    if (selection >> i & 1)
      sum ^= column;
  return sum;
}

llvm::SmallVector<uint64_t> nullSpace(llvm::ArrayRef<uint64_t> columns) {
  Subspace range;
  llvm::SmallVector<unsigned, 16> inserted; // generator -> column
  llvm::SmallVector<uint64_t> kernel;
  for (auto [i, column] : llvm::enumerate(columns)) {
    std::optional<uint64_t> sum = range.express(column);
    if (!sum) {
      range.insert(column);
      inserted.push_back(i);
      continue;
    }
    uint64_t vector = uint64_t(1) << i;
    for (auto [generator, source] : llvm::enumerate(inserted))
      if (*sum >> generator & 1)
        vector |= uint64_t(1) << source;
    kernel.push_back(vector);
  }
  return kernel;
}

/// span(a) ∩ span(b) = { A x : A x = B y }, so x runs over null space vectors of
/// [A B], cut to A's part.
llvm::SmallVector<uint64_t> intersectSpans(llvm::ArrayRef<uint64_t> a, llvm::ArrayRef<uint64_t> b) {
  Subspace spanA(a), spanB(b);
  llvm::SmallVector<uint64_t> columns(spanA.getGenerators());
  llvm::append_range(columns, spanB.getGenerators());
  llvm::SmallVector<uint64_t> common;
  for (uint64_t vector : nullSpace(columns))
    common.push_back(combine(spanA.getGenerators(), vector));
  return common;
}

llvm::SmallVector<uint64_t> extendBasis(llvm::ArrayRef<uint64_t> base,
                                        llvm::ArrayRef<uint64_t> candidates) {
  Subspace span(base);
  llvm::SmallVector<uint64_t> chosen;
  for (uint64_t candidate : candidates)
    if (span.insert(candidate))
      chosen.push_back(candidate);
  return chosen;
}

} // namespace tile
