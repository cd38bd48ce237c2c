//===- DeferReductions.cpp - Parts of sums stay in threads ----------------===//
#include "compiler/transforms/DeferReductions/DeferReductions.h"

#include "compiler/transforms/DeferReductions/PartialReduction.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

namespace tile {
#define GEN_PASS_DEF_DEFERREDUCTIONS
#include "compiler/transforms/DeferReductions/DeferReductions.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

namespace {
/// next = combine(carried * factor, reduce(block)), and nothing else reads these.
struct Accumulation {
  unsigned index; // among the loop's iter_args
  Operation *combine;
  arith::MulFOp scale; // null: the sum is not scaled
  Value factor;
  ReduceOp reduce;
};

struct DeferReductionsPass : tile::impl::DeferReductionsBase<DeferReductionsPass> {
  void runOnOperation() override;
};
} // namespace

static bool isSum(Operation *op) { return isa<arith::AddFOp>(op); }

/// Operations of which each thread may do its share in any order.
static bool isCombination(Operation *op) {
  return isa<arith::AddFOp, arith::AddIOp, arith::MaxNumFOp, arith::MaximumFOp, arith::MinNumFOp,
             arith::MinimumFOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(op);
}

/// Whether `reduce` combines elements by one operation of the same kind.
static bool combinesBy(ReduceOp reduce, Operation *op) {
  Block &body = reduce.getCombiner().front();
  Operation &first = body.front();
  return body.getOperations().size() == 2 && first.getName() == op->getName() &&
         first.getOperands() == ValueRange(body.getArguments()) &&
         body.getTerminator()->getOperands() == first.getResults();
}

/// The other operand of an operation on two.
static Value getOther(Operation *op, Value operand) {
  return op->getOperand(op->getOperand(0) == operand ? 1 : 0);
}

static Operation *getOnlyUser(Value value, scf::ForOp loop) {
  if (!value.hasOneUse() || (*value.user_begin())->getBlock() != loop.getBody())
    return nullptr;
  return *value.user_begin();
}

static std::optional<Accumulation> findAccumulation(scf::ForOp loop, unsigned index) {
  Accumulation found;
  found.index = index;
  Value carried = loop.getRegionIterArg(index);
  Operation *user = getOnlyUser(carried, loop);
  if (found.scale = dyn_cast_if_present<arith::MulFOp>(user); found.scale) {
    found.factor = getOther(found.scale, carried);
    carried = found.scale.getResult();
    user = getOnlyUser(carried, loop);
  }
  if (!user || !isCombination(user) || (found.scale && !isSum(user)) ||
      loop.getYieldedValues()[index] != user->getResult(0) || !user->hasOneUse())
    return std::nullopt;
  found.combine = user;
  Value reduced = getOther(user, carried);
  found.reduce = reduced.getDefiningOp<ReduceOp>();
  if (!found.reduce || found.reduce->getBlock() != loop.getBody() || !reduced.hasOneUse() ||
      found.factor == carried || !combinesBy(found.reduce, user))
    return std::nullopt;
  return found;
}

/// Whether threads can begin with shares of `init`: any where all of them may
/// begin with the whole.
static bool canShare(Operation *combine, Value init) {
  if (!isa<arith::AddIOp>(combine))
    return true;
  return matchPattern(init, m_Zero());
}

static Value createShares(ImplicitLocOpBuilder &b, const PartialReduction &parts, bool isSum,
                          Value init) {
  if (isSum && !matchPattern(init, m_AnyZeroFloat())) {
    // A power of two: each share is exact.
    Type type = init.getType();
    auto element = cast<FloatType>(getElementType(type));
    TypedAttr share = b.getFloatAttr(element, 1.0 / static_cast<double>(parts.getNumParts()));
    if (auto block = dyn_cast<RankedTensorType>(type))
      share = DenseElementsAttr::get(block, Attribute(share));
    init = arith::MulFOp::create(b, init, arith::ConstantOp::create(b, share));
  }
  return parts.spread(b, init);
}

static void defer(scf::ForOp loop, Accumulation found, const PartialReduction &parts) {
  ImplicitLocOpBuilder b(found.combine->getLoc(), loop);
  OpOperand &init = loop.getInitsMutable()[found.index];
  init.set(createShares(b, parts, isSum(found.combine), init.get()));
  BlockArgument carried = loop.getRegionIterArg(found.index);
  carried.setType(parts.getType());
  Value result = loop.getResult(found.index);
  result.setType(parts.getType());

  b.setInsertionPoint(found.combine);
  Value share = parts.createParts(b);
  Value scaled = carried;
  if (arith::MulFOp scale = found.scale) {
    Value factors = parts.spread(b, found.factor);
    scaled = arith::MulFOp::create(b, scaled, factors, scale.getFastmath());
  }
  Operation *next = b.clone(*found.combine);
  next->setOperands({scaled, share});
  next->getResult(0).setType(parts.getType());
  found.combine->replaceAllUsesWith(next->getResults());
  found.combine->erase();
  if (found.scale)
    found.scale.erase();

  // Others see the whole; only what makes it sees the parts.
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : result.getUses())
    uses.push_back(&use);
  b.setInsertionPointAfter(loop);
  Value whole = parts.combineParts(b, result);
  for (OpOperand *use : uses)
    use->set(whole);
  found.reduce.erase();
}

void DeferReductionsPass::runOnOperation() {
  SmallVector<scf::ForOp> loops;
  getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops)
    for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i) {
      std::optional<Accumulation> found = findAccumulation(loop, i);
      if (!found || !canShare(found->combine, loop.getInits()[i]))
        continue;
      if (std::optional<PartialReduction> parts = PartialReduction::get(found->reduce))
        defer(loop, *found, *parts);
    }
}
