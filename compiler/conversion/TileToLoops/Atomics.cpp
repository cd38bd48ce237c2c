//===- Atomics.cpp - Atomic operations, lane by lane ----------------------===//
#include "compiler/conversion/TileToLoops/Nest.h"

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

  Value write(Operation *op, ArrayRef<Value> operands) {
    if (auto cas = dyn_cast<AtomicCASOp>(op))
      return compareExchange(operands[0], operands[1], operands[2], getOrdering(cas.getSemantic()));
    auto rmw = cast<AtomicRMWOp>(op);
    Type type = operands[1].getType();
    if (rmw.getKind() == AtomicKind::FAdd && !type.isF32() && !type.isF64())
      return addByExchange(operands[0], operands[1], getOrdering(rmw.getSemantic()));
    return LLVM::AtomicRMWOp::create(builder, loc, getBinOp(rmw.getKind()), operands[0],
                                     operands[1], getOrdering(rmw.getSemantic()));
  }
};
} // namespace

/// The type that an element is exchanged as: compared by its bits.
static Type getAtomicType(Operation *op, Type element, OpBuilder &builder) {
  auto rmw = dyn_cast<AtomicRMWOp>(op);
  bool isSum = rmw && rmw.getKind() == AtomicKind::FAdd;
  Type memory = getMemoryType(element);
  return isSum ? memory : Type(builder.getIntegerType(8 * getByteWidth(memory)));
}

/// One operation where `mask` (if any) is true; the old element as in memory, zero elsewhere.
Value Nest::emitAtomicMemory(Operation *op, ArrayRef<Value> operands, Value mask) {
  AtomicWriter writer{builder, loc};
  if (!mask)
    return writer.write(op, operands);
  Type type = operands[1].getType();
  Value zero = emitter.getConstant(cast<TypedAttr>(builder.getZeroAttr(type)));
  auto branch = scf::IfOp::create(builder, loc, type, mask, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder, loc, writer.write(op, operands));
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, loc, zero);
  return branch.getResult(0);
}

/// An atomic operation on scalars of the kernel.
Value Nest::emitAtomicLane(Operation *op, ArrayRef<Value> operands, Value mask) {
  Type element = getElementType(op->getResult(0).getType());
  Type type = getAtomicType(op, element, builder);
  SmallVector<Value> stored{operands[0]};
  unsigned count = isa<AtomicCASOp>(op) ? 3 : 2;
  for (Value operand : operands.slice(1, count - 1)) {
    Value value = toMemory(operand, element, element, /*isUnsigned=*/false);
    stored.push_back(value.getType() == type
                         ? value
                         : arith::BitcastOp::create(builder, loc, type, value).getResult());
  }
  Value old = emitAtomicMemory(op, stored, mask);
  Type memory = getMemoryType(element);
  if (old.getType() != memory)
    old = arith::BitcastOp::create(builder, loc, memory, old);
  return fromMemory({old, getInnermost()}, element, element).value;
}

/// All lanes of a chunk, one after the other.
void Nest::emitAtomic(Operation *op, ArrayRef<Lanes> operands, std::optional<Lanes> mask) {
  Type element = getElementType(op->getResult(0).getType());
  Buffer *buffer = emitter.getPlan().getBuffer(op->getResult(0));
  unsigned count = isa<AtomicCASOp>(op) ? 3 : 2;
  if (laneDim < 0) {
    SmallVector<Value> scalars =
        llvm::map_to_vector(operands.take_front(count), [](Lanes lanes) { return lanes.value; });
    Value old = emitAtomicLane(op, scalars, mask ? mask->value : Value());
    if (buffer)
      storeBuffer(*buffer, element, {old, getInnermost()}, position, /*isUnsigned=*/false);
    return;
  }
  SmallVector<Value> vectors;
  for (const Lanes &lanes : operands.take_front(count))
    vectors.push_back(spread(lanes).value);
  Value live = mask ? spread(*mask).value : Value();
  Value zero =
      spread({emitter.getConstant(cast<TypedAttr>(builder.getZeroAttr(getLaneType(element)))), 0})
          .value;
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
    if (isa<PtrType>(element))
      for (Value &value : MutableArrayRef(scalars).drop_front())
        value = LLVM::IntToPtrOp::create(builder, loc, scalars[0].getType(), value);
    Value old = emitAtomicLane(op, scalars, live ? extract(live) : Value());
    if (buffer) {
      old = asInteger({old, getInnermost()}).value;
      Value next = vector::InsertOp::create(builder, loc, old, loop.getRegionIterArgs()[0],
                                            OpFoldResult(getLaneIndex(lane)));
      scf::YieldOp::create(builder, loc, next);
    }
    levels.pop_back();
  }
  if (buffer)
    storeBuffer(*buffer, element, {loop.getResult(0), getInnermost()}, position,
                /*isUnsigned=*/false);
}

Value Nest::getLaneIndex(Value lane) {
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), lane);
}
