//===- LaneLoops.cpp - Accesses to memory one lane after the other --------===//
//
// For what the machine cannot do with all lanes at once: where a code generator
// would unroll an access into a branch for each of 64 lanes, a loop is as fast
// and a fraction of the code.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TileToLoops/Nest.h"

using namespace mlir;
using namespace tile;
using namespace tile::loops;

/// Whether the machine has no masked access of this kind for these elements.
/// Machines with wide vectors mask all consecutive accesses.
bool Nest::goesByLane(const Address &address, Type memory, bool isStore, bool isMasked) {
  bool isNarrow = getByteWidth(memory) < 4, hasMasks = emitter.getVectorBytes() >= 64;
  if (address.kind == Address::Scattered)
    return isNarrow || (isStore && !hasMasks);
  return isMasked && isNarrow && !hasMasks;
}

/// Call `body` at the builder's position for each lane that is on, with the
/// index of the lane.
void Nest::emitLaneByLane(Value mask, function_ref<void(Value)> body) {
  Value bits;
  if (mask) {
    bits = LLVM::BitcastOp::create(builder, loc, builder.getIntegerType(width), mask);
    if (width < kChunk)
      bits = arith::ExtUIOp::create(builder, loc, builder.getI64Type(), bits);
  }
  auto loop = scf::ForOp::create(builder, loc, emitter.getIndex(0), emitter.getIndex(width),
                                 emitter.getIndex(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value lane = loop.getInductionVar();
  if (bits) {
    Value shifted = arith::ShRUIOp::create(builder, loc, bits, lane);
    Value isOn = arith::TruncIOp::create(builder, loc, builder.getI1Type(), shifted);
    auto branch = scf::IfOp::create(builder, loc, isOn, /*withElseRegion=*/false);
    builder.setInsertionPointToStart(branch.thenBlock());
  }
  body(lane);
}

/// What lane `lane` of an access that turned out not to be consecutive points
/// to. What is computed on the way is not known elsewhere.
Value Nest::evaluateLanePointer(const Address &address, Value lane) {
  auto known = values;
  auto knownPoints = mappedPoints;
  levels.push_back({builder.getInsertionBlock(), nullptr});
  unsigned outerFloor = std::exchange(floor, getInnermost());
  Point point(address.point);
  for (Coord &coord : point) {
    if (!coord.isConsecutive)
      continue;
    setInsertionPoint(getInnermost());
    Value index = arith::AddIOp::create(builder, loc, coord.base, lane);
    coord = {index, nullptr, false, getInnermost(), 1};
  }
  Value pointer = evaluate(address.source, point).value;
  setInsertionPoint(getInnermost());
  floor = outerFloor;
  levels.pop_back();
  values = std::move(known);
  mappedPoints = std::move(knownPoints);
  return pointer;
}

Value Nest::getSlotAddress(Value slot, Type element, Value lane) {
  return LLVM::GEPOp::create(builder, loc, slot.getType(), element, slot,
                             ArrayRef<LLVM::GEPArg>{lane});
}

/// The pointers of single lanes, for use inside of a loop over lanes.
std::function<Value(Value)> Nest::splitPointers(const Address &address, Type memory) {
  if (address.guard)
    return [this, &address](Value lane) { return evaluateLanePointer(address, lane); };
  if (address.kind == Address::Consecutive)
    return [this, &address, memory](Value lane) {
      return getSlotAddress(address.pointer, memory, lane);
    };
  Value slot = emitter.createSlot(address.pointer.getType());
  LLVM::StoreOp::create(builder, loc, address.pointer, slot, kSlotAlignment);
  return [this, slot](Value lane) -> Value {
    Value place = getSlotAddress(slot, slot.getType(), lane);
    return LLVM::LoadOp::create(builder, loc, slot.getType(), place, /*alignment=*/8);
  };
}

Value Nest::loadByLane(const Address &address, Type memory, Value mask, Value other) {
  unsigned alignment = getByteWidth(memory);
  Value slot = emitter.createSlot(getVector(memory));
  if (mask)
    LLVM::StoreOp::create(builder, loc, other, slot, kSlotAlignment);
  auto getPointer = splitPointers(address, memory);
  emitLaneByLane(mask, [&](Value lane) {
    Value element = LLVM::LoadOp::create(builder, loc, memory, getPointer(lane), alignment);
    LLVM::StoreOp::create(builder, loc, element, getSlotAddress(slot, memory, lane), alignment);
  });
  return LLVM::LoadOp::create(builder, loc, getVector(memory), slot, kSlotAlignment);
}

void Nest::storeByLane(Value value, const Address &address, Type memory, Value mask) {
  unsigned alignment = getByteWidth(memory);
  Value slot = emitter.createSlot(getVector(memory));
  LLVM::StoreOp::create(builder, loc, value, slot, kSlotAlignment);
  auto getPointer = splitPointers(address, memory);
  emitLaneByLane(mask, [&](Value lane) {
    Value place = getSlotAddress(slot, memory, lane);
    Value element = LLVM::LoadOp::create(builder, loc, memory, place, alignment);
    LLVM::StoreOp::create(builder, loc, element, getPointer(lane), alignment);
  });
}
