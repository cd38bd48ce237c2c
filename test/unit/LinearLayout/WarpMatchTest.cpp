//===- WarpMatchTest.cpp - Layouts whose warps hold the same elements -----===//
#include "compiler/analysis/LinearLayout/WarpMatch.h"
#include "compiler/analysis/LinearLayout/Constructors.h"
#include "test/unit/LinearLayout/RandomLayout.h"

#include <set>

namespace tile::test {

/// Numbers of the elements that a warp holds.
static std::set<int64_t> getElements(const LinearLayout &layout, int64_t wanted) {
  std::set<int64_t> elements;
  forEachIndex(layout, [&](int64_t reg, int64_t lane, int64_t warp) {
    if (warp == wanted)
      elements.insert(flatten(locate(layout, reg, lane, warp), layout.getShape()));
  });
  return elements;
}

/// Bits of coordinates, dealt out in any order, no two the same.
static LinearLayout dealBits(Random &random, const Coordinates &shape, size_t lanes, size_t warps) {
  std::vector<LinearLayout::Basis> steps;
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    for (int64_t bit = 1; bit < shape[dim]; bit *= 2) {
      LinearLayout::Basis step(shape.size(), 0);
      step[dim] = bit;
      steps.insert(steps.begin() + random.in(0, steps.size()), step);
    }
  auto take = [&](size_t count) {
    llvm::SmallVector<LinearLayout::Basis, 8> taken(steps.end() - count, steps.end());
    steps.resize(steps.size() - count);
    return taken;
  };
  auto warpSteps = take(warps), laneSteps = take(lanes), registers = take(steps.size());
  return LinearLayout::get(
      shape, {{Dim::Register, registers}, {Dim::Lane, laneSteps}, {Dim::Warp, warpSteps}});
}

PROPERTY(accessesTakeTheWarpsOfAnother, 300) {
  Coordinates shape = {int64_t(1) << random.in(2, 5), int64_t(1) << random.in(3, 6)};
  constexpr size_t kLaneBits = 3;
  size_t warpBits = random.in(1, 2);
  unsigned fastest = random.in(0, 1);
  int64_t vector = int64_t(1) << random.in(0, 2), run = 8;
  vector = std::min(vector, getVolume(shape) >> (kLaneBits + warpBits));
  llvm::SmallVector<unsigned> order = {fastest, 1 - fastest};
  LinearLayout access =
      getDefaultLayout(shape, order, vector, int64_t(1) << kLaneBits, int64_t(1) << warpBits);
  if (!access.isInjective() || getVolume(shape) < int64_t(1) << (kLaneBits + warpBits))
    return;
  LinearLayout holder = dealBits(random, shape, kLaneBits, warpBits);
  std::optional<LinearLayout> match = withWarpsOf(access, holder, run);
  if (!match)
    return;
  std::string text = access.toString() + "\n" + holder.toString() + "\n" + match->toString();
  CHECK(match->isInjective() && match->getShape() == access.getShape(), text);
  CHECK(match->getContiguity(fastest, vector) == access.getContiguity(fastest, vector), text);
  for (int64_t warp = 0; warp < int64_t(1) << warpBits; ++warp)
    CHECK(getElements(*match, warp) == getElements(holder, warp), text);
}

/// The accumulators of eight warps, and rows of halves.
PROPERTY(rowsOfAProductStayWithTheirWarps, 1) {
  (void)random;
  std::string error;
  auto parse = [&](const char *text) { return *LinearLayout::parse(text, error); };
  LinearLayout product =
      parse("[128, 256]: register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], "
            "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]");
  LinearLayout expected = parse(
      "[128, 256]: register = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]], "
      "lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], warp = [[16, 0], [32, 0], [64, 0]]");
  LinearLayout access = getDefaultLayout({128, 256}, {1, 0}, 8, 32, 8);
  std::optional<LinearLayout> match = withWarpsOf(access, product, 64);
  CHECK(match && *match == expected, match ? match->toString() : "none");
  // Warps side by side would leave runs of 32 elements.
  LinearLayout columns =
      parse("[128, 256]: register = [[0, 1], [8, 0], [16, 0], [32, 0], [64, 0], [0, 8], [0, 16]], "
            "lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 32], [0, 64], [0, 128]]");
  CHECK(!withWarpsOf(access, columns, 64), "runs of 32 elements are too short");
  CHECK(withWarpsOf(access, columns, 32), "runs of 32 elements are long enough");
}

} // namespace tile::test
