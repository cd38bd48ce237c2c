//===- Rings.cpp - Stacks of buffers that go around -----------------------===//
#include "compiler/transforms/SpecializeWarps/Rings.h"

#include "compiler/analysis/BufferPlan/BufferPlan.h"
#include "compiler/analysis/LaunchExpression/LaunchExpression.h"
#include "compiler/analysis/LoopSlice/LoopSlice.h"
#include "compiler/analysis/OperandSource/OperandSource.h"
#include "dialects/tile/IR/BlockCopy.h"

using namespace mlir;
using namespace tile;

/// The loop in each iteration of which the site is; null: there is none.
static scf::ForOp getLoop(const RingSite &site) {
  return dyn_cast<scf::ForOp>(site.front().op->getParentOp());
}

SmallVector<Operation *> Ring::getLoops() const {
  return llvm::map_to_vector(sites,
                             [](const RingSite &site) -> Operation * { return getLoop(site); });
}

int64_t Ring::getStageBytes() const {
  int64_t bytes = 0;
  for (const RingStack &stack : stacks)
    bytes += stack.block.getBytes();
  return bytes;
}

int64_t Ring::getCountedBytes() const {
  int64_t bytes = 0;
  for (const RingStack &stack : stacks)
    bytes += stack.byThreads ? 0 : stack.block.getBytes();
  return bytes;
}

SmallVector<Value> Ring::getStacks() const {
  return llvm::map_to_vector(stacks, [](const RingStack &stack) { return stack.stack; });
}

bool Ring::isFilledEverywhere() const {
  return llvm::any_of(stacks, [](const RingStack &stack) { return stack.everywhere; });
}

bool Ring::isFilledByThreads() const {
  return llvm::any_of(stacks, [](const RingStack &stack) { return stack.byThreads; });
}

bool tile::isStrided(const RingSite &site) {
  return llvm::any_of(site, [](const RingLoad &load) { return load.strided != nullptr; });
}

bool Ring::isFilledByEither() const { return llvm::any_of(sites, isStrided); }

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static Value createI32(ImplicitLocOpBuilder &b, int32_t value) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
}

static RingPlace advancePlace(ImplicitLocOpBuilder &b, const RingPlace &place, int64_t stages) {
  Value other = arith::XOrIOp::create(b, place.phase, createI32(b, 1));
  if (stages == 1)
    return {place.stage, other};
  Value next = arith::AddIOp::create(b, place.stage, createI32(b, 1));
  Value wraps = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, next,
                                      createI32(b, static_cast<int32_t>(stages)));
  return {arith::SelectOp::create(b, wraps, createI32(b, 0), next),
          arith::SelectOp::create(b, wraps, other, place.phase)};
}

void RingPlaces::begin(ImplicitLocOpBuilder &b) {
  for (const Ring &ring : rings)
    if (ring.counter == places.size())
      places.push_back({createI32(b, 0), createI32(b, 0)});
}

SmallVector<unsigned> RingPlaces::getCountersIn(Operation *op) const {
  SmallVector<unsigned> counters;
  for (const Ring &ring : rings) {
    bool isIn = llvm::any_of(ring.getLoops(),
                             [&](Operation *loop) { return loop && op->isAncestor(loop); });
    if (isIn && !llvm::is_contained(counters, ring.counter))
      counters.push_back(ring.counter);
  }
  return counters;
}

SmallVector<Value> RingPlaces::get(ArrayRef<unsigned> counters) const {
  SmallVector<Value> values;
  for (unsigned counter : counters)
    values.append({places[counter].stage, places[counter].phase});
  return values;
}

void RingPlaces::set(ArrayRef<unsigned> counters, ValueRange values) {
  for (auto [i, counter] : llvm::enumerate(counters))
    places[counter] = {values[2 * i], values[2 * i + 1]};
}

void RingPlaces::advance(ImplicitLocOpBuilder &b, Operation *loop) {
  SmallVector<bool> isDone(places.size());
  for (const Ring &ring : rings) {
    if (isDone[ring.counter] || !llvm::is_contained(ring.getLoops(), loop))
      continue;
    places[ring.counter] = advancePlace(b, places[ring.counter], ring.stages);
    isDone[ring.counter] = true;
  }
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

/// A descriptor that thread blocks make is for blocks as they are.
static bool isCopiedInShares(DescriptorLoadOp load, BufferType block) {
  int64_t parts = getModuleInt(load, kNumCtasAttr, 1);
  auto desc = load.getDesc().getDefiningOp<MakeDescriptorOp>();
  return parts > 1 && load->hasAttr(kSameEverywhereAttr) && isMadeAtLaunch(desc) &&
         getBlockCopyShare(load, block, parts);
}

RingLoad tile::getRingLoad(DescriptorLoadOp load) {
  BufferType block = getBlockCopyBuffer(load);
  return {load, block, isCopiedInShares(load, block)};
}

/// Whether two loads may be awaited at the first and copied at the second. Rings of a
/// loop between them would go around for ever: full, while the first is awaited.
static bool mayBeTogether(Operation *first, Operation *second) {
  if (first->getBlock() != second->getBlock())
    return false;
  for (Operation *op = first->getNextNode(); op != second; op = op->getNextNode())
    if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op))
      return false;
  return true;
}

/// Whether the load brings so little that it comes with what is loaded before: signals would
/// cost more than to wait for both.
static bool isSmall(const RingLoad &load) {
  constexpr int64_t kMostBytes = 1024;
  return load.block.getBytes() <= kMostBytes && !findFedDot(load.op->getResult(0)).first;
}

/// Whether a store of a block lies between.
static bool areApartByStore(Operation *first, Operation *second) {
  for (Operation *op = first->getNextNode(); op != second; op = op->getNextNode())
    if (op->getNumRegions() != 0 || isa<DescriptorStoreOp, DescriptorReduceOp>(op))
      return true;
  return false;
}

static bool areTogether(Operation *first, Operation *second) {
  if (!mayBeTogether(first, second))
    return false;
  DotOp dot = findFedDot(first->getResult(0)).first;
  return dot && dot == findFedDot(second->getResult(0)).first;
}

static bool isOfOuterLoop(const RingSite &site) {
  scf::ForOp loop = getLoop(site);
  return loop && !isInnermost(loop);
}

/// Of operands of dots in an outer loop two buffers: what the next iteration begins with comes
/// while this one ends. Not in two cases, as measured. Units read buffers at addresses that
/// change, so loops within take longer: where the compiler made the loop over programs of equal
/// work, which are long, that costs as much as it gains. And three groups of warps are up to a
/// quarter slower where they do not wait for each other between two iterations.
static int64_t getOuterStages(const RingSite &site) {
  constexpr int64_t kGroups = 2;
  scf::ForOp loop = getLoop(site);
  int64_t group = getTarget(loop).getFact("role_warps", 1);
  bool areMany = getModuleInt(loop, kNumWarpsAttr, 1) > kGroups * group;
  bool isNeeded =
      llvm::any_of(site, [](const RingLoad &load) { return isMultiplied(load.op->getResult(0)); });
  bool isLong = loop->hasAttr(kProgramLoopAttr) && !loop->hasAttr(kUnequalProgramsAttr);
  return isNeeded && !areMany && !isLong ? 2 : 1;
}

static int64_t getWantedStages(const RingSite &site) {
  scf::ForOp loop = getLoop(site);
  if (!loop)
    return 1;
  if (isOfOuterLoop(site))
    return getOuterStages(site);
  return std::max<int64_t>(1, getNumStages(loop));
}

bool Ring::isOfOuterLoop() const { return ::isOfOuterLoop(sites.front()); }

int64_t tile::getRingBytes(ArrayRef<Ring> rings) {
  int64_t bytes = 0;
  for (const Ring &ring : rings)
    bytes += ring.stages * ring.getStageBytes();
  return bytes;
}

/// Take a buffer from those that have the most, until all fit; from outer loops first.
static void fitStages(MutableArrayRef<Ring> rings, int64_t freeBytes) {
  if (getRingBytes(rings) > freeBytes)
    for (Ring &ring : rings)
      ring.stages = ring.isOfOuterLoop() ? 1 : ring.stages;
  int64_t wantedBytes = getRingBytes(rings);
  auto wanted = llvm::map_to_vector(rings, [](const Ring &ring) { return ring.stages; });
  while (getRingBytes(rings) > freeBytes) {
    int64_t most = 1;
    for (const Ring &ring : rings)
      most = std::max(most, ring.stages);
    if (most == 1)
      break;
    for (Ring &ring : rings)
      ring.stages -= ring.stages == most;
  }
  llvm::SmallSetVector<Operation *, 4> told;
  for (auto [ring, stages] : llvm::zip(rings, wanted))
    for (Operation *loop : ring.getLoops())
      if (ring.stages != stages && told.insert(loop))
        loop->emitRemark("this loop has ")
            << ring.stages << " stages instead of " << stages << ": those asked for need "
            << wantedBytes << " bytes of on-chip memory, of which " << freeBytes << " are left";
}

static SmallVector<RingSite> collectSites(ArrayRef<RingLoad> loads) {
  SmallVector<RingSite> sites;
  for (const RingLoad &load : loads) {
    RingSite *known = llvm::find_if(
        sites, [&](const RingSite &site) { return areTogether(site.front().op, load.op); });
    if (known == sites.end() && !sites.empty() && isSmall(load) &&
        mayBeTogether(sites.back().front().op, load.op) &&
        !areApartByStore(sites.back().front().op, load.op))
      known = &sites.back();
    if (known == sites.end())
      sites.push_back({load});
    else
      known->push_back(load);
  }
  return sites;
}

/// Whether the program is done with the sites of `ring` before it comes to this
/// one, or the other way round: loops that are not in each other.
static bool canShare(const Ring &ring, const RingSite &site) {
  Operation *loop = getLoop(site);
  if (!loop || ring.stages != getWantedStages(site) || ring.stacks.size() != site.size())
    return false;
  for (auto [stack, load] : llvm::zip(ring.stacks, site))
    if (stack.block != load.block || stack.everywhere != load.everywhere ||
        stack.byThreads != load.isByThreads())
      return false;
  return llvm::all_of(ring.getLoops(), [&](Operation *other) {
    return other && !other->isAncestor(loop) && !loop->isAncestor(other);
  });
}

static void numberCounters(MutableArrayRef<Ring> rings) {
  unsigned count = 0;
  for (size_t i = 0; i < rings.size(); ++i) {
    Ring &ring = rings[i];
    Ring *same = llvm::find_if(rings.take_front(i), [&](const Ring &other) {
      return other.getLoops() == ring.getLoops() && other.stages == ring.stages;
    });
    ring.counter = same == rings.begin() + i ? count++ : same->counter;
  }
}

SmallVector<Ring> tile::collectRings(ArrayRef<RingLoad> loads) {
  SmallVector<Ring> rings;
  for (const RingSite &site : collectSites(loads)) {
    Ring *shared = llvm::find_if(rings, [&](const Ring &ring) { return canShare(ring, site); });
    if (shared == rings.end()) {
      rings.push_back({});
      shared = &rings.back();
      shared->stages = getWantedStages(site);
      for (const RingLoad &load : site)
        shared->stacks.push_back({load.block, load.everywhere, load.isByThreads()});
    }
    shared->sites.push_back(site);
  }
  return rings;
}

bool tile::canFitRings(func::FuncOp function, ArrayRef<Ring> rings, int64_t otherBytes) {
  constexpr int64_t kLeast = 2;
  int64_t bytes = otherBytes;
  for (const Ring &ring : rings)
    bytes += (ring.isOfOuterLoop() ? 1 : std::min(ring.stages, kLeast)) * ring.getStageBytes();
  return bytes <= getOnChipBytes(function);
}

void tile::fitRings(func::FuncOp function, MutableArrayRef<Ring> rings, int64_t otherBytes) {
  fitStages(rings, getOnChipBytes(function) - otherBytes);
  numberCounters(rings);
}

void tile::allocateRings(ImplicitLocOpBuilder &b, MutableArrayRef<Ring> rings, int64_t readingWarps,
                         int64_t copyingThreads) {
  for (Ring &ring : rings) {
    for (RingStack &stack : ring.stacks) {
      SmallVector<int64_t> shape{ring.stages};
      llvm::append_range(shape, stack.block.getShape());
      auto type = BufferType::get(b.getContext(), shape, stack.block.getElementType(),
                                  stack.block.getLayout());
      stack.stack = BufferAllocOp::create(b, type, IntegerAttr());
    }
    auto type = SignalsType::get(b.getContext(), ring.stages);
    int64_t arrivals = (ring.getCountedBytes() != 0 || ring.isFilledByEither() ? 1 : 0) +
                       (ring.isFilledByThreads() ? copyingThreads : 0);
    ring.full = SignalAllocOp::create(b, type, static_cast<uint32_t>(arrivals), IntegerAttr());
    // All that read what one copies have to be done.
    int64_t parts = ring.isFilledEverywhere()
                        ? getModuleInt(ring.sites.front().front().op, kNumCtasAttr, 1)
                        : 1;
    ring.empty =
        SignalAllocOp::create(b, type, static_cast<uint32_t>(readingWarps * parts), IntegerAttr());
  }
}
