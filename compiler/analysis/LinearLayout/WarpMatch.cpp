//===- WarpMatch.cpp - Layouts whose warps hold the same elements ------------===//
//
// Where every bit of a thread's number moves along one bit of one coordinate, a
// layout is a list of such steps: those of the holder's warps are taken out of the
// list, and lanes and registers share the others.
//
//===----------------------------------------------------------------------===//
#include "compiler/analysis/LinearLayout/WarpMatch.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace tile {

using Step = LinearLayout::Basis;
using Steps = llvm::SmallVector<Step, 8>;

static Steps getSteps(const LinearLayout &layout, Dim in) {
  for (auto &[dim, steps] : layout.getBases())
    if (dim == in)
      return steps;
  return {};
}

/// Whether all steps are along one bit of one coordinate.
static bool isSingle(const Step &step) {
  return llvm::count_if(step, [](int64_t value) { return value != 0; }) == 1 &&
         llvm::all_of(step, [](int64_t value) { return value == 0 || llvm::isPowerOf2_64(value); });
}

static bool isSimple(const LinearLayout &layout) {
  return layout.isLinear() && layout.isInjective() && layout.getInSize(Dim::Block) == 1 &&
         llvm::all_of(layout.getBases(),
                      [](auto &part) { return llvm::all_of(part.second, isSingle); });
}

/// How many of the first steps make one run along a dimension, from `length` on.
static size_t countRun(llvm::ArrayRef<Step> steps, unsigned dim, int64_t length = 1) {
  size_t count = 0;
  for (; count < steps.size() && steps[count][dim] == length; ++count)
    length *= 2;
  return count;
}

std::optional<LinearLayout> withWarpsOf(const LinearLayout &access, const LinearLayout &holder,
                                        int64_t run) {
  if (!isSimple(access) || !isSimple(holder) || access.getTileShape() != holder.getTileShape())
    return std::nullopt;
  Steps registers = getSteps(access, Dim::Register), lanes = getSteps(access, Dim::Lane);
  Steps warps = getSteps(access, Dim::Warp), wanted = getSteps(holder, Dim::Warp);
  if (lanes.empty() || warps.size() != wanted.size())
    return std::nullopt;
  auto isFirst = [](int64_t value) { return value == 1; };
  const Step &first = registers.empty() || !llvm::any_of(registers.front(), isFirst)
                          ? lanes.front()
                          : registers.front();
  unsigned fastest = llvm::find_if(first, isFirst) - first.begin();
  if (fastest == first.size())
    return std::nullopt;

  size_t vector = countRun(registers, fastest);
  Steps rest = lanes;
  llvm::append_range(rest, warps);
  llvm::append_range(rest, llvm::ArrayRef(registers).drop_front(vector));
  for (const Step &step : wanted) {
    auto found = llvm::find(rest, step);
    if (found == rest.end())
      return std::nullopt;
    rest.erase(found);
  }
  llvm::ArrayRef<Step> others = rest;
  size_t before = countRun(lanes, fastest, int64_t(1) << vector);
  size_t after = countRun(others.take_front(lanes.size()), fastest, int64_t(1) << vector);
  if (after < before && int64_t(1) << (vector + after) < run)
    return std::nullopt;

  registers.truncate(vector);
  llvm::append_range(registers, others.drop_front(lanes.size()));
  lanes.assign(others.begin(), others.begin() + lanes.size());
  return LinearLayout::get(access.getTileShape(),
                           {{Dim::Register, registers}, {Dim::Lane, lanes}, {Dim::Warp, wanted}});
}

} // namespace tile
