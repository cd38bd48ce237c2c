//===- LoadAhead.cpp - Small loads ahead of their iterations --------------===//
#include "compiler/transforms/LoadAhead/LoadAhead.h"

#include "compiler/analysis/LayoutInference/LayoutInference.h"
#include "compiler/analysis/SmallLoads/SmallLoads.h"
#include "compiler/analysis/ThreadCopies/ThreadCopies.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace tile {
#define GEN_PASS_DEF_LOADAHEAD
#include "compiler/transforms/LoadAhead/LoadAhead.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

namespace {
/// A load, and the ops of the body that its address and mask need, in order.
struct SmallLoad {
  LoadOp load;
  SmallVector<Operation *> addressOps;
};

/// Carries what loads of one loop give from earlier iterations.
class LoopRewriter {
public:
  LoopRewriter(scf::ForOp loop, ArrayRef<SmallLoad> loads, int64_t distance)
      : loop(loop), loads(loads), distance(distance), b(loop.getLoc(), loop) {}
  void run();

private:
  Value loadAt(const SmallLoad &small, Value induction, Value isValid);
  SmallVector<Value> loadFirst();
  SmallVector<Value> loadNext(ValueRange carried);

  scf::ForOp loop;
  ArrayRef<SmallLoad> loads;
  int64_t distance;
  ImplicitLocOpBuilder b;
};

struct LoadAheadPass : tile::impl::LoadAheadBase<LoadAheadPass> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      rewrite(loop);
  }

  void rewrite(scf::ForOp loop);
};
} // namespace

//===----------------------------------------------------------------------===//
// Which loads
//===----------------------------------------------------------------------===//

/// One that something fetches for, so that loads are what is left to wait for.
static bool isPipelined(scf::ForOp loop) {
  return llvm::any_of(*loop.getBody(), llvm::IsaPred<AcquireOp, AwaitOp>);
}

static std::optional<SmallLoad> match(LoadOp load, scf::ForOp loop, const LoopWrites &writes) {
  // What a unit reads on chip, `tile-place-operands` stores there where it is loaded.
  if (load.getIsVolatile() || countElements(load.getType()) > kMostCarriedElements ||
      feedsOnChip(load) || writes.mayWrite(load))
    return std::nullopt;
  LoopSlice slice(loop);
  for (Value operand : load->getOperands())
    if (!slice.add(operand))
      return std::nullopt;
  // What another load or iteration gives is not there earlier.
  if (!slice.carried.empty() || llvm::any_of(slice.ops, llvm::IsaPred<LoadOp>))
    return std::nullopt;
  return SmallLoad{load, slice.getOps()};
}

/// Farther ahead the fewer registers that takes: an iteration can be shorter than
/// the way to memory.
static int64_t chooseDistance(ArrayRef<SmallLoad> loads) {
  constexpr int64_t kMostDistance = 3, kRegisters = 8;
  int64_t registers = 0;
  for (SmallLoad small : loads)
    registers += countElements(small.load.getType());
  return std::clamp<int64_t>(kRegisters / registers, 1, kMostDistance);
}

void LoadAheadPass::rewrite(scf::ForOp loop) {
  if (!isPipelined(loop))
    return;
  LoopWrites writes(loop);
  SmallVector<SmallLoad> loads;
  for (LoadOp load : loop.getBody()->getOps<LoadOp>())
    if (std::optional<SmallLoad> small = match(load, loop, writes))
      loads.push_back(*small);
  if (!loads.empty())
    LoopRewriter(loop, loads, chooseDistance(loads)).run();
}

//===----------------------------------------------------------------------===//
// Carrying what they give
//===----------------------------------------------------------------------===//

/// What the load gives in the iteration of `induction`; where there is no such
/// iteration nothing is read.
Value LoopRewriter::loadAt(const SmallLoad &small, Value induction, Value isValid) {
  LoadOp load = small.load;
  IRMapping values;
  values.map(loop.getInductionVar(), induction);
  for (Operation *op : small.addressOps)
    b.clone(*op, values);
  b.setLoc(load.getLoc());
  Value mask = load.getMask() ? values.lookupOrDefault(load.getMask()) : Value();
  Value other = load.getOther() ? values.lookupOrDefault(load.getOther()) : Value();
  Value pointer = values.lookupOrDefault(load.getPointer());
  mask = createMask(b, mask, pointer.getType(), isValid);
  Value loaded = LoadOp::create(b, load.getType(), pointer, mask, other, load.getCache(),
                                load.getEviction(), /*isVolatile=*/false);
  b.setLoc(loop.getLoc());
  return loaded;
}

/// By load, and within one by iteration.
SmallVector<Value> LoopRewriter::loadFirst() {
  SmallVector<Value> first;
  Value lower = loop.getLowerBound(), entered = isEntered(b, loop);
  for (const SmallLoad &small : loads)
    for (int64_t step = 0; step < distance; ++step) {
      Value isValid = entered;
      if (step != 0)
        isValid = arith::AndIOp::create(b, entered, hasIteration(b, loop, lower, step));
      first.push_back(loadAt(small, advance(b, loop, lower, step), isValid));
    }
  return first;
}

SmallVector<Value> LoopRewriter::loadNext(ValueRange carried) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next;
  Value induction = loop.getInductionVar();
  Value later = advance(b, loop, induction, distance);
  Value isValid = hasIteration(b, loop, induction, distance);
  for (const SmallLoad &small : loads) {
    llvm::append_range(next, carried.slice(next.size() + 1, distance - 1));
    next.push_back(loadAt(small, later, isValid));
  }
  return next;
}

void LoopRewriter::run() {
  SmallVector<Value> first = loadFirst();
  IRRewriter rewriter(loop.getContext());
  loop = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, first, /*replaceInitOperandUsesInLoop=*/false,
      [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
        return SmallVector<Value>(arguments.begin(), arguments.end());
      }));
  auto carried = ValueRange(loop.getRegionIterArgs()).take_back(first.size());
  SmallVector<Value> next = loadNext(carried);
  Operation *yield = loop.getBody()->getTerminator();
  yield->setOperands(yield->getNumOperands() - next.size(), next.size(), next);
  for (auto [index, small] : llvm::enumerate(loads)) {
    small.load->replaceAllUsesWith(ValueRange(carried[index * distance]));
    small.load->erase();
  }
}
