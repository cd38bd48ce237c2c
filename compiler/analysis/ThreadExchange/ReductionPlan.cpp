//===- ReductionPlan.cpp - How threads reduce a block together --------------===//
#include "compiler/analysis/ThreadExchange/ReductionPlan.h"

#include "compiler/analysis/LinearLayout/Constructors.h"
#include "compiler/analysis/LinearLayout/F2.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <map>

using namespace tile;

/// What one column does to the axis.
enum class Movement { Along, Across, None, Both };

static Movement getMovement(llvm::ArrayRef<int64_t> column, unsigned axis) {
  bool along = column[axis] != 0, across = false;
  for (unsigned dim = 0; dim < column.size(); ++dim)
    across |= dim != axis && column[dim] != 0;
  if (along)
    return across ? Movement::Both : Movement::Along;
  return across ? Movement::Across : Movement::None;
}

/// Whether every column moves along the axis alone or not at all, and no
/// element is reached in two ways along it.
static bool isSeparable(const LinearLayout &source, unsigned axis) {
  Subspace seen;
  for (const auto &[in, columns] : source.getBases())
    for (const LinearLayout::Basis &column : columns) {
      Movement movement = getMovement(column, axis);
      if (movement == Movement::Both)
        return false;
      // A register that repeats an element is left out; lanes and warps could not be.
      if (movement == Movement::Along && !seen.insert(column[axis]) && in != Dim::Register)
        return false;
    }
  return true;
}

/// The source with the axis collapsed for registers and lanes, and counted anew
/// for warps.
static LinearLayout getPartialLayout(const LinearLayout &source, unsigned axis,
                                     ReductionPlan &plan) {
  LinearLayout::Bases bases;
  int64_t warps = 1;
  for (auto [in, columns] : source.getBases()) {
    llvm::SmallVector<LinearLayout::Basis, 8> changed;
    for (auto [bit, column] : llvm::enumerate(columns)) {
      bool along = getMovement(column, axis) == Movement::Along;
      if (in == Dim::Register && along)
        continue;
      if (along && in == Dim::Lane)
        plan.laneSteps.push_back(uint64_t(1) << bit);
      column[axis] = along && in == Dim::Warp ? warps : 0;
      if (along && in == Dim::Warp)
        warps *= 2;
      changed.push_back(column);
    }
    bases.emplace_back(in, std::move(changed));
  }
  llvm::SmallVector<Repeat> repeats;
  for (const Repeat &repeat : source.getRepeats())
    if (repeat.in != Dim::Register || repeat.out != tensorDim(axis))
      repeats.push_back(repeat);
  llvm::SmallVector<int64_t> tileShape = source.getTileShape();
  tileShape[axis] = warps;
  LinearLayout partial = LinearLayout::get(tileShape, bases, repeats);
  plan.warps = partial.getDimSize(axis);
  return partial;
}

std::optional<ReductionPlan> tile::planReduction(const LinearLayout &source, unsigned axis) {
  if (!isSeparable(source, axis))
    return std::nullopt;
  ReductionPlan plan;
  plan.partial = getPartialLayout(source, axis, plan);
  // Registers of the first thread, by what they hold off the axis and on it.
  using Coordinates = llvm::SmallVector<int64_t>;
  std::map<Coordinates, std::map<int64_t, int32_t>> groups;
  for (int64_t reg = 0, end = source.getInSize(Dim::Register); reg < end; ++reg) {
    Coordinates at = source.apply({{Dim::Register, uint64_t(reg)}});
    int64_t along = at[axis];
    at[axis] = 0;
    groups[at].try_emplace(along, int32_t(reg));
  }
  plan.kept = plan.partial.getInSize(Dim::Register);
  int64_t depth = groups.begin()->second.size();
  plan.order.assign(plan.kept * depth, 0);
  for (int64_t reg = 0; reg < plan.kept; ++reg) {
    Coordinates at = plan.partial.apply({{Dim::Register, uint64_t(reg)}});
    for (auto [i, entry] : llvm::enumerate(groups.at(at)))
      plan.order[reg + plan.kept * i] = entry.second;
  }
  return plan;
}

/// Hands what the highest register bit that moves tells over to the lane bit of `step`, for which
/// `bases` have no movement. Nothing where no register bit moves.
static std::optional<unsigned> splitRegisters(LinearLayout::Bases &bases, uint64_t step) {
  auto columnsOf = [&](Dim in) {
    return llvm::find_if(bases, [&](const auto &entry) { return entry.first == in; });
  };
  auto registers = columnsOf(Dim::Register), lanes = columnsOf(Dim::Lane);
  if (registers == bases.end())
    return std::nullopt;
  auto &columns = registers->second;
  for (unsigned bit = columns.size(); bit-- > 0;)
    if (llvm::any_of(columns[bit], [](int64_t moved) { return moved != 0; })) {
      lanes->second[llvm::countr_zero(step)] = columns[bit];
      columns.erase(columns.begin() + bit);
      return bit;
    }
  return std::nullopt;
}

std::optional<ReductionPlan> tile::planSplitReduction(const LinearLayout &source, unsigned axis) {
  std::optional<ReductionPlan> plan = planReduction(source, axis);
  if (!plan || plan->warps == 1)
    return plan;
  LinearLayout::Bases bases = plan->partial.getBases();
  for (uint64_t step : plan->laneSteps) {
    std::optional<unsigned> bit = splitRegisters(bases, step);
    if (!bit)
      break;
    plan->splitBits.push_back(*bit);
  }
  plan->partial =
      LinearLayout::get(plan->partial.getTileShape(), bases, plan->partial.getRepeats());
  return plan;
}

LinearLayout tile::getReducibleLayout(llvm::ArrayRef<int64_t> shape, int64_t lanes, int64_t warps) {
  auto order = llvm::to_vector(llvm::reverse(llvm::seq<unsigned>(0, shape.size())));
  return getDefaultLayout(shape, order, /*contiguous=*/1, lanes, warps);
}

LinearLayout tile::getGatheredLayout(const LinearLayout *result, unsigned axis, int64_t warps,
                                     int64_t lanes, int64_t numWarps) {
  if (result)
    return result->expanded(axis).repeated(Dim::Register, axis, warps);
  return LinearLayout::getUnit(1)
      .repeated(Dim::Register, 0, warps)
      .replicated(Dim::Lane, lanes)
      .replicated(Dim::Warp, numWarps);
}
