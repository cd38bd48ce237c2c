//===- LayoutShapeTest.cpp - Shape operations against index arithmetic ----===//
//
// An operation on a layout must agree with the operation on coordinates.
//
//===----------------------------------------------------------------------===//
#include "compiler/analysis/LinearLayout/LinearLayout.h"
#include "test/unit/LinearLayout/RandomLayout.h"

#include "llvm/Support/MathExtras.h"

#include <set>

namespace tile::test {

using OnCoordinates = llvm::function_ref<Coordinates(Coordinates)>;

/// `after` holds, wherever `before` holds an element, that element moved.
static void checkMoved(const LinearLayout &before, const LinearLayout &after, OnCoordinates move) {
  for (Dim in : {Dim::Register, Dim::Lane, Dim::Warp})
    CHECK(before.getInSize(in) == after.getInSize(in), after.toString());
  forEachIndex(before, [&](int64_t reg, int64_t lane, int64_t warp) {
    CHECK(locate(after, reg, lane, warp) == move(locate(before, reg, lane, warp)),
          before.toString() + "\nbecame " + after.toString());
  });
}

PROPERTY(transposePermutesCoordinates, 200) {
  LinearLayout layout = randomLayout(random);
  std::vector<unsigned> order = randomOrder(random, layout.getRank());
  checkMoved(layout, layout.transposed(order), [&](const Coordinates &old) {
    Coordinates moved;
    for (unsigned dim : order)
      moved.push_back(old[dim]);
    return moved;
  });
}

PROPERTY(dimensionsComeAndGo, 200) {
  LinearLayout layout = randomLayout(random);
  unsigned place = random.in(0, layout.getRank());
  LinearLayout expanded = layout.expanded(place);
  checkMoved(layout, expanded, [&](Coordinates old) {
    old.insert(old.begin() + place, 0);
    return old;
  });
  CHECK_SO_FAR();
  CHECK(expanded.squeezed(place) == layout, "squeezed undoes expanded");
  unsigned axis = random.in(0, layout.getRank() - 1);
  checkMoved(layout, layout.collapsed(axis), [&](Coordinates old) {
    old[axis] = 0;
    return old;
  });
  CHECK_SO_FAR();
  checkMoved(layout, layout.sliced(axis), [&](Coordinates old) {
    old.erase(old.begin() + axis);
    return old;
  });
}

/// What a lane's threads hold, of the warps that are `warp` modulo `count`.
static std::multiset<Coordinates> collectHeld(const LinearLayout &layout, int64_t lane,
                                              int64_t warp, int64_t count) {
  std::multiset<Coordinates> held;
  for (int64_t each = warp; each < layout.getInSize(Dim::Warp); each += count)
    for (int64_t reg = 0; reg < layout.getInSize(Dim::Register); ++reg)
      held.insert(locate(layout, reg, lane, each));
  return held;
}

PROPERTY(registersHoldWhatFewerWarpsDoNot, 200) {
  LinearLayout layout = randomLayout(random);
  int64_t count = int64_t(1) << random.in(0, layout.getTile().getInBits(Dim::Warp));
  LinearLayout folded = layout.foldedToRegisters(Dim::Warp, count);
  CHECK(folded.getInSize(Dim::Warp) == count, folded.toString());
  for (int64_t lane = 0; lane < layout.getInSize(Dim::Lane); ++lane)
    for (int64_t warp = 0; warp < count; ++warp)
      CHECK(collectHeld(layout, lane, warp, count) == collectHeld(folded, lane, warp, count),
            layout.toString() + "\nbecame " + folded.toString());
  CHECK_SO_FAR();
  if (llvm::any_of(layout.getRepeats(), [](Repeat repeat) { return repeat.in == Dim::Warp; }))
    return;
  unsigned axis = random.in(0, layout.getRank() - 1);
  CHECK(layout.collapsed(axis).foldedToRegisters(Dim::Warp, count) == folded.collapsed(axis),
        "shapes change alike before and after");
}

PROPERTY(joinAndSplitAreInverse, 200) {
  LinearLayout layout = randomLayout(random);
  LinearLayout joined = layout.joined();
  CHECK(joined.getInSize(Dim::Register) == 2 * layout.getInSize(Dim::Register), joined.toString());
  forEachIndex(joined, [&](int64_t reg, int64_t lane, int64_t warp) {
    Coordinates expected = locate(layout, reg / 2, lane, warp);
    expected.push_back(reg % 2);
    CHECK(locate(joined, reg, lane, warp) == expected, joined.toString());
  });
  CHECK_SO_FAR();
  std::optional<LinearLayout> half = joined.split();
  CHECK(half && *half == layout, "split undoes joined");
  // Registers above the pair bit and below it.
  LinearLayout wide =
      layout.expanded(layout.getRank()).repeated(Dim::Register, layout.getRank(), 2);
  if (std::optional<LinearLayout> part = wide.split()) {
    for (unsigned side : {0, 1}) {
      llvm::SmallVector<int32_t> registers = wide.splitRegisters(side);
      CHECK(int64_t(registers.size()) == part->getInSize(Dim::Register), wide.toString());
      forEachIndex(*part, [&](int64_t reg, int64_t lane, int64_t warp) {
        Coordinates expected = locate(*part, reg, lane, warp);
        expected.push_back(side);
        CHECK(locate(wide, registers[reg], lane, warp) == expected, wide.toString());
      });
    }
  } else {
    CHECK(!layout.isLinear(), "only repeats stop a pair of registers: " + wide.toString());
  }
}

/// Another shape of the same volume.
static Coordinates refactor(Random &random, int64_t volume, unsigned rank) {
  Coordinates shape(rank, 1);
  for (int64_t factor = 2; volume > 1; ++factor)
    while (volume % factor == 0) {
      shape[random.in(0, rank - 1)] *= factor;
      volume /= factor;
    }
  return shape;
}

PROPERTY(reshapeKeepsRowMajorOrder, 400) {
  LinearLayout layout = randomLayout(random);
  Coordinates from = layout.getShape();
  Coordinates to = refactor(random, getVolume(from), random.in(1, 3));
  std::optional<LinearLayout> reshaped = layout.reshaped(to);
  bool powers = llvm::isPowerOf2_64(getVolume(from));
  CHECK(reshaped || !(powers && layout.isLinear()), "powers of two always reshape");
  if (!reshaped)
    return;
  CHECK(reshaped->getShape() == to, reshaped->toString());
  checkMoved(layout, *reshaped,
             [&](const Coordinates &old) { return unflatten(flatten(old, from), to); });
  CHECK_SO_FAR();
  std::optional<LinearLayout> back = reshaped->reshaped(from);
  // A power of two outside an odd count may have joined the tile on its own
  // side; the way back is then refused, but never wrong.
  CHECK(back ? *back == layout : !layout.isLinear(), "reshaping back: " + reshaped->toString());
}

PROPERTY(reshapeOfRecordTiles, 20) {
  // Odd counts that stay on one side of the cut must reshape.
  int64_t side = random.pick(std::vector<int64_t>{96, 160, 176, 192});
  int64_t odd = side >> llvm::countr_zero(uint64_t(side));
  LinearLayout layout = LinearLayout::getUnit(1)
                            .repeated(Dim::Register, 0, 4)
                            .repeated(Dim::Lane, 0, side / odd / 4)
                            .repeated(Dim::Register, 0, odd);
  CHECK(layout.getShape() == Coordinates{side}, layout.toString());
  std::optional<LinearLayout> reshaped = layout.reshaped({odd, side / odd});
  CHECK(reshaped.has_value(), layout.toString());
  checkMoved(layout, *reshaped,
             [&](const Coordinates &old) { return unflatten(old[0], {odd, side / odd}); });
  CHECK_SO_FAR();
  CHECK(!layout.reshaped({side / odd, odd}), "an odd minor digit has no place in a tile");
  CHECK(!layout.reshaped({side, 2}), "another volume is refused");
}

} // namespace tile::test
