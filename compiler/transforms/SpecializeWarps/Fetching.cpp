//===- Fetching.cpp - The thread that copies blocks to rings --------------===//
#include "compiler/transforms/SpecializeWarps/Roles.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tile;

namespace {
class FetchingBuilder {
public:
  FetchingBuilder(ImplicitLocOpBuilder &b, const ScalarSlice &slice, ArrayRef<Ring> rings,
                  LaunchDescriptors &descriptors)
      : b(b), slice(slice), rings(rings), descriptors(descriptors), places(rings) {
    places.begin(b);
  }
  void buildBlock(Block &block);

private:
  void buildLoop(scf::ForOp loop);
  void fill(const Ring &ring, const RingSite &site);

  ImplicitLocOpBuilder &b;
  const ScalarSlice &slice;
  ArrayRef<Ring> rings;
  LaunchDescriptors &descriptors;
  RingPlaces places;
  IRMapping values;
};
} // namespace

/// Once the program has read what the buffers held before.
void FetchingBuilder::fill(const Ring &ring, const RingSite &site) {
  const RingPlace &place = places.get(ring);
  Value one = arith::ConstantOp::create(b, b.getI32IntegerAttr(1));
  Value before = arith::XOrIOp::create(b, place.phase, one);
  auto views = AcquireOp::create(b, ring.empty, place.stage, before, ring.getStacks());
  ExpectOp::create(b, ring.full, place.stage, static_cast<uint32_t>(ring.getStageBytes()));
  for (auto [load, stack, view] : llvm::zip(site, ring.stacks, views.getViews())) {
    b.setLoc(load->getLoc());
    SmallVector<Value> indices;
    for (Value index : DescriptorLoadOp(load).getIndices())
      indices.push_back(values.lookupOrDefault(index));
    auto made = DescriptorLoadOp(load).getDesc().getDefiningOp<MakeDescriptorOp>();
    Value desc = descriptors.get(made, stack.block);
    BlockCopyOp::create(b, desc, indices, view, ring.full, place.stage);
  }
}

void FetchingBuilder::buildLoop(scf::ForOp loop) {
  SmallVector<unsigned> counters = places.getCountersIn(loop);
  SmallVector<unsigned> needed;
  SmallVector<Value> inits;
  for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
    if (slice.needsArgument(loop, i)) {
      needed.push_back(i);
      inits.push_back(values.lookupOrDefault(loop.getInits()[i]));
    }
  llvm::append_range(inits, places.get(counters));
  auto copy = scf::ForOp::create(b, values.lookupOrDefault(loop.getLowerBound()),
                                 values.lookupOrDefault(loop.getUpperBound()),
                                 values.lookupOrDefault(loop.getStep()), inits);
  values.map(loop.getInductionVar(), copy.getInductionVar());
  for (auto [i, index] : llvm::enumerate(needed))
    values.map(loop.getRegionIterArg(index), copy.getRegionIterArg(i));
  places.set(counters, copy.getRegionIterArgs().drop_front(needed.size()));

  b.setInsertionPointToStart(copy.getBody());
  buildBlock(*loop.getBody());
  places.advance(b, loop);
  SmallVector<Value> yielded = llvm::map_to_vector(needed, [&](unsigned index) {
    return values.lookupOrDefault(loop.getYieldedValues()[index]);
  });
  llvm::append_range(yielded, places.get(counters));
  if (!copy.getBody()->empty() && isa<scf::YieldOp>(copy.getBody()->back()))
    copy.getBody()->back().erase();
  b.setInsertionPointToEnd(copy.getBody());
  scf::YieldOp::create(b, yielded);

  b.setInsertionPointAfter(copy);
  for (auto [i, index] : llvm::enumerate(needed))
    values.map(loop.getResult(index), copy.getResult(i));
  places.set(counters, copy.getResults().drop_front(needed.size()));
}

void FetchingBuilder::buildBlock(Block &block) {
  for (Operation &op : block) {
    b.setLoc(op.getLoc());
    for (const Ring &ring : rings)
      for (const RingSite &site : ring.sites)
        if (site.back() == &op)
          fill(ring, site);
    if (!slice.contains(&op))
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      buildLoop(loop);
    else
      b.clone(op, values);
  }
}

void tile::buildFetching(ImplicitLocOpBuilder &b, Block &body, const ScalarSlice &slice,
                         ArrayRef<Ring> rings, LaunchDescriptors &descriptors) {
  FetchingBuilder(b, slice, rings, descriptors).buildBlock(body);
}
