//===- LinearLayoutTest.cpp - Layouts against brute force -----------------===//
//
// The canonical form, text, growth, redundancy and contiguity.
//
//===----------------------------------------------------------------------===//
#include "compiler/analysis/LinearLayout/LinearLayout.h"
#include "test/unit/LinearLayout/RandomLayout.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>
#include <set>

namespace tile::test {

/// Every element of the covered shape is held.
static bool coversAll(const LinearLayout &layout) {
  std::set<Coordinates> seen;
  forEachIndex(layout, [&](int64_t reg, int64_t lane, int64_t warp) {
    seen.insert(locate(layout, reg, lane, warp));
  });
  return int64_t(seen.size()) == getVolume(layout.getShape());
}

PROPERTY(layoutsCoverTheirShape, 200) {
  LinearLayout layout = randomLayout(random);
  CHECK(coversAll(layout) && layout.isSurjective(), layout.toString());
}

PROPERTY(textRoundTrips, 200) {
  LinearLayout layout = randomLayout(random);
  std::string error;
  std::optional<LinearLayout> parsed = LinearLayout::parse(layout.toString(), error);
  CHECK(parsed && *parsed == layout, layout.toString() + " " + error);
  CHECK(hash_value(*parsed) == hash_value(layout), "equal layouts hash alike");
  CHECK(LinearLayout::get(layout.getTileShape(), layout.getBases(), layout.getRepeats()) == layout,
        "parts round trip");
}

PROPERTY(badTextIsRefused, 1) {
  std::pair<const char *, const char *> cases[] = {
      {"[3]: lane = [[1]]", "powers of two"},
      {"[4]: lane = [[1, 2]]", "1 coordinates in each basis of lane, got 2"},
      {"[4]: lane = [[4]]", "below the tile size 4, got 4"},
      {"[4]: lane = [[1]], lane = [[2]]", "lane twice"},
      {"[4]: thread = [[1]]", "name of an index space at character 5"},
      {"[4]: dim0 = [[1]]", "register, lane, warp, block or offset"},
      {"[4]: lane = [[1]] x", "the end at character 18"},
      {"[4], lane = [[1]]", "the end"},
      {"[4]: lane = [1]", "'['"},
      {"[4]: repeat = [register x 0 -> dim0]", "counts from 1"},
      {"[4]: repeat = [register x 3 -> dim1]", "along a dimension below 1"},
      {"[4]: repeat = [register x 4294967296 -> dim0]", "counts from 1"},
  };
  for (auto [text, expected] : cases) {
    std::string error;
    CHECK(!LinearLayout::parse(text, error), text);
    CHECK(error.find(expected) != std::string::npos, std::string(text) + " gave: " + error);
  }
}

/// `grown` counts `count` times over `layout` in `in`, moving along `dim`.
static void checkGrowth(const LinearLayout &layout, const LinearLayout &grown, Dim in, int dim,
                        int64_t count) {
  int64_t size = layout.getInSize(in);
  CHECK(grown.getInSize(in) == size * count, grown.toString());
  forEachIndex(grown, [&](int64_t reg, int64_t lane, int64_t warp) {
    int64_t index[3] = {reg, lane, warp}, inner[3] = {reg, lane, warp};
    int64_t step = index[unsigned(in)] / size;
    inner[unsigned(in)] %= size;
    Coordinates expected = locate(layout, inner[0], inner[1], inner[2]);
    if (dim >= 0)
      expected[dim] += step * layout.getDimSize(dim);
    CHECK(locate(grown, reg, lane, warp) == expected, layout.toString() + "\n" + grown.toString());
  });
}

PROPERTY(repeatsAreOutermost, 300) {
  LinearLayout layout = randomLayout(random);
  for (int step = 0; step < 4; ++step) {
    Dim in = random.pick(std::vector<Dim>{Dim::Register, Dim::Lane, Dim::Warp});
    int64_t count = random.in(1, 6);
    unsigned dim = random.in(0, layout.getRank() - 1);
    bool copies = random.chance(0.3);
    LinearLayout grown = copies ? layout.replicated(in, count) : layout.repeated(in, dim, count);
    checkGrowth(layout, grown, in, copies ? -1 : dim, count);
    CHECK_SO_FAR();
    if (getVolume(grown.getShape()) * grown.getInSize(in) > 4000)
      return;
    layout = grown;
  }
}

PROPERTY(canonicalFormIsOne, 200) {
  LinearLayout layout = randomLayout(random);
  int64_t a = random.in(1, 6), b = random.in(1, 6);
  unsigned dim = random.in(0, layout.getRank() - 1);
  CHECK(layout.repeated(Dim::Register, dim, a).repeated(Dim::Register, dim, b) ==
            layout.repeated(Dim::Register, dim, a * b),
        layout.toString());
  CHECK(layout.replicated(Dim::Warp, a).replicated(Dim::Warp, b) ==
            layout.replicated(Dim::Warp, a * b),
        layout.toString());
  LinearLayout wide = layout.expanded(0);
  CHECK(wide.repeated(Dim::Register, 0, a).repeated(Dim::Warp, dim + 1, b) ==
            wide.repeated(Dim::Warp, dim + 1, b).repeated(Dim::Register, 0, a),
        "repeats of different spaces commute: " + wide.toString());
}

PROPERTY(resizedLayoutsCoverTheShape, 300) {
  LinearLayout layout = randomLayout(random);
  Coordinates shape;
  bool canBeExact = true;
  for (unsigned dim = 0; dim < layout.getRank(); ++dim) {
    shape.push_back(random.chance(0.5) ? 1 << random.in(0, 5) : random.in(1, 24));
    int64_t covered = layout.getDimSize(dim);
    bool powers = llvm::isPowerOf2_64(shape[dim]) && llvm::isPowerOf2_64(covered);
    canBeExact &= shape[dim] % covered == 0 || powers;
  }
  LinearLayout resized = layout.resizedTo(shape, randomOrder(random, layout.getRank()));
  for (unsigned dim = 0; dim < layout.getRank(); ++dim)
    CHECK(resized.getDimSize(dim) >= shape[dim], resized.toString());
  if (canBeExact)
    CHECK(resized.getShape() == shape, resized.toString() + " for " + describe(shape));
  CHECK(coversAll(resized), resized.toString());
  CHECK(resized.getInSize(Dim::Lane) == layout.getInSize(Dim::Lane), "lanes stay");
  CHECK(resized.getInSize(Dim::Warp) == layout.getInSize(Dim::Warp), "warps stay");
}

PROPERTY(everyElementHasOneOwner, 300) {
  LinearLayout layout = randomLayout(random);
  std::map<Coordinates, int> owners;
  int64_t indices = 0;
  forEachIndex(layout, [&](int64_t reg, int64_t lane, int64_t warp) {
    ++indices;
    owners[locate(layout, reg, lane, warp)] += layout.isOwner(Dim::Register, reg) &&
                                               layout.isOwner(Dim::Lane, lane) &&
                                               layout.isOwner(Dim::Warp, warp);
  });
  for (const auto &[coordinates, count] : owners)
    CHECK(count == 1, layout.toString() + " at " + describe(coordinates));
  CHECK(layout.isInjective() == (indices == int64_t(owners.size())), layout.toString());
}

PROPERTY(redundantRegistersGo, 200) {
  LinearLayout layout = randomLayout(random);
  if (random.chance(0.5))
    layout = layout.collapsed(random.in(0, layout.getRank() - 1));
  llvm::SmallVector<int32_t> kept;
  LinearLayout smaller = layout.withoutRedundantRegisters(&kept);
  CHECK(int64_t(kept.size()) == smaller.getInSize(Dim::Register), smaller.toString());
  std::map<Coordinates, std::set<int64_t>> firstThread;
  forEachIndex(smaller, [&](int64_t reg, int64_t lane, int64_t warp) {
    CHECK(locate(smaller, reg, lane, warp) == locate(layout, kept[reg], lane, warp),
          layout.toString() + "\n" + smaller.toString());
    if (lane == 0 && warp == 0)
      CHECK(firstThread[locate(smaller, reg, 0, 0)].insert(reg).second &&
                firstThread[locate(smaller, reg, 0, 0)].size() == 1,
            "no copies within a thread: " + smaller.toString());
  });
  CHECK(smaller.getShape() == layout.getShape(), smaller.toString());
}

/// Is there, in every thread, for each register an aligned run of `length`?
static bool hasRuns(const LinearLayout &layout, unsigned dim, int64_t length) {
  for (int64_t warp = 0; warp < layout.getInSize(Dim::Warp); ++warp)
    for (int64_t lane = 0; lane < layout.getInSize(Dim::Lane); ++lane) {
      std::map<Coordinates, int64_t> where;
      for (int64_t reg = 0; reg < layout.getInSize(Dim::Register); ++reg)
        where[locate(layout, reg, lane, warp)] = reg;
      for (const auto &[coordinates, reg] : where) {
        Coordinates start = coordinates;
        start[dim] -= start[dim] % length;
        // The registers that make the run must be the same in all threads.
        Coordinates first = locate(layout, reg, 0, 0);
        for (int64_t i = 0; i < length; ++i, ++start[dim]) {
          auto place = where.find(start);
          if (place == where.end() || locate(layout, place->second, 0, 0)[dim] % length != i)
            return false;
        }
      }
    }
  return true;
}

PROPERTY(runsAreContiguousAndLongest, 300) {
  LinearLayout layout = randomLayout(random);
  unsigned dim = random.in(0, layout.getRank() - 1);
  int64_t limit = int64_t(1) << random.in(0, 4);
  int64_t length = layout.getContiguity(dim, limit);
  CHECK(length <= limit, layout.toString());
  auto runs = layout.getRuns(dim, length);
  std::set<int32_t> named;
  for (const auto &run : runs)
    for (int32_t reg : run)
      CHECK(named.insert(reg).second, "each register once: " + layout.toString());
  CHECK(int64_t(named.size()) == layout.getInSize(Dim::Register), layout.toString());
  forEachIndex(layout, [&](int64_t reg, int64_t lane, int64_t warp) {
    if (reg != 0)
      return;
    for (const auto &run : runs)
      for (size_t i = 0; i < run.size(); ++i) {
        Coordinates expected = locate(layout, run[0], lane, warp);
        CHECK(expected[dim] % length == 0, layout.toString());
        expected[dim] += i;
        CHECK(locate(layout, run[i], lane, warp) == expected, layout.toString());
      }
  });
  bool inTile = length * 2 <= layout.getTileShape()[dim];
  if (inTile && length * 2 <= limit)
    CHECK(!hasRuns(layout, dim, length * 2), "a longer run exists: " + layout.toString());
}

} // namespace tile::test
