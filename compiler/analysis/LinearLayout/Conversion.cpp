//===- Conversion.cpp - Plans to move a tensor between register layouts ----===//
//
// Renamed registers, and the choice among plans by cost.
//
//===----------------------------------------------------------------------===//
#include "compiler/analysis/LinearLayout/Conversion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <map>

namespace tile {

using Coordinates = llvm::SmallVector<int64_t>;

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

namespace {
/// A repeat by threads: index / divisor % count moves `out` by `stride`.
struct ThreadDigit {
  Dim in, out;
  int64_t divisor, count, stride;
  bool operator==(const ThreadDigit &other) const {
    return in == other.in && out == other.out && divisor == other.divisor && count == other.count &&
           stride == other.stride;
  }
};
} // namespace

static llvm::SmallVector<ThreadDigit> getThreadDigits(const LinearLayout &layout) {
  llvm::SmallVector<ThreadDigit> digits;
  Coordinates covered = layout.getTileShape();
  std::map<Dim, int64_t> divisors;
  for (DimBits in : layout.getTile().getIns())
    divisors[in.dim] = int64_t(1) << in.bits;
  for (const Repeat &repeat : layout.getRepeats()) {
    int64_t &divisor = divisors.insert({repeat.in, 1}).first->second;
    bool moves = repeat.out != Dim::None;
    if (repeat.in != Dim::Register && moves)
      digits.push_back(
          {repeat.in, repeat.out, divisor, repeat.count, covered[tensorIndex(repeat.out)]});
    divisor *= repeat.count;
    if (moves)
      covered[tensorIndex(repeat.out)] *= repeat.count;
  }
  llvm::sort(digits, [](const ThreadDigit &a, const ThreadDigit &b) {
    return std::tie(a.in, a.divisor) < std::tie(b.in, b.divisor);
  });
  return digits;
}

/// Every lane, warp and block moves along the same coordinates in both.
static bool haveSameThreads(const LinearLayout &source, const LinearLayout &result) {
  for (Dim in : {Dim::Lane, Dim::Warp, Dim::Block}) {
    if (source.getInSize(in) != result.getInSize(in))
      return false;
    unsigned bits = std::max(source.getTile().getInBits(in), result.getTile().getInBits(in));
    for (unsigned bit = 0; bit < bits; ++bit)
      for (unsigned dim = 0; dim < source.getRank(); ++dim) {
        auto getValue = [&](const LinearMap &tile) {
          return bit < tile.getInBits(in) ? tile.getColumn(in, bit, tensorDim(dim)) : 0;
        };
        if (getValue(source.getTile()) != getValue(result.getTile()))
          return false;
      }
  }
  return getThreadDigits(source) == getThreadDigits(result);
}

/// Whether no thread has an element of the tensor in register `reg`.
static bool isPadding(const LinearLayout &layout, int64_t reg, llvm::ArrayRef<int64_t> shape) {
  if (layout.getShape() == shape)
    return false;
  for (int64_t block = 0; block < layout.getInSize(Dim::Block); ++block)
    for (int64_t warp = 0; warp < layout.getInSize(Dim::Warp); ++warp)
      for (int64_t lane = 0; lane < layout.getInSize(Dim::Lane); ++lane) {
        Coordinates where = layout.apply({{Dim::Register, uint64_t(reg)},
                                          {Dim::Lane, uint64_t(lane)},
                                          {Dim::Warp, uint64_t(warp)},
                                          {Dim::Block, uint64_t(block)}});
        if (llvm::all_of(llvm::zip(where, shape),
                         [](auto pair) { return std::get<0>(pair) < std::get<1>(pair); }))
          return false;
      }
  return true;
}

/// With equal threads, registers that agree in thread 0 agree in all: threads
/// XOR below the smaller of the tiles and add the same multiples above.
std::optional<RegisterPlan> planRegisters(const LinearLayout &source, const LinearLayout &result,
                                          llvm::ArrayRef<int64_t> shape) {
  if (!haveSameThreads(source, result))
    return std::nullopt;
  std::map<Coordinates, int32_t> registers;
  auto inThreadZero = [](const LinearLayout &layout, int64_t reg) {
    return layout.apply({{Dim::Register, uint64_t(reg)}});
  };
  for (int64_t reg = source.getInSize(Dim::Register); reg-- > 0;)
    registers[inThreadZero(source, reg)] = reg; // the lowest of copies stays
  int64_t sourceCount = source.getInSize(Dim::Register);
  RegisterPlan plan;
  for (int64_t reg = 0; reg < result.getInSize(Dim::Register); ++reg) {
    Coordinates wanted = inThreadZero(result, reg);
    auto found = registers.find(wanted);
    if (reg < sourceCount && inThreadZero(source, reg) == wanted)
      plan.source.push_back(reg); // leaves copies where they are
    else if (found != registers.end())
      plan.source.push_back(found->second);
    else if (isPadding(result, reg, shape))
      plan.source.push_back(-1);
    else
      return std::nullopt;
  }
  return plan;
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

static bool isIdentity(const RegisterPlan &plan, const LinearLayout &source) {
  if (int64_t(plan.source.size()) != source.getInSize(Dim::Register))
    return false;
  return llvm::all_of(llvm::enumerate(plan.source), [](auto entry) {
    return entry.value() < 0 || entry.value() == int32_t(entry.index());
  });
}

/// Selects by a map: a butterfly of one stage for each independent direction.
static unsigned countSelects(const LinearMap &map, int64_t registers) {
  return map.getRank() * registers;
}

static unsigned getCost(const ShufflePlan &plan, const ConversionFacts &facts) {
  unsigned moved = 0;
  bool staysInLane = plan.staysInLane();
  for (const ShufflePlan::Round &round : plan.rounds) {
    unsigned words = llvm::divideCeil(round.sources.size() * facts.elementBits, facts.shuffleBits);
    // Packing and unpacking take about an instruction a value each.
    unsigned packing = round.sources.size() > 1 ? 2 * round.sources.size() : 0;
    moved += staysInLane ? 0 : words * facts.shuffleCost + packing * facts.selectCost;
  }
  unsigned selects = countSelects(plan.send, plan.sourceRegisters) +
                     countSelects(plan.receive, plan.resultRegisters);
  return moved + selects * facts.selectCost;
}

static unsigned getCost(const MemoryPlan &plan, const ConversionFacts &facts) {
  size_t accesses = 0;
  for (const MemoryPlan::Pass &pass : plan.passes)
    accesses += pass.writes.size() + pass.reads.size();
  unsigned barriers = 2 * plan.passes.size() - 1;
  return barriers * facts.barrierCost + accesses +
         unsigned(plan.writeUse.wavefronts + plan.readUse.wavefronts) * facts.memoryCost;
}

static bool haveSameThreadCounts(const LinearLayout &source, const LinearLayout &result) {
  return llvm::all_of(llvm::ArrayRef({Dim::Lane, Dim::Warp, Dim::Block}),
                      [&](Dim in) { return source.getInSize(in) == result.getInSize(in); });
}

ConversionPlan planConversion(const LinearLayout &source, const LinearLayout &result,
                              llvm::ArrayRef<int64_t> shape, const ConversionFacts &facts) {
  if (!haveSameThreadCounts(source, result))
    return {UnsupportedPlan{"the layouts have different numbers of lanes, warps or blocks"}, 0};
  if (std::optional<RegisterPlan> plan = planRegisters(source, result, shape)) {
    if (isIdentity(*plan, source))
      return {IdentityPlan(), 0};
    return {std::move(*plan), 0};
  }
  std::optional<ShufflePlan> shuffles = planShuffles(source, result, facts);
  unsigned shuffleCost = shuffles ? getCost(*shuffles, facts) : ~0u;
  // A barrier alone is dearer: no need to plan the rest.
  if (shuffles && shuffleCost <= facts.barrierCost)
    return {std::move(*shuffles), shuffleCost};
  std::optional<MemoryPlan> memory = planMemory(source, result, shape, facts);
  unsigned memoryCost = memory ? getCost(*memory, facts) : ~0u;
  if (shuffles && shuffleCost <= memoryCost)
    return {std::move(*shuffles), shuffleCost};
  if (memory)
    return {std::move(*memory), memoryCost};
  return {UnsupportedPlan{"the layouts place elements in different blocks"}, 0};
}

} // namespace tile
