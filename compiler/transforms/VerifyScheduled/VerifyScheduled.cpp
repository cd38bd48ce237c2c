//===- VerifyScheduled.cpp - Check what stage `scheduled` promises --------===//
#include "compiler/transforms/VerifyScheduled/VerifyScheduled.h"

#include "compiler/analysis/LayoutInference/LayoutInference.h"
#include "compiler/analysis/LinearLayout/Constructors.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tile {
#define GEN_PASS_DEF_VERIFYSCHEDULED
#include "compiler/transforms/VerifyScheduled/VerifyScheduled.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

namespace {
class ScheduleVerifier {
public:
  explicit ScheduleVerifier(func::FuncOp function)
      : lanes(getTarget(function).getLanes()), warps(getModuleInt(function, kNumWarpsAttr, 1)),
        scalarLayout(
            LayoutAttr::get(function.getContext(), getDefaultLayout({}, {}, 1, lanes, warps))) {}

  LogicalResult verify(Operation *op) const;

private:
  LogicalResult verifyValue(Operation *op, Value value) const;
  LogicalResult verifyTie(Operation *op) const;
  LogicalResult verifyDot(DotOp op) const;
  LogicalResult verifyAwait(AwaitOp op) const;

  int64_t getWarps(Operation *op) const;

  int64_t lanes, warps;
  LayoutAttr scalarLayout;
};

struct VerifyScheduledPass : tile::impl::VerifyScheduledBase<VerifyScheduledPass> {
  void runOnOperation() override {
    if (!getTarget(getOperation())) {
      getOperation().emitError("expects a module with a '") << kTargetAttr << "'";
      return signalPassFailure();
    }
    ScheduleVerifier verifier(getOperation());
    WalkResult result = getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      return failed(verifier.verify(op)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

/// Those that run `op`.
int64_t ScheduleVerifier::getWarps(Operation *op) const {
  auto roles = op->getParentOfType<RolesOp>();
  return roles ? roles.getWarps()[roles.getRoleOf(op)] : warps;
}

LogicalResult ScheduleVerifier::verifyValue(Operation *op, Value value) const {
  if (isa<PendingType>(value.getType()) && value.use_empty()) // scheduled.3
    return op->emitOpError("expects a copy in flight to be awaited");
  auto block = dyn_cast<RankedTensorType>(value.getType());
  if (!block)
    return success();
  LayoutAttr layout = getLayout(block);
  if (!layout) // scheduled.1
    return op->emitOpError("expects blocks with layouts, got ") << block;
  int64_t hasLanes = layout.getLayout().getInSize(Dim::Lane);
  int64_t hasWarps = layout.getLayout().getInSize(Dim::Warp);
  int64_t runWarps = getWarps(op);
  // Constants are before roles, for whichever uses them.
  bool isOfRole = op->hasTrait<OpTrait::ConstantLike>();
  if (hasLanes != lanes || (hasWarps != runWarps && !isOfRole)) // scheduled.1
    return op->emitOpError("expects layouts of ")
           << lanes << " lanes and " << runWarps << " warps, got " << hasLanes << " and "
           << hasWarps;
  return success();
}

LogicalResult ScheduleVerifier::verifyTie(Operation *op) const {
  LayoutTie tie = getLayoutTie(op);
  if (tie == LayoutTie::Reduction) {
    LayoutAttr source = getLayout(op->getOperand(0).getType());
    LayoutAttr want = getResultLayout(op, 0, source);
    for (Type type : op->getOperandTypes())
      if (getLayout(type) != source) // scheduled.2
        return op->emitOpError("expects sources of one layout");
    for (Type type : op->getResultTypes())
      if (isa<RankedTensorType>(type) && getLayout(type) != want) // scheduled.2
        return op->emitOpError("expects results of layout ") << want;
    return success();
  }
  if (tie != LayoutTie::Same && tie != LayoutTie::Shape && tie != LayoutTie::Moving)
    return success();
  Type type = op->getResult(0).getType();
  LayoutAttr result = isa<RankedTensorType>(type) ? getLayout(type) : scalarLayout;
  for (OpOperand &operand : op->getOpOperands()) {
    LayoutAttr have = getLayout(operand.get().getType());
    if (!have || !result)
      continue;
    LayoutAttr want = getOperandLayout(op, operand.getOperandNumber(), result);
    bool isFree = !want && (tie == LayoutTie::Moving || isa<ReshapeOp>(op));
    if (have != want && !isFree)
      return op->emitOpError("expects operand ") // scheduled.2
             << operand.getOperandNumber() << " in the layout that its result's demands";
  }
  return success();
}

LogicalResult ScheduleVerifier::verifyDot(DotOp op) const {
  if (op.getUnitAttr())
    return success();
  const LinearLayout &acc = getLayout(op.getType()).getLayout();
  auto fits = [&](Value value, MatmulOperand operand) {
    return getLayout(value.getType()).getLayout() ==
           getScalarDotLayout(acc, operand, getShape(value.getType()));
  };
  if (!fits(op.getA(), MatmulOperand::A) || !fits(op.getB(), MatmulOperand::B)) // scheduled.4
    return op.emitOpError("expects operands of which each thread holds what it multiplies");
  return success();
}

/// Groups that are closed in `block` between two of its ops, exclusive; null
/// stands for its beginning or end.
static int64_t countGroups(Block *block, Operation *after, Operation *before) {
  int64_t count = 0;
  for (Operation &op : *block) {
    bool isAfter = !after || (after != &op && after->isBeforeInBlock(&op));
    if (isa<CommitOp>(op) && isAfter && (!before || op.isBeforeInBlock(before)))
      ++count;
  }
  return count;
}

/// Groups that were closed after the one of `pending` when `await` is reached;
/// nothing where that cannot be seen from the block of `await` alone.
static std::optional<int64_t> countNewerGroups(AwaitOp await, Value pending) {
  Block *block = await->getBlock();
  if (auto commit = pending.getDefiningOp<CommitOp>())
    return commit->getBlock() == block ? std::optional(countGroups(block, commit, await))
                                       : std::nullopt;
  auto loop = dyn_cast<scf::ForOp>(block->getParentOp());
  if (!loop)
    return std::nullopt;
  // From step to step the value moves through what the loop carries.
  for (unsigned steps = 0; steps <= loop.getNumRegionIterArgs(); ++steps) {
    if (auto commit = pending.getDefiningOp<CommitOp>(); commit && commit->getBlock() == block)
      return countGroups(block, commit, nullptr) + countGroups(block, nullptr, await) +
             (int64_t(steps) - 1) * countGroups(block, nullptr, nullptr);
    auto argument = dyn_cast<BlockArgument>(pending);
    if (!argument || argument.getOwner() != block || argument == loop.getInductionVar())
      return std::nullopt;
    pending = loop.getYieldedValues()[argument.getArgNumber() - loop.getNumInductionVars()];
  }
  return std::nullopt;
}

LogicalResult ScheduleVerifier::verifyAwait(AwaitOp op) const {
  for (Value pending : op.getPending()) {
    std::optional<int64_t> newer = countNewerGroups(op, pending);
    if (newer && op.getInFlight() > *newer) // scheduled.5
      return op.emitOpError("expects at most ")
             << *newer << " groups in flight, since as many are newer than its operands', got "
             << op.getInFlight();
  }
  return success();
}

LogicalResult ScheduleVerifier::verify(Operation *op) const {
  if (auto await = dyn_cast<AwaitOp>(op))
    if (failed(verifyAwait(await)))
      return failure();
  for (Value result : op->getResults())
    if (failed(verifyValue(op, result)))
      return failure();
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Value argument : block.getArguments())
        if (failed(verifyValue(op, argument)))
          return failure();
  if (auto dot = dyn_cast<DotOp>(op))
    return verifyDot(dot);
  return verifyTie(op);
}
