//===- Atomics.cpp - Atomic operations, lane by lane ----------------------===//
#include "compiler/conversion/AtomicKinds.h"
#include "compiler/conversion/Polling/Polling.h"
#include "compiler/conversion/TileToLoops/Nest.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace tile;
using namespace tile::loops;

static LLVM::AtomicOrdering getOrdering(MemorySemantic semantic) {
  switch (semantic) {
  case MemorySemantic::Relaxed:
    return LLVM::AtomicOrdering::monotonic;
  case MemorySemantic::Acquire:
    return LLVM::AtomicOrdering::acquire;
  case MemorySemantic::Release:
    return LLVM::AtomicOrdering::release;
  case MemorySemantic::AcquireRelease:
    return LLVM::AtomicOrdering::acq_rel;
  }
  llvm_unreachable("all orderings are listed");
}

/// The strongest ordering that a failing exchange may have.
static LLVM::AtomicOrdering getFailureOrdering(LLVM::AtomicOrdering success) {
  return success == LLVM::AtomicOrdering::acq_rel || success == LLVM::AtomicOrdering::acquire
             ? LLVM::AtomicOrdering::acquire
             : LLVM::AtomicOrdering::monotonic;
}

namespace {
/// Writes one atomic operation on scalars.
struct AtomicWriter {
  OpBuilder &builder;
  Location loc;

  Value compareExchange(Value pointer, Value expected, Value desired, LLVM::AtomicOrdering order) {
    Value pair = LLVM::AtomicCmpXchgOp::create(builder, loc, pointer, expected, desired, order,
                                               getFailureOrdering(order));
    return LLVM::ExtractValueOp::create(builder, loc, pair, ArrayRef<int64_t>{0});
  }

  /// Floats other than f32 and f64 are added by comparing and exchanging their
  /// bits until no other thread has come between.
  Value addByExchange(Value pointer, Value addend, LLVM::AtomicOrdering order) {
    Type type = addend.getType();
    Type bits = builder.getIntegerType(type.getIntOrFloatBitWidth());
    Value first = LLVM::LoadOp::create(builder, loc, bits, pointer, getByteWidth(bits),
                                       /*isVolatile=*/false, /*isNonTemporal=*/false,
                                       /*isInvariant=*/false, /*isInvariantGroup=*/false,
                                       LLVM::AtomicOrdering::monotonic);
    auto loop = scf::WhileOp::create(
        builder, loc, TypeRange{bits}, ValueRange{first},
        [&](OpBuilder &inside, Location at, ValueRange arguments) {
          Value old = arith::BitcastOp::create(inside, at, type, arguments[0]);
          Value sum = arith::AddFOp::create(inside, at, old, addend);
          Value desired = arith::BitcastOp::create(inside, at, bits, sum);
          Value found = compareExchange(pointer, arguments[0], desired, order);
          Value changed =
              arith::CmpIOp::create(inside, at, arith::CmpIPredicate::ne, found, arguments[0]);
          scf::ConditionOp::create(inside, at, changed, found);
        },
        [](OpBuilder &inside, Location at, ValueRange arguments) {
          scf::YieldOp::create(inside, at, arguments);
        });
    return arith::BitcastOp::create(builder, loc, type, loop.getResult(0));
  }

  Value load(AtomicLoadOp op, Value pointer, Type type) {
    return LLVM::LoadOp::create(builder, loc, type, pointer, getByteWidth(type),
                                /*isVolatile=*/false, /*isNonTemporal=*/false,
                                /*isInvariant=*/false, /*isInvariantGroup=*/false,
                                getOrdering(op.getSemantic()));
  }

  void store(AtomicStoreOp op, Value pointer, Value value) {
    LLVM::StoreOp::create(builder, loc, value, pointer, getByteWidth(value.getType()),
                          /*isVolatile=*/false, /*isNonTemporal=*/false,
                          /*isInvariantGroup=*/false, getOrdering(op.getSemantic()));
  }

  /// Acts on elements of `type`, as memory holds them; gives what was there, or
  /// null.
  Value write(Operation *op, ArrayRef<Value> operands, Type type) {
    if (auto read = dyn_cast<AtomicLoadOp>(op))
      return load(read, operands[0], type);
    if (auto written = dyn_cast<AtomicStoreOp>(op))
      return store(written, operands[0], operands[1]), Value();
    if (auto cas = dyn_cast<AtomicCASOp>(op))
      return compareExchange(operands[0], operands[1], operands[2], getOrdering(cas.getSemantic()));
    auto rmw = cast<AtomicRMWOp>(op);
    if (rmw.getKind() == AtomicKind::FAdd && !type.isF32() && !type.isF64())
      return addByExchange(operands[0], operands[1], getOrdering(rmw.getSemantic()));
    return LLVM::AtomicRMWOp::create(builder, loc, getLLVMAtomic(rmw.getKind()), operands[0],
                                     operands[1], getOrdering(rmw.getSemantic()));
  }
};
} // namespace

static Type getAccessedElement(Operation *op) {
  return cast<PtrType>(getElementType(op->getOperand(0).getType())).getPointee();
}

/// The type that an element is exchanged as: compared by its bits.
static Type getAtomicType(Operation *op, Type element, OpBuilder &builder) {
  auto rmw = dyn_cast<AtomicRMWOp>(op);
  bool isSum = rmw && rmw.getKind() == AtomicKind::FAdd;
  Type memory = getMemoryType(element);
  return isSum ? memory : Type(builder.getIntegerType(8 * getByteWidth(memory)));
}

/// One operation where `mask` (if any) is true; the old element as in memory, zero elsewhere.
Value Nest::emitAtomicMemory(Operation *op, ArrayRef<Value> operands, Type type, Value mask) {
  AtomicWriter writer{builder, loc};
  if (!mask)
    return writer.write(op, operands, type);
  OpBuilder::InsertionGuard guard(builder);
  if (op->getNumResults() == 0) {
    auto branch = scf::IfOp::create(builder, loc, mask, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
    return writer.write(op, operands, type);
  }
  Value zero = emitter.getConstant(cast<TypedAttr>(builder.getZeroAttr(type)));
  auto branch = scf::IfOp::create(builder, loc, type, mask, /*withElseRegion=*/true);
  builder.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder, loc, writer.write(op, operands, type));
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, loc, zero);
  return branch.getResult(0);
}

/// An atomic operation on scalars of the kernel.
Value Nest::emitAtomicLane(Operation *op, ArrayRef<Value> operands, Value mask) {
  Type element = getAccessedElement(op);
  Type type = getAtomicType(op, element, builder);
  SmallVector<Value> stored{operands[0]};
  size_t count = 1 + getAtomicAccess(op)->values.size();
  for (Value operand : operands.slice(1, count - 1)) {
    Value value = toMemory(operand, element, element, /*isUnsigned=*/false);
    stored.push_back(value.getType() == type
                         ? value
                         : arith::BitcastOp::create(builder, loc, type, value).getResult());
  }
  Value old = emitAtomicMemory(op, stored, type, mask);
  if (!old)
    return {};
  Type memory = getMemoryType(element);
  if (old.getType() != memory)
    old = arith::BitcastOp::create(builder, loc, memory, old);
  return fromMemory({old, getInnermost()}, element, element).value;
}

/// How elements travel in and out of vectors: as bits, because a 16-bit float may
/// be converted on the way, and lose what is not normal.
static Type getTravelType(Type held) {
  bool isHalf = isa<FloatType>(held) && held.getIntOrFloatBitWidth() == 16;
  return isHalf ? Type(IntegerType::get(held.getContext(), 16)) : held;
}

/// All lanes of a chunk, one after the other.
void Nest::emitAtomic(Operation *op, ArrayRef<Lanes> operands, std::optional<Lanes> mask) {
  Type element = getAccessedElement(op);
  Buffer *buffer = op->getNumResults() ? emitter.getPlan().getBuffer(op->getResult(0)) : nullptr;
  size_t count = 1 + getAtomicAccess(op)->values.size();
  if (laneDim < 0) {
    SmallVector<Value> scalars =
        llvm::map_to_vector(operands.take_front(count), [](Lanes lanes) { return lanes.value; });
    Value old = emitAtomicLane(op, scalars, mask ? mask->value : Value());
    if (buffer)
      storeBuffer(*buffer, element, {old, getInnermost()}, position, /*isUnsigned=*/false);
    return;
  }
  Type held = getLaneType(element), travel = getTravelType(held);
  auto recast = [&](Value value, Type type) -> Value {
    setInsertionPoint(getInnermost());
    return value.getType() == type
               ? value
               : arith::BitcastOp::create(builder, loc, type, value).getResult();
  };
  SmallVector<Value> vectors;
  for (const Lanes &lanes : operands.take_front(count)) {
    Value vector = spread(lanes).value;
    bool isElement = getElementType(vector.getType()) == held;
    vectors.push_back(isElement ? recast(vector, getVector(travel)) : vector);
  }
  Value live = mask ? spread(*mask).value : Value();
  Value zero = spread({emitter.getConstant(cast<TypedAttr>(builder.getZeroAttr(travel))), 0}).value;
  setInsertionPoint(getInnermost());
  auto loop = scf::ForOp::create(builder, loc, emitter.getIndex(0), emitter.getIndex(width),
                                 emitter.getIndex(1), buffer ? ValueRange(zero) : ValueRange());
  {
    OpBuilder::InsertionGuard guard(builder);
    Level body{loop.getBody(), nullptr};
    levels.push_back(body);
    setInsertionPoint(getInnermost());
    Value lane = loop.getInductionVar();
    auto extract = [&](Value vector) -> Value {
      return vector::ExtractOp::create(builder, loc, vector, OpFoldResult(getLaneIndex(lane)));
    };
    SmallVector<Value> scalars = llvm::map_to_vector(vectors, extract);
    scalars[0] = LLVM::IntToPtrOp::create(
        builder, loc, LLVM::LLVMPointerType::get(builder.getContext()), scalars[0]);
    for (Value &value : MutableArrayRef(scalars).drop_front())
      value = isa<PtrType>(element)
                  ? LLVM::IntToPtrOp::create(builder, loc, scalars[0].getType(), value).getResult()
                  : recast(value, held);
    Value old = emitAtomicLane(op, scalars, live ? extract(live) : Value());
    if (buffer) {
      old = recast(asInteger({old, getInnermost()}).value, travel);
      Value next = vector::InsertOp::create(builder, loc, old, loop.getRegionIterArgs()[0],
                                            OpFoldResult(getLaneIndex(lane)));
      scf::YieldOp::create(builder, loc, next);
    }
    levels.pop_back();
  }
  if (buffer)
    storeBuffer(*buffer, element, {recast(loop.getResult(0), getVector(held)), getInnermost()},
                position, /*isUnsigned=*/false);
}

Value Nest::emitPoll(AtomicPollOp op, Value pointer, Value expected, Value timeout) {
  ImplicitLocOpBuilder b(loc, builder);
  auto read = [&](ImplicitLocOpBuilder &inner) -> Value {
    Type type = expected.getType();
    return LLVM::LoadOp::create(inner, type, pointer, getByteWidth(type), /*isVolatile=*/false,
                                /*isNonTemporal=*/false, /*isInvariant=*/false,
                                /*isInvariantGroup=*/false, getOrdering(op.getSemantic()));
  };
  auto readClock = [&](ImplicitLocOpBuilder &inner) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(inner.getInsertionBlock(), inner.getInsertionPoint());
    return emitter.readTimer(loc);
  };
  return emitPolling(b, expected, timeout, read, readClock);
}

Value Nest::getLaneIndex(Value lane) {
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), lane);
}
