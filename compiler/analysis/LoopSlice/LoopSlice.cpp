//===- LoopSlice.cpp - What of a loop's body can run ahead ----------------===//
#include "compiler/analysis/LoopSlice/LoopSlice.h"

#include "compiler/analysis/PointerBase/PointerBase.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tile;

bool LoopSlice::add(Value value) {
  auto oldOps = ops;
  auto oldCarried = carried;
  if (visit(value))
    return true;
  ops = std::move(oldOps);
  carried = std::move(oldCarried);
  return false;
}

bool LoopSlice::visit(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != loop.getBody() || argument == loop.getInductionVar())
      return true;
    unsigned index = argument.getArgNumber() - loop.getNumInductionVars();
    return !carried.insert(index) || visit(loop.getYieldedValues()[index]);
  }
  Operation *op = value.getDefiningOp();
  if (op->getBlock() != loop.getBody() || ops.contains(op))
    return true;
  if (op->getNumRegions() != 0 || isa<DotOp>(op) || !(isMemoryEffectFree(op) || isa<LoadOp>(op)))
    return false;
  ops.insert(op);
  return llvm::all_of(op->getOperands(), [&](Value operand) { return visit(operand); });
}

SmallVector<Operation *> LoopSlice::getOps() const {
  SmallVector<Operation *> ordered;
  for (Operation &op : *scf::ForOp(loop).getBody())
    if (ops.contains(&op))
      ordered.push_back(&op);
  return ordered;
}

/// The array that `op` writes, if that is all that it does to global memory as others see it; null
/// if unknown. An atomic access whose result nobody looks at learns nothing of others' writes.
static Value getWrittenArray(Operation *op) {
  if (auto store = dyn_cast<StoreOp>(op))
    return getPointerBase(store.getPointer());
  std::optional<AtomicAccess> atomic = getAtomicAccess(op);
  bool learns = atomic && atomic->acquires() && !op->use_empty();
  return atomic && !learns ? getPointerBase(atomic->pointer) : Value();
}

LoopWrites::LoopWrites(scf::ForOp loop) {
  loop.getBody()->walk([&](Operation *op) {
    bool isOnChip =
        isa<BufferStoreOp, AsyncCopyOp, CommitOp, AwaitOp, BufferAllocOp, AcquireOp>(op);
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    bool isUnknown = !effects && !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
    if (isOnChip || (!isUnknown && (!effects || !effects.hasEffect<MemoryEffects::Write>())))
      return;
    if (Value base = getWrittenArray(op))
      bases.insert(base);
    else
      isAnywhere = true;
  });
}

bool LoopWrites::mayWrite(LoadOp load) const {
  Value base = getPointerBase(load.getPointer());
  return isAnywhere || (base ? bases.contains(base) : !bases.empty());
}

static Value createInt(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
}

int64_t tile::getNumStages(scf::ForOp loop) {
  auto own = loop->getAttrOfType<IntegerAttr>(kNumStagesAttr);
  return own ? own.getInt() : getModuleInt(loop, kNumStagesAttr, 1);
}

bool tile::isInnermost(scf::ForOp loop) {
  return !loop.getBody()
              ->walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); })
              .wasInterrupted();
}

Value tile::advance(ImplicitLocOpBuilder &b, scf::ForOp loop, Value from, int64_t distance) {
  if (distance == 0)
    return from;
  Value steps = arith::MulIOp::create(b, loop.getStep(), createInt(b, from.getType(), distance));
  return arith::AddIOp::create(b, from, steps);
}

/// ub - from > distance * step, where nothing overflows: from < ub, so that the
/// difference fits as an unsigned number.
Value tile::hasIteration(ImplicitLocOpBuilder &b, scf::ForOp loop, Value from, int64_t distance) {
  Type type = from.getType();
  Value left = arith::SubIOp::create(b, loop.getUpperBound(), from);
  APInt step;
  bool isSmall = matchPattern(loop.getStep(), m_ConstantInt(&step)) && step.isIntN(16);
  Value steps;
  if (!isSmall && type.isInteger() && type.getIntOrFloatBitWidth() < 64) {
    type = b.getI64Type();
    left = arith::ExtUIOp::create(b, type, left);
    steps = arith::ExtUIOp::create(b, type, loop.getStep());
  } else {
    steps = loop.getStep();
  }
  steps = arith::MulIOp::create(b, steps, createInt(b, type, distance));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ugt, left, steps);
}

Value tile::isEntered(ImplicitLocOpBuilder &b, scf::ForOp loop) {
  auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  return arith::CmpIOp::create(b, predicate, loop.getLowerBound(), loop.getUpperBound());
}

Value tile::createMask(ImplicitLocOpBuilder &b, Value mask, Type pointer, Value isValid) {
  Type type = getMaskLike(pointer);
  Value valid = isa<RankedTensorType>(type) ? Value(SplatOp::create(b, type, isValid)) : isValid;
  return mask ? Value(arith::AndIOp::create(b, mask, valid)) : valid;
}
