//===- Atomics.cpp - Atomic operations on global memory ---------------------===//
//
// Each element acts once, on the thread that owns it; additions of which nobody asks
// what was there go in runs, as stores do, on machines that add vectors. Ordering is made by fences
// around relaxed operations: one for a block instead of one for each element.
// The barriers that make it the whole program's are in the code already.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/AtomicKinds.h"
#include "compiler/conversion/Polling/Polling.h"
#include "compiler/conversion/TileToGPU/Exchange.h"
#include "compiler/conversion/TileToGPU/GlobalMemory.h"
#include "compiler/conversion/TileToGPU/IntegerMath.h"
#include "compiler/conversion/TileToGPU/Lowerings.h"
#include "compiler/conversion/TileToGPU/Shuffle.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tile;

namespace {
/// What atomic ops have in common: how one element acts is all they differ in.
class Atomic {
public:
  /// Acts on one element, given its pointer and what goes to memory; gives what
  /// was there, or null where the op has no result.
  using Action = llvm::function_ref<Value(ImplicitLocOpBuilder &, Value pointer, ValueRange)>;

  Atomic(Operation *op, ThreadLowering &t)
      : op(op), access(*getAtomicAccess(op)), values(t.get(access.values)), t(t) {}

  LogicalResult run(Action action) {
    bool isBlock = isa<RankedTensorType>(access.pointer.getType());
    if (!isBlock && t.hooks.fencesForOthers())
      return runScalar([&](ImplicitLocOpBuilder &b, Value pointer, ValueRange operands) {
        fenceBefore(b);
        Value old = action(b, pointer, operands);
        fenceBehind(b);
        return old;
      });
    fenceBefore(t.b);
    std::optional<GlobalRuns> runs = isBlock ? getAddedRuns() : std::nullopt;
    if (runs)
      addRuns(*runs);
    else if (failed(isBlock ? runBlock(action) : runScalar(action)))
      return failure();
    fenceBehind(t.b);
    return success();
  }

private:
  void fenceBefore(ImplicitLocOpBuilder &b) {
    if (access.releases())
      LLVM::FenceOp::create(b, LLVM::AtomicOrdering::release, t.hooks.getSyncScope(access.scope));
  }
  /// Who does not look at what was there learns nothing.
  void fenceBehind(ImplicitLocOpBuilder &b) {
    if (access.acquires() && isUsed())
      LLVM::FenceOp::create(b, LLVM::AtomicOrdering::acquire, t.hooks.getSyncScope(access.scope));
  }

  bool isUsed() const { return op->getNumResults() && !op->getResult(0).use_empty(); }

  Value actIf(Value predicate, Value pointer, ValueRange operands, Action action) {
    ImplicitLocOpBuilder &b = t.b;
    if (!predicate)
      return action(b, pointer, operands);
    bool hasResult = op->getNumResults() != 0;
    auto act = [&](OpBuilder &nested, Location loc) {
      ImplicitLocOpBuilder inner(loc, nested);
      Value old = action(inner, pointer, operands);
      scf::YieldOp::create(inner, hasResult ? ValueRange(old) : ValueRange());
    };
    if (!hasResult)
      return scf::IfOp::create(b, predicate, act), Value();
    auto conditional = scf::IfOp::create(b, predicate, act, [&](OpBuilder &nested, Location loc) {
      Type type = t.convertType(getElementType(op->getResult(0).getType()));
      ImplicitLocOpBuilder inner(loc, nested);
      scf::YieldOp::create(inner, createZero(inner, type));
    });
    return conditional.getResult(0);
  }

  /// Threads have met before it if it releases, and meet behind it if it acquires.
  LogicalResult runScalar(Action action) {
    Value first = createEquals(t.b, t.scope.getThread(), 0);
    Value old =
        actIf(createAnd(t.b, t.get(access.mask), first), t.get(access.pointer), values, action);
    if (old)
      t.set(op->getResult(0), isUsed() ? Exchange(op, t).broadcastFromFirst(old) : old);
    return success();
  }

  /// Of a block of additions, where vectors may be added.
  std::optional<GlobalRuns> getAddedRuns() {
    auto rmw = dyn_cast<AtomicRMWOp>(op);
    int64_t bits = t.target.getFact("atomic_add_bits", 0);
    if (!rmw || rmw.getKind() != AtomicKind::FAdd || isUsed() || bits == 0)
      return std::nullopt;
    Type element = getElementType(rmw.getValue().getType());
    if (!element.isF32() && !element.isF16() && !element.isBF16())
      return std::nullopt;
    GlobalRuns runs = getGlobalRuns(access.pointer, access.mask, bits, t);
    return runs.width > 1 ? std::optional(std::move(runs)) : std::nullopt;
  }

  void addRuns(const GlobalRuns &runs) {
    Type block = access.pointer.getType();
    Value predicates = getLanePredicates(access.mask, block, t);
    Value owns = emitOwnership(t.b, t.scope, getLinearLayout(block));
    Value pointers = t.get(access.pointer);
    for (ArrayRef<int32_t> run : runs.registers) {
      GlobalAccess place;
      place.pointer = t.extract(pointers, run.front());
      place.alignment = runs.alignment;
      place.predicate =
          createAnd(t.b, predicates ? t.extract(predicates, run.front()) : Value(), owns);
      t.hooks.emitAdditions(t.b, t.shuffle(values.front(), run), place, access.scope);
    }
    t.set(op->getResult(0), values.front()); // nobody reads it
  }

  LogicalResult runBlock(Action action) {
    Type block = access.pointer.getType();
    const LinearLayout &layout = getLinearLayout(block);
    Value predicates = getLanePredicates(access.mask, block, t);
    Value owns = emitOwnership(t.b, t.scope, layout);
    Value pointers = t.get(access.pointer);
    SmallVector<Value> registers;
    for (auto [reg, first] : llvm::enumerate(getFirstCopies(layout))) {
      if (first != int32_t(reg)) {
        registers.push_back(registers[first]);
        continue;
      }
      auto operands =
          llvm::map_to_vector(values, [&, reg = reg](Value v) { return t.extract(v, reg); });
      Value predicate = createAnd(t.b, predicates ? t.extract(predicates, reg) : Value(), owns);
      registers.push_back(actIf(predicate, t.extract(pointers, reg), operands, action));
    }
    if (op->getNumResults() == 0)
      return success();
    Value old = t.pack(registers);
    if (isUsed()) {
      FailureOr<Value> shared = Exchange(op, t).broadcastFromOwners(old, layout, getShape(block));
      if (failed(shared))
        return failure();
      old = *shared;
    }
    t.set(op->getResult(0), old);
    return success();
  }

  Operation *op;
  AtomicAccess access;
  SmallVector<Value> values;
  ThreadLowering &t;
};
} // namespace

/// Bytes of an element in memory.
static unsigned getBytes(Value pointer) {
  return getMemoryBits(getElementType(getPointeeLike(pointer.getType()))) / 8;
}

LogicalResult tile::lower(AtomicRMWOp op, ThreadLowering &t) {
  StringRef scope = t.hooks.getSyncScope(op.getScope());
  LLVM::AtomicBinOp kind = getLLVMAtomic(op.getKind());
  unsigned bytes = getBytes(op.getPointer());
  return Atomic(op, t).run([&](ImplicitLocOpBuilder &b, Value pointer, ValueRange values) -> Value {
    Value old = LLVM::AtomicRMWOp::create(b, kind, pointer, toMemory(b, values[0]),
                                          LLVM::AtomicOrdering::monotonic, scope, bytes);
    return fromMemory(b, old, values[0].getType());
  });
}

/// LLVM compares integers and pointers: floats go as their bits.
LogicalResult tile::lower(AtomicCASOp op, ThreadLowering &t) {
  StringRef scope = t.hooks.getSyncScope(op.getScope());
  unsigned bytes = getBytes(op.getPointer());
  return Atomic(op, t).run([&](ImplicitLocOpBuilder &b, Value pointer, ValueRange values) -> Value {
    auto exchange = LLVM::AtomicCmpXchgOp::create(
        b, pointer, toBits(b, values[0]), toBits(b, values[1]), LLVM::AtomicOrdering::monotonic,
        LLVM::AtomicOrdering::monotonic, scope, bytes);
    Value old = LLVM::ExtractValueOp::create(b, exchange.getRes(), 0);
    return fromBits(b, old, values[0].getType());
  });
}

/// As integers: every machine reads those in one step.
static Value readOnce(ImplicitLocOpBuilder &b, Value pointer, Type bits, StringRef scope) {
  return LLVM::LoadOp::create(b, bits, pointer, bits.getIntOrFloatBitWidth() / 8,
                              /*isVolatile=*/false, /*isNonTemporal=*/false,
                              /*isInvariant=*/false, /*isInvariantGroup=*/false,
                              LLVM::AtomicOrdering::monotonic, scope);
}

LogicalResult tile::lower(AtomicLoadOp op, ThreadLowering &t) {
  StringRef scope = t.hooks.getSyncScope(op.getScope());
  Type type = t.convertType(getElementType(op.getType()));
  Type bits = t.b.getIntegerType(getBytes(op.getPointer()) * 8);
  return Atomic(op, t).run([&](ImplicitLocOpBuilder &b, Value pointer, ValueRange) -> Value {
    return fromBits(b, readOnce(b, pointer, bits, scope), type);
  });
}

LogicalResult tile::lower(AtomicStoreOp op, ThreadLowering &t) {
  StringRef scope = t.hooks.getSyncScope(op.getScope());
  unsigned bytes = getBytes(op.getPointer());
  return Atomic(op, t).run([&](ImplicitLocOpBuilder &b, Value pointer, ValueRange values) -> Value {
    LLVM::StoreOp::create(b, toBits(b, values[0]), pointer, bytes, /*isVolatile=*/false,
                          /*isNonTemporal=*/false, /*isInvariantGroup=*/false,
                          LLVM::AtomicOrdering::monotonic, scope);
    return Value();
  });
}

/// The first thread asks for all.
LogicalResult tile::lower(AtomicPollOp op, ThreadLowering &t) {
  bool acquires = op.getSemantic() == MemorySemantic::Acquire;
  StringRef scope = t.hooks.getSyncScope(op.getScope());
  auto poll = [&](OpBuilder &nested, Location loc) {
    ImplicitLocOpBuilder b(loc, nested);
    Value expected = t.get(op.getExpected()), pointer = t.get(op.getPointer());
    Value found = emitPolling(
        b, expected, t.get(op.getTimeout()),
        [&](ImplicitLocOpBuilder &inner) {
          return readOnce(inner, pointer, expected.getType(), scope);
        },
        [&](ImplicitLocOpBuilder &inner) { return t.hooks.emitTimer(inner); });
    if (acquires && t.hooks.fencesForOthers())
      LLVM::FenceOp::create(b, LLVM::AtomicOrdering::acquire, scope);
    scf::YieldOp::create(b, found);
  };
  auto skip = [&](OpBuilder &nested, Location loc) {
    ImplicitLocOpBuilder b(loc, nested);
    scf::YieldOp::create(b, createZero(b, b.getI1Type()));
  };
  Value first = createEquals(t.b, t.scope.getThread(), 0);
  Value found = scf::IfOp::create(t.b, first, poll, skip).getResult(0);
  t.set(op.getResult(), Exchange(op, t).broadcastFromFirst(found));
  if (acquires && !t.hooks.fencesForOthers())
    LLVM::FenceOp::create(t.b, LLVM::AtomicOrdering::acquire, scope);
  return success();
}

/// One thread reads the clock: the program's threads agree.
LogicalResult tile::lower(TimerOp op, ThreadLowering &t) {
  t.set(op.getResult(), Exchange(op, t).broadcastFromFirst(t.hooks.emitTimer(t.b)));
  return success();
}
