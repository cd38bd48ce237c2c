//===- ShufflePlan.cpp - Conversions within each warp ----------------------===//
//
// Let N be the elements that one warp needs, A what a lane's source registers
// span of it and B what a lane's result registers span. In one round each lane
// gives one element and takes one, so rounds are cosets of a subspace G that
// complements B, contained in what the lanes give: a complement of A at least.
// Subspaces that complement both A and B exist: pair up what is only in A with
// what is only in B and take the sums.
//
//===----------------------------------------------------------------------===//
#include "compiler/analysis/LinearLayout/Conversion.h"
#include "compiler/analysis/LinearLayout/F2.h"
#include "compiler/analysis/LinearLayout/RepeatedTiles.h"
#include "compiler/analysis/LinearLayout/TileColumns.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>

namespace tile {

using Vectors = llvm::SmallVector<uint64_t>;

namespace {
/// A linear map given by its values on a basis.
class BasisMap {
public:
  void define(uint64_t input, uint64_t output) {
    [[maybe_unused]] bool isNew = domain.insert(input);
    assert(isNew && "inputs of a basis are independent");
    outputs.push_back(output);
  }
  bool isDefined(uint64_t input) const { return domain.contains(input); }
  uint64_t operator()(uint64_t input) const { return combine(outputs, *domain.express(input)); }

private:
  Subspace domain;
  Vectors outputs;
};
} // namespace

static Vectors concatenate(llvm::ArrayRef<uint64_t> a, llvm::ArrayRef<uint64_t> b) {
  Vectors both(a);
  llvm::append_range(both, b);
  return both;
}

namespace {
/// Plans one tile of layouts that have no redundant registers.
class ShufflePlanner {
public:
  ShufflePlanner(const LinearLayout &source, const LinearLayout &result, unsigned packBits)
      : source(source, source.getTileShape()), result(result, source.getTileShape()),
        packBits(packBits) {}

  /// False if some element is not in its warp, or not with a lane that can
  /// give it in time.
  bool plan() {
    defineSpaces();
    if (!findShifts())
      return false;
    findPublishers();
    chooseGiven();
    if (!assignPublishers())
      return false;
    assignReceivers();
    assignShifts();
    assignRounds();
    return true;
  }

  LinearMap buildMap(unsigned outBits, Dim out, llvm::ArrayRef<uint64_t> laneColumns,
                     llvm::ArrayRef<uint64_t> shiftColumns) const {
    unsigned warpBits = source.warps.size(), blockBits = source.blocks.size();
    LinearMap map({{Dim::Lane, unsigned(source.lanes.size())},
                   {Dim::Warp, warpBits},
                   {Dim::Block, blockBits}},
                  {{out, outBits}});
    for (auto [bit, column] : llvm::enumerate(laneColumns))
      map.setColumn(Dim::Lane, bit, column);
    for (auto [bit, column] : llvm::enumerate(shiftColumns))
      map.setColumn(bit < warpBits ? Dim::Warp : Dim::Block, bit < warpBits ? bit : bit - warpBits,
                    column);
    return map;
  }

  /// In registers of the tiles.
  struct Round {
    Vectors sources, results;
    uint64_t laneXor;
  };
  llvm::SmallVector<Round> rounds;
  Vectors sendOfLane, fromOfLane, receiveOfLane, sendOfShift, fromOfShift;

private:
  uint64_t getSourceRegister(uint64_t element) const { return sourceNumber(element); }

  void defineSpaces() {
    for (auto [bit, image] : llvm::enumerate(source.registers))
      sourceNumber.define(image, uint64_t(1) << bit);
    for (auto [bit, image] : llvm::enumerate(result.registers))
      resultNumber.define(image, uint64_t(1) << bit);
    needed = Subspace(concatenate(result.registers, result.lanes));
    given = intersectSpans(source.registers, needed.getGenerators());
  }

  /// Warps that hold copies of the source take different parts of it: element
  /// = (what the warp holds) + a shift within the warp, for each warp bit.
  bool findShifts() {
    Vectors held = concatenate(source.registers, source.lanes);
    Subspace reach(held);
    for (auto [wanted, holds] : llvm::zip(concatenate(result.warps, result.blocks),
                                          concatenate(source.warps, source.blocks)))
      shifts.push_back(wanted ^ holds);
    auto isHeld = [&](uint64_t element) { return reach.contains(element); };
    return llvm::all_of(shifts, isHeld) && llvm::all_of(needed.getGenerators(), isHeld);
  }

  /// Writes `element` = (image of a lane) + (image of registers).
  std::pair<uint64_t, uint64_t> locate(uint64_t element) const {
    Subspace held(source.registers);
    Vectors images(source.registers), numbers; // of lanes, as generators come
    for (auto [bit, image] : llvm::enumerate(source.lanes))
      if (held.insert(image)) {
        images.push_back(image);
        numbers.push_back(uint64_t(1) << bit);
      }
    uint64_t sum = *held.express(element);
    unsigned registerCount = source.registers.size();
    return {combine(numbers, sum >> registerCount), sum & ((uint64_t(1) << registerCount) - 1)};
  }

  /// Lanes that hold some needed element, by vectors of lane bits; and the
  /// element n = (image of the lane) + (image of a register number).
  void findPublishers() {
    Vectors neededOnly = extendBasis(source.registers, needed.getGenerators());
    Vectors columns(source.lanes);
    llvm::append_range(columns, neededOnly);
    llvm::append_range(columns, source.registers);
    unsigned laneCount = source.lanes.size();
    Vectors lanes;
    for (uint64_t vector : nullSpace(columns))
      lanes.push_back(vector & ((uint64_t(1) << laneCount) - 1));
    // Single lane bits where they will do: sparse maps are cheap to compute.
    Subspace publishing(lanes);
    Vectors preferred;
    for (unsigned bit = 0; bit < laneCount; ++bit)
      if (publishing.contains(uint64_t(1) << bit))
        preferred.push_back(uint64_t(1) << bit);
    llvm::append_range(preferred, lanes);
    Subspace neededModulo(concatenate(neededOnly, source.registers));
    for (uint64_t lane : extendBasis({}, preferred)) {
      uint64_t image = combine(source.lanes, lane), number = 0;
      if (!needed.contains(image)) {
        uint64_t sum = *neededModulo.express(image);
        number = sum >> neededOnly.size();
      }
      publishers.push_back({lane, image ^ combine(source.registers, number), number});
    }
  }

  /// Splits the needed space: `inBoth` ⊕ pairs ⊕ C, see the top of the file.
  void chooseGiven() {
    inBoth = orderForPacking(intersectSpans(given, result.registers));
    Vectors onlyGiven = extendBasis(inBoth, given);
    Vectors onlyTaken = extendBasis(inBoth, result.registers);
    Vectors either = concatenate(concatenate(inBoth, onlyGiven), onlyTaken);
    Vectors candidates;
    for (const Publisher &publisher : publishers)
      if (llvm::is_contained(result.lanes, publisher.element))
        candidates.push_back(publisher.element);
    for (const Publisher &publisher : publishers)
      candidates.push_back(publisher.element);
    Vectors common = extendBasis(either, candidates);
    size_t pairs = std::min(onlyGiven.size(), onlyTaken.size());
    for (size_t i = 0; i < pairs; ++i)
      common.push_back(onlyGiven[i] ^ onlyTaken[i]);
    besidesGiven = besidesTaken = common;
    spare.assign(onlyGiven.begin() + pairs, onlyGiven.end());
    llvm::append_range(besidesTaken, spare);
    besidesGiven.append(onlyTaken.begin() + pairs, onlyTaken.end());
  }

  /// Registers that pack together should be neighbours in both layouts.
  Vectors orderForPacking(llvm::ArrayRef<uint64_t> common) const {
    Subspace span(common);
    Vectors preferred;
    for (uint64_t image : source.registers)
      if (span.contains(image) && llvm::is_contained(result.registers, image))
        preferred.push_back(image);
    return extendBasis({}, concatenate(preferred, common));
  }

  /// What each lane gives in the round of register 0: `publish`; and the
  /// register that it takes it from: `send`.
  bool assignPublishers() {
    BasisMap split; // element -> its part in besidesGiven; the rest is in given
    for (uint64_t vector : besidesGiven)
      split.define(vector, vector);
    for (uint64_t vector : given)
      split.define(vector, 0);
    size_t used = 0;
    Vectors publishing;
    for (const Publisher &publisher : publishers) {
      uint64_t part = split(publisher.element);
      uint64_t number = publisher.number ^ getSourceRegister(publisher.element ^ part);
      if (!laneOf.isDefined(part)) {
        laneOf.define(part, publisher.lane);
        send.define(publisher.lane, number);
        publishing.push_back(publisher.lane);
        continue;
      }
      // A lane with the same elements as others: it may give a spare one.
      uint64_t twin = laneOf(part);
      uint64_t copy = publisher.lane ^ twin;
      uint64_t chosen = used < spare.size() ? spare[used++] : 0;
      if (chosen != 0)
        laneOf.define(chosen, copy);
      send.define(copy, number ^ send(twin) ^ getSourceRegister(chosen));
      publishing.push_back(copy);
    }
    for (uint64_t lane : extendBasis(publishing, getUnitVectors(source.lanes.size())))
      send.define(lane, 0);
    for (unsigned bit = 0; bit < source.lanes.size(); ++bit)
      sendOfLane.push_back(send(uint64_t(1) << bit));
    return used == spare.size();
  }

  void assignReceivers() {
    BasisMap split; // element -> its part in besidesTaken
    for (uint64_t vector : besidesTaken)
      split.define(vector, vector);
    for (uint64_t vector : result.registers)
      split.define(vector, 0);
    for (uint64_t image : result.lanes) {
      uint64_t part = split(image);
      fromOfLane.push_back(laneOf(part));
      receiveOfLane.push_back(resultNumber(image ^ part));
    }
  }

  void assignShifts() {
    for (uint64_t shift : shifts) {
      auto [lane, number] = locate(shift);
      fromOfShift.push_back(lane);
      sendOfShift.push_back(number ^ send(lane));
    }
  }

  /// One round for each register of the result, modulo those packed together.
  void assignRounds() {
    Vectors packed(inBoth);
    packed.truncate(std::min<size_t>(packBits, packed.size()));
    Subspace packedNumbers;
    for (uint64_t element : packed)
      packedNumbers.insert(resultNumber(element));
    BasisMap split;
    for (uint64_t vector : besidesGiven)
      split.define(vector, vector);
    for (uint64_t vector : given)
      split.define(vector, 0);
    for (uint64_t reg = 0; reg < uint64_t(1) << result.registers.size(); ++reg) {
      if (packedNumbers.reduce(reg) != reg)
        continue;
      uint64_t element = combine(result.registers, reg);
      uint64_t part = split(element);
      Round &round = rounds.emplace_back();
      round.laneXor = laneOf(part);
      for (uint64_t i = 0; i < uint64_t(1) << packed.size(); ++i) {
        uint64_t step = combine(packed, i);
        round.sources.push_back(getSourceRegister(element ^ part ^ step));
        round.results.push_back(reg ^ resultNumber(step));
      }
    }
  }

  struct Publisher {
    uint64_t lane, element, number;
  };

  TileColumns source, result;
  unsigned packBits;
  BasisMap sourceNumber, resultNumber; // element -> register number
  Subspace needed;
  Vectors given;  // needed elements that source registers span
  Vectors shifts; // for each warp and block bit
  llvm::SmallVector<Publisher> publishers;
  Vectors inBoth, besidesGiven, besidesTaken, spare;
  BasisMap laneOf; // given element -> lane that gives it in the first round
  BasisMap send;   // lane -> register number
};
} // namespace

bool ShufflePlan::staysInLane() const {
  for (DimBits in : from.getIns())
    for (auto [bit, column] : llvm::enumerate(from.getColumns(in.dim)))
      if (column != (in.dim == Dim::Lane ? uint64_t(1) << bit : 0))
        return false;
  return llvm::all_of(rounds, [](const Round &round) { return round.laneXor == 0; });
}

std::optional<ShufflePlan> planShuffles(const LinearLayout &source, const LinearLayout &result,
                                        const ConversionFacts &facts) {
  std::optional<RepeatedTiles> tiles = RepeatedTiles::match(source, result);
  if (!tiles)
    return std::nullopt;
  unsigned fitting = std::max(1u, facts.shuffleBits / facts.elementBits);
  ShufflePlanner planner(tiles->source, tiles->result, llvm::Log2_32(fitting));
  if (!planner.plan())
    return std::nullopt;
  ShufflePlan plan;
  plan.sourceRegisters = source.getInSize(Dim::Register);
  plan.resultRegisters = result.getInSize(Dim::Register);
  plan.copies = tiles->copies;
  auto widen = [](llvm::ArrayRef<uint64_t> numbers, llvm::ArrayRef<int32_t> kept) {
    return llvm::SmallVector<uint64_t>(
        llvm::map_range(numbers, [&](uint64_t number) { return uint64_t(kept[number]); }));
  };
  plan.send = planner.buildMap(source.getTile().getInBits(Dim::Register), Dim::Register,
                               widen(planner.sendOfLane, tiles->keptSource),
                               widen(planner.sendOfShift, tiles->keptSource));
  Vectors noShift(planner.sendOfShift.size(), 0);
  plan.receive = planner.buildMap(result.getTile().getInBits(Dim::Register), Dim::Register,
                                  widen(planner.receiveOfLane, tiles->keptResult), noShift);
  plan.from = planner.buildMap(source.getTile().getInBits(Dim::Lane), Dim::Lane, planner.fromOfLane,
                               planner.fromOfShift);
  for (auto [sourceBase, resultBase] : tiles->bases)
    for (const auto &round : planner.rounds) {
      ShufflePlan::Round &widened = plan.rounds.emplace_back();
      widened.laneXor = round.laneXor;
      for (uint64_t number : round.sources)
        widened.sources.push_back(tiles->keptSource[sourceBase + number]);
      for (uint64_t number : round.results)
        widened.results.push_back(tiles->keptResult[resultBase + number]);
    }
  return plan;
}

} // namespace tile
