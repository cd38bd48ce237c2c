//===- Reduce.cpp - Reductions along and across lanes ---------------------===//
//
// A vector of partial results is carried over the axis. Where the axis runs
// along lanes, the vector is then halved until one lane is left. The order is
// the same on every machine.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TileToLoops/Nest.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile;
using namespace tile::loops;

//===----------------------------------------------------------------------===//
// Where a reduction starts
//===----------------------------------------------------------------------===//

/// The element that a reduction by `op` may start from without changing any
/// result, bit by bit; null where there is none.
static TypedAttr getNeutralElement(Operation *op, Type type) {
  OpBuilder builder(op->getContext());
  auto ofFloat = [&](APFloat value) -> TypedAttr { return FloatAttr::get(type, value); };
  auto ofInt = [&](APInt value) -> TypedAttr { return IntegerAttr::get(type, value); };
  if (auto floatType = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
    return llvm::TypeSwitch<Operation *, TypedAttr>(op)
        .Case<arith::AddFOp>([&](auto) { return ofFloat(APFloat::getZero(semantics, true)); })
        .Case<arith::MulFOp>([&](auto) { return ofFloat(APFloat(semantics, 1)); })
        .Case<arith::MaxNumFOp, arith::MinNumFOp>(
            [&](auto) { return ofFloat(APFloat::getQNaN(semantics)); })
        .Case<arith::MaximumFOp>([&](auto) { return ofFloat(APFloat::getInf(semantics, true)); })
        .Case<arith::MinimumFOp>([&](auto) { return ofFloat(APFloat::getInf(semantics)); })
        .Default([](Operation *) { return TypedAttr(); });
  }
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return {};
  unsigned bits = integer.getWidth();
  return llvm::TypeSwitch<Operation *, TypedAttr>(op)
      .Case<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(
          [&](auto) { return ofInt(APInt::getZero(bits)); })
      .Case<arith::MulIOp>([&](auto) { return ofInt(APInt(bits, 1)); })
      .Case<arith::AndIOp, arith::MinUIOp>([&](auto) { return ofInt(APInt::getAllOnes(bits)); })
      .Case<arith::MaxSIOp>([&](auto) { return ofInt(APInt::getSignedMinValue(bits)); })
      .Case<arith::MinSIOp>([&](auto) { return ofInt(APInt::getSignedMaxValue(bits)); })
      .Default([](Operation *) { return TypedAttr(); });
}

/// The neutral element of a combiner that is one operation on its two arguments.
static TypedAttr getNeutralElement(ReduceOp op) {
  Block &body = op.getCombiner().front();
  if (op.getSources().size() != 1 || !llvm::hasNItems(body, 2))
    return {};
  Operation &combine = body.front();
  bool takesBoth = combine.getNumOperands() == 2 &&
                   combine.getOperand(0) != combine.getOperand(1) &&
                   llvm::all_of(combine.getOperands(), [&](Value operand) {
                     return isa<BlockArgument>(operand) && operand.getParentBlock() == &body;
                   });
  bool isYielded = body.getTerminator()->getOperand(0).getDefiningOp() == &combine;
  return takesBoth && isYielded ? getNeutralElement(&combine, body.getArgument(0).getType())
                                : TypedAttr();
}

/// Whether a reduction of the group has no neutral element: it then starts from
/// the elements of the first chunk.
bool Nest::startsFromElements(const Group &group) {
  return llvm::any_of(group.roots, [](const Root &root) {
    auto reduce = dyn_cast_or_null<ReduceOp>(root.op);
    return reduce && !getNeutralElement(reduce);
  });
}

/// Start values of all reductions of the group: neutral elements, or zeros that
/// the first elements replace.
Nest::Accumulators Nest::getInitial(const Group &group) {
  Accumulators initial;
  for (const Root &root : group.roots) {
    auto reduce = dyn_cast_or_null<ReduceOp>(root.op);
    if (!reduce)
      continue;
    for (Value source : reduce.getSources()) {
      Type type = getLaneType(getElementType(source.getType()));
      TypedAttr start = getNeutralElement(reduce);
      Lanes value{emitter.getConstant(start ? start : cast<TypedAttr>(builder.getZeroAttr(type))),
                  0};
      initial.push_back(laneDim < 0 ? value.value : spread(value).value);
    }
  }
  return initial;
}

//===----------------------------------------------------------------------===//
// Combining
//===----------------------------------------------------------------------===//

/// Take the elements at the current position into the accumulators.
void Nest::combine(ReduceOp op, ArrayRef<Lanes> elements, MutableArrayRef<Value> accumulators) {
  bool asVector = laneDim >= 0;
  SmallVector<Value> next;
  for (const Lanes &lanes : elements)
    next.push_back(asVector ? spread(lanes).value : asInteger(lanes).value);
  setInsertionPoint(getInnermost());
  Value index = position[op.getAxis()].base;
  if (!getNeutralElement(op) && matchPattern(index, m_Zero())) {
    llvm::copy(next, accumulators.begin());
    return;
  }
  SmallVector<Value> combined = applyCombiner(op, accumulators, next);
  for (auto [accumulator, result, element] : llvm::zip(accumulators, combined, next)) {
    Value value = result;
    if (tailMask && op.getAxis() == static_cast<uint32_t>(laneDim))
      value = arith::SelectOp::create(builder, loc, tailMask, value, accumulator);
    if (!getNeutralElement(op) && !hasFirstChunk) {
      Value isFirst =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, index, emitter.getIndex(0));
      value = arith::SelectOp::create(builder, loc, isFirst, element, value);
    }
    accumulator = value;
  }
}

/// Halve `count` lanes until one is left. Lanes without a partner stay.
SmallVector<Value> Nest::reduceLanes(ReduceOp op, SmallVector<Value> lanes, int64_t count) {
  while (count > 1) {
    int64_t half = llvm::PowerOf2Ceil(count) / 2, paired = count - half;
    SmallVector<int64_t> low(half), high(half);
    for (int64_t lane = 0; lane < half; ++lane) {
      low[lane] = lane;
      high[lane] = lane < paired ? half + lane : lane;
    }
    SmallVector<Value> lows, highs;
    for (Value value : lanes) {
      lows.push_back(vector::ShuffleOp::create(builder, loc, value, value, low));
      highs.push_back(vector::ShuffleOp::create(builder, loc, value, value, high));
    }
    lanes = applyCombiner(op, lows, highs);
    if (paired < half) {
      SmallVector<bool> isPaired(half, false);
      std::fill_n(isPaired.begin(), paired, true);
      auto type = VectorType::get({half}, builder.getI1Type());
      Value mask = emitter.getConstant(DenseElementsAttr::get(type, isPaired));
      for (auto [value, alone] : llvm::zip(lanes, lows))
        value = arith::SelectOp::create(builder, loc, mask, value, alone);
    }
    count = half;
  }
  for (Value &value : lanes)
    value = vector::ExtractOp::create(builder, loc, value, ArrayRef<int64_t>{0});
  return lanes;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

void Nest::storeReduced(ReduceOp op, unsigned index, Lanes value) {
  Value result = op.getReduced()[index];
  Type element = getElementType(result.getType());
  if (!isBlock(result)) {
    if (isa<PtrType>(element))
      value = fromMemory(value, element, element);
    emitter.setScalar(result, value.value);
    return;
  }
  Point point(position);
  point.erase(point.begin() + op.getAxis());
  if (Buffer *buffer = emitter.getPlan().getBuffer(result))
    storeBuffer(*buffer, element, value, point, /*isUnsigned=*/false);
}

void Nest::finishAlongLanes(const Group &group, ValueRange accumulators) {
  for (const Root &root : group.roots) {
    auto reduce = dyn_cast_or_null<ReduceOp>(root.op);
    if (!reduce)
      continue;
    size_t count = reduce.getSources().size();
    setInsertionPoint(getInnermost());
    SmallVector<Value> results =
        reduceLanes(reduce, SmallVector<Value>(accumulators.take_front(count)),
                    std::min(width, group.shape[laneDim]));
    for (auto [index, value] : llvm::enumerate(results))
      storeReduced(reduce, index, {value, getInnermost()});
    accumulators = accumulators.drop_front(count);
  }
}

void Nest::finishAcrossLanes(const Group &group, ValueRange accumulators) {
  for (const Root &root : group.roots) {
    auto reduce = dyn_cast_or_null<ReduceOp>(root.op);
    if (!reduce)
      continue;
    size_t count = reduce.getSources().size();
    for (auto [index, value] : llvm::enumerate(accumulators.take_front(count)))
      storeReduced(reduce, index, {value, getInnermost()});
    accumulators = accumulators.drop_front(count);
  }
}
