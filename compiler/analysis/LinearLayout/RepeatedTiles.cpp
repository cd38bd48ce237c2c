//===- RepeatedTiles.cpp - Layouts that repeat alike -------------------------===//
//
// Compares repeats, and enumerates their digits on both sides.
//
//===----------------------------------------------------------------------===//
#include "compiler/analysis/LinearLayout/RepeatedTiles.h"

#include "llvm/ADT/STLExtras.h"
#include <map>

namespace tile {

static llvm::SmallVector<int64_t> getThreadZero(const LinearLayout &layout, int64_t reg) {
  return layout.apply({{Dim::Register, uint64_t(reg)}});
}

RegisterCopies findCopies(const LinearLayout &layout, llvm::ArrayRef<int32_t> kept) {
  RegisterCopies copies;
  int64_t count = layout.getInSize(Dim::Register);
  if (int64_t(kept.size()) == count)
    return copies;
  std::map<llvm::SmallVector<int64_t>, int32_t> originals;
  for (int32_t reg : kept)
    originals[getThreadZero(layout, reg)] = reg;
  for (int64_t reg = 0; reg < count; ++reg) {
    int32_t original = originals.at(getThreadZero(layout, reg));
    if (original != reg)
      copies.push_back({int32_t(reg), original});
  }
  return copies;
}

/// What a repeat does to an index, whatever stands around it in the list.
namespace {
struct Placed {
  Repeat repeat;
  int64_t divisor; // within the index that carries it
};
} // namespace

static llvm::SmallVector<Placed> placeRepeats(const LinearLayout &layout) {
  llvm::SmallVector<Placed> placed;
  std::map<Dim, int64_t> divisors;
  for (const Repeat &repeat : layout.getRepeats()) {
    auto [divisor, isNew] = divisors.insert({repeat.in, 0});
    if (isNew)
      divisor->second = int64_t(1) << layout.getTile().getInBits(repeat.in);
    placed.push_back({repeat, divisor->second});
    divisor->second *= repeat.count;
  }
  return placed;
}

/// Repeats along one dimension correspond in order; registers may number them
/// differently, threads may not.
static bool repeatAlike(llvm::ArrayRef<Placed> source, llvm::ArrayRef<Placed> result,
                        unsigned rank) {
  auto alongDim = [](llvm::ArrayRef<Placed> all, Dim dim) {
    llvm::SmallVector<Placed> some;
    llvm::copy_if(all, std::back_inserter(some),
                  [&](const Placed &placed) { return placed.repeat.out == dim; });
    return some;
  };
  auto same = [](const Placed &a, const Placed &b) {
    return a.repeat == b.repeat && (a.repeat.in == Dim::Register || a.divisor == b.divisor);
  };
  llvm::SmallVector<Dim> dims = {Dim::None};
  for (unsigned dim = 0; dim < rank; ++dim)
    dims.push_back(tensorDim(dim));
  return llvm::all_of(dims, [&](Dim dim) {
    llvm::SmallVector<Placed> a = alongDim(source, dim), b = alongDim(result, dim);
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), same);
  });
}

/// For all digits of register repeats: where the tile begins on both sides.
static llvm::SmallVector<std::pair<int64_t, int64_t>>
enumerateBases(llvm::ArrayRef<Placed> source, llvm::ArrayRef<Placed> result) {
  llvm::SmallVector<std::pair<int64_t, int64_t>> bases = {{0, 0}};
  std::map<Dim, size_t> next; // in `result`, per dimension
  for (const Placed &placed : source) {
    auto isPartner = [&](const Placed &other) { return other.repeat.out == placed.repeat.out; };
    const Placed *partner = llvm::find_if(result, isPartner);
    for (size_t skip = next[placed.repeat.out]++; skip > 0; --skip)
      partner = std::find_if(partner + 1, result.end(), isPartner);
    if (placed.repeat.in != Dim::Register)
      continue;
    llvm::SmallVector<std::pair<int64_t, int64_t>> grown;
    for (int64_t digit = 0; digit < placed.repeat.count; ++digit)
      for (auto [a, b] : bases)
        grown.push_back({a + digit * placed.divisor, b + digit * partner->divisor});
    bases = std::move(grown);
  }
  return bases;
}

std::optional<RepeatedTiles> RepeatedTiles::match(const LinearLayout &source,
                                                  const LinearLayout &result) {
  if (source.getTileShape() != result.getTileShape())
    return std::nullopt;
  for (Dim in : {Dim::Lane, Dim::Warp, Dim::Block})
    if (source.getInSize(in) != result.getInSize(in) ||
        source.getTile().getInBits(in) != result.getTile().getInBits(in))
      return std::nullopt;
  RepeatedTiles tiles;
  tiles.source = source.withoutRedundantRegisters(&tiles.keptSource);
  tiles.result = result.withoutRedundantRegisters(&tiles.keptResult);
  // Without copies in between, a repeat may have joined the tile; its register
  // numbers are then no XOR of bits in the original.
  if (tiles.source.getTileShape() != source.getTileShape() ||
      tiles.result.getTileShape() != result.getTileShape())
    return std::nullopt;
  llvm::SmallVector<Placed> inSource = placeRepeats(tiles.source);
  llvm::SmallVector<Placed> inResult = placeRepeats(tiles.result);
  if (!repeatAlike(inSource, inResult, source.getRank()))
    return std::nullopt;
  tiles.bases = enumerateBases(inSource, inResult);
  tiles.copies = findCopies(result, tiles.keptResult);
  return tiles;
}

} // namespace tile
