//===- Affine.cpp - How values change from lane to lane -------------------===//
#include "compiler/conversion/TileToLoops/Nest.h"

#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tile;
using namespace tile::loops;

/// The integer that all elements of `value` are, if the text says so.
static std::optional<int64_t> getKnownInteger(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<SplatOp, BroadcastOp, ExpandDimsOp, ReshapeOp, TransposeOp, ExtractOp, HintOp,
            arith::ExtSIOp>(op))
      value = op->getOperand(0);
    else
      break;
  }
  APInt known;
  if (matchPattern(value, m_ConstantInt(&known)))
    return known.getSExtValue();
  return std::nullopt;
}

// The guard puts a one in the divisor's place. None acts where it is positive.
Value loops::getDivisor(Operation *remainder) {
  Value divisor = remainder->getOperand(1);
  auto select = divisor.getDefiningOp<arith::SelectOp>();
  return select && getKnownInteger(select.getTrueValue()) == 1 ? select.getFalseValue() : divisor;
}

std::optional<int64_t> loops::combineStrides(Operation *op,
                                             ArrayRef<std::optional<int64_t>> below) {
  if (!llvm::all_of(below, [](auto stride) { return stride.has_value(); }))
    return std::nullopt;
  if (isa<arith::RemSIOp, arith::RemUIOp>(op) && below[0] == 1 && below[1] == 0)
    return 1;
  if (llvm::all_of(below, [](auto stride) { return *stride == 0; }))
    return 0;
  if (isa<AddPtrOp, arith::AddIOp>(op))
    return *below[0] + *below[1];
  if (isa<arith::SubIOp>(op))
    return *below[0] - *below[1];
  if (isa<arith::SelectOp>(op))
    return below[0] == 0 && below[1] == below[2] ? below[1] : std::nullopt;
  if (isa<arith::MulIOp>(op)) {
    unsigned varying = below[0] == 0 ? 1 : 0;
    if (std::optional<int64_t> factor = getKnownInteger(op->getOperand(1 - varying)))
      return *below[varying] * *factor;
  }
  return std::nullopt;
}

/// The difference between neighbouring lanes where it is one constant. Offsets
/// are taken not to wrap around inside a chunk: no address on both ends of the
/// address space is valid.
std::optional<int64_t> Nest::getStride(Value value, const Point &point) {
  if (!isBlock(value) || llvm::all_of(point, [](const Coord &coord) { return coord.isUniform(); }))
    return 0;
  Key key(value, getPointId(point));
  if (auto found = strides.find(key); found != strides.end())
    return found->second;
  std::optional<int64_t> stride;
  Operation *op = value.getDefiningOp();
  Buffer *buffer = emitter.getPlan().getBuffer(value);
  if (!op || (buffer && !current->writes(value, buffer)))
    stride = std::nullopt;
  else
    stride = computeStride(op, point);
  return strides[key] = stride;
}

std::optional<int64_t> Nest::computeStride(Operation *op, const Point &point) {
  if (isa<ArangeOp>(op))
    return point.front().isConsecutive ? std::optional<int64_t>(1) : std::nullopt;
  if (isa<SplatOp, arith::ConstantOp, ub::PoisonOp>(op))
    return 0;
  if (isa<HintOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return getStride(op->getOperand(0), point);
  if (isa<BroadcastOp, ExpandDimsOp, ReshapeOp, TransposeOp, ExtractOp>(op))
    return getStride(op->getOperand(0), mapPoint(op, point));
  if (isa<JoinOp, SplitOp, CatOp, GatherOp, MapOp, InlineAsmOp>(op))
    return std::nullopt;
  SmallVector<std::optional<int64_t>> below;
  for (Value operand : op->getOperands())
    below.push_back(getStride(operand, point));
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    below[1] = getStride(getDivisor(op), point);
  return combineStrides(op, below);
}

/// The value that the first lane of the point has.
Lanes Nest::evaluateFirst(Value value, const Point &point) {
  Point first(point);
  for (Coord &coord : first)
    coord.isConsecutive = false;
  return evaluate(value, first);
}

/// Conditions under which the stride of `value` holds: that no remainder in it
/// starts again inside the chunk.
void Nest::collectGuards(Value value, const Point &point, SmallVectorImpl<Value> &guards) {
  Operation *op = value.getDefiningOp();
  if (!op || getStride(value, point) == 0)
    return;
  if (isa<BroadcastOp, ExpandDimsOp, ReshapeOp, TransposeOp, ExtractOp>(op))
    return collectGuards(op->getOperand(0), mapPoint(op, point), guards);
  if (!isa<arith::RemSIOp, arith::RemUIOp>(op)) {
    for (Value operand : op->getOperands())
      if (isBlock(operand))
        collectGuards(operand, point, guards);
    return;
  }
  collectGuards(op->getOperand(0), point, guards);
  bool isSigned = isa<arith::RemSIOp>(op);
  Lanes first = evaluateFirst(value, point);
  Lanes divisor = evaluateFirst(getDivisor(op), point);
  unsigned level = std::max(first.level, divisor.level);
  setInsertionPoint(level);
  auto widen = [&](Value index) -> Value {
    if (index.getType().isInteger(64))
      return index;
    return isSigned ? arith::ExtSIOp::create(builder, loc, builder.getI64Type(), index).getResult()
                    : arith::ExtUIOp::create(builder, loc, builder.getI64Type(), index).getResult();
  };
  Value start = widen(first.value), size = widen(divisor.value);
  Value last = arith::AddIOp::create(builder, loc, start, emitter.getIndex(width - 1));
  Value fits = arith::CmpIOp::create(
      builder, loc, isSigned ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult, last, size);
  if (isSigned) {
    Value isPositive =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, start, emitter.getIndex(0));
    fits = arith::AndIOp::create(builder, loc, fits, isPositive);
  }
  guards.push_back(fits);
}
