//===- RandomLayout.cpp - Layouts for the properties ----------------------===//
//
// Coordinate bits are dealt to hardware bits at random.
//
//===----------------------------------------------------------------------===//
#include "test/unit/LinearLayout/RandomLayout.h"

#include "llvm/Support/MathExtras.h"
#include <numeric>

namespace tile::test {

Coordinates randomShape(Random &random, unsigned maxRank, unsigned maxBits, double oddChance) {
  Coordinates shape(random.in(1, maxRank), 1);
  for (unsigned bit = random.in(0, maxBits); bit > 0; --bit)
    shape[random.in(0, shape.size() - 1)] *= 2;
  // Brute force visits every element: one larger odd factor, or two of 3.
  for (int64_t &side : shape)
    if (random.chance(oddChance) && getVolume(shape) < 300)
      side *= random.pick(std::vector<int64_t>{3, 3, 5, 9});
  return shape;
}

Threads randomThreads(Random &random) {
  Threads threads;
  threads.laneBits = random.in(0, 4);
  threads.warpBits = random.in(0, 2);
  threads.oddWarps = random.chance(0.25) ? 3 : 1;
  return threads;
}

std::vector<unsigned> randomOrder(Random &random, unsigned rank) {
  std::vector<unsigned> order(rank);
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(order);
  return order;
}

/// Splits a side into tile bits and repeats; sometimes a power of two stays
/// outside an odd count, which no tile can hold.
static unsigned dealSide(Random &random, unsigned dim, int64_t side, int64_t &freeWarps,
                         std::vector<Repeat> &repeats) {
  unsigned bits = llvm::countr_zero(uint64_t(side));
  int64_t odd = side >> bits;
  if (odd == 1)
    return bits;
  unsigned outside = bits > 0 && random.chance(0.3) ? 1 : 0;
  if (odd % 3 == 0 && freeWarps == 3 && random.chance(0.5)) {
    repeats.push_back({Dim::Warp, tensorDim(dim), 3});
    odd /= 3;
    freeWarps = 1;
  }
  auto place = random.chance(0.5) ? repeats.begin() : repeats.end();
  if (odd > 1)
    repeats.insert(place, {Dim::Register, tensorDim(dim), odd});
  if (outside)
    repeats.push_back({Dim::Register, tensorDim(dim), int64_t(1) << outside});
  return bits - outside;
}

static LinearMap dealTile(Random &random, llvm::ArrayRef<DimBits> outs, const Threads &threads) {
  LinearMap shapeOnly({}, outs);
  std::vector<uint64_t> units(shapeOnly.getTotalOutBits());
  for (size_t i = 0; i < units.size(); ++i)
    units[i] = uint64_t(1) << i;
  random.shuffle(units);
  // Threads take what is there; the rest goes to registers, and copies fill up.
  std::vector<uint64_t> lanes, warps, registers;
  auto deal = [&](std::vector<uint64_t> &to, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      bool copy = units.empty() || random.chance(0.15);
      to.push_back(copy ? 0 : units.back());
      if (!copy)
        units.pop_back();
    }
  };
  deal(lanes, threads.laneBits);
  deal(warps, threads.warpBits);
  deal(registers, units.size());
  registers.insert(registers.end(), units.begin(), units.end());
  if (random.chance(0.2))
    registers.insert(registers.begin() + random.in(0, registers.size()), 0);
  std::vector<uint64_t *> all;
  for (std::vector<uint64_t> *part : {&registers, &lanes, &warps})
    for (uint64_t &column : *part)
      all.push_back(&column);
  // Adding one column to another keeps the range.
  unsigned mixes = random.chance(0.5) || all.size() < 2 ? 0 : random.in(1, 4);
  for (unsigned i = 0; i < mixes; ++i) {
    uint64_t *to = random.pick(all), *from = random.pick(all);
    if (to != from)
      *to ^= *from;
  }
  LinearMap tile({{Dim::Register, unsigned(registers.size())},
                  {Dim::Lane, threads.laneBits},
                  {Dim::Warp, threads.warpBits}},
                 outs);
  for (size_t i = 0; i < registers.size(); ++i)
    tile.setColumn(Dim::Register, i, registers[i]);
  for (size_t i = 0; i < lanes.size(); ++i)
    tile.setColumn(Dim::Lane, i, lanes[i]);
  for (size_t i = 0; i < warps.size(); ++i)
    tile.setColumn(Dim::Warp, i, warps[i]);
  return tile;
}

LinearLayout randomLayout(Random &random, llvm::ArrayRef<int64_t> shape, const Threads &threads,
                          bool padded) {
  Coordinates covered(shape);
  if (padded)
    for (int64_t &side : covered)
      side = random.chance(0.5) ? llvm::PowerOf2Ceil(side) : llvm::alignTo(side, random.in(1, 4));
  std::vector<Repeat> repeats;
  llvm::SmallVector<DimBits, 4> outs;
  int64_t freeWarps = threads.oddWarps;
  for (unsigned dim = 0; dim < covered.size(); ++dim)
    outs.push_back({tensorDim(dim), dealSide(random, dim, covered[dim], freeWarps, repeats)});
  if (freeWarps > 1)
    repeats.push_back({Dim::Warp, Dim::None, freeWarps});
  return LinearLayout::get(dealTile(random, outs, threads), repeats);
}

LinearLayout randomLayout(Random &random) {
  Coordinates shape = randomShape(random, 3, 7, 0.3);
  return randomLayout(random, shape, randomThreads(random));
}

void forEachIndex(const LinearLayout &layout,
                  llvm::function_ref<void(int64_t, int64_t, int64_t)> visit) {
  for (int64_t warp = 0; warp < layout.getInSize(Dim::Warp); ++warp)
    for (int64_t lane = 0; lane < layout.getInSize(Dim::Lane); ++lane)
      for (int64_t reg = 0; reg < layout.getInSize(Dim::Register); ++reg)
        visit(reg, lane, warp);
}

Coordinates locate(const LinearLayout &layout, int64_t reg, int64_t lane, int64_t warp) {
  return layout.apply(
      {{Dim::Register, uint64_t(reg)}, {Dim::Lane, uint64_t(lane)}, {Dim::Warp, uint64_t(warp)}});
}

int64_t flatten(llvm::ArrayRef<int64_t> coordinates, llvm::ArrayRef<int64_t> shape) {
  int64_t flat = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    flat = flat * shape[dim] + coordinates[dim];
  return flat;
}

Coordinates unflatten(int64_t flat, llvm::ArrayRef<int64_t> shape) {
  Coordinates coordinates(shape.size());
  for (size_t dim = shape.size(); dim-- > 0;) {
    coordinates[dim] = flat % shape[dim];
    flat /= shape[dim];
  }
  return coordinates;
}

int64_t getVolume(llvm::ArrayRef<int64_t> shape) {
  int64_t volume = 1;
  for (int64_t side : shape)
    volume *= side;
  return volume;
}

} // namespace tile::test
