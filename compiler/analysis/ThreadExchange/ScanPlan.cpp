//===- ScanPlan.cpp - How threads scan a block together ----------------------===//
#include "compiler/analysis/ThreadExchange/ScanPlan.h"

#include "compiler/analysis/LinearLayout/Constructors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace tile;

namespace {
/// What the columns of a layout do along one axis.
struct AxisColumns {
  llvm::SmallVector<int64_t> registers;                  // weights, a repeat by its lowest one
  llvm::SmallVector<std::pair<int64_t, uint64_t>> lanes; // weight, bit
  llvm::SmallVector<int64_t> warps;
  /// Each column moves by a power of two; only registers repeat along the axis.
  bool isPlain = true;

  AxisColumns(const LinearLayout &layout, unsigned axis);
  int64_t getLowestOfThreads() const;
  int64_t getHighestOfThreads() const;
};
} // namespace

AxisColumns::AxisColumns(const LinearLayout &layout, unsigned axis) {
  for (const auto &[in, columns] : layout.getBases())
    for (auto [bit, column] : llvm::enumerate(columns)) {
      int64_t weight = column[axis];
      if (weight == 0)
        continue;
      isPlain &= llvm::isPowerOf2_64(weight);
      if (in == Dim::Register)
        registers.push_back(weight);
      else if (in == Dim::Lane)
        lanes.emplace_back(weight, uint64_t(1) << bit);
      else
        warps.push_back(weight);
    }
  int64_t weight = layout.getTileShape()[axis];
  for (const Repeat &repeat : layout.getRepeats()) {
    if (repeat.out != tensorDim(axis))
      continue;
    isPlain &= repeat.in == Dim::Register;
    registers.push_back(weight);
    weight *= repeat.count;
  }
}

int64_t AxisColumns::getLowestOfThreads() const {
  int64_t lowest = INT64_MAX;
  for (auto [weight, bit] : lanes)
    lowest = std::min(lowest, weight);
  for (int64_t weight : warps)
    lowest = std::min(lowest, weight);
  return lowest;
}

int64_t AxisColumns::getHighestOfThreads() const {
  int64_t highest = 0;
  for (auto [weight, bit] : lanes)
    highest = std::max(highest, weight);
  for (int64_t weight : warps)
    highest = std::max(highest, weight);
  return highest;
}

/// Whether lanes come before warps, in the order of their bits, and no register
/// between them.
static bool isInOrder(const AxisColumns &columns) {
  int64_t lowest = columns.getLowestOfThreads(), highest = columns.getHighestOfThreads();
  for (int64_t weight : columns.registers)
    if (weight > lowest && weight < highest)
      return false;
  if (!llvm::is_sorted(columns.lanes) || !llvm::is_sorted(columns.warps))
    return false;
  return columns.lanes.empty() || columns.warps.empty() ||
         columns.lanes.back().first < columns.warps.front();
}

/// Registers above all threads become a dimension before the axis.
static std::optional<LinearLayout> splitOuter(const LinearLayout &source, unsigned axis,
                                              int64_t inside) {
  llvm::SmallVector<int64_t> shape = source.getShape();
  shape.insert(shape.begin() + axis, shape[axis] / inside);
  shape[axis + 1] = inside;
  return source.reshaped(shape);
}

static void orderOuter(ScanPlan &plan) {
  unsigned dim = plan.axis - 1;
  std::map<int64_t, llvm::SmallVector<int32_t>> steps;
  for (int64_t reg = 0; reg < plan.inner.kept; ++reg)
    steps[plan.inner.partial.apply({{Dim::Register, uint64_t(reg)}})[dim]].push_back(int32_t(reg));
  for (auto &[step, registers] : steps)
    plan.outerOrder.append(registers.begin(), registers.end());
}

static void findSlots(ScanPlan &plan, const LinearLayout &source) {
  std::map<llvm::SmallVector<int64_t>, int32_t> slots;
  for (auto [slot, reg] : llvm::enumerate(plan.inner.order))
    slots[source.apply({{Dim::Register, uint64_t(reg)}})] = int32_t(slot);
  for (int64_t reg = 0, end = source.getInSize(Dim::Register); reg < end; ++reg)
    plan.slots.push_back(slots.at(source.apply({{Dim::Register, uint64_t(reg)}})));
}

std::optional<ScanPlan> tile::planScan(const LinearLayout &source, unsigned axis) {
  AxisColumns columns(source, axis);
  if (!columns.isPlain || !isInOrder(columns))
    return std::nullopt;
  ScanPlan plan;
  plan.axis = axis;
  LinearLayout layout = source;
  int64_t highest = columns.getHighestOfThreads();
  bool hasOuter = highest > 0 &&
                  llvm::any_of(columns.registers, [&](int64_t weight) { return weight > highest; });
  if (hasOuter) {
    std::optional<LinearLayout> split = splitOuter(source, axis, 2 * highest);
    if (!split)
      return std::nullopt;
    layout = *split;
    plan.axis = axis + 1;
    plan.outer = layout.getDimSize(axis);
  }
  std::optional<ReductionPlan> inner = planReduction(layout, plan.axis);
  if (!inner)
    return std::nullopt;
  plan.inner = std::move(*inner);
  plan.depth = int64_t(plan.inner.order.size()) / plan.inner.kept;
  for (auto [weight, bit] : columns.lanes)
    plan.laneBits.push_back(bit);
  if (hasOuter)
    orderOuter(plan);
  findSlots(plan, layout);
  return plan;
}

LinearLayout ScanPlan::getGatheredLayout(int64_t lanes, int64_t warps) const {
  LinearLayout kept = inner.partial.collapsed(axis).squeezed(axis);
  return tile::getGatheredLayout(&kept, axis, inner.warps, lanes, warps);
}

LinearLayout tile::getScannableLayout(llvm::ArrayRef<int64_t> shape, unsigned axis, int64_t lanes,
                                      int64_t warps) {
  llvm::SmallVector<unsigned> order{axis};
  int64_t elements = 1;
  for (unsigned dim = shape.size(); dim-- > 0;) {
    elements *= shape[dim];
    if (dim != axis)
      order.push_back(dim);
  }
  // Warps that are three times a power of two would repeat along the axis: some
  // scan what others do.
  int64_t copies = warps >> llvm::countr_zero(uint64_t(warps));
  warps /= copies;
  int64_t share = llvm::PowerOf2Ceil(std::max<int64_t>(1, elements / (lanes * warps)));
  return getDefaultLayout(shape, order, share, lanes, warps).replicated(Dim::Warp, copies);
}
