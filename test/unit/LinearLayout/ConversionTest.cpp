//===- ConversionTest.cpp - Plans executed by an interpreter ----------------===//
//
// Every plan moves the numbers of elements through arrays over (register, lane,
// warp); afterwards each place must hold the number of its element.
//
//===----------------------------------------------------------------------===//
#include "compiler/analysis/LinearLayout/Conversion.h"
#include "compiler/analysis/LinearLayout/Constructors.h"
#include "compiler/analysis/LinearLayout/OffsetEmitter.h"
#include "test/unit/LinearLayout/IntegerOps.h"
#include "test/unit/LinearLayout/RandomLayout.h"

#include "llvm/Support/MathExtras.h"
#include <set>

namespace tile::test {

/// Values of all registers of all threads. Unset ones differ from any number.
class Machine {
public:
  static constexpr int64_t unset = -1;
  explicit Machine(const LinearLayout &layout)
      : registers(layout.getInSize(Dim::Register)), lanes(layout.getInSize(Dim::Lane)),
        warps(layout.getInSize(Dim::Warp)), values(registers * lanes * warps, unset) {}
  int64_t &at(int64_t reg, int64_t lane, int64_t warp) {
    return values.at((warp * lanes + lane) * registers + reg);
  }

  const int64_t registers, lanes, warps;

private:
  std::vector<int64_t> values;
};

/// The number of an element, or unset for padding.
static int64_t getNumber(const LinearLayout &layout, llvm::ArrayRef<int64_t> shape, int64_t reg,
                         int64_t lane, int64_t warp) {
  Coordinates where = locate(layout, reg, lane, warp);
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (where[dim] >= shape[dim])
      return Machine::unset;
  return flatten(where, shape);
}

static Machine load(const LinearLayout &layout, llvm::ArrayRef<int64_t> shape) {
  Machine machine(layout);
  forEachIndex(layout, [&](int64_t reg, int64_t lane, int64_t warp) {
    machine.at(reg, lane, warp) = getNumber(layout, shape, reg, lane, warp);
  });
  return machine;
}

static std::string describePair(const LinearLayout &source, const LinearLayout &result) {
  return "from " + source.toString() + "\n  to " + result.toString();
}

static void checkHolds(Machine &machine, const LinearLayout &source, const LinearLayout &result,
                       llvm::ArrayRef<int64_t> shape, const char *plan) {
  forEachIndex(result, [&](int64_t reg, int64_t lane, int64_t warp) {
    int64_t expected = getNumber(result, shape, reg, lane, warp);
    if (expected != Machine::unset)
      CHECK(machine.at(reg, lane, warp) == expected,
            std::string(plan) + " at " + describe({reg, lane, warp}) + " holds " +
                std::to_string(machine.at(reg, lane, warp)) + "\n  " +
                describePair(source, result));
  });
}

static void copyWithin(Machine &machine, llvm::ArrayRef<std::pair<int32_t, int32_t>> copies) {
  for (int64_t warp = 0; warp < machine.warps; ++warp)
    for (int64_t lane = 0; lane < machine.lanes; ++lane)
      for (auto [copy, original] : copies)
        machine.at(copy, lane, warp) = machine.at(original, lane, warp);
}

//===----------------------------------------------------------------------===//
// Interpreters
//===----------------------------------------------------------------------===//

static Machine run(const RegisterPlan &plan, Machine &source, const LinearLayout &result) {
  Machine machine(result);
  for (int64_t warp = 0; warp < machine.warps; ++warp)
    for (int64_t lane = 0; lane < machine.lanes; ++lane)
      for (int64_t reg = 0; reg < machine.registers; ++reg)
        if (plan.source[reg] >= 0)
          machine.at(reg, lane, warp) = source.at(plan.source[reg], lane, warp);
  return machine;
}

static uint64_t applyTo(const LinearMap &map, int64_t lane, int64_t warp) {
  uint64_t inTile = uint64_t(warp) & ((uint64_t(1) << map.getInBits(Dim::Warp)) - 1);
  return map.apply({{Dim::Lane, uint64_t(lane)}, {Dim::Warp, inTile}});
}

static Machine run(const ShufflePlan &plan, Machine &source, const LinearLayout &sourceLayout,
                   const LinearLayout &result) {
  Machine sent(sourceLayout), got(result), machine(result);
  for (int64_t warp = 0; warp < sent.warps; ++warp)
    for (int64_t lane = 0; lane < sent.lanes; ++lane)
      for (int64_t reg = 0; reg < sent.registers; ++reg)
        sent.at(reg, lane, warp) = source.at(reg ^ applyTo(plan.send, lane, warp), lane, warp);
  for (const ShufflePlan::Round &round : plan.rounds)
    for (int64_t warp = 0; warp < got.warps; ++warp)
      for (int64_t lane = 0; lane < got.lanes; ++lane)
        for (size_t i = 0; i < round.results.size(); ++i)
          got.at(round.results[i], lane, warp) =
              sent.at(round.sources[i], applyTo(plan.from, lane, warp) ^ round.laneXor, warp);
  std::set<int64_t> copied;
  for (auto [copy, original] : plan.copies)
    copied.insert(copy);
  for (int64_t warp = 0; warp < got.warps; ++warp)
    for (int64_t lane = 0; lane < got.lanes; ++lane)
      for (int64_t reg = 0; reg < got.registers; ++reg)
        if (!copied.count(reg))
          machine.at(reg, lane, warp) = got.at(reg ^ applyTo(plan.receive, lane, warp), lane, warp);
  copyWithin(machine, plan.copies);
  return machine;
}

/// Calls `visit(element offset, register, lane, warp)` as the accesses say.
static void forEachAccess(const AccessMap &access, llvm::ArrayRef<VectorAccess> accesses,
                          const Machine &machine, int64_t base,
                          llvm::function_ref<void(int64_t, int64_t, int64_t, int64_t)> visit) {
  for (int64_t warp = 0; warp < machine.warps; ++warp)
    for (int64_t lane = 0; lane < machine.lanes; ++lane) {
      IntegerOps ops{lane, warp};
      OffsetEmitter<IntegerOps> emitter(access, ops);
      for (const VectorAccess &run : accesses) {
        auto offset = emitter.getOffset(run.front());
        int64_t first = int64_t(offset.base) + offset.immediate - base;
        CHECK(first % int64_t(run.size()) == 0, "vectors are aligned");
        for (size_t i = 0; i < run.size(); ++i)
          visit(first + i, run[i], lane, warp);
        CHECK_SO_FAR();
      }
    }
}

/// All writes, then all reads, pass by pass; but warps are in different passes where data stays
/// within them.
static Machine run(const MemoryPlan &plan, Machine &source, const LinearLayout &result,
                   unsigned elementBits) {
  Machine machine(result);
  std::map<int64_t, std::set<int64_t>> writers;
  for (const MemoryPlan::Pass &pass : plan.passes) {
    std::vector<int64_t> memory(plan.scratchBytes * 8 / elementBits, Machine::unset);
    if (!plan.isWithinWarps)
      writers.clear();
    auto isInside = [&](int64_t offset) { return offset >= 0 && offset < int64_t(memory.size()); };
    forEachAccess(plan.write, pass.writes, source, pass.base,
                  [&](int64_t offset, int64_t reg, int64_t lane, int64_t warp) {
                    CHECK(isInside(offset), "writes stay in the scratch");
                    int64_t value = source.at(reg, lane, warp);
                    CHECK(memory[offset] == Machine::unset || memory[offset] == value,
                          "two elements at one offset");
                    memory[offset] = value;
                    writers[offset].insert(warp);
                  });
    forEachAccess(plan.read, pass.reads, machine, pass.base,
                  [&](int64_t offset, int64_t reg, int64_t lane, int64_t warp) {
                    CHECK(isInside(offset), "reads stay in the scratch");
                    machine.at(reg, lane, warp) = memory[offset];
                    // (Nobody may have written what is padding on one side.)
                    if (plan.isWithinWarps && writers.count(offset))
                      CHECK(writers[offset] == std::set<int64_t>{warp}, "another warp wrote");
                  });
  }
  copyWithin(machine, plan.copies);
  return machine;
}

//===----------------------------------------------------------------------===//
// Properties
//===----------------------------------------------------------------------===//

static ConversionFacts randomFacts(Random &random, const Threads &threads) {
  ConversionFacts facts;
  facts.elementBits = 8u << random.in(0, 3);
  facts.memory.lanes = threads.getLanes();
  facts.memory.banks = 1u << random.in(1, 5);
  facts.memory.maxAccessBits =
      std::min<unsigned>(128, facts.memory.banks * facts.memory.bankBytes * 8);
  facts.maxScratchBytes = random.chance(0.3) ? int64_t(16) << random.in(0, 5) : 0;
  return facts;
}

static void checkAllPlans(const LinearLayout &source, const LinearLayout &result,
                          llvm::ArrayRef<int64_t> shape, const ConversionFacts &facts) {
  Machine loaded = load(source, shape);
  if (auto plan = planRegisters(source, result, shape)) {
    Machine moved = run(*plan, loaded, result);
    checkHolds(moved, source, result, shape, "registers");
    CHECK_SO_FAR();
  }
  if (auto plan = planShuffles(source, result, facts)) {
    Machine moved = run(*plan, loaded, source, result);
    checkHolds(moved, source, result, shape, "shuffles");
    CHECK_SO_FAR();
  }
  auto plan = planMemory(source, result, shape, facts);
  CHECK(plan.has_value(), "one block's elements always have a plan");
  Machine moved = run(*plan, loaded, result, facts.elementBits);
  CHECK(!hasFailed(), describePair(source, result));
  checkHolds(moved, source, result, shape, "memory");
}

PROPERTY(plansMoveEveryElement, 600) {
  Threads threads = randomThreads(random);
  Coordinates shape = randomShape(random, 3, 8, 0.3);
  LinearLayout source = randomLayout(random, shape, threads, random.chance(0.2));
  LinearLayout result = randomLayout(random, shape, threads, random.chance(0.2));
  checkAllPlans(source, result, shape, randomFacts(random, threads));
}

/// A layout of the same elements per warp: lanes and registers are mixed anew.
static LinearLayout remixWithinWarps(Random &random, const LinearLayout &layout) {
  LinearMap tile = layout.getTile();
  std::vector<std::pair<Dim, unsigned>> bits;
  std::vector<uint64_t> columns;
  for (Dim in : {Dim::Register, Dim::Lane})
    for (auto [bit, column] : llvm::enumerate(tile.getColumns(in))) {
      bits.push_back({in, bit});
      columns.push_back(column);
    }
  random.shuffle(columns);
  for (int i = random.in(0, 3); i > 0 && columns.size() > 1; --i) {
    size_t to = random.in(0, columns.size() - 1), from = random.in(0, columns.size() - 1);
    if (to != from)
      columns[to] ^= columns[from];
  }
  for (auto [place, column] : llvm::zip(bits, columns))
    tile.setColumn(place.first, place.second, column);
  return LinearLayout::get(tile, layout.getRepeats());
}

static llvm::SmallVector<Dim> getTensorDims(const LinearLayout &layout) {
  llvm::SmallVector<Dim> dims;
  for (unsigned dim = 0; dim < layout.getRank(); ++dim)
    dims.push_back(tensorDim(dim));
  return dims;
}

PROPERTY(shufflesServeWhatStaysInWarps, 500) {
  Threads threads = randomThreads(random);
  Coordinates shape = randomShape(random, 2, 7, 0.3);
  LinearLayout source = randomLayout(random, shape, threads);
  LinearLayout result = remixWithinWarps(random, source);
  ConversionFacts facts = randomFacts(random, threads);
  auto plan = planShuffles(source, result, facts);
  // Without copies nothing can stand in the way.
  CHECK(plan || !source.isInjective(), describePair(source, result));
  checkAllPlans(source, result, shape, facts);
  CHECK_SO_FAR();
  if (!plan || !source.isInjective())
    return;
  size_t values = 0;
  for (const ShufflePlan::Round &round : plan->rounds)
    values += round.sources.size();
  CHECK(int64_t(values) == result.getInSize(Dim::Register), "each value is sent once");
}

PROPERTY(copiesInWarpsAreDistributed, 200) {
  // What all warps hold is taken apart without memory.
  Threads threads = randomThreads(random);
  LinearLayout whole = LinearLayout::getUnit(1)
                           .repeated(Dim::Register, 0, int64_t(1) << threads.warpBits)
                           .repeated(Dim::Lane, 0, threads.getLanes())
                           .repeated(Dim::Register, 0, 2)
                           .replicated(Dim::Warp, threads.getWarps());
  LinearLayout parts = LinearLayout::getUnit(1)
                           .repeated(Dim::Warp, 0, int64_t(1) << threads.warpBits)
                           .repeated(Dim::Lane, 0, threads.getLanes())
                           .repeated(Dim::Register, 0, 2)
                           .replicated(Dim::Warp, threads.oddWarps);
  ConversionFacts facts = randomFacts(random, threads);
  CHECK(planShuffles(whole, parts, facts).has_value(), describePair(whole, parts));
  checkAllPlans(whole, parts, whole.getShape(), facts);
}

PROPERTY(warpsTakeTheirPartOfCopies, 300) {
  // All warps hold everything; each then takes it in an order of its own.
  Threads threads = randomThreads(random);
  unsigned warpBits = threads.warpBits;
  threads.warpBits = 0;
  Coordinates shape = randomShape(random, 2, 7, 0.2);
  LinearLayout source =
      randomLayout(random, shape, threads).replicated(Dim::Warp, int64_t(1) << warpBits);
  LinearLayout mixed = remixWithinWarps(random, source);
  LinearMap tile = mixed.getTile();
  for (unsigned bit = 0; bit < tile.getInBits(Dim::Warp); ++bit) {
    uint64_t shift = 0;
    for (Dim in : {Dim::Register, Dim::Lane})
      shift ^= tile.applyDim(in, random.bits(tile.getInBits(in)));
    tile.setColumn(Dim::Warp, bit, shift);
  }
  LinearLayout result = LinearLayout::get(tile, mixed.getRepeats());
  ConversionFacts facts = randomFacts(random, threads);
  bool hasCopies = !LinearLayout::get(source.getTile().sublayout({Dim::Register, Dim::Lane},
                                                                 getTensorDims(source)))
                        .isInjective();
  CHECK(hasCopies || planShuffles(source, result, facts), describePair(source, result));
  checkAllPlans(source, result, shape, facts);
}

PROPERTY(repeatsOfWarpsKeepTheirPlaces, 1) {
  LinearLayout lanes = LinearLayout::getUnit(1).repeated(Dim::Lane, 0, 4);
  ConversionFacts facts;
  facts.memory.lanes = 4;
  checkAllPlans(lanes.repeated(Dim::Warp, 0, 3).replicated(Dim::Warp, 5),
                lanes.replicated(Dim::Warp, 5).repeated(Dim::Warp, 0, 3), {12}, facts);
  CHECK_SO_FAR();
  // Copies between the tile and a power of two: registers 0 and 3 matter.
  LinearLayout apart = lanes.replicated(Dim::Register, 3).repeated(Dim::Register, 0, 2);
  LinearMap turned({{Dim::Lane, 2}}, {{tensorDim(0), 2}});
  turned.setColumn(Dim::Lane, 0, 2);
  turned.setColumn(Dim::Lane, 1, 1);
  checkAllPlans(apart, LinearLayout::get(turned, apart.getRepeats()), {8}, facts);
}

PROPERTY(convertingBackIsIdentity, 200) {
  Threads threads = randomThreads(random);
  Coordinates shape = randomShape(random, 2, 7, 0);
  threads.oddWarps = 1;
  LinearLayout a = randomLayout(random, shape, threads), b = randomLayout(random, shape, threads);
  std::optional<LinearMap> there = a.getTile().invertAndCompose(b.getTile());
  std::optional<LinearMap> back = b.getTile().invertAndCompose(a.getTile());
  if (!a.isLinear() || !b.isLinear())
    return;
  CHECK(there && back, "layouts of one shape convert both ways");
  LinearMap round = there->then(*back);
  for (uint64_t x = 0; x < uint64_t(1) << round.getTotalInBits(); ++x)
    CHECK(a.getTile().apply(round.apply(x)) == a.getTile().apply(x), describePair(a, b));
}

PROPERTY(planningTakesTheCheapest, 200) {
  Threads threads = randomThreads(random);
  Coordinates shape = randomShape(random, 2, 7, 0.3);
  LinearLayout source = randomLayout(random, shape, threads);
  LinearLayout result =
      random.chance(0.5) ? remixWithinWarps(random, source) : randomLayout(random, shape, threads);
  ConversionFacts facts = randomFacts(random, threads);
  CHECK(planConversion(source, source, shape, facts).isIdentity(), source.toString());
  ConversionPlan plan = planConversion(source, result, shape, facts);
  Machine loaded = load(source, shape);
  if (auto *registers = std::get_if<RegisterPlan>(&plan.steps)) {
    Machine moved = run(*registers, loaded, result);
    checkHolds(moved, source, result, shape, "registers");
  } else if (auto *shuffles = std::get_if<ShufflePlan>(&plan.steps)) {
    CHECK(!planRegisters(source, result, shape), "registers are cheaper");
    Machine moved = run(*shuffles, loaded, source, result);
    checkHolds(moved, source, result, shape, "shuffles");
  } else if (auto *memory = std::get_if<MemoryPlan>(&plan.steps)) {
    CHECK(!planRegisters(source, result, shape), "registers are cheaper");
    Machine moved = run(*memory, loaded, result, facts.elementBits);
    checkHolds(moved, source, result, shape, "memory");
  } else {
    CHECK(plan.isIdentity(), "there is always a plan");
    checkHolds(loaded, source, result, shape, "identity");
  }
}

PROPERTY(equallyWideAccessesNeverConflict, 300) {
  Threads threads = randomThreads(random);
  Coordinates shape = randomShape(random, 3, 9, 0.2);
  LinearLayout source = randomLayout(random, shape, threads);
  LinearLayout result = randomLayout(random, shape, threads);
  auto plan = planMemory(source, result, shape, randomFacts(random, threads));
  CHECK(plan.has_value(), describePair(source, result));
  bool isLinear = plan->write.isLinear() && plan->read.isLinear();
  if (isLinear && plan->writeWidth == plan->readWidth)
    CHECK(plan->writeUse.isConflictFree() && plan->readUse.isConflictFree(),
          describePair(source, result) + "\n  in " + plan->memory.toString());
}

PROPERTY(scratchIsSplitIntoPasses, 100) {
  // Registers beyond a warp's rows are common to both layouts.
  int64_t rows = int64_t(8) << random.in(0, 2), odd = random.pick(std::vector<int64_t>{1, 3});
  Coordinates shape = {rows * odd, 64};
  LinearLayout source = getBlockedLayout(shape, {{1, 4}, {1, 16}, {2, 1}, {}, {1, 0}});
  LinearLayout result = getBlockedLayout(shape, {{1, 4}, {2, 8}, {1, 2}, {}, {1, 0}});
  ConversionFacts facts;
  facts.memory.lanes = 16;
  facts.elementBits = 32;
  facts.maxScratchBytes = getVolume(shape) * 4 / random.pick(std::vector<int64_t>{2, 3, 4});
  std::optional<MemoryPlan> plan = planMemory(source, result, shape, facts);
  CHECK(plan && plan->scratchBytes <= facts.maxScratchBytes, describePair(source, result));
  CHECK(plan->passes.size() > 1, "more than one pass");
  Machine loaded = load(source, shape);
  Machine moved = run(*plan, loaded, result, facts.elementBits);
  checkHolds(moved, source, result, shape, "passes");
}

PROPERTY(knownPlansAreAsGoodAsTheyGet, 1) {
  // Accumulators of a matrix unit (two columns, two rows a lane) to rows.
  struct {
    int64_t columns;
    unsigned elementBits;
    int64_t most; // transactions: both sides without a conflict
  } cases[] = {{64, 16, 32}, {64, 32, 64}, {128, 16, 64}, {192, 16, 96}, {96, 32, 96}};
  for (auto [columns, elementBits, most] : cases) {
    LinearLayout source = LinearLayout::getUnit(2)
                              .repeated(Dim::Register, 1, 2)
                              .repeated(Dim::Lane, 1, 4)
                              .repeated(Dim::Lane, 0, 8)
                              .repeated(Dim::Register, 0, 2)
                              .repeated(Dim::Warp, 0, 4)
                              .repeated(Dim::Register, 1, columns / 8);
    LinearLayout result = getDefaultLayout({64, columns}, {1, 0}, 128 / elementBits, 32, 4);
    ConversionFacts facts;
    facts.elementBits = elementBits;
    auto plan = planMemory(source, result, {64, columns}, facts);
    CHECK(plan && plan->writeUse.wavefronts + plan->readUse.wavefronts <= most,
          plan->memory.toString());
  }
  // The accumulator of one product is the operand of the next: nothing moves.
  LinearLayout operand = LinearLayout::getUnit(2)
                             .repeated(Dim::Register, 1, 2)
                             .repeated(Dim::Lane, 1, 4)
                             .repeated(Dim::Lane, 0, 8)
                             .repeated(Dim::Register, 0, 2)
                             .repeated(Dim::Register, 1, 2);
  LinearLayout acc = operand.repeated(Dim::Register, 1, 4).repeated(Dim::Warp, 0, 4);
  LinearLayout next = operand.repeated(Dim::Warp, 0, 4).repeated(Dim::Register, 1, 4);
  CHECK(planConversion(acc, next, {64, 64}, {}).isIdentity(), describePair(acc, next));
  // Rows to columns within a warp: the transpose of a square needs no memory.
  LinearLayout rows = LinearLayout::getUnit(2)
                          .repeated(Dim::Register, 1, 4)
                          .repeated(Dim::Lane, 0, 4)
                          .replicated(Dim::Lane, 8);
  ConversionPlan plan = planConversion(rows, rows.transposed({1, 0}), {4, 4}, {});
  CHECK(std::holds_alternative<ShufflePlan>(plan.steps), rows.toString());
}

PROPERTY(blocksAreRespected, 1) {
  LinearLayout base =
      LinearLayout::getUnit(1).repeated(Dim::Register, 0, 4).repeated(Dim::Lane, 0, 4);
  LinearLayout split = base.repeated(Dim::Block, 0, 2);
  LinearLayout lanesFirst = LinearLayout::getUnit(1)
                                .repeated(Dim::Lane, 0, 4)
                                .repeated(Dim::Register, 0, 4)
                                .repeated(Dim::Block, 0, 2);
  LinearLayout blocksFirst = LinearLayout::getUnit(1)
                                 .repeated(Dim::Block, 0, 2)
                                 .repeated(Dim::Register, 0, 4)
                                 .repeated(Dim::Lane, 0, 4);
  ConversionFacts facts;
  facts.memory.lanes = 4;
  CHECK(planMemory(split, lanesFirst, {32}, facts), "within blocks");
  CHECK(!planMemory(split, blocksFirst, {32}, facts), "across blocks");
  ConversionPlan plan = planConversion(split, blocksFirst, {32}, facts);
  CHECK(std::holds_alternative<UnsupportedPlan>(plan.steps), "across blocks");
  ConversionPlan other = planConversion(split, base.repeated(Dim::Warp, 0, 2), {32}, facts);
  CHECK(std::holds_alternative<UnsupportedPlan>(other.steps), "another number of warps");
}

} // namespace tile::test
