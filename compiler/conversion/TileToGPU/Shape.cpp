//===- Shape.cpp - Making blocks and changing their shape -------------------===//
//
// A change of shape moves no element: what the source's layout says, seen under
// the new shape, is where the elements lie. Where the result's layout differs
// from that, registers are renamed or exchanged, as a conversion would.
//
//===----------------------------------------------------------------------===//
#include "compiler/analysis/ThreadExchange/MovePlan.h"
#include "compiler/analysis/ThreadExchange/ReductionPlan.h"
#include "compiler/conversion/TileToGPU/Exchange.h"
#include "compiler/conversion/TileToGPU/Lowerings.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tile;

/// Map `result` to `vector`, whose elements lie as `actual` says.
static LogicalResult setConverted(Value result, Value vector, const LinearLayout &actual,
                                  ThreadLowering &t) {
  FailureOr<Value> converted =
      Exchange(result.getDefiningOp(), t)
          .convert(vector, actual, getLinearLayout(result.getType()), getShape(result.getType()));
  if (succeeded(converted))
    t.set(result, *converted);
  return converted;
}

LogicalResult tile::lower(ArangeOp op, ThreadLowering &t) {
  Value coordinates = emitCoordinates(t.b, t.scope, getLinearLayout(op.getType()), 0);
  if (op.getStart() != 0) {
    auto start = DenseElementsAttr::get(cast<VectorType>(coordinates.getType()),
                                        static_cast<int32_t>(op.getStart()));
    coordinates = arith::AddIOp::create(t.b, coordinates, arith::ConstantOp::create(t.b, start));
  }
  t.set(op, coordinates);
  return success();
}

LogicalResult tile::lower(SplatOp op, ThreadLowering &t) {
  t.set(op, vector::BroadcastOp::create(t.b, t.convertType(op.getType()), t.get(op.getSource())));
  return success();
}

/// The operand's layout that needs no move is the result's with the repeated
/// dimensions collapsed: converting to it names the registers of the result.
LogicalResult tile::lower(BroadcastOp op, ThreadLowering &t) {
  ArrayRef<int64_t> from = getShape(op.getSource().getType()), to = getShape(op.getType());
  LinearLayout wanted = getLinearLayout(op.getType());
  for (auto [dim, size] : llvm::enumerate(from))
    if (size != to[dim])
      wanted = wanted.collapsed(dim);
  FailureOr<Value> vector = Exchange(op, t).convert(
      t.get(op.getSource()), getLinearLayout(op.getSource().getType()), wanted, from);
  if (succeeded(vector))
    t.set(op, *vector);
  return vector;
}

LogicalResult tile::lower(ExpandDimsOp op, ThreadLowering &t) {
  LinearLayout layout = getLinearLayout(op.getSource().getType());
  return setConverted(op, t.get(op.getSource()), layout.expanded(op.getAxis()), t);
}

LogicalResult tile::lower(ReshapeOp op, ThreadLowering &t) {
  if (movesElements(op))
    return lowerMove(op, t);
  const LinearLayout &source = getLinearLayout(op.getSource().getType());
  std::optional<LinearLayout> layout = source.reshaped(getShape(op.getType()));
  if (!layout)
    return op.emitOpError("expects a layout that stays one under the new shape, got ")
           << source.toString();
  return setConverted(op, t.get(op.getSource()), *layout, t);
}

LogicalResult tile::lower(TransposeOp op, ThreadLowering &t) {
  SmallVector<unsigned> order(op.getOrder().begin(), op.getOrder().end());
  LinearLayout layout = getLinearLayout(op.getSource().getType());
  return setConverted(op, t.get(op.getSource()), layout.transposed(order), t);
}

LogicalResult tile::lower(JoinOp op, ThreadLowering &t) {
  Value first = t.get(op.getFirst()), second = t.get(op.getSecond());
  int32_t count = cast<VectorType>(first.getType()).getNumElements();
  SmallVector<int32_t> alternating;
  for (int32_t reg = 0; reg < count; ++reg)
    alternating.append({reg, count + reg});
  LinearLayout layout = getLinearLayout(op.getFirst().getType());
  return setConverted(op, t.shuffle(first, second, alternating), layout.joined(), t);
}

/// Two elements become two scalars, which every thread holds.
static LogicalResult splitToScalars(SplitOp op, ThreadLowering &t) {
  LinearLayout both = getGatheredLayout(/*result=*/nullptr, /*axis=*/0, /*warps=*/2,
                                        t.scope.getNumLanes(), t.scope.getNumWarps());
  Type source = op.getSource().getType();
  FailureOr<Value> vector = Exchange(op, t).convert(t.get(op.getSource()), getLinearLayout(source),
                                                    both, getShape(source));
  if (failed(vector))
    return failure();
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    t.set(result, t.extract(*vector, i));
  return success();
}

LogicalResult tile::lower(SplitOp op, ThreadLowering &t) {
  if (!isa<RankedTensorType>(op.getFirst().getType()))
    return splitToScalars(op, t);
  const LinearLayout &source = getLinearLayout(op.getSource().getType());
  std::optional<LinearLayout> half = source.split();
  if (!half)
    return op.emitOpError("expects a layout with both halves in each thread, got ")
           << source.toString();
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    Value vector = t.get(op.getSource());
    SmallVector<int32_t> registers = source.splitRegisters(i);
    if (failed(setConverted(result, t.shuffle(vector, registers), *half, t)))
      return failure();
  }
  return success();
}

LogicalResult tile::lower(HintOp op, ThreadLowering &t) {
  t.set(op, t.get(op.getSource()));
  return success();
}

LogicalResult tile::lower(ConvertLayoutOp op, ThreadLowering &t) {
  return setConverted(op, t.get(op.getSource()), getLinearLayout(op.getSource().getType()), t);
}
