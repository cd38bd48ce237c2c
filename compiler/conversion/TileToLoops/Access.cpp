//===- Access.cpp - Reading and writing memory by lanes -------------------===//
//
// Pointers whose offset grows by one from lane to lane become plain vector
// accesses, equal ones a scalar access, all others a gather or scatter.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TileToLoops/Nest.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tile;
using namespace tile::loops;

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// Pointers of all lanes: a base that they share plus offsets where the chain of
/// additions has one, which is what gathers want.
Value Nest::scatterPointers(Value pointer, const Point &point, unsigned &level) {
  auto add = pointer.getDefiningOp<AddPtrOp>();
  auto vectorOfPointers = getVector(LLVM::LLVMPointerType::get(builder.getContext()));
  if (add && isUniform(add.getPointer(), point) && !emitter.getPlan().getBuffer(pointer)) {
    Lanes base = evaluate(add.getPointer(), point);
    Lanes offset = spread(evaluate(add.getOffset(), point));
    level = std::max(base.level, offset.level);
    Type pointee = getMemoryType(cast<PtrType>(getElementType(add.getType())).getPointee());
    setInsertionPoint(level);
    return LLVM::GEPOp::create(builder, loc, vectorOfPointers, pointee, base.value,
                               ValueRange(offset.value));
  }
  Lanes lanes = spread(evaluate(pointer, point));
  level = lanes.level;
  setInsertionPoint(level);
  return LLVM::IntToPtrOp::create(builder, loc, vectorOfPointers, lanes.value);
}

Address Nest::resolve(Value pointer, const Point &point) {
  std::optional<int64_t> stride = getStride(pointer, point);
  if (stride == 0) {
    Lanes lanes = evaluate(pointer, point);
    return {Address::Uniform, lanes.value, lanes.level, nullptr};
  }
  if (stride == 1) {
    Lanes first = evaluateFirst(pointer, point);
    Address address{Address::Consecutive, first.value, first.level, nullptr};
    SmallVector<Value> guards;
    collectGuards(pointer, point, guards);
    setInsertionPoint(getInnermost());
    for (Value guard : guards)
      address.guard = address.guard
                          ? arith::AndIOp::create(builder, loc, address.guard, guard).getResult()
                          : guard;
    if (!address.guard)
      return address;
    address.level = getInnermost();
    address.source = pointer;
    address.point = point;
    return address;
  }
  Address address{Address::Scattered, nullptr, 0, nullptr};
  address.pointer = scatterPointers(pointer, point, address.level);
  return address;
}

Address Nest::resolveBuffer(const Buffer &buffer, const Point &point) {
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  Type element = getMemoryType(buffer.element);
  Coord index{emitter.getIndex(0), nullptr, false, 0, 0};
  std::optional<int64_t> laneStride;
  for (auto [dim, coord] : llvm::enumerate(point)) {
    if (buffer.shape[dim] == 1)
      continue;
    if (coord.isConsecutive && buffer.strides[dim] != 1 && !index.lanes) {
      // Keep the first lane's index apart: the lanes' distance is constant.
      laneStride = buffer.strides[dim];
      index = addCoords(
          index, scaleCoord({coord.base, nullptr, false, coord.level, 1}, buffer.strides[dim]));
      continue;
    }
    index = addCoords(index, scaleCoord(coord, buffer.strides[dim]));
  }
  Value base = emitter.getAddress(buffer);
  Address address{Address::Uniform, base, index.level, nullptr};
  if (index.isConsecutive || index.isUniform()) {
    setInsertionPoint(index.level);
    if (!matchPattern(index.base, m_Zero()))
      address.pointer = LLVM::GEPOp::create(builder, loc, pointer, element, base,
                                            ArrayRef<LLVM::GEPArg>{index.base});
    if (index.isConsecutive)
      address.kind = Address::Consecutive;
    if (!laneStride)
      return address;
  }
  address.kind = Address::Scattered;
  Value lanes = index.lanes;
  if (laneStride) {
    Value iota = getIota(builder.getI64Type());
    setInsertionPoint(index.level);
    Value steps =
        arith::MulIOp::create(builder, loc, iota, spread({emitter.getIndex(*laneStride), 0}).value);
    lanes = lanes ? arith::AddIOp::create(builder, loc, lanes, steps).getResult() : steps;
  }
  setInsertionPoint(index.level);
  address.pointer = LLVM::GEPOp::create(builder, loc, getVector(pointer), element, address.pointer,
                                        ValueRange(lanes));
  return address;
}

//===----------------------------------------------------------------------===//
// Between memory and lanes
//===----------------------------------------------------------------------===//

/// Lanes as they were read, of memory element `from`, as lanes of `to`.
Lanes Nest::fromMemory(Lanes stored, Type from, Type to) {
  setInsertionPoint(stored.level);
  auto likeStored = [&](Type element) {
    return stored.isUniform() ? element : Type(getVector(element));
  };
  Value value = stored.value;
  if (isa<PtrType>(to)) {
    if (stored.isUniform())
      value = LLVM::IntToPtrOp::create(builder, loc, getScalarType(to), value);
  } else if (from.isInteger(1)) {
    Value zero = emitter.getConstant(builder.getI8IntegerAttr(0));
    if (!stored.isUniform())
      zero = spread({zero, 0}).value;
    setInsertionPoint(stored.level);
    value = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value, zero);
  } else if (getMemoryType(from) != from) {
    value = arith::BitcastOp::create(builder, loc, likeStored(from), value);
  }
  if (from != to && isa<FloatType>(to))
    value = arith::TruncFOp::create(builder, loc, likeStored(to), value);
  else if (from != to && isa<IntegerType>(to))
    value = arith::TruncIOp::create(builder, loc, likeStored(to), value);
  return {value, stored.level};
}

/// A value of `element` as it is stored in memory of `stored` elements.
Value Nest::toMemory(Value value, Type element, Type stored, bool isUnsigned) {
  bool isVector = isa<VectorType>(value.getType());
  auto likeValue = [&](Type type) { return isVector ? Type(getVector(type)) : type; };
  if (element != stored && isa<FloatType>(stored))
    value = arith::ExtFOp::create(builder, loc, likeValue(stored), value);
  else if (element != stored && isa<IntegerType>(stored) && isUnsigned)
    value = arith::ExtUIOp::create(builder, loc, likeValue(stored), value);
  else if (element != stored && isa<IntegerType>(stored))
    value = arith::ExtSIOp::create(builder, loc, likeValue(stored), value);
  Type memory = getMemoryType(stored);
  if (isa<LLVM::LLVMPointerType>(value.getType()))
    return LLVM::PtrToIntOp::create(builder, loc, memory, value);
  if (stored.isInteger(1))
    return arith::ExtUIOp::create(builder, loc, likeValue(memory), value);
  if (memory != stored && isa<FloatType>(stored))
    return arith::BitcastOp::create(builder, loc, likeValue(memory), value);
  return value;
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

std::optional<Lanes> Nest::getAccessMask(Value mask, const Point &point) {
  std::optional<Lanes> lanes;
  if (mask)
    lanes = evaluate(mask, point);
  if (lanes && matchPattern(lanes->value, m_One()))
    lanes.reset();
  bool hasLanes = llvm::any_of(point, [](const Coord &coord) { return !coord.isUniform(); });
  if (!tailMask || !hasLanes)
    return lanes;
  unsigned level = position[laneDim].level;
  if (!lanes)
    return Lanes{tailMask, level};
  Value live = spread(*lanes).value;
  level = std::max(level, lanes->level);
  setInsertionPoint(level);
  return Lanes{arith::AndIOp::create(builder, loc, live, tailMask), level};
}

/// `mask ? *pointer : other` without touching memory where the mask is false.
Value Nest::loadUniform(Value pointer, Type element, Value mask, Value other, bool isVolatile) {
  Type memory = getMemoryType(element);
  auto read = [&] {
    Value value =
        LLVM::LoadOp::create(builder, loc, memory, pointer, getByteWidth(memory), isVolatile);
    return value;
  };
  if (!mask)
    return read();
  auto branch = scf::IfOp::create(builder, loc, memory, mask, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder, loc, read());
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, loc, other);
  return branch.getResult(0);
}

Value Nest::loadConsecutive(Value pointer, Type memory, Value mask, Value other, bool isVolatile) {
  unsigned alignment = getByteWidth(memory);
  if (mask)
    return LLVM::MaskedLoadOp::create(builder, loc, getVector(memory), pointer, mask, other,
                                      builder.getI32IntegerAttr(alignment),
                                      /*nontemporal=*/UnitAttr());
  return LLVM::LoadOp::create(builder, loc, getVector(memory), pointer, alignment, isVolatile);
}

Value Nest::loadScattered(Value pointers, Type memory, Value mask, Value other) {
  if (!mask)
    mask = spread({emitter.getConstant(builder.getBoolAttr(true)), 0}).value;
  return LLVM::masked_gather::create(builder, loc, getVector(memory), pointers, mask,
                                     ValueRange(other),
                                     builder.getI32IntegerAttr(getByteWidth(memory)));
}

Value Nest::loadLanes(const Address &address, Type memory, Value mask, Value other,
                      bool isVolatile) {
  if (goesByLane(address, memory, /*isStore=*/false, static_cast<bool>(mask)))
    return loadByLane(address, memory, mask, other);
  if (address.kind == Address::Scattered)
    return loadScattered(address.pointer, memory, mask, other);
  if (!address.guard)
    return loadConsecutive(address.pointer, memory, mask, other, isVolatile);
  auto branch = scf::IfOp::create(builder, loc, getVector(memory), address.guard,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder, loc,
                       loadConsecutive(address.pointer, memory, mask, other, isVolatile));
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, loc, loadByLane(address, memory, mask, other));
  return branch.getResult(0);
}

Lanes Nest::load(LoadOp op, const Point &point) {
  Type element = getElementType(op.getType()), memory = getMemoryType(element);
  Address address = isBlock(op.getPointer())
                        ? resolve(op.getPointer(), point)
                        : Address{Address::Uniform, emitter.getScalar(op.getPointer()), 0};
  std::optional<Lanes> mask =
      op.getMask() ? std::optional(evaluate(op.getMask(), point)) : std::nullopt;
  if (mask && matchPattern(mask->value, m_One()))
    mask.reset();
  if (address.kind != Address::Uniform)
    mask = getAccessMask(op.getMask(), point);
  Lanes other = getOther(op, point, memory);
  unsigned level = std::max({address.level, other.level, mask ? mask->level : 0});
  if (op.getMask() && !mask && areMasksTrue)
    level = std::max(level, position[laneDim].level); // the mask holds in the loop only
  if (address.kind == Address::Uniform && (!mask || (mask->isUniform() && other.isUniform()))) {
    setInsertionPoint(level);
    Value value = loadUniform(address.pointer, element, mask ? mask->value : Value(), other.value,
                              op.getIsVolatile());
    return fromMemory({value, level}, element, element);
  }
  other = spread(other);
  if (address.kind == Address::Uniform) {
    Lanes live = spread(*mask);
    setInsertionPoint(level);
    Value any = vector::ReductionOp::create(builder, loc, vector::CombiningKind::OR, live.value);
    Value zero = emitter.getConstant(cast<TypedAttr>(builder.getZeroAttr(memory)));
    Value value = loadUniform(address.pointer, element, any, zero, op.getIsVolatile());
    Value lanes = spread({value, level}).value;
    setInsertionPoint(level);
    value = arith::SelectOp::create(builder, loc, live.value, lanes, other.value);
    return fromMemory({value, level}, element, element);
  }
  Value live = mask ? spread(*mask).value : Value();
  setInsertionPoint(level);
  return fromMemory({loadLanes(address, memory, live, other.value, op.getIsVolatile()), level},
                    element, element);
}

/// What masked lanes of a load hold, as in memory.
Lanes Nest::getOther(LoadOp op, const Point &point, Type memory) {
  if (!op.getOther())
    return {emitter.getConstant(cast<TypedAttr>(builder.getZeroAttr(memory))), 0};
  Lanes other = evaluate(op.getOther(), point);
  Type element = getElementType(op.getType());
  setInsertionPoint(other.level);
  return {toMemory(other.value, element, element, /*isUnsigned=*/false), other.level};
}

Lanes Nest::readBuffer(const Buffer &buffer, Type element, const Point &point) {
  Address address = resolveBuffer(buffer, point);
  Type memory = getMemoryType(buffer.element);
  setInsertionPoint(address.level);
  Value value;
  if (address.kind == Address::Uniform) {
    value = loadUniform(address.pointer, buffer.element, nullptr, nullptr, false);
  } else if (address.kind == Address::Consecutive) {
    value = loadConsecutive(address.pointer, memory, nullptr, nullptr, false);
  } else {
    // Lanes beyond the block could reach beyond the arena here.
    Value other =
        spread({emitter.getConstant(cast<TypedAttr>(builder.getZeroAttr(memory))), 0}).value;
    if (tailMask)
      address.level = std::max(address.level, position[laneDim].level);
    setInsertionPoint(address.level);
    value = loadLanes(address, memory, tailMask, other, /*isVolatile=*/false);
  }
  return fromMemory({value, address.level}, buffer.element, element);
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void Nest::storeConsecutive(Value value, Value pointer, Type memory, Value mask) {
  unsigned alignment = getByteWidth(memory);
  if (mask)
    LLVM::MaskedStoreOp::create(builder, loc, value, pointer, mask,
                                builder.getI32IntegerAttr(alignment));
  else
    LLVM::StoreOp::create(builder, loc, value, pointer, alignment);
}

void Nest::storeScattered(Value value, Value pointers, Type memory, Value mask) {
  if (!mask)
    mask = spread({emitter.getConstant(builder.getBoolAttr(true)), 0}).value;
  LLVM::masked_scatter::create(builder, loc, value, pointers, mask,
                               builder.getI32IntegerAttr(getByteWidth(memory)));
}

void Nest::storeVector(Value stored, const Address &address, Type memory, Value mask) {
  if (goesByLane(address, memory, /*isStore=*/true, static_cast<bool>(mask)))
    return storeByLane(stored, address, memory, mask);
  if (address.kind == Address::Scattered)
    return storeScattered(stored, address.pointer, memory, mask);
  if (!address.guard)
    return storeConsecutive(stored, address.pointer, memory, mask);
  auto branch = scf::IfOp::create(builder, loc, address.guard, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  storeConsecutive(stored, address.pointer, memory, mask);
  builder.setInsertionPointToStart(branch.elseBlock());
  storeByLane(stored, address, memory, mask);
}

void Nest::storeLanes(const Address &address, Type element, Lanes value,
                      std::optional<Lanes> mask) {
  Type memory = getMemoryType(element);
  bool isOneElement =
      address.kind == Address::Uniform && value.isUniform() && (!mask || mask->isUniform());
  if (!isOneElement) {
    value = spread(value);
    if (mask)
      mask = spread(*mask);
  }
  setInsertionPoint(getInnermost());
  Value stored = toMemory(value.value, element, element, /*isUnsigned=*/false);
  Value live = mask ? mask->value : Value();
  OpBuilder::InsertionGuard guard(builder);
  if (isOneElement) {
    if (live)
      builder.setInsertionPointToStart(
          scf::IfOp::create(builder, loc, live, /*withElseRegion=*/false).thenBlock());
    LLVM::StoreOp::create(builder, loc, stored, address.pointer, getByteWidth(memory));
    return;
  }
  if (Value condition = mayStream ? getStreamCondition(address, memory) : Value())
    return storeStreamed(stored, address, memory, condition);
  if (address.kind != Address::Uniform)
    return storeVector(stored, address, memory, live);
  Value integer = asInteger({address.pointer, getInnermost()}).value;
  Value all = spread({integer, getInnermost()}).value;
  Type pointers = getVector(LLVM::LLVMPointerType::get(builder.getContext()));
  Address each{Address::Scattered, LLVM::IntToPtrOp::create(builder, loc, pointers, all),
               getInnermost(), nullptr};
  storeVector(stored, each, memory, live);
}

void Nest::storeBuffer(const Buffer &buffer, Type element, Lanes value, const Point &point,
                       bool isUnsigned) {
  Address address = resolveBuffer(buffer, point);
  bool hasLanes = address.kind != Address::Uniform;
  if (hasLanes)
    value = spread(value);
  setInsertionPoint(getInnermost());
  Type memory = getMemoryType(buffer.element);
  Value stored = toMemory(value.value, element, buffer.element, isUnsigned);
  if (address.kind == Address::Scattered)
    storeVector(stored, address, memory, tailMask);
  else
    LLVM::StoreOp::create(builder, loc, stored, address.pointer, getByteWidth(memory));
}
