//===- Runs.cpp - Groups of registers at consecutive places ---------------===//
//
// A run exists where registers span its units and no other index moves within.
//
//===----------------------------------------------------------------------===//
#include "compiler/analysis/LinearLayout/Runs.h"

#include "compiler/analysis/LinearLayout/F2.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

namespace tile {

/// A register number whose image is `wanted`, or nothing. Prefers single
/// register bits, so that runs are registers in their natural order.
static std::optional<uint64_t> findRegister(llvm::ArrayRef<uint64_t> registers, uint64_t wanted) {
  for (auto [bit, image] : llvm::enumerate(registers))
    if (image == wanted)
      return uint64_t(1) << bit;
  Subspace range;
  llvm::SmallVector<unsigned> source;
  for (auto [bit, image] : llvm::enumerate(registers))
    if (range.insert(image))
      source.push_back(bit);
  std::optional<uint64_t> sum = range.express(wanted);
  if (!sum)
    return std::nullopt;
  uint64_t number = 0;
  for (auto [generator, bit] : llvm::enumerate(source))
    if (*sum >> generator & 1)
      number |= uint64_t(1) << bit;
  return number;
}

RegisterRuns::RegisterRuns(llvm::ArrayRef<uint64_t> registers, llvm::ArrayRef<uint64_t> others,
                           llvm::ArrayRef<uint64_t> units)
    : registers(registers), units(units) {
  for (uint64_t unit : units) {
    if (llvm::any_of(others, [&](uint64_t image) { return (image & unit) != 0; }))
      return;
    std::optional<uint64_t> step = findRegister(registers, unit);
    if (!step)
      return;
    steps.push_back(*step);
  }
}

llvm::SmallVector<llvm::SmallVector<int32_t>> RegisterRuns::getGroups(int64_t length) const {
  assert(llvm::isPowerOf2_64(length) && length <= getLength() && "no runs of that length");
  unsigned bits = llvm::Log2_64(length);
  uint64_t inside = 0;
  for (uint64_t unit : llvm::ArrayRef(units).take_front(bits))
    inside |= unit;
  llvm::SmallVector<llvm::SmallVector<int32_t>> groups;
  // Each class of registers modulo the steps has one member that begins a run.
  for (uint64_t first = 0; first < uint64_t(1) << registers.size(); ++first) {
    if (combine(registers, first) & inside)
      continue;
    llvm::SmallVector<int32_t> &group = groups.emplace_back();
    for (int64_t place = 0; place < length; ++place)
      group.push_back(first ^ combine(llvm::ArrayRef(steps).take_front(bits), place));
  }
  return groups;
}

} // namespace tile
