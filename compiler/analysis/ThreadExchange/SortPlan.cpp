//===- SortPlan.cpp - How threads sort rows together --------------------------===//
#include "compiler/analysis/ThreadExchange/SortPlan.h"

#include "compiler/analysis/LinearLayout/Constructors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

using namespace tile;

/// Elements of a row in a thread that make room for other warps to help.
static constexpr int64_t kFewRegisters = 8;

/// Rows in registers first, then lanes, then warps; other dimensions in what is left.
static LinearLayout getSortLayout(llvm::ArrayRef<int64_t> shape, int64_t lanes, int64_t warps) {
  unsigned rank = shape.size(), axis = rank - 1;
  int64_t row = llvm::PowerOf2Ceil(shape.back()), elements = row;
  for (int64_t size : shape.drop_back())
    elements *= size;
  int64_t share = llvm::PowerOf2Ceil(std::max<int64_t>(1, elements / (lanes * warps)));
  int64_t few = std::min<int64_t>(kFewRegisters, llvm::divideCeil(row, lanes));
  int64_t registers = std::min(row, std::max<int64_t>(share, llvm::PowerOf2Ceil(few)));
  int64_t ofLanes = std::min(lanes, row / registers);
  int64_t ofWarps = std::min(int64_t(llvm::bit_floor(uint64_t(warps))), row / registers / ofLanes);

  llvm::SmallVector<int64_t> padded(shape);
  padded.back() = row;
  llvm::SmallVector<unsigned> others;
  for (unsigned dim = axis; dim-- > 0;)
    others.push_back(dim);
  // The other dimensions as in any block, with the lanes and warps that are left.
  BlockedShape blocked = chooseBlockedShape(llvm::ArrayRef(padded).drop_back(), others, 1,
                                            lanes / ofLanes, warps / ofWarps);
  blocked.perThread.push_back(row / ofLanes / ofWarps);
  blocked.lanes.push_back(ofLanes);
  blocked.warps.push_back(ofWarps);
  blocked.order.insert(blocked.order.begin(), axis);
  if (axis == 0) {
    blocked.laneCopies = lanes / ofLanes;
    blocked.warpCopies = warps / ofWarps;
  }
  return getBlockedLayout(padded, blocked);
}

InputBit tile::findSortedBit(const LinearLayout &layout, unsigned bit) {
  unsigned axis = layout.getRank() - 1;
  for (const auto &[in, columns] : layout.getBases())
    for (auto [place, column] : llvm::enumerate(columns))
      if (column[axis] == int64_t(1) << bit)
        return {in, unsigned(place)};
  assert(false && "a sorted row is in the layout's tile");
  return {Dim::None, 0};
}

namespace {
class SortPlanner {
public:
  SortPlanner(const LinearLayout &first) : layout(first), axis(first.getRank() - 1) {
    plan.first = first;
  }

  SortPlan run(int64_t count) {
    int bits = llvm::Log2_64(layout.getDimSize(axis)), kept = llvm::Log2_64_Ceil(count);
    for (int run = 1; run <= kept; ++run)
      merge(run, run < bits);
    for (; bits > kept; --bits) {
      keep(kept);
      merge(kept, kept < bits - 1);
    }
    direct(-1);
    plan.last = layout;
    return std::move(plan);
  }

private:
  /// Sort runs of 2^run elements that rise and fall; `alternate`: every other one down.
  void merge(int run, bool alternate) {
    direct(alternate ? run : -1);
    for (int bit = run; bit-- > 0;) {
      reach(bit, run);
      plan.steps.push_back({SortStep::Compare, bit});
    }
  }
  void direct(int bit) {
    if (bit != direction)
      plan.steps.push_back({SortStep::Direct, bit});
    direction = bit;
  }
  void keep(int bit);
  void reach(int bit, int avoid);
  void setBases(const LinearLayout::Bases &bases, int64_t size) {
    llvm::SmallVector<int64_t> shape = layout.getTileShape();
    shape[axis] = size;
    layout = LinearLayout::get(shape, bases, layout.getRepeats());
  }

  LinearLayout layout;
  unsigned axis;
  int direction = -1;
  SortPlan plan;
};
} // namespace

static LinearLayout::Basis &getColumn(LinearLayout::Bases &bases, InputBit place) {
  auto *entry = llvm::find_if(bases, [&](auto &entry) { return entry.first == place.dim; });
  return entry->second[place.bit];
}

/// Take `bit` out of the warps: it changes places with the lowest register bit
/// along the row, `avoid` aside.
void SortPlanner::reach(int bit, int avoid) {
  InputBit place = findSortedBit(layout, bit);
  if (place.dim != Dim::Warp)
    return;
  int other = 0;
  while (other == avoid || findSortedBit(layout, other).dim != Dim::Register)
    ++other;
  LinearLayout::Bases bases = layout.getBases();
  std::swap(getColumn(bases, place), getColumn(bases, findSortedBit(layout, other)));
  setBases(bases, layout.getTileShape()[axis]);
  plan.steps.push_back({SortStep::Move, -1, layout});
}

void SortPlanner::keep(int bit) {
  direct(-1);
  reach(bit, -1);
  InputBit place = findSortedBit(layout, bit);
  int64_t weight = int64_t(1) << bit;
  LinearLayout::Bases bases = layout.getBases();
  if (place.dim != Dim::Register)
    getColumn(bases, place)[axis] = 0; // both lanes have the smaller one
  for (auto &[in, columns] : bases) {
    if (in == Dim::Register && place.dim == Dim::Register)
      columns.erase(columns.begin() + place.bit);
    for (LinearLayout::Basis &column : columns)
      if (column[axis] > weight)
        column[axis] /= 2;
  }
  setBases(bases, layout.getTileShape()[axis] / 2);
  plan.steps.push_back({SortStep::Keep, bit, layout});
}

SortPlan tile::planSort(llvm::ArrayRef<int64_t> shape, int64_t count, int64_t lanes,
                        int64_t warps) {
  return SortPlanner(getSortLayout(shape, lanes, warps)).run(count);
}
