//===- Evaluate.cpp - Values of blocks at the index of a nest -------------===//
//
// A value is computed once for each index that it is needed at, in the
// outermost loop that it does not change in, and as a scalar where all lanes
// agree.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TileToLoops/Nest.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tile;
using namespace tile::loops;

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

Value Nest::getIota(Type element) {
  SmallVector<APInt> values;
  for (int64_t lane = 0; lane < width; ++lane)
    values.emplace_back(element.getIntOrFloatBitWidth(), lane, /*isSigned=*/false,
                        /*implicitTrunc=*/true);
  return emitter.getConstant(DenseElementsAttr::get(getVector(element), values));
}

Lanes Nest::asInteger(Lanes pointer) {
  if (!isa<LLVM::LLVMPointerType>(pointer.value.getType()))
    return pointer;
  setInsertionPoint(pointer.level);
  return {LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), pointer.value),
          pointer.level};
}

Lanes Nest::spread(Lanes lanes) {
  if (!lanes.isUniform())
    return lanes;
  lanes = asInteger(lanes);
  Attribute constant;
  if (matchPattern(lanes.value, m_Constant(&constant)))
    return {emitter.getConstant(DenseElementsAttr::get(getVector(lanes.value.getType()), constant)),
            0};
  setInsertionPoint(lanes.level);
  return {vector::BroadcastOp::create(builder, loc, getVector(lanes.value.getType()), lanes.value),
          lanes.level};
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

/// Two points of one number hold the same indices. The lane dimension's own
/// index counts as one whichever part of the lane loop is written.
unsigned Nest::getPointId(const Point &point) {
  std::vector<const void *> identity;
  for (const Coord &coord : point) {
    bool isLaneLoop = coord.isConsecutive && laneDim >= 0 && coord.base == position[laneDim].base;
    identity.push_back(isLaneLoop ? this : coord.base.getAsOpaquePointer());
    identity.push_back(coord.lanes.getAsOpaquePointer());
    identity.push_back(coord.isConsecutive ? this : nullptr);
  }
  return pointIds.try_emplace(std::move(identity), pointIds.size()).first->second;
}

/// Whether the part of the lane loop that is written runs only where `condition`
/// holds. What all lanes share may be computed outside of the loop, where it
/// would not hold.
bool Nest::isTrueHere(Value condition, const Point &point) {
  return areMasksTrue && !rangeTerms.empty() &&
         llvm::any_of(point, [](const Coord &coord) { return !coord.isUniform(); }) &&
         rangeTerms.contains({condition, getPointId(point)});
}

Lanes Nest::evaluate(Value value, const Point &point) {
  if (!isBlock(value))
    return {emitter.getScalar(value), 0};
  Key key(value, getPointId(point));
  if (auto found = values.find(key); found != values.end())
    return found->second;
  Lanes result;
  Buffer *buffer = emitter.getPlan().getBuffer(value);
  if (isTrueHere(value, point))
    result = {emitter.getConstant(builder.getBoolAttr(true)), 0};
  else if (buffer && !current->writes(value, buffer))
    result = readBuffer(*buffer, getElementType(value.getType()), point);
  else
    result = compute(cast<OpResult>(value), point);
  return values[key] = result;
}

Lanes Nest::compute(OpResult value, const Point &point) {
  Operation *op = value.getOwner();
  if (auto load = dyn_cast<LoadOp>(op))
    return Nest::load(load, point);
  if (auto arange = dyn_cast<ArangeOp>(op))
    return computeArange(arange, point);
  if (auto splat = dyn_cast<SplatOp>(op))
    return evaluate(splat.getSource(), point);
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return computeConstant(constant);
  if (isa<ub::PoisonOp>(op))
    return {getZero(getScalarType(getElementType(value.getType()))), 0};
  if (auto hint = dyn_cast<HintOp>(op))
    return evaluate(hint.getSource(), point);
  if (auto join = dyn_cast<JoinOp>(op))
    return selectJoined(join, point);
  if (auto split = dyn_cast<SplitOp>(op)) {
    Point half(point);
    half.push_back({emitter.getIndex(value.getResultNumber()), nullptr, false, 0, 1});
    return evaluate(split.getSource(), half);
  }
  if (auto gather = dyn_cast<GatherOp>(op))
    return computeGather(gather, point);
  if (auto cat = dyn_cast<CatOp>(op))
    return computeCat(cat, point);
  if (isShapeChange(op))
    return evaluate(op->getOperand(0), mapPoint(op, point));
  SmallVector<Lanes> operands;
  for (Value operand : op->getOperands())
    operands.push_back(evaluate(operand, point));
  if (isa<MapOp, InlineAsmOp>(op)) {
    unsigned at = getPointId(point);
    for (auto [result, lanes] : llvm::zip(op->getResults(), computeByElement(op, operands)))
      values[{result, at}] = lanes;
    return values.lookup({value, at});
  }
  return isa<AddPtrOp, PtrToIntOp, IntToPtrOp, CastPtrOp>(op) ? computePointerOp(op, operands)
                                                              : computeElementwise(value, operands);
}

/// Zero, or the null pointer.
Value Nest::getZero(Type type) {
  if (!isa<LLVM::LLVMPointerType>(type))
    return emitter.getConstant(cast<TypedAttr>(builder.getZeroAttr(type)));
  setInsertionPoint(0);
  return LLVM::ZeroOp::create(builder, loc, type);
}

Lanes Nest::computeConstant(arith::ConstantOp op) {
  auto elements = cast<DenseElementsAttr>(op.getValue());
  return {emitter.getConstant(cast<TypedAttr>(elements.getSplatValue<Attribute>())), 0};
}

Lanes Nest::computeArange(ArangeOp op, const Point &point) {
  const Coord &coord = point.front();
  setInsertionPoint(coord.level);
  Type i32 = builder.getI32Type();
  Value start = emitter.getConstant(builder.getI32IntegerAttr(op.getStart()));
  if (coord.lanes) {
    Value lanes = arith::TruncIOp::create(builder, loc, getVector(i32), coord.lanes);
    return {arith::AddIOp::create(builder, loc, lanes, spread({start, 0}).value), coord.level};
  }
  Value base;
  if (matchPattern(coord.base, m_Zero())) {
    base = start;
  } else {
    base = arith::TruncIOp::create(builder, loc, i32, coord.base);
    if (op.getStart() != 0)
      base = arith::AddIOp::create(builder, loc, base, start);
  }
  if (!coord.isConsecutive)
    return {base, coord.level};
  Value lanes = spread({base, coord.level}).value;
  setInsertionPoint(coord.level);
  return {arith::AddIOp::create(builder, loc, lanes, getIota(i32)), coord.level};
}

/// x / y where all lanes share y: x times the inverse, and one correction, which
/// makes the quotient the exact one but for the smallest x. Vector division takes
/// far longer. A y near the ends of the range is scaled, and so is x.
Lanes Nest::divideByOne(Lanes dividend, Lanes divisor) {
  auto constant = [&](double number) {
    return emitter.getConstant(builder.getF32FloatAttr(static_cast<float>(number)));
  };
  auto isBelow = [&](Value a, Value b) -> Value {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, a, b);
  };
  Value large = constant(0x1p100), small = constant(0x1p-100), one = constant(1);
  setInsertionPoint(divisor.level);
  Value size = math::AbsFOp::create(builder, loc, divisor.value);
  Value scale = arith::SelectOp::create(
      builder, loc, isBelow(large, size), small,
      arith::SelectOp::create(builder, loc, isBelow(size, small), large, one));
  // With its sign, so that what x is divided by is positive: zeros keep theirs.
  scale = math::CopySignOp::create(builder, loc, scale, divisor.value);
  Value scaled = arith::MulFOp::create(builder, loc, divisor.value, scale);
  Value inverse = arith::DivFOp::create(builder, loc, one, scaled);
  auto like = [&](Value scalar) { return spread({scalar, divisor.level}).value; };
  scale = like(scale);
  scaled = like(scaled);
  inverse = like(inverse);
  unsigned level = std::max(dividend.level, divisor.level);
  setInsertionPoint(level);
  Value x = arith::MulFOp::create(builder, loc, dividend.value, scale);
  Value quotient = arith::MulFOp::create(builder, loc, x, inverse);
  Value excess =
      math::FmaOp::create(builder, loc, quotient, scaled, arith::NegFOp::create(builder, loc, x));
  Value better = math::FmaOp::create(builder, loc, arith::NegFOp::create(builder, loc, excess),
                                     inverse, quotient);
  // Infinite quotients cannot be corrected.
  Value isNumber = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ORD, better, better);
  return {arith::SelectOp::create(builder, loc, isNumber, better, quotient), level};
}

/// Whether `op` may be computed by `divideByOne`: an f32 division that need not be exact.
static bool isApproximateDivision(Operation *op) {
  auto divide = dyn_cast<arith::DivFOp>(op);
  return divide && getElementType(divide.getType()).isF32() &&
         arith::bitEnumContainsAll(divide.getFastmath(), arith::FastMathFlags::afn);
}

/// A copy of the operation on scalars, or on vectors where any operand is one.
Lanes Nest::computeElementwise(OpResult value, ArrayRef<Lanes> operands) {
  Operation *op = value.getOwner();
  bool isVector = llvm::any_of(operands, [](const Lanes &lanes) { return !lanes.isUniform(); });
  if (isApproximateDivision(op) && !operands[0].isUniform() && operands[1].isUniform())
    return divideByOne(operands[0], operands[1]);
  unsigned level = 0;
  IRMapping mapping;
  for (auto [index, operand] : llvm::enumerate(operands)) {
    bool isCondition = isa<arith::SelectOp>(op) && index == 0;
    Lanes lanes = isVector && !isCondition ? spread(operand) : operand;
    level = std::max(level, lanes.level);
    mapping.map(op->getOperand(index), lanes.value);
  }
  setInsertionPoint(level);
  Operation *copy = builder.clone(*op, mapping);
  for (OpResult result : copy->getResults()) {
    Type element = getElementType(result.getType());
    result.setType(isVector ? Type(getVector(getLaneType(element))) : getScalarType(element));
  }
  SmallVector<Value> folded;
  bool mayFold = isa<arith::SelectOp>(op) || getElementType(value.getType()).isInteger(1);
  if (mayFold && op->getNumResults() == 1 && succeeded(builder.tryFold(copy, folded)) &&
      !folded.empty()) {
    copy->erase();
    return {folded.front(), level};
  }
  return {copy->getResult(value.getResultNumber()), level};
}

Lanes Nest::computePointerOp(Operation *op, ArrayRef<Lanes> operands) {
  unsigned level = 0;
  bool isVector = llvm::any_of(operands, [](const Lanes &lanes) { return !lanes.isUniform(); });
  for (const Lanes &operand : operands)
    level = std::max(level, operand.level);
  Lanes source = operands.front();
  if (isa<CastPtrOp>(op))
    return source;
  if (isa<PtrToIntOp>(op))
    return asInteger(source);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext());
  if (isa<IntToPtrOp>(op)) {
    if (isVector)
      return source;
    setInsertionPoint(level);
    return {LLVM::IntToPtrOp::create(builder, loc, pointer, source.value), level};
  }
  auto add = cast<AddPtrOp>(op);
  Type pointee = getMemoryType(cast<PtrType>(getElementType(add.getType())).getPointee());
  if (!isVector) {
    setInsertionPoint(level);
    return {LLVM::GEPOp::create(builder, loc, pointer, pointee, source.value,
                                ArrayRef<LLVM::GEPArg>{operands[1].value}),
            level};
  }
  Value address = spread(source).value;
  Value offset = extendIndex(spread(operands[1]).value, level);
  Value size = spread({emitter.getIndex(getByteWidth(pointee)), 0}).value;
  setInsertionPoint(level);
  offset = arith::MulIOp::create(builder, loc, offset, size);
  return {arith::AddIOp::create(builder, loc, address, offset), level};
}

Value Nest::extendIndex(Value index, unsigned level) {
  if (getElementTypeOrSelf(index.getType()).isInteger(64))
    return index;
  setInsertionPoint(level);
  Type type = isa<VectorType>(index.getType()) ? Type(getVector(builder.getI64Type()))
                                               : Type(builder.getI64Type());
  return arith::ExtSIOp::create(builder, loc, type, index);
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

SmallVector<Value> Nest::emitScalar(Operation *op) {
  Group none;
  current = &none;
  SmallVector<Lanes> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isBlock(operand) ? Lanes() : Lanes{emitter.getScalar(operand), 0});
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case<ProgramIdOp, NumProgramsOp>([&](auto grid) -> SmallVector<Value> {
        return {loadGridValue(grid.getAxis() + (isa<NumProgramsOp>(op) ? 3 : 0))};
      })
      .Case<LoadOp>([&](LoadOp load) -> SmallVector<Value> { return {Nest::load(load, {}).value}; })
      .Case<StoreOp>([&](StoreOp store) -> SmallVector<Value> {
        storeLanes({Address::Uniform, operands[0].value, 0, nullptr}, store.getValue().getType(),
                   operands[1], getAccessMask(store.getMask(), {}));
        return {};
      })
      .Case<AtomicRMWOp, AtomicCASOp, AtomicLoadOp, AtomicStoreOp>(
          [&](Operation *atomic) -> SmallVector<Value> {
            std::optional<Lanes> mask = getAccessMask(getAtomicAccess(atomic)->mask, {});
            auto values = llvm::map_to_vector(operands, [](Lanes x) { return x.value; });
            Value old = emitAtomicLane(atomic, values, mask ? mask->value : Value());
            return old ? SmallVector<Value>{old} : SmallVector<Value>();
          })
      .Case<TimerOp>([&](auto) -> SmallVector<Value> { return {emitter.readTimer(loc)}; })
      .Case<AtomicPollOp>([&](AtomicPollOp poll) -> SmallVector<Value> {
        return {emitPoll(poll, operands[0].value, operands[1].value,
                         poll.getTimeout() ? operands[2].value : Value())};
      })
      .Case<AddPtrOp, PtrToIntOp, IntToPtrOp, CastPtrOp>(
          [&](Operation *pointer) -> SmallVector<Value> {
            return {computePointerOp(pointer, operands).value};
          })
      .Case<HintOp>([&](auto) -> SmallVector<Value> { return {operands[0].value}; })
      .Case<SplitOp>([&](SplitOp split) { return readHalves(split); })
      .Case<InlineAsmOp>([&](auto assembly) {
        return llvm::map_to_vector(computeByElement(assembly, operands),
                                   [](const Lanes &lanes) { return lanes.value; });
      })
      .Default([&](Operation *other) {
        IRMapping mapping;
        for (auto [index, operand] : llvm::enumerate(operands))
          mapping.map(other->getOperand(index), operand.value);
        Operation *copy = builder.clone(*other, mapping);
        for (OpResult result : copy->getResults())
          result.setType(getScalarType(result.getType()));
        return SmallVector<Value>(copy->getResults());
      });
}

/// The two elements of a block that was kept.
SmallVector<Value> Nest::readHalves(SplitOp split) {
  Buffer *buffer = emitter.getPlan().getBuffer(split.getSource());
  Type element = getElementType(split.getSource().getType());
  SmallVector<Value> halves;
  for (int64_t place : {0, 1}) {
    Point point{{emitter.getIndex(place), nullptr, false, 0, 1}};
    halves.push_back(readBuffer(*buffer, element, point).value);
  }
  return halves;
}

Value Nest::loadGridValue(int32_t index) {
  Value slot = LLVM::GEPOp::create(builder, loc, emitter.getArguments().position.getType(),
                                   builder.getI32Type(), emitter.getArguments().position,
                                   ArrayRef<LLVM::GEPArg>{index});
  return LLVM::LoadOp::create(builder, loc, builder.getI32Type(), slot, /*alignment=*/4,
                              /*isVolatile=*/false, /*isNonTemporal=*/false, /*isInvariant=*/true);
}
