//===- MemoryPlan.cpp - Conversions through on-chip memory ------------------===//
//
// Vectors are what registers span on both sides, without what threads move
// along; or wider on one side, if that takes fewer transactions in all.
//
//===----------------------------------------------------------------------===//
#include "compiler/analysis/LinearLayout/Conversion.h"
#include "compiler/analysis/LinearLayout/F2.h"
#include "compiler/analysis/LinearLayout/RepeatedTiles.h"
#include "compiler/analysis/LinearLayout/TileColumns.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

namespace tile {

using Vectors = llvm::SmallVector<uint64_t>;

static Vectors concatenate(llvm::ArrayRef<uint64_t> a, llvm::ArrayRef<uint64_t> b) {
  Vectors both(a);
  llvm::append_range(both, b);
  return both;
}

static void truncate(Vectors &vectors, size_t size) {
  if (vectors.size() > size)
    vectors.truncate(size);
}

namespace {
class MemoryPlanner {
public:
  MemoryPlanner(const LinearLayout &source, const LinearLayout &result,
                llvm::ArrayRef<int64_t> shape, const ConversionFacts &facts)
      : facts(facts), originalSource(source), originalResult(result),
        source(source.withoutRedundantRegisters(&keptSource)),
        result(result.withoutRedundantRegisters(&keptResult)) {
    chooseTile(shape);
  }

  /// Narrower vectors leave more registers to split the scratch by.
  MemoryPlan plan() {
    TileColumns from(source, tileShape), to(result, tileShape);
    unsigned elementsWide = std::max(1u, facts.memory.maxAccessBits / facts.elementBits);
    std::optional<MemoryPlan> best;
    for (int widest = llvm::Log2_32(elementsWide); widest >= 0; --widest) {
      MemoryPlan candidate = planWithVectors(from, to, widest);
      if (!best || candidate.scratchBytes < best->scratchBytes)
        best = std::move(candidate);
      if (facts.maxScratchBytes == 0 || best->scratchBytes <= facts.maxScratchBytes)
        break;
    }
    best->copies = findCopies(originalResult, keptResult);
    best->isWithinWarps = staysWithinWarps(from, to) && arePassesOfOneWarp(*best, from);
    return std::move(*best);
  }

private:
  MemoryPlan planWithVectors(const TileColumns &from, const TileColumns &to, size_t widest) const {
    std::optional<MemoryPlan> best;
    for (auto &[writeVector, readVector] : getVectors(from, to, widest)) {
      AccessPattern writes = getPattern(from, writeVector);
      AccessPattern reads = getPattern(to, readVector);
      std::optional<LinearLayout> memory =
          chooseMemoryLayout(covered, tileShape, {writes, reads}, facts.elementBits, facts.memory);
      assert(memory && "vectors were made to be nested");
      MemoryPlan candidate = build(*memory, int64_t(1) << widest);
      if (!best || getTransactions(candidate) < getTransactions(*best))
        best = std::move(candidate);
    }
    splitIntoPasses(*best);
    return std::move(*best);
  }

  /// The tile that both layouts are linear on, and what their padding covers.
  void chooseTile(llvm::ArrayRef<int64_t> shape) {
    Coordinates sourceTile = source.getTileShape(), resultTile = result.getTileShape();
    for (unsigned dim = 0; dim < shape.size(); ++dim) {
      tileShape.push_back(std::min(sourceTile[dim], resultTile[dim]));
      covered.push_back(std::max(source.getDimSize(dim), result.getDimSize(dim)));
    }
  }

  /// Candidates for (written, read) vectors; one begins the other.
  llvm::SmallVector<std::pair<Vectors, Vectors>, 3>
  getVectors(const TileColumns &from, const TileColumns &to, size_t limit) const {
    Vectors threads = concatenate(from.getThreads(), to.getThreads());
    Vectors common = intersectSpans(from.reachable, to.reachable);
    // Natural order where there is one: vectors are then registers in a row.
    Subspace inBoth(common);
    Vectors preferred;
    for (uint64_t image : from.registers)
      if (inBoth.contains(image))
        preferred.push_back(image);
    Vectors vector = extendBasis(threads, concatenate(preferred, common));
    truncate(vector, limit);
    auto widen = [&](const TileColumns &side) {
      Vectors taken = concatenate(side.getThreads(), vector);
      Vectors wide = concatenate(vector, extendBasis(taken, side.reachable));
      truncate(wide, limit);
      return wide;
    };
    llvm::SmallVector<std::pair<Vectors, Vectors>, 3> candidates = {{vector, vector}};
    if (Vectors wide = widen(from); wide.size() > vector.size())
      candidates.push_back({wide, vector});
    if (Vectors wide = widen(to); wide.size() > vector.size())
      candidates.push_back({vector, wide});
    return candidates;
  }

  AccessPattern getPattern(const TileColumns &columns, const Vectors &vector) const {
    AccessPattern pattern;
    pattern.vector = vector;
    pattern.threads = columns.getThreads();
    int64_t bytes = (int64_t(1) << vector.size()) * facts.elementBits / 8;
    unsigned served = getServedLaneBits(bytes, facts.memory);
    pattern.lanes.append(columns.lanes.begin(),
                         columns.lanes.begin() + std::min<size_t>(served, columns.lanes.size()));
    return pattern;
  }

  MemoryPlan build(const LinearLayout &memory, int64_t widest) const {
    MemoryPlan plan;
    plan.memory = memory;
    plan.write = AccessMap::get(originalSource, memory);
    plan.read = AccessMap::get(originalResult, memory);
    MemoryPlan::Pass &pass = plan.passes.emplace_back();
    plan.writeUse = buildAccesses(source, memory, widest, keptSource, pass.writes, plan.writeWidth);
    plan.readUse = buildAccesses(result, memory, widest, keptResult, pass.reads, plan.readWidth);
    plan.scratchBytes = memory.getInSize(Dim::Offset) * facts.elementBits / 8;
    return plan;
  }

  /// Accesses to all registers of a layout without copies, renamed to the
  /// registers of the original.
  BankUse buildAccesses(const LinearLayout &layout, const LinearLayout &memory, int64_t widest,
                        llvm::ArrayRef<int32_t> kept, llvm::SmallVectorImpl<VectorAccess> &accesses,
                        int64_t &width) const {
    AccessMap access = AccessMap::get(layout, memory);
    width = access.getVectorWidth(widest);
    accesses = getVectorAccesses(access, layout.getInSize(Dim::Register), width);
    BankUse use = countBankUse(access, accesses, facts.elementBits, facts.memory);
    for (VectorAccess &run : accesses)
      for (int32_t &reg : run)
        reg = kept[reg];
    return use;
  }

  static int64_t getTransactions(const MemoryPlan &plan) {
    const MemoryPlan::Pass &pass = plan.passes.front();
    return 2 * (plan.writeUse.wavefronts + plan.readUse.wavefronts) +
           int64_t(pass.writes.size() + pass.reads.size());
  }

  /// Cuts the offsets in parts that are registers' alone on both sides, as few
  /// as make the scratch fit; if none do, as many as there can be.
  void splitIntoPasses(MemoryPlan &plan) const {
    int64_t elements = plan.memory.getInSize(Dim::Offset), parts = 1;
    auto fits = [&] {
      return facts.maxScratchBytes == 0 ||
             elements / parts * facts.elementBits / 8 <= facts.maxScratchBytes;
    };
    for (int64_t next = 2; !fits() && next <= maxPasses; ++next)
      if (canSplit(plan, elements, next))
        parts = next;
    if (parts > 1)
      split(plan, elements / parts, parts);
  }

  static bool canSplit(const MemoryPlan &plan, int64_t elements, int64_t parts) {
    if (elements % parts != 0)
      return false;
    int64_t size = elements / parts;
    return dependsOnRegisters(plan.write, plan.passes.front().writes, size) &&
           dependsOnRegisters(plan.read, plan.passes.front().reads, size);
  }

  /// offset / size is the same for all threads, and for the whole of a vector.
  static bool dependsOnRegisters(const AccessMap &access, llvm::ArrayRef<VectorAccess> accesses,
                                 int64_t size) {
    if (accesses.empty() || size % int64_t(accesses.front().size()) != 0)
      return false;
    for (const AccessMap::Group &group : access.getGroups())
      if (group.dependsOnThread())
        return false;
    // XOR by threads stays below `size`, wherever a register's offset begins.
    uint64_t threadBits = access.getThreadBits();
    return int64_t(threadBits) < (size & -size);
  }

  static void split(MemoryPlan &plan, int64_t size, int64_t parts) {
    MemoryPlan::Pass all = std::move(plan.passes.front());
    plan.passes.clear();
    for (int64_t part = 0; part < parts; ++part)
      plan.passes.emplace_back().base = part * size;
    for (VectorAccess &run : all.writes)
      plan.passes[getPart(plan.write, run, size)].writes.push_back(std::move(run));
    for (VectorAccess &run : all.reads)
      plan.passes[getPart(plan.read, run, size)].reads.push_back(std::move(run));
    plan.scratchBytes /= parts;
  }

  static int64_t getPart(const AccessMap &access, const VectorAccess &run, int64_t size) {
    return access.apply({{Dim::Register, uint64_t(run.front())}}) / size;
  }

  /// No element is in other warps than before, nor in several.
  bool staysWithinWarps(const TileColumns &from, const TileColumns &to) const {
    if (source.getTileShape() != result.getTileShape() || from.warps != to.warps)
      return false;
    for (const LinearLayout *layout : {&source, &result})
      for (const Repeat &repeat : layout->getRepeats())
        if (repeat.in != Dim::Register)
          return false;
    Vectors held = concatenate(from.registers, from.lanes);
    Subspace heldSpace(held);
    return extendBasis(held, from.warps).size() == from.warps.size() &&
           llvm::all_of(concatenate(to.registers, to.lanes),
                        [&](uint64_t element) { return heldSpace.contains(element); });
  }

  /// Whether what lies at one offset in different passes is held by one warp.
  bool arePassesOfOneWarp(const MemoryPlan &plan, const TileColumns &from) const {
    int64_t size = plan.memory.getInSize(Dim::Offset) / int64_t(plan.passes.size());
    Subspace held(concatenate(from.registers, from.lanes));
    const LinearMap &tile = plan.memory.getTile();
    for (unsigned bit = llvm::countr_zero(uint64_t(size)); bit < tile.getInBits(Dim::Offset);
         ++bit) {
      uint64_t moved = 0;
      unsigned shift = 0;
      for (auto [dim, side] : llvm::enumerate(tileShape)) {
        moved |= tile.getColumn(Dim::Offset, bit, tensorDim(dim)) << shift;
        shift += llvm::Log2_64(side);
      }
      if (!held.contains(moved))
        return false;
    }
    return true;
  }

  static constexpr int64_t maxPasses = 64;
  using Coordinates = llvm::SmallVector<int64_t>;

  const ConversionFacts &facts;
  const LinearLayout &originalSource, &originalResult;
  llvm::SmallVector<int32_t> keptSource, keptResult;
  LinearLayout source, result;
  Coordinates tileShape, covered;
};
} // namespace

/// Blocks hold the same elements in both layouts. Conservative: blocks that
/// count through repeats, or tiles of different sizes, are taken to differ.
static bool haveSameBlocks(const LinearLayout &source, const LinearLayout &result) {
  if (source.getInSize(Dim::Block) == 1 && result.getInSize(Dim::Block) == 1)
    return true;
  for (const LinearLayout *layout : {&source, &result})
    for (const Repeat &repeat : layout->getRepeats())
      if (repeat.in == Dim::Block)
        return false;
  if (source.getTileShape() != result.getTileShape())
    return false;
  TileColumns from(source, source.getTileShape()), to(result, source.getTileShape());
  Subspace held(concatenate(concatenate(from.registers, from.lanes), from.warps));
  return from.blocks == to.blocks &&
         llvm::all_of(concatenate(concatenate(to.registers, to.lanes), to.warps),
                      [&](uint64_t element) { return held.contains(element); });
}

std::optional<MemoryPlan> planMemory(const LinearLayout &source, const LinearLayout &result,
                                     llvm::ArrayRef<int64_t> shape, const ConversionFacts &facts) {
  assert(source.getRank() == shape.size() && result.getRank() == shape.size());
  if (!haveSameBlocks(source, result))
    return std::nullopt;
  return MemoryPlanner(source, result, shape, facts).plan();
}

} // namespace tile
