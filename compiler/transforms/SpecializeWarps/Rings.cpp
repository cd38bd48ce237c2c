//===- Rings.cpp - Stacks of buffers that go around -----------------------===//
#include "compiler/transforms/SpecializeWarps/Rings.h"

#include "compiler/analysis/BufferPlan/BufferPlan.h"
#include "compiler/analysis/OperandSource/OperandSource.h"
#include "dialects/tile/IR/BlockCopy.h"

using namespace mlir;
using namespace tile;

int64_t Ring::getStageBytes() const {
  int64_t bytes = 0;
  for (const Fetch &fetch : fetches)
    bytes += fetch.block.getBytes();
  return bytes;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static Value createI32(ImplicitLocOpBuilder &b, int32_t value) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
}

RingCounter tile::getCounter(const Ring &ring) {
  return {ring.getLoop().getOperation(), ring.stages};
}

SmallVector<RingCounter> tile::getCountersIn(ArrayRef<Ring> rings, scf::ForOp loop) {
  SmallVector<RingCounter> counters;
  for (const Ring &ring : rings)
    if (RingCounter counter = getCounter(ring);
        counter.loop && loop->isAncestor(counter.loop) && !llvm::is_contained(counters, counter))
      counters.push_back(counter);
  return counters;
}

RingPlace tile::createPlace(ImplicitLocOpBuilder &b) { return {createI32(b, 0), createI32(b, 0)}; }

RingPlace tile::advance(ImplicitLocOpBuilder &b, const RingPlace &place, int64_t stages) {
  Value other = arith::XOrIOp::create(b, place.phase, createI32(b, 1));
  if (stages == 1)
    return {place.stage, other};
  Value next = arith::AddIOp::create(b, place.stage, createI32(b, 1));
  Value wraps = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, next,
                                      createI32(b, static_cast<int32_t>(stages)));
  return {arith::SelectOp::create(b, wraps, createI32(b, 0), next),
          arith::SelectOp::create(b, wraps, other, place.phase)};
}

RingPlaces::RingPlaces(ArrayRef<Ring> rings) {
  for (const Ring &ring : rings) {
    RingCounter counter = getCounter(ring);
    bool isKnown = llvm::any_of(places, [&](auto &entry) { return entry.first == counter; });
    if (!isKnown)
      places.push_back({counter, {}});
  }
}

RingPlace &RingPlaces::operator[](const RingCounter &counter) {
  return llvm::find_if(places, [&](auto &entry) { return entry.first == counter; })->second;
}

SmallVector<Value> RingPlaces::get(ArrayRef<RingCounter> wanted) {
  SmallVector<Value> values;
  for (const RingCounter &counter : wanted) {
    RingPlace &place = (*this)[counter];
    values.append({place.stage, place.phase});
  }
  return values;
}

void RingPlaces::set(ArrayRef<RingCounter> wanted, ValueRange values) {
  for (auto [i, counter] : llvm::enumerate(wanted))
    (*this)[counter] = {values[2 * i], values[2 * i + 1]};
}

void RingPlaces::begin(ImplicitLocOpBuilder &b) {
  for (auto &[counter, place] : places)
    place = createPlace(b);
}

void RingPlaces::advance(ImplicitLocOpBuilder &b, Operation *loop) {
  for (auto &[counter, place] : places)
    if (counter.loop == loop)
      place = tile::advance(b, place, counter.stages);
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

static BufferType getBlock(DescriptorLoadOp load) {
  DescType desc = load.getDesc().getType();
  LinearLayout layout = *chooseBlockCopyLayout(load, desc.getShape(), desc.getElementType());
  return BufferType::get(load.getContext(), desc.getShape(), desc.getElementType(),
                         LayoutAttr::get(load.getContext(), layout));
}

/// Whether nothing between two loads of a block may depend on the order in
/// which they are awaited.
static bool areTogether(DescriptorLoadOp first, DescriptorLoadOp second) {
  if (first->getBlock() != second->getBlock())
    return false;
  DotOp dot = findFedDot(first.getResult()).first;
  return dot && dot == findFedDot(second.getResult()).first;
}

static bool isInnermost(scf::ForOp loop) {
  return !loop.getBody()
              ->walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); })
              .wasInterrupted();
}

static int64_t getWantedStages(const Ring &ring) {
  scf::ForOp loop = ring.getLoop();
  if (!loop || !isInnermost(loop))
    return 1;
  if (auto own = loop->getAttrOfType<IntegerAttr>(kNumStagesAttr))
    return own.getInt();
  return getModuleInt(loop, kNumStagesAttr, 1);
}

/// Take a buffer from those that have the most, until all fit.
static void fitStages(func::FuncOp function, MutableArrayRef<Ring> rings, int64_t freeBytes) {
  auto getBytes = [&] {
    int64_t bytes = 0;
    for (const Ring &ring : rings)
      bytes += ring.stages * ring.getStageBytes();
    return bytes;
  };
  int64_t wanted = getBytes();
  while (getBytes() > freeBytes) {
    int64_t most = 1;
    for (const Ring &ring : rings)
      most = std::max(most, ring.stages);
    if (most == 1)
      break;
    for (Ring &ring : rings)
      if (ring.stages == most) {
        --ring.stages;
        ring.getLoop().emitRemark("this loop has ")
            << ring.stages << " stages instead of " << most << ": those asked for need " << wanted
            << " bytes of on-chip memory, of which " << freeBytes << " are left";
      }
  }
}

SmallVector<Ring> tile::planRings(func::FuncOp function, ArrayRef<DescriptorLoadOp> loads,
                                  int64_t otherBytes) {
  SmallVector<Ring> rings;
  for (DescriptorLoadOp load : loads) {
    Fetch fetch{load, getBlock(load), {}};
    Ring *known = llvm::find_if(
        rings, [&](const Ring &ring) { return areTogether(ring.fetches.front().load, load); });
    if (known == rings.end()) {
      rings.push_back({});
      known = &rings.back();
    }
    known->fetches.push_back(fetch);
  }
  for (Ring &ring : rings)
    ring.stages = getWantedStages(ring);
  fitStages(function, rings, getOnChipBytes(function) - otherBytes);
  return rings;
}

void tile::allocateRings(ImplicitLocOpBuilder &b, MutableArrayRef<Ring> rings,
                         int64_t readingWarps) {
  for (Ring &ring : rings) {
    for (Fetch &fetch : ring.fetches) {
      SmallVector<int64_t> shape{ring.stages};
      llvm::append_range(shape, fetch.block.getShape());
      auto type = BufferType::get(b.getContext(), shape, fetch.block.getElementType(),
                                  fetch.block.getLayout());
      fetch.stack = BufferAllocOp::create(b, type, IntegerAttr());
    }
    auto type = SignalsType::get(b.getContext(), ring.stages);
    ring.full = SignalAllocOp::create(b, type, 1, IntegerAttr());
    ring.empty = SignalAllocOp::create(b, type, static_cast<uint32_t>(readingWarps), IntegerAttr());
  }
}
