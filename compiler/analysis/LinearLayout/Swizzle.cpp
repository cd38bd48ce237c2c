//===- Swizzle.cpp - Memory layouts computed from how they are accessed ----===//
//
// Offset bits, from the lowest: vector, rest of a word, rest of a line of banks,
// number of the line. Two elements share a bank and are in different words iff
// they differ by a non-zero sum of line bits (and bits within a word): so the
// subspace of line bits must meet none that is accessed at a time.
//
//===----------------------------------------------------------------------===//
#include "compiler/analysis/LinearLayout/Swizzle.h"

#include "compiler/analysis/LinearLayout/F2.h"
#include "compiler/analysis/LinearLayout/TileColumns.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

namespace tile {

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

AccessPattern getRegisterPattern(const LinearLayout &registers, llvm::ArrayRef<int64_t> tileShape,
                                 int64_t width, unsigned elementBits, const MemoryFacts &facts,
                                 std::optional<unsigned> fastest) {
  TileColumns columns(registers, tileShape);
  AccessPattern pattern;
  pattern.threads = columns.getThreads();
  llvm::SmallVector<uint64_t> candidates;
  if (fastest) {
    uint64_t unit = 1;
    for (int64_t size : tileShape.take_front(*fastest))
      unit *= size;
    int64_t length = std::min({width, registers.getContiguity(*fastest, width), tileShape[*fastest]});
    for (int64_t step = 1; step < length; step *= 2)
      candidates.push_back(unit * step);
  }
  llvm::append_range(candidates, columns.reachable);
  // A vector may not overlap what the threads move along.
  pattern.vector = extendBasis(pattern.threads, candidates);
  if (pattern.vector.size() > llvm::Log2_64(width))
    pattern.vector.truncate(llvm::Log2_64(width));
  int64_t bytes = (int64_t(1) << pattern.vector.size()) * elementBits / 8;
  unsigned served = getServedLaneBits(bytes, facts);
  pattern.lanes.assign(columns.lanes.begin(),
                       columns.lanes.begin() + std::min<size_t>(served, columns.lanes.size()));
  return pattern;
}

AccessPattern getCollectivePattern(const LinearLayout &registers, llvm::ArrayRef<int64_t> tileShape,
                                   const CollectiveAccess &collective, unsigned elementBits,
                                   const MemoryFacts &facts) {
  TileColumns columns(registers, tileShape);
  auto getColumn = [&](InputBit bit) -> uint64_t {
    llvm::ArrayRef<uint64_t> of = bit.dim == Dim::Register ? columns.registers : columns.lanes;
    return bit.bit < of.size() ? of[bit.bit] : 0;
  };
  AccessPattern pattern;
  for (InputBit bit : collective.row)
    pattern.vector.push_back(getColumn(bit));
  int64_t bytes = (int64_t(1) << collective.row.size()) * elementBits / 8;
  unsigned served = getServedLaneBits(bytes, facts);
  for (InputBit bit : llvm::ArrayRef(collective.address).take_front(served))
    pattern.lanes.push_back(getColumn(bit));
  for (InputBit bit : collective.address)
    pattern.threads.push_back(getColumn(bit));
  llvm::append_range(pattern.threads, columns.warps);
  llvm::append_range(pattern.threads, columns.blocks);
  return pattern;
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

namespace {
class LayoutChooser {
public:
  LayoutChooser(unsigned bits, llvm::ArrayRef<AccessPattern> patterns, unsigned elementBits,
                const MemoryFacts &facts)
      : patterns(patterns) {
    longest = &*llvm::max_element(patterns, [](const AccessPattern &a, const AccessPattern &b) {
      return a.vector.size() < b.vector.size();
    });
    unsigned elementBytes = elementBits / 8;
    wordBits = facts.bankBytes > elementBytes ? llvm::Log2_64(facts.bankBytes / elementBytes) : 0;
    lineBits = llvm::Log2_64(std::max<int64_t>(1, facts.banks * facts.bankBytes / elementBytes));
    // Everything but the vectors, such that threads move by whole vectors.
    llvm::SmallVector<uint64_t> candidates(longest->threads);
    for (const AccessPattern &pattern : patterns)
      llvm::append_range(candidates, pattern.threads);
    llvm::append_range(candidates, getUnitVectors(bits));
    rest = extendBasis(longest->vector, candidates);
  }

  /// Images of the offset bits, lowest first.
  llvm::SmallVector<uint64_t> choose() {
    llvm::SmallVector<uint64_t> columns(longest->vector);
    fillWord(columns);
    size_t total = longest->vector.size() + rest.size();
    llvm::SmallVector<uint64_t> lines =
        chooseLines(columns, total > lineBits ? total - lineBits : 0);
    // The rest of a line, along the lanes of the widest access where possible.
    llvm::SmallVector<uint64_t> taken(columns), candidates(longest->lanes);
    llvm::append_range(taken, lines);
    llvm::append_range(candidates, rest);
    llvm::append_range(columns, extendBasis(taken, candidates));
    llvm::append_range(columns, lines);
    raiseRegisterLines(columns, lines.size());
    return columns;
  }

private:
  /// Words should hold what is accessed together by as many patterns as can be.
  void fillWord(llvm::SmallVector<uint64_t> &columns) const {
    if (columns.size() >= wordBits)
      return;
    llvm::SmallVector<uint64_t> candidates(longest->lanes);
    for (const AccessPattern &pattern : patterns)
      candidates = intersectSpans(candidates, pattern.lanes);
    llvm::append_range(candidates, longest->lanes);
    llvm::append_range(candidates, rest);
    // Lanes of the longest pattern are within `rest` by construction.
    llvm::SmallVector<uint64_t> added = extendBasis(columns, candidates);
    added.truncate(std::min<size_t>(added.size(), wordBits - columns.size()));
    llvm::append_range(columns, added);
  }

  /// `count` vectors of `rest` whose sums meet no access. Two proper subspaces
  /// never fill the space, and if single vectors miss neither, some sum of two
  /// misses both; a third pattern may be met, and is then given up.
  llvm::SmallVector<uint64_t> chooseLines(llvm::ArrayRef<uint64_t> inWord, size_t count) const {
    llvm::SmallVector<Subspace, 2> occupied;
    for (const AccessPattern &pattern : patterns) {
      Subspace &space = occupied.emplace_back(pattern.vector);
      for (uint64_t vector : pattern.lanes)
        space.insert(vector);
      for (uint64_t vector : inWord.take_front(std::max<size_t>(wordBits, pattern.vector.size())))
        space.insert(vector);
    }
    Subspace taken(inWord); // lines, and what must stay within a line
    llvm::SmallVector<uint64_t> lines, candidates = getCandidates();
    while (lines.size() < count) {
      std::optional<uint64_t> line;
      for (size_t considered = occupied.size(); !line; --considered)
        line = findOutside(candidates, taken, llvm::ArrayRef(occupied).take_front(considered));
      lines.push_back(*line);
      taken.insert(*line);
      for (Subspace &space : occupied)
        space.insert(*line);
    }
    return lines;
  }

  /// Orders the last `count` columns such that those which no thread moves along
  /// come last: a part of the memory is then a part of the registers.
  void raiseRegisterLines(llvm::SmallVectorImpl<uint64_t> &columns, size_t count) const {
    Subspace basis(columns);
    uint64_t used = 0; // by the expressions of threads
    for (const AccessPattern &pattern : patterns)
      for (uint64_t thread : pattern.threads)
        used |= *basis.express(thread);
    size_t first = columns.size() - count;
    llvm::SmallVector<uint64_t> moved, still;
    for (size_t i = first; i < columns.size(); ++i)
      (used >> i & 1 ? moved : still).push_back(columns[i]);
    columns.truncate(first);
    llvm::append_range(columns, moved);
    llvm::append_range(columns, still);
  }

  static std::optional<uint64_t> findOutside(llvm::ArrayRef<uint64_t> candidates,
                                             const Subspace &taken,
                                             llvm::ArrayRef<Subspace> occupied) {
    for (uint64_t candidate : candidates)
      if (!taken.contains(candidate) &&
          llvm::none_of(occupied, [&](const Subspace &space) { return space.contains(candidate); }))
        return candidate;
    return std::nullopt;
  }

  /// Single vectors first: they cost nothing in an address. Registers' before
  /// threads': lines of registers alone can be split off (see Conversion).
  llvm::SmallVector<uint64_t> getCandidates() const {
    llvm::SmallVector<uint64_t> candidates(llvm::reverse(rest));
    for (size_t i = 0; i < rest.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        candidates.push_back(rest[i] ^ rest[j]);
    if (patterns.size() > 2)
      for (size_t i = 0; i < rest.size(); ++i)
        for (size_t j = 0; j < i; ++j)
          for (size_t k = 0; k < j; ++k)
            candidates.push_back(rest[i] ^ rest[j] ^ rest[k]);
    return candidates;
  }

  llvm::ArrayRef<AccessPattern> patterns;
  const AccessPattern *longest;
  unsigned wordBits, lineBits;
  llvm::SmallVector<uint64_t> rest;
};
} // namespace

/// Every vector begins the longest, and its elements are different.
static bool areNested(llvm::ArrayRef<AccessPattern> patterns) {
  for (const AccessPattern &a : patterns) {
    if (Subspace(a.vector).getDim() != a.vector.size())
      return false;
    for (const AccessPattern &b : patterns) {
      size_t common = std::min(a.vector.size(), b.vector.size());
      if (llvm::ArrayRef(a.vector).take_front(common) !=
          llvm::ArrayRef(b.vector).take_front(common))
        return false;
    }
  }
  return true;
}

std::optional<LinearLayout> chooseMemoryLayout(llvm::ArrayRef<int64_t> shape,
                                               llvm::ArrayRef<int64_t> tileShape,
                                               llvm::ArrayRef<AccessPattern> patterns,
                                               unsigned elementBits, const MemoryFacts &facts) {
  assert(!patterns.empty() && shape.size() == tileShape.size());
  if (!areNested(patterns))
    return std::nullopt;
  llvm::SmallVector<DimBits, 4> outs;
  llvm::SmallVector<Repeat, 2> repeats;
  unsigned bits = 0;
  for (auto [dim, size] : llvm::enumerate(tileShape)) {
    assert(shape[dim] % size == 0 && "the tile divides the shape");
    outs.push_back({tensorDim(dim), unsigned(llvm::Log2_64(size))});
    repeats.push_back({Dim::Offset, tensorDim(dim), shape[dim] / size});
    bits += llvm::Log2_64(size);
  }
  LinearMap tile({{Dim::Offset, bits}}, outs);
  llvm::SmallVector<uint64_t> columns = LayoutChooser(bits, patterns, elementBits, facts).choose();
  for (auto [bit, column] : llvm::enumerate(columns))
    tile.setColumn(Dim::Offset, bit, column);
  return LinearLayout::get(tile, repeats);
}

} // namespace tile
