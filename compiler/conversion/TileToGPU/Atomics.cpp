//===- Atomics.cpp - Atomic operations on global memory ---------------------===//
//
// Each element acts once, on the thread that owns it. Ordering is made by fences
// around relaxed operations: one for a block instead of one for each element.
// The barriers that make it the whole program's are in the code already.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TileToGPU/Exchange.h"
#include "compiler/conversion/TileToGPU/GlobalMemory.h"
#include "compiler/conversion/TileToGPU/IntegerMath.h"
#include "compiler/conversion/TileToGPU/Lowerings.h"
#include "compiler/conversion/TileToGPU/Shuffle.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tile;

static LLVM::AtomicBinOp getBinOp(AtomicKind kind) {
  switch (kind) {
  case AtomicKind::Add:
    return LLVM::AtomicBinOp::add;
  case AtomicKind::FAdd:
    return LLVM::AtomicBinOp::fadd;
  case AtomicKind::Max:
    return LLVM::AtomicBinOp::max;
  case AtomicKind::Min:
    return LLVM::AtomicBinOp::min;
  case AtomicKind::UMax:
    return LLVM::AtomicBinOp::umax;
  case AtomicKind::UMin:
    return LLVM::AtomicBinOp::umin;
  case AtomicKind::And:
    return LLVM::AtomicBinOp::_and;
  case AtomicKind::Or:
    return LLVM::AtomicBinOp::_or;
  case AtomicKind::Xor:
    return LLVM::AtomicBinOp::_xor;
  case AtomicKind::Exchange:
    return LLVM::AtomicBinOp::xchg;
  }
  llvm_unreachable("all kinds are listed");
}

namespace {
/// What the two ops have in common: how one element acts is all they differ in.
template <typename Op> class Atomic {
public:
  /// Acts on one element, given its pointer and its other operands.
  using Action = llvm::function_ref<Value(ImplicitLocOpBuilder &, Value pointer, ValueRange)>;

  Atomic(Op op, Value mask, ValueRange operands, ThreadLowering &t)
      : op(op), mask(mask), operands(t.get(operands)), t(t) {}

  LogicalResult run(Action action) {
    bool releases = op.getSemantic() == MemorySemantic::Release ||
                    op.getSemantic() == MemorySemantic::AcquireRelease;
    bool acquires = op.getSemantic() == MemorySemantic::Acquire ||
                    op.getSemantic() == MemorySemantic::AcquireRelease;
    if (releases)
      fence(LLVM::AtomicOrdering::release);
    bool isBlock = isa<RankedTensorType>(op.getResult().getType());
    if (failed(isBlock ? runBlock(action) : runScalar(action)))
      return failure();
    if (acquires)
      fence(LLVM::AtomicOrdering::acquire);
    return success();
  }

private:
  void fence(LLVM::AtomicOrdering ordering) {
    LLVM::FenceOp::create(t.b, ordering, t.hooks.getSyncScope(op.getScope()));
  }

  Value actIf(Value predicate, Value pointer, ValueRange values, Action action) {
    ImplicitLocOpBuilder &b = t.b;
    if (!predicate)
      return action(b, pointer, values);
    auto conditional = scf::IfOp::create(
        b, predicate,
        [&](OpBuilder &nested, Location loc) {
          ImplicitLocOpBuilder inner(loc, nested);
          scf::YieldOp::create(inner, action(inner, pointer, values));
        },
        [&](OpBuilder &nested, Location loc) {
          Type type = t.convertType(getElementType(op.getResult().getType()));
          ImplicitLocOpBuilder inner(loc, nested);
          scf::YieldOp::create(inner, createZero(inner, type));
        });
    return conditional.getResult(0);
  }

  LogicalResult runScalar(Action action) {
    Value first = createEquals(t.b, t.scope.getThread(), 0);
    Value old = actIf(createAnd(t.b, t.get(mask), first), t.get(op.getPointer()), operands, action);
    t.set(op, op.getResult().use_empty() ? old : Exchange(op, t).broadcastFromFirst(old));
    return success();
  }

  LogicalResult runBlock(Action action) {
    Type block = op.getPointer().getType();
    const LinearLayout &layout = getLinearLayout(block);
    Value predicates = getLanePredicates(mask, block, t);
    Value owns = emitOwnership(t.b, t.scope, layout);
    Value pointers = t.get(op.getPointer());
    SmallVector<Value> registers;
    for (auto [reg, first] : llvm::enumerate(getFirstCopies(layout))) {
      if (first != int32_t(reg)) {
        registers.push_back(registers[first]);
        continue;
      }
      auto values =
          llvm::map_to_vector(operands, [&, reg = reg](Value v) { return t.extract(v, reg); });
      Value predicate = createAnd(t.b, predicates ? t.extract(predicates, reg) : Value(), owns);
      registers.push_back(actIf(predicate, t.extract(pointers, reg), values, action));
    }
    Value old = t.pack(registers);
    if (!op.getResult().use_empty()) {
      FailureOr<Value> shared = Exchange(op, t).broadcastFromOwners(old, layout, getShape(block));
      if (failed(shared))
        return failure();
      old = *shared;
    }
    t.set(op, old);
    return success();
  }

  Op op;
  Value mask;
  SmallVector<Value> operands;
  ThreadLowering &t;
};
} // namespace

LogicalResult tile::lower(AtomicRMWOp op, ThreadLowering &t) {
  if (!t.hooks.hasAtomic(op.getKind(), op.getScope()))
    return op.emitOpError() << stringifyAtomicKind(op.getKind()) << " with scope '"
                            << stringifyMemoryScope(op.getScope())
                            << "' is not supported on this target";
  StringRef scope = t.hooks.getSyncScope(op.getScope());
  LLVM::AtomicBinOp kind = getBinOp(op.getKind());
  unsigned bytes = getMemoryBits(getElementType(op.getResult().getType())) / 8;
  return Atomic<AtomicRMWOp>(op, op.getMask(), op.getValue(), t)
      .run([&](ImplicitLocOpBuilder &b, Value pointer, ValueRange values) -> Value {
        Value old = LLVM::AtomicRMWOp::create(b, kind, pointer, toMemory(b, values[0]),
                                              LLVM::AtomicOrdering::monotonic, scope, bytes);
        return fromMemory(b, old, values[0].getType());
      });
}

/// LLVM compares integers and pointers: floats go as their bits.
LogicalResult tile::lower(AtomicCASOp op, ThreadLowering &t) {
  StringRef scope = t.hooks.getSyncScope(op.getScope());
  unsigned bytes = getMemoryBits(getElementType(op.getResult().getType())) / 8;
  return Atomic<AtomicCASOp>(op, Value(), {op.getExpected(), op.getDesired()}, t)
      .run([&](ImplicitLocOpBuilder &b, Value pointer, ValueRange values) -> Value {
        auto exchange = LLVM::AtomicCmpXchgOp::create(
            b, pointer, toBits(b, values[0]), toBits(b, values[1]), LLVM::AtomicOrdering::monotonic,
            LLVM::AtomicOrdering::monotonic, scope, bytes);
        Value old = LLVM::ExtractValueOp::create(b, exchange.getRes(), 0);
        return fromBits(b, old, values[0].getType());
      });
}
