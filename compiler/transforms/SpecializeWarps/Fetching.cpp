//===- Fetching.cpp - The role that copies blocks to rings -----------------===//
#include "compiler/transforms/SpecializeWarps/Roles.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tile;

namespace {
class FetchingBuilder {
public:
  FetchingBuilder(ImplicitLocOpBuilder &b, const AddressSlice &slice, ArrayRef<Ring> rings,
                  Descriptors &descriptors, int64_t warps)
      : b(b), slice(slice), rings(rings), descriptors(descriptors), warps(warps), places(rings) {
    places.begin(b);
  }
  void buildBlock(Block &block);

private:
  void buildLoop(scf::ForOp loop);
  void buildBranch(scf::IfOp branch);
  void buildWhile(scf::WhileOp loop);
  void makeDescriptors(Operation *user);
  void drain(ArrayRef<MakeDescriptorOp> descs);
  void fill(const Ring &ring, const RingSite &site);
  void copyBlock(const RingLoad &load, Value view, Value full, Value stage);
  Value copyByThreads(LoadOp load, Value view);
  void repeat(Operation &op);

  ImplicitLocOpBuilder &b;
  const AddressSlice &slice;
  ArrayRef<Ring> rings;
  Descriptors &descriptors;
  int64_t warps;
  RingPlaces places;
  IRMapping values;
};
} // namespace

/// What one copy of a load moves.
static BlockCopyBox getBox(const RingLoad &load) {
  if (load.everywhere)
    return getBlockCopyShare(load.op, load.block, getModuleInt(load.op, kNumCtasAttr, 1))->box;
  return *getBlockCopyBox(load.op, load.block);
}

void FetchingBuilder::copyBlock(const RingLoad &load, Value view, Value full, Value stage) {
  auto op = cast<DescriptorLoadOp>(load.op);
  auto lookup = [&](Value value) { return values.lookupOrDefault(value); };
  SmallVector<Value> indices = llvm::map_to_vector(op.getIndices(), lookup);
  auto made = op.getDesc().getDefiningOp<MakeDescriptorOp>();
  Value desc = descriptors.get(made, getBox(load));
  if (descriptors.program.get(made))
    indices = descriptors.program.getIndices(b, made, indices, lookup);
  BlockCopyOp::create(b, desc, indices, view, full, stage, load.everywhere);
}

Value FetchingBuilder::copyByThreads(LoadOp load, Value view) {
  Value pointer = values.lookup(load.getPointer());
  Value mask = load.getMask() ? values.lookup(load.getMask()) : Value();
  return AsyncCopyOp::create(b, PendingType::get(view.getType()), pointer, view, mask,
                             load.getCache(), load.getEviction());
}

/// Once the program has read what the buffers held before. Copies of whole blocks are on
/// their way before threads begin with theirs.
void FetchingBuilder::fill(const Ring &ring, const RingSite &site) {
  const RingPlace &place = places.get(ring);
  Value one = arith::ConstantOp::create(b, b.getI32IntegerAttr(1));
  Value before = arith::XOrIOp::create(b, place.phase, one);
  auto views = AcquireOp::create(b, ring.empty, place.stage, before, ring.getStacks());
  if (int64_t bytes = ring.getCountedBytes())
    ExpectOp::create(b, ring.full, place.stage, static_cast<uint32_t>(bytes));
  SmallVector<Value> copies;
  for (bool byThreads : {false, true})
    for (auto [load, view] : llvm::zip(site, views.getViews())) {
      if (load.isByThreads() != byThreads)
        continue;
      b.setLoc(load.op->getLoc());
      if (byThreads)
        copies.push_back(copyByThreads(cast<LoadOp>(load.op), view));
      else
        copyBlock(load, view, ring.full, place.stage);
    }
  if (!copies.empty())
    ArriveCopiesOp::create(b, copies, ring.full, place.stage);
}

/// Waits for the copies that are in flight in the rings of `descs`.
void FetchingBuilder::drain(ArrayRef<MakeDescriptorOp> descs) {
  auto uses = [&](const RingLoad &load) {
    auto op = dyn_cast<DescriptorLoadOp>(load.op);
    return op && llvm::is_contained(descs, op.getDesc().getDefiningOp<MakeDescriptorOp>());
  };
  Value one = arith::ConstantOp::create(b, b.getI32IntegerAttr(1));
  for (const Ring &ring : rings) {
    if (llvm::none_of(ring.sites, [&](const RingSite &site) { return llvm::any_of(site, uses); }))
      continue;
    const RingPlace &place = places.get(ring);
    Value before = arith::XOrIOp::create(b, place.phase, one);
    for (int64_t i = 0; i < ring.stages; ++i) {
      // Stages in front of the next one have been filled in this round.
      Value stage = arith::ConstantOp::create(b, b.getI32IntegerAttr(static_cast<int32_t>(i)));
      Value isFilled = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, stage, place.stage);
      Value last = arith::SelectOp::create(b, isFilled, place.phase, before);
      AcquireOp::create(b, ring.full, stage, last, ValueRange());
    }
  }
}

/// Makes those that `user`, or what is in it, uses first.
void FetchingBuilder::makeDescriptors(Operation *user) {
  SmallVector<MakeDescriptorOp> descs = descriptors.program.getMadeBefore(user, /*forLoads=*/true);
  if (!descs.empty())
    descriptors.program.make(
        b, descs, dyn_cast<scf::ForOp>(user),
        [&](Value value) { return values.lookupOrDefault(value); }, [&] { drain(descs); });
}

/// Blocks are held by the role's warps: what those do not hold that it has fewer of,
/// their registers do.
static Type fold(Type type, int64_t warps) {
  LayoutAttr layout = getLayout(type);
  if (!layout)
    return type;
  LinearLayout folded = layout.getLayout().foldedToRegisters(Dim::Warp, warps);
  return withLayout(type, LayoutAttr::get(type.getContext(), folded.withoutRedundantRegisters()));
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

/// Gives what the slice needs of the branch that is taken, and counters.
void FetchingBuilder::buildBranch(scf::IfOp branch) {
  SmallVector<unsigned> counters = places.getCountersIn(branch), needed;
  SmallVector<Value> before = places.get(counters);
  SmallVector<Type> types;
  for (auto [i, type] : llvm::enumerate(branch.getResultTypes()))
    if (slice.needsResult(branch, i)) {
      needed.push_back(i);
      types.push_back(fold(type, warps));
    }
  llvm::append_range(types, TypeRange(ValueRange(before)));
  if (types.empty())
    return;
  auto copy = scf::IfOp::create(b, types, values.lookupOrDefault(branch.getCondition()),
                                /*withElseRegion=*/true);
  for (auto [from, to] : llvm::zip(branch->getRegions(), copy->getRegions())) {
    places.set(counters, before);
    b.setInsertionPointToEnd(&to.front());
    SmallVector<Value> yielded;
    if (!from.empty()) {
      buildBlock(from.front());
      for (unsigned index : needed)
        yielded.push_back(values.lookupOrDefault(from.front().getTerminator()->getOperand(index)));
    }
    llvm::append_range(yielded, places.get(counters));
    scf::YieldOp::create(b, yielded);
  }
  b.setInsertionPointAfter(copy);
  for (auto [i, index] : llvm::enumerate(needed))
    values.map(branch.getResult(index), copy.getResult(i));
  places.set(counters, copy.getResults().drop_front(needed.size()));
}

/// Carries what the slice needs, and counters.
void FetchingBuilder::buildWhile(scf::WhileOp loop) {
  SmallVector<unsigned> counters = places.getCountersIn(loop), carried, passedOn;
  SmallVector<Value> inits;
  SmallVector<Type> types;
  for (auto [i, init] : llvm::enumerate(loop.getInits()))
    if (slice.needsArgument(loop, i)) {
      carried.push_back(i);
      inits.push_back(values.lookupOrDefault(init));
    }
  for (auto [i, type] : llvm::enumerate(loop.getResultTypes()))
    if (slice.needsResult(loop, i)) {
      passedOn.push_back(i);
      types.push_back(fold(type, warps));
    }
  llvm::append_range(inits, places.get(counters));
  types.append(2 * counters.size(), b.getI32Type());
  auto copy = scf::WhileOp::create(b, types, inits, nullptr, nullptr);
  auto enter = [&](Block &from, Block &to, ArrayRef<unsigned> needed) {
    for (auto [i, index] : llvm::enumerate(needed))
      values.map(from.getArgument(index), to.getArgument(i));
    places.set(counters, to.getArguments().drop_front(needed.size()));
    b.setInsertionPointToEnd(&to);
    buildBlock(from);
  };
  auto getNext = [&](ValueRange all, ArrayRef<unsigned> needed) {
    SmallVector<Value> next = llvm::map_to_vector(
        needed, [&](unsigned index) { return values.lookupOrDefault(all[index]); });
    llvm::append_range(next, places.get(counters));
    return next;
  };
  scf::ConditionOp condition = loop.getConditionOp();
  enter(*loop.getBeforeBody(), *copy.getBeforeBody(), carried);
  scf::ConditionOp::create(b, values.lookupOrDefault(condition.getCondition()),
                           getNext(condition.getArgs(), passedOn));
  enter(*loop.getAfterBody(), *copy.getAfterBody(), passedOn);
  scf::YieldOp::create(b, getNext(loop.getYieldOp().getResults(), carried));

  b.setInsertionPointAfter(copy);
  for (auto [i, index] : llvm::enumerate(passedOn))
    values.map(loop.getResult(index), copy.getResult(i));
  places.set(counters, copy.getResults().drop_front(passedOn.size()));
}

void FetchingBuilder::repeat(Operation &op) {
  Operation *copy = b.clone(op, values);
  for (Value result : copy->getResults())
    result.setType(fold(result.getType(), warps));
  if (auto constant = dyn_cast<arith::ConstantOp>(copy))
    if (auto block = dyn_cast<DenseElementsAttr>(constant.getValue()))
      constant.setValueAttr(block.reshape(cast<ShapedType>(constant.getType())));
}

void FetchingBuilder::buildBlock(Block &block) {
  for (Operation &op : block) {
    b.setLoc(op.getLoc());
    makeDescriptors(&op);
    b.setLoc(op.getLoc());
    for (const Ring &ring : rings)
      for (const RingSite &site : ring.sites)
        if (site.back().op == &op)
          fill(ring, site);
    if (!slice.contains(&op))
      continue;
    if (auto loop = dyn_cast<scf::ForOp>(op))
      buildLoop(loop);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      buildBranch(branch);
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      buildWhile(loop);
    else
      repeat(op);
  }
}

void tile::buildFetching(ImplicitLocOpBuilder &b, Block &body, const AddressSlice &slice,
                         ArrayRef<Ring> rings, Descriptors &descriptors, int64_t warps) {
  FetchingBuilder(b, slice, rings, descriptors, warps).buildBlock(body);
}
