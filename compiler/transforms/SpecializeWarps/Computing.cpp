//===- Computing.cpp - The program's warps read rings, and store blocks ---===//
#include "compiler/transforms/SpecializeWarps/Roles.h"
#include "compiler/transforms/SpecializeWarps/StoreTurns.h"

#include "compiler/analysis/LayoutInference/LayoutInference.h"
#include "dialects/tile/IR/BlockCopy.h"

using namespace mlir;
using namespace tile;

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

namespace {
class RingReader {
public:
  explicit RingReader(ArrayRef<Ring> rings) : rings(rings), places(rings) {}
  void run(Block &body) {
    auto b = ImplicitLocOpBuilder::atBlockBegin(body.getParentOp()->getLoc(), &body);
    places.begin(b);
    visit(body);
  }

private:
  void visit(Block &block);
  void visitLoop(scf::ForOp loop);
  void visitBranch(scf::IfOp branch);
  void visitWhile(scf::WhileOp loop);
  void acquire(const Ring &ring, const RingSite &site);

  ArrayRef<Ring> rings;
  RingPlaces places;
};
} // namespace

/// Each layout that a block is wanted in is read by itself: also where that is
/// said of a view of the block with one side more.
static void readInLayouts(Value block, function_ref<Value(Type)> read) {
  for (Operation *user : llvm::make_early_inc_range(block.getUsers())) {
    OpBuilder b(user);
    if (auto convert = dyn_cast<ConvertLayoutOp>(user)) {
      convert.replaceAllUsesWith(read(convert.getType()));
      convert.erase();
    } else if (auto expand = dyn_cast<ExpandDimsOp>(user)) {
      readInLayouts(expand.getResult(), [&](Type type) -> Value {
        Type source =
            withLayout(expand.getSource().getType(), getOperandLayout(expand, 0, getLayout(type)));
        return ExpandDimsOp::create(b, expand.getLoc(), type, read(source), expand.getAxis());
      });
      if (expand->use_empty())
        expand.erase();
    }
  }
}

static void readBlock(Operation *load, Value view) {
  ImplicitLocOpBuilder b(load->getLoc(), load);
  Value block = load->getResult(0);
  readInLayouts(block, [&](Type type) -> Value { return BufferLoadOp::create(b, type, view); });
  if (!block.use_empty())
    block.replaceAllUsesWith(BufferLoadOp::create(b, block.getType(), view));
}

void RingReader::acquire(const Ring &ring, const RingSite &site) {
  ImplicitLocOpBuilder b(site.front().op->getLoc(), site.front().op);
  const RingPlace &place = places.get(ring);
  auto views = AcquireOp::create(b, ring.full, place.stage, place.phase, ring.getStacks(),
                                 /*publish=*/ring.isFilledByThreads());
  for (auto [load, view] : llvm::zip(site, views.getViews()))
    readBlock(load.op, view);
}

/// Carries the places around the loop.
void RingReader::visitLoop(scf::ForOp loop) {
  SmallVector<unsigned> counters = places.getCountersIn(loop);
  if (counters.empty())
    return;
  auto b = ImplicitLocOpBuilder(loop.getLoc(), loop);
  unsigned count = loop.getNumRegionIterArgs();
  for (Value init : places.get(counters)) {
    loop.getInitArgsMutable().append(init);
    loop.getBody()->addArgument(init.getType(), loop.getLoc());
  }
  places.set(counters, loop.getRegionIterArgs().drop_front(count));
  visit(*loop.getBody());
  b.setInsertionPoint(loop.getBody()->getTerminator());
  places.advance(b, loop);
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  yield.getResultsMutable().append(places.get(counters));

  // An operation cannot get more results: another one takes its body.
  b.setInsertionPoint(loop);
  auto wider = scf::ForOp::create(b, loop.getLowerBound(), loop.getUpperBound(), loop.getStep(),
                                  loop.getInits());
  wider->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  wider.getRegion().takeBody(loop.getRegion());
  loop.replaceAllUsesWith(wider.getResults().take_front(count));
  places.set(counters, wider.getResults().drop_front(count));
  loop.erase();
}

/// Gives the places of the branch that is taken.
void RingReader::visitBranch(scf::IfOp branch) {
  SmallVector<unsigned> counters = places.getCountersIn(branch);
  if (counters.empty())
    return;
  ImplicitLocOpBuilder b(branch.getLoc(), branch);
  SmallVector<Value> before = places.get(counters);
  SmallVector<Type> types(branch.getResultTypes());
  llvm::append_range(types, TypeRange(ValueRange(before)));
  auto wider = scf::IfOp::create(b, types, branch.getCondition(), /*withElseRegion=*/true);
  for (auto [from, to] : llvm::zip(branch->getRegions(), wider->getRegions())) {
    places.set(counters, before);
    if (from.empty()) {
      b.setInsertionPointToEnd(&to.front());
      scf::YieldOp::create(b, before);
      continue;
    }
    to.takeBody(from);
    visit(to.front());
    cast<scf::YieldOp>(to.front().getTerminator()).getResultsMutable().append(places.get(counters));
  }
  branch.replaceAllUsesWith(wider.getResults().take_front(branch.getNumResults()));
  places.set(counters, wider.getResults().drop_front(branch.getNumResults()));
  branch.erase();
}

/// Carries the places through its condition, too.
void RingReader::visitWhile(scf::WhileOp loop) {
  SmallVector<unsigned> counters = places.getCountersIn(loop);
  if (counters.empty())
    return;
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  SmallVector<Value> inits(loop.getInits());
  llvm::append_range(inits, places.get(counters));
  SmallVector<Type> types(loop.getResultTypes());
  types.append(2 * counters.size(), b.getI32Type());
  auto wider = scf::WhileOp::create(b, types, inits, nullptr, nullptr);
  for (auto [from, to] : llvm::zip(loop->getRegions(), wider->getRegions())) {
    unsigned count = from.getNumArguments();
    to.takeBody(from);
    for (size_t i = 0; i < 2 * counters.size(); ++i)
      to.addArgument(b.getI32Type(), loop.getLoc());
    places.set(counters, to.getArguments().drop_front(count));
    visit(to.front());
  }
  wider.getConditionOp().getArgsMutable().append(
      wider.getBeforeArguments().take_back(2 * counters.size()));
  wider.getYieldOp().getResultsMutable().append(places.get(counters));
  loop.replaceAllUsesWith(wider.getResults().take_front(loop.getNumResults()));
  places.set(counters, wider.getResults().drop_front(loop.getNumResults()));
  loop.erase();
}

void RingReader::visit(Block &block) {
  // Other ops may go with the loads.
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    if (isa<DescriptorLoadOp, LoadOp, scf::ForOp, scf::IfOp, scf::WhileOp>(op))
      ops.push_back(&op);
  for (Operation *op : ops) {
    for (const Ring &ring : rings)
      for (const RingSite &site : ring.sites)
        if (site.front().op == op)
          acquire(ring, site);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      visitLoop(loop);
    else if (auto branch = dyn_cast<scf::IfOp>(op))
      visitBranch(branch);
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      visitWhile(loop);
  }
}

void tile::readRings(Block &body, ArrayRef<Ring> rings) { RingReader(rings).run(body); }

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

int64_t tile::getStoreBytes(func::FuncOp function) {
  DenseMap<Type, int64_t> buffers;
  for (Operation *store : collectStores(function)) {
    BufferType type = getBlockCopyBuffer(store);
    buffers[type] = type.getBytes();
  }
  int64_t bytes = 0;
  for (auto [type, size] : buffers)
    bytes += size;
  return bytes;
}

static void storeBlock(Operation *store, Value buffer, Descriptors &descriptors, bool comesLater) {
  bool byWarps = descriptors.stores.byWarps, inTurns = descriptors.stores.inTurns.contains(store);
  if (inTurns)
    takeTurns({store}); // puts the store into other blocks of code
  ImplicitLocOpBuilder b(store->getLoc(), store);
  if (!inTurns)
    AwaitBlockStoresOp::create(b, 0, byWarps, /*written=*/comesLater);
  auto made = store->getOperand(0).getDefiningOp<MakeDescriptorOp>();
  Value desc = descriptors.get(made, getAccessBox(store, byWarps));
  LayoutAttr parts = byWarps ? getStoredLayout(store) : LayoutAttr();
  auto getIndices = [&](ValueRange indices) {
    if (!descriptors.program.get(made))
      return SmallVector<Value>(indices);
    return descriptors.program.getIndices(b, made, indices, [](Value value) { return value; });
  };
  if (auto plain = dyn_cast<DescriptorStoreOp>(store)) {
    BufferStoreOp::create(b, plain.getValue(), buffer);
    BlockStoreOp::create(b, buffer, desc, getIndices(plain.getIndices()), AtomicKindAttr(), parts);
  } else {
    auto reduce = cast<DescriptorReduceOp>(store);
    BufferStoreOp::create(b, reduce.getValue(), buffer);
    BlockStoreOp::create(b, buffer, desc, getIndices(reduce.getIndices()), reduce.getKindAttr(),
                         parts);
  }
  store->erase();
}

/// Once stores by what they described before have read it.
static void makeStoreDescriptors(Block &body, const ProgramDescriptors &descriptors, bool byWarps) {
  if (descriptors.isEmpty())
    return;
  body.walk([&](Operation *user) {
    SmallVector<MakeDescriptorOp> descs = descriptors.getMadeBefore(user, /*forLoads=*/false);
    if (descs.empty())
      return;
    ImplicitLocOpBuilder b(user->getLoc(), user);
    descriptors.make(
        b, descs, dyn_cast<scf::ForOp>(user), [](Value value) { return value; },
        [&] { AwaitBlockStoresOp::create(b, 0, byWarps); }, byWarps);
  });
}

/// Stores of one type share a buffer.
void tile::storeBlocks(Block &body, Descriptors &descriptors) {
  SmallVector<Operation *> stores = collectStores(body.getParentOp());
  if (stores.empty())
    return;
  bool byWarps = descriptors.stores.byWarps;
  DenseSet<Operation *> later = findLaterStores(stores);
  makeStoreDescriptors(body, descriptors.program, byWarps);
  auto b = ImplicitLocOpBuilder::atBlockBegin(body.getParentOp()->getLoc(), &body);
  DenseMap<Type, Value> buffers;
  for (Operation *store : stores) {
    Value &buffer = buffers[getBlockCopyBuffer(store)];
    if (!buffer)
      buffer = BufferAllocOp::create(b, getBlockCopyBuffer(store), IntegerAttr());
    storeBlock(store, buffer, descriptors, later.contains(store));
  }
  b.setInsertionPointToEnd(&body);
  AwaitBlockStoresOp::create(b, 0, byWarps);
}
