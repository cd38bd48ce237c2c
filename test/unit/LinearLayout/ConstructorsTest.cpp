//===- ConstructorsTest.cpp - Constructors against their formulas ---------===//
//
// Every layout is compared with plain integer arithmetic on its parameters.
//
//===----------------------------------------------------------------------===//
#include "compiler/analysis/LinearLayout/Constructors.h"
#include "test/unit/LinearLayout/RandomLayout.h"

#include "llvm/Support/MathExtras.h"
#include <set>

namespace tile::test {

/// Digits of `index` in boxes of `counts`, fastest first in `order`; the rest
/// of the index is left in it.
static Coordinates takeDigits(int64_t &index, llvm::ArrayRef<int64_t> counts,
                              llvm::ArrayRef<unsigned> order) {
  Coordinates digits(counts.size());
  for (unsigned dim : order) {
    digits[dim] = index % counts[dim];
    index /= counts[dim];
  }
  return digits;
}

static Coordinates randomPowers(Random &random, unsigned rank, unsigned bits) {
  Coordinates powers(rank, 1);
  for (unsigned bit = 0; bit < bits; ++bit)
    powers[random.in(0, rank - 1)] *= 2;
  return powers;
}

PROPERTY(blockedLayoutsFollowTheirFormula, 200) {
  unsigned rank = random.in(1, 3);
  BlockedShape blocked;
  std::vector<unsigned> order = randomOrder(random, rank);
  blocked.order.assign(order.begin(), order.end());
  blocked.perThread = randomPowers(random, rank, random.in(0, 3));
  blocked.lanes = randomPowers(random, rank, random.in(0, 3));
  blocked.warps = randomPowers(random, rank, random.in(0, 2));
  Coordinates powers = randomPowers(random, rank, random.in(0, 2)), odds(rank, 1), shape;
  odds[random.in(0, rank - 1)] = random.in(0, 2) * 2 + 1;
  for (unsigned dim = 0; dim < rank; ++dim)
    shape.push_back(blocked.perThread[dim] * blocked.lanes[dim] * blocked.warps[dim] * powers[dim] *
                    odds[dim]);
  LinearLayout layout = getBlockedLayout(shape, blocked);
  CHECK(layout.getShape() == shape && layout.isInjective(), layout.toString());
  forEachIndex(layout, [&](int64_t reg, int64_t lane, int64_t warp) {
    Coordinates inThread = takeDigits(reg, blocked.perThread, order);
    Coordinates inPowers = takeDigits(reg, powers, order);
    Coordinates inOdds = takeDigits(reg, odds, order);
    int64_t restLane = lane, restWarp = warp;
    Coordinates inLanes = takeDigits(restLane, blocked.lanes, order);
    Coordinates inWarps = takeDigits(restWarp, blocked.warps, order);
    int64_t whole = reg;
    CHECK(whole == 0, "no registers left over");
    Coordinates expected;
    for (unsigned dim = 0; dim < rank; ++dim) {
      int64_t repeat = inPowers[dim] + powers[dim] * inOdds[dim];
      int64_t thread =
          inLanes[dim] + blocked.lanes[dim] * (inWarps[dim] + blocked.warps[dim] * repeat);
      expected.push_back(inThread[dim] + blocked.perThread[dim] * thread);
    }
    int64_t original = 0, scale = 1;
    for (auto [digits, counts] : {std::pair(&inThread, &blocked.perThread),
                                  std::pair(&inPowers, &powers), std::pair(&inOdds, &odds)})
      for (unsigned dim : order) {
        original += (*digits)[dim] * scale;
        scale *= (*counts)[dim];
      }
    CHECK(locate(layout, original, lane, warp) == expected, layout.toString());
  });
}

PROPERTY(blockedLayoutsCopyWhatDoesNotFit, 200) {
  unsigned rank = random.in(1, 2);
  BlockedShape blocked;
  std::vector<unsigned> order = randomOrder(random, rank);
  blocked.order.assign(order.begin(), order.end());
  blocked.perThread = randomPowers(random, rank, 1);
  blocked.lanes = randomPowers(random, rank, 3);
  blocked.warps = randomPowers(random, rank, 2);
  Coordinates shape = randomPowers(random, rank, random.in(0, 4));
  LinearLayout layout = getBlockedLayout(shape, blocked);
  CHECK(layout.getShape() == shape && layout.isSurjective(), layout.toString());
  CHECK(layout.getInSize(Dim::Lane) == 8 && layout.getInSize(Dim::Warp) == 4, layout.toString());
  for (int64_t lane = 0; lane < 8; ++lane)
    for (int64_t warp = 0; warp < 4; ++warp) {
      int64_t restLane = lane, restWarp = warp;
      Coordinates inLanes = takeDigits(restLane, blocked.lanes, order);
      Coordinates inWarps = takeDigits(restWarp, blocked.warps, order);
      Coordinates expected;
      for (unsigned dim = 0; dim < rank; ++dim)
        expected.push_back(blocked.perThread[dim] *
                           (inLanes[dim] + blocked.lanes[dim] * inWarps[dim]) % shape[dim]);
      CHECK(locate(layout, 0, lane, warp) == expected, layout.toString());
    }
}

PROPERTY(defaultLayoutsAreExactAndVectorize, 200) {
  Coordinates shape = randomShape(random, 3, 10, 0.3);
  std::vector<unsigned> order = randomOrder(random, shape.size());
  int64_t contiguous = int64_t(1) << random.in(0, 3), warps = random.in(1, 3) << random.in(0, 2);
  LinearLayout layout = getDefaultLayout(shape, order, contiguous, 32, warps);
  CHECK(layout.getInSize(Dim::Lane) == 32 && layout.getInSize(Dim::Warp) == warps,
        layout.toString());
  CHECK(layout.isSurjective(), layout.toString());
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    CHECK(layout.getDimSize(dim) == shape[dim], layout.toString() + " for " + describe(shape));
  int64_t possible = shape[order[0]] & -shape[order[0]];
  CHECK(layout.getContiguity(order[0], contiguous) == std::min(possible, contiguous),
        layout.toString());
}

/// The accumulator of an instruction with 16 rows by 8 columns a step, acting
/// over `warps` warps down the rows: two rows and two columns a lane.
static LinearLayout makeAccumulator(int64_t columns, int64_t warps) {
  return LinearLayout::getUnit(2)
      .repeated(Dim::Register, 1, 2)
      .repeated(Dim::Lane, 1, 4)
      .repeated(Dim::Lane, 0, 8)
      .repeated(Dim::Register, 0, 2)
      .repeated(Dim::Warp, 0, warps)
      .repeated(Dim::Register, 1, columns / 8);
}

PROPERTY(fragmentsTileOddWidths, 60) {
  int64_t columns = random.pick(std::vector<int64_t>{32, 96, 160, 176, 192});
  int64_t groups = random.in(1, 3), rowSteps = random.in(1, 3);
  bool groupsAlongRows = random.chance(0.5);
  FragmentTiling tiling;
  tiling.warps = groupsAlongRows ? Coordinates{groups, 1} : Coordinates{1, groups};
  tiling.warpOrder = {0, 1};
  tiling.repeatOrder = {1, 0};
  Coordinates shape = {64 * rowSteps * (groupsAlongRows ? groups : 1),
                       columns * (groupsAlongRows ? 1 : groups)};
  LinearLayout layout = getFragmentLayout(makeAccumulator(columns, 4), shape, tiling);
  CHECK(layout.getShape() == shape && layout.isInjective(), layout.toString());
  CHECK(layout.getInSize(Dim::Warp) == 4 * groups, layout.toString());
  CHECK(layout.getInSize(Dim::Register) == columns / 2 * rowSteps, layout.toString());
  forEachIndex(layout, [&](int64_t reg, int64_t lane, int64_t warp) {
    int64_t group = warp / 4, step = reg / (columns / 2);
    Coordinates expected = {lane / 4 + reg / 2 % 2 * 8 + warp % 4 * 16,
                            reg % 2 + lane % 4 * 2 + reg / 4 % (columns / 8) * 8};
    if (!groupsAlongRows)
      expected[1] += group * columns;
    // Powers of two of warps go inside the repeats, odd counts outside.
    else if (groups == 2)
      expected[0] += group * 64;
    else
      expected[0] += group * 64 * rowSteps;
    expected[0] += step * 64 * (groupsAlongRows && groups == 2 ? 2 : 1);
    CHECK(locate(layout, reg, lane, warp) == expected,
          layout.toString() + " at " + describe({reg, lane, warp}));
  });
}

PROPERTY(repeatsInsideKeepAWarpTogether, 50) {
  FragmentTiling tiling;
  tiling.warps = {2, 2};
  tiling.warpOrder = {1, 0};
  tiling.repeatOrder = {1, 0};
  tiling.repeatsInside = {2, 3};
  LinearLayout layout = getFragmentLayout(makeAccumulator(8, 1), {64, 48}, tiling);
  CHECK(layout.getShape() == Coordinates({64, 48}) && layout.isInjective(), layout.toString());
  forEachIndex(layout, [&](int64_t reg, int64_t lane, int64_t warp) {
    Coordinates where = locate(layout, reg, lane, warp);
    CHECK(where[0] / 32 == warp / 2 && where[1] / 24 == warp % 2, layout.toString());
  });
}

//===----------------------------------------------------------------------===//
// On-chip memory
//===----------------------------------------------------------------------===//

static Coordinates atOffset(const LinearLayout &layout, int64_t offset) {
  return layout.apply({{Dim::Offset, uint64_t(offset)}});
}

PROPERTY(stridedLayoutsCountInOrder, 100) {
  Coordinates shape = randomShape(random, 3, 7, 0.4);
  std::vector<unsigned> order = randomOrder(random, shape.size());
  LinearLayout layout = getStridedLayout(shape, order);
  CHECK(layout.getInSize(Dim::Offset) == getVolume(shape), layout.toString());
  for (int64_t offset = 0; offset < getVolume(shape); ++offset) {
    int64_t rest = offset;
    CHECK(atOffset(layout, offset) == takeDigits(rest, shape, order), layout.toString());
  }
}

PROPERTY(xorSwizzlesFollowTheirFormula, 100) {
  int64_t width = int64_t(1) << random.in(2, 6), rows = int64_t(1) << random.in(0, 5);
  int64_t odd = random.chance(0.3) ? 3 : 1;
  int64_t vec = int64_t(1) << random.in(0, 2), perPhase = int64_t(1) << random.in(0, 2);
  int64_t maxPhase = std::min<int64_t>(width / vec, 1 << random.in(0, 3));
  bool transposed = random.chance(0.5);
  Coordinates shape = transposed ? Coordinates{width * odd, rows} : Coordinates{rows, width * odd};
  std::vector<unsigned> order =
      transposed ? std::vector<unsigned>{0, 1} : std::vector<unsigned>{1, 0};
  LinearLayout layout = getXorSwizzledLayout(shape, order, vec, perPhase, maxPhase);
  CHECK(layout.getShape() == shape, layout.toString());
  for (int64_t offset = 0; offset < getVolume(shape); ++offset) {
    int64_t column = offset % width, row = offset / width % rows, outer = offset / width / rows;
    int64_t group = column / vec ^ row / perPhase % maxPhase;
    Coordinates expected(2);
    expected[order[0]] = group * vec + column % vec + outer * width;
    expected[order[1]] = row;
    CHECK(atOffset(layout, offset) == expected, layout.toString());
  }
}

PROPERTY(byteSwizzlesFollowTheAddressBits, 200) {
  unsigned elementBits = 8u << random.in(0, 3), bytes = 16u << random.in(0, 3);
  int64_t elementBytes = elementBits / 8, width = bytes / elementBytes;
  int64_t rows = random.pick(std::vector<int64_t>{1, 8, 24, 64}), columns = random.in(1, 3);
  Coordinates shape = {rows, width * columns};
  unsigned widest = chooseSwizzleBytes(shape, {1, 0}, elementBits);
  bool oddInside = rows == 1 && columns == 3;
  CHECK(widest >= 16 && (oddInside || widest >= bytes), std::to_string(widest));
  if (widest < bytes)
    return;
  LinearLayout layout = getByteSwizzledLayout(shape, {1, 0}, elementBits, bytes);
  CHECK(layout.getShape() == shape, layout.toString());
  for (int64_t offset = 0; offset < getVolume(shape); ++offset) {
    // 16-byte groups are permuted by the address bits from 7 on.
    int64_t address = offset * elementBytes;
    int64_t plain = address ^ (address >> 7 & (bytes / 16 - 1)) << 4;
    int64_t box = plain / (rows * bytes), inBox = plain % (rows * bytes);
    Coordinates expected = {inBox / bytes, inBox % bytes / elementBytes + box * width};
    CHECK(atOffset(layout, offset) == expected, layout.toString());
  }
}

} // namespace tile::test
