//===- OverlapDots.cpp - Products across iterations -----------------------===//
#include "compiler/transforms/OverlapDots/OverlapDots.h"

#include "dialects/tile/IR/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tile {
#define GEN_PASS_DEF_OVERLAPDOTS
#include "compiler/transforms/OverlapDots/OverlapDots.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

namespace {
/// A product, the wait for it, and where the loop carries its accumulator.
struct CarriedDot {
  AsyncDotOp dot;
  AwaitDotsOp await;
  unsigned index;
};

struct OverlapDotsPass : tile::impl::OverlapDotsBase<OverlapDotsPass> {
  void runOnOperation() override;
};
} // namespace

/// Whether a buffer is a copy that this iteration awaits.
static bool isCopy(Value buffer, scf::ForOp loop) {
  while (auto view = buffer.getDefiningOp<BufferTransposeOp>())
    buffer = view.getSource();
  auto await = buffer.getDefiningOp<AwaitOp>();
  return await && await->getBlock() == loop.getBody();
}

/// The product, if nothing but the loop touches its accumulator.
static std::optional<CarriedDot> findCarried(AsyncDotOp dot, scf::ForOp loop) {
  auto acc = dyn_cast<BlockArgument>(dot.getAcc());
  if (!acc || acc.getOwner() != loop.getBody() || !acc.hasOneUse() || !dot->hasOneUse() ||
      dot->getBlock() != loop.getBody())
    return std::nullopt;
  auto await = dyn_cast<AwaitDotsOp>(*dot->user_begin());
  if (!await || await.getNumResults() != 1 || !await->hasOneUse())
    return std::nullopt;
  unsigned index = acc.getArgNumber() - loop.getNumInductionVars();
  if (loop.getYieldedValues()[index] != await.getValues().front())
    return std::nullopt;
  bool readsCopies =
      isa<BufferType>(dot.getA().getType()) && isCopy(dot.getA(), loop) && isCopy(dot.getB(), loop);
  return readsCopies ? std::optional(CarriedDot{dot, await, index}) : std::nullopt;
}

static void overlap(scf::ForOp loop, MutableArrayRef<CarriedDot> dots) {
  ImplicitLocOpBuilder b(dots.front().dot.getLoc(), loop);
  SmallVector<Value> pending;
  for (CarriedDot &carried : dots) {
    OpOperand &init = loop.getInitsMutable()[carried.index];
    Type type = carried.dot.getType();
    b.setInsertionPoint(loop);
    init.set(PendOp::create(b, type, init.get()));
    loop.getRegionIterArg(carried.index).setType(type);
    loop.getResult(carried.index).setType(type);
    pending.push_back(carried.dot);
  }
  b.setInsertionPointAfter(dots.back().dot);
  auto wait = AwaitDotsOp::create(b, TypeRange(ValueRange(pending)), pending, dots.size());
  b.setInsertionPointAfter(loop);
  SmallVector<Value> results;
  SmallVector<Type> types;
  for (CarriedDot &carried : dots) {
    results.push_back(loop.getResult(carried.index));
    types.push_back(carried.dot.getBlockType());
  }
  auto last = AwaitDotsOp::create(b, types, results, 0);
  for (auto [i, carried] : llvm::enumerate(dots)) {
    loop.getResult(carried.index).replaceAllUsesExcept(last.getValues()[i], last);
    carried.await.getValues().front().replaceAllUsesWith(wait.getValues()[i]);
    carried.await.erase();
  }
}

void OverlapDotsPass::runOnOperation() {
  SmallVector<scf::ForOp> loops;
  getOperation().walk([&](scf::ForOp loop) {
    if (loop->hasAttr(kDotsInFlightAttr))
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops) {
    SmallVector<CarriedDot> carried;
    bool all = true;
    loop.getBody()->walk([&](AsyncDotOp dot) {
      if (std::optional<CarriedDot> found = findCarried(dot, loop))
        carried.push_back(*found);
      else
        all = false;
    });
    if (all && !carried.empty())
      overlap(loop, carried);
    loop->removeAttr(kDotsInFlightAttr);
  }
}
