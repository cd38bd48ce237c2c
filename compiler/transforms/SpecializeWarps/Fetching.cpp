//===- Fetching.cpp - The role that copies blocks to rings -----------------===//
#include "compiler/transforms/SpecializeWarps/FetchingBuilder.h"

using namespace mlir;
using namespace tile;

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

/// The array runs on behind a block: where it begins is told along the rows alone.
void FetchingBuilder::copyStrided(const RingLoad &load, Value view, Value full, Value stage) {
  auto op = cast<LoadOp>(load.op);
  SmallVector<int32_t> order = load.strided->getOrder();
  Value rows = llvm::is_sorted(order) ? view : Value(BufferTransposeOp::create(b, view, order));
  BlockCopyBox box = *getBlockCopyBox(op, cast<BufferType>(rows.getType()));
  Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  SmallVector<Value> indices(order.size(), zero);
  indices.back() =
      createOffset(b, *load.strided, [&](Value value) { return values.lookupOrDefault(value); });
  Value desc = descriptors.launch.get(op, *load.strided, box);
  BlockCopyOp::create(b, desc, indices, rows, full, stage, /*everywhere=*/false);
}

/// Waits until the program has read what the buffers held before. Where one thread copies alone
/// other warps do not wait: they would miss phases while it goes on.
ValueRange FetchingBuilder::acquire(const Ring &ring, bool alone) {
  const RingPlace &place = places.get(ring);
  Value one = arith::ConstantOp::create(b, b.getI32IntegerAttr(1));
  Value before = arith::XOrIOp::create(b, place.phase, one);
  auto acquire = AcquireOp::create(b, ring.empty, place.stage, before, ring.getStacks(),
                                   /*publish=*/false, alone);
  return acquire.getViews();
}

/// Copies of whole blocks are on their way before threads begin with theirs. Where these have
/// none, one thread arrives for all.
void FetchingBuilder::fill(const Ring &ring, const RingSite &site) {
  const RingPlace &place = places.get(ring);
  auto isByThreads = [&](const RingLoad &load) {
    return load.isByThreads() && filling == Filling::AsLoaded;
  };
  bool hasThreads = llvm::any_of(site, isByThreads);
  bool areMany = llvm::any_of(rings, [](const Ring &each) { return each.isFilledByThreads(); });
  ValueRange views = acquire(ring, /*alone=*/areMany && !hasThreads);
  int64_t bytes = 0, arrivals = 1;
  for (const RingLoad &load : site)
    bytes += isByThreads(load) ? 0 : load.block.getBytes();
  if (ring.isFilledByThreads() && !hasThreads)
    arrivals += warps * getTarget(site.front().op).getLanes();
  if (bytes != 0 || ring.isFilledByEither())
    ExpectOp::create(b, ring.full, place.stage, static_cast<uint32_t>(bytes),
                     static_cast<uint32_t>(arrivals));
  SmallVector<Value> copies;
  for (bool byThreads : {false, true})
    for (auto [load, view] : llvm::zip(site, views)) {
      if (isByThreads(load) != byThreads)
        continue;
      b.setLoc(load.op->getLoc());
      if (byThreads)
        copies.push_back(copyByThreads(cast<LoadOp>(load.op), view));
      else if (load.isByThreads())
        copyStrided(load, view, ring.full, place.stage);
      else
        copyBlock(load, view, ring.full, place.stage);
    }
  if (hasThreads)
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
Type FetchingBuilder::fold(Type type) const {
  LayoutAttr layout = getLayout(type);
  if (!layout)
    return type;
  LinearLayout folded = layout.getLayout().foldedToRegisters(Dim::Warp, warps);
  return withLayout(type, LayoutAttr::get(type.getContext(), folded.withoutRedundantRegisters()));
}

void FetchingBuilder::repeat(Operation &op) {
  Operation *copy = b.clone(op, values);
  for (Value result : copy->getResults())
    result.setType(fold(result.getType()));
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
        if (site.back().op == &op && filling != Filling::None)
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

void FetchingBuilder::build(Block &body) {
  buildBlock(body);
  sinkSlowParts();
}

void tile::buildFetching(ImplicitLocOpBuilder &b, Block &body, const AddressSlice &slice,
                         ArrayRef<Ring> rings, Descriptors &descriptors, int64_t warps) {
  FetchingBuilder(b, slice, rings, descriptors, warps).build(body);
}
