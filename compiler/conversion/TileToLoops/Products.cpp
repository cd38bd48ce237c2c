//===- Products.cpp - Where the blocks of matrix products are staged ------===//
//
// Operands are copied to the arena in the type that is multiplied, masked and
// converted on the way, with lanes along the dimension that is consecutive in
// memory. Which of the two that is makes no difference to `a`, whose elements
// are read one by one; a `b` by columns is transposed before the product.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TileToLoops/GroupBuilder.h"

#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace tile;
using namespace tile::loops;

Type loops::getDotComputeType(DotOp op) {
  Type acc = op.getType().getElementType();
  bool isHalf = isa<FloatType>(acc) && acc.getIntOrFloatBitWidth() < 32;
  return isHalf ? Float32Type::get(op.getContext()) : acc;
}

//===----------------------------------------------------------------------===//
// The order of elements in memory
//===----------------------------------------------------------------------===//

/// The dimension of the source that dimension `dim` of the result of a change of
/// shape is; none where it is new, repeated or mixed with others.
static std::optional<unsigned> getSourceDim(Operation *op, unsigned dim) {
  if (auto expand = dyn_cast<ExpandDimsOp>(op)) {
    unsigned axis = expand.getAxis();
    return dim == axis ? std::nullopt : std::optional<unsigned>(dim > axis ? dim - 1 : dim);
  }
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return getShape(broadcast.getSource().getType())[dim] == 1 ? std::nullopt
                                                               : std::optional<unsigned>(dim);
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return transpose.getOrder()[dim];
  return std::nullopt;
}

namespace {
/// Finds how values change from one element to the next along a dimension, each value's once:
/// paths to what it is computed from may be very many.
class StrideSearch {
public:
  std::optional<int64_t> getStrideAlong(Value value, unsigned dim);

private:
  std::optional<int64_t> findStrideAlong(Value value, unsigned dim);

  DenseMap<std::pair<Value, unsigned>, std::optional<int64_t>> known;
};
} // namespace

std::optional<int64_t> StrideSearch::getStrideAlong(Value value, unsigned dim) {
  if (auto found = known.find({value, dim}); found != known.end())
    return found->second;
  std::optional<int64_t> stride = findStrideAlong(value, dim);
  known.try_emplace({value, dim}, stride);
  return stride;
}

std::optional<int64_t> StrideSearch::findStrideAlong(Value value, unsigned dim) {
  Operation *op = value.getDefiningOp();
  if (!isBlock(value))
    return 0;
  if (!op || !isVirtual(op) || isa<LoadOp, ReshapeOp, JoinOp, SplitOp>(op))
    return std::nullopt;
  if (isa<ArangeOp>(op))
    return 1;
  if (isa<SplatOp, arith::ConstantOp, ub::PoisonOp>(op))
    return 0;
  if (isShapeChange(op)) {
    std::optional<unsigned> source = getSourceDim(op, dim);
    return source ? getStrideAlong(op->getOperand(0), *source) : 0;
  }
  if (isa<HintOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op))
    return getStrideAlong(op->getOperand(0), dim);
  SmallVector<std::optional<int64_t>> below;
  for (Value operand : op->getOperands())
    below.push_back(getStrideAlong(operand, dim));
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    below[1] = getStrideAlong(getDivisor(op), dim);
  return combineStrides(op, below);
}

/// Whether what `value` is computed from is consecutive along `dim`.
bool GroupBuilder::isConsecutiveAlong(Value value, unsigned dim) {
  llvm::SetVector<std::pair<Value, unsigned>> sources;
  sources.insert({value, dim});
  for (size_t i = 0; i < sources.size(); ++i) {
    auto [source, along] = sources[i];
    if (Buffer *buffer = plan.getBuffer(source)) {
      if (buffer->strides[along] == 1)
        return true;
      continue;
    }
    Operation *op = source.getDefiningOp();
    if (!op || !isVirtual(op))
      continue;
    if (auto load = dyn_cast<LoadOp>(op)) {
      if (StrideSearch().getStrideAlong(load.getPointer(), along) == 1)
        return true;
    } else if (!isShapeChange(op)) {
      for (Value operand : llvm::make_filter_range(op->getOperands(), isBlock))
        sources.insert({operand, along});
    } else if (std::optional<unsigned> below = getSourceDim(op, along)) {
      sources.insert({op->getOperand(0), *below});
    }
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// A block that is in the arena already as it is multiplied, or its transpose.
DotBlock GroupBuilder::findStaged(Value operand, Type element) {
  if (Buffer *own = plan.getBuffer(operand))
    return {own->element == element ? own : nullptr, false};
  auto transpose = operand.getDefiningOp<TransposeOp>();
  Buffer *source = transpose ? plan.getBuffer(transpose.getSource()) : nullptr;
  if (!source || source->element != element)
    return {};
  ArrayRef<int32_t> order = transpose.getOrder();
  bool swapsLast = order[order.size() - 1] == static_cast<int32_t>(order.size()) - 2 &&
                   order[order.size() - 2] == static_cast<int32_t>(order.size()) - 1;
  return {swapsLast ? source : nullptr, true};
}

/// A block for a product, in the type that is multiplied. One that is the same
/// in all iterations of the loops around is staged before them.
DotBlock GroupBuilder::stageOperand(DotOp dot, Value operand, Type element) {
  if (DotBlock found = findStaged(operand, element); found.buffer)
    return found;
  Buffer *&buffer = staged[{operand, element}];
  Operation *anchor = operand.getParentBlock()->findAncestorOpInBlock(*dot);
  bool isCarried = plan.getBuffer(operand) && isa<BlockArgument>(operand);
  if (buffer && !isCarried)
    return {buffer, false};
  ArrayRef<int64_t> shape = getShape(operand.getType());
  int rows = shape.size() - 2, laneDim = getLaneDimension(shape);
  if (shape[rows] > 1 && isConsecutiveAlong(operand, rows) &&
      !isConsecutiveAlong(operand, rows + 1))
    laneDim = rows;
  if (!buffer)
    buffer = plan.createBuffer(element, shape, laneDim);
  Group *group = plan.createGroup(anchor, shape);
  group->laneDim = laneDim;
  group->roots.push_back({nullptr, operand, buffer, dot.getIsUnsigned()});
  return {buffer, false};
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

namespace {
/// Finds out whether the old content of a carried block is needed once `dot`
/// runs, apart from what becomes its accumulator lane by lane.
struct LaterUses {
  DotOp dot;
  const Plan &plan;
  DenseSet<std::pair<Value, unsigned>> visited;

  bool exist(Value value, bool isLaneByLane) {
    if (!visited.insert({value, isLaneByLane}).second)
      return false;
    return llvm::any_of(value.getUses(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      if (user == dot)
        return use.getOperandNumber() != 2 || !isLaneByLane; // 2: the accumulator
      if (!isVirtual(user))
        return plan.getPosition(user) > plan.getPosition(dot);
      return llvm::any_of(user->getResults(), [&](Value result) {
        return exist(result, isLaneByLane && !isShapeChange(user));
      });
    });
  }
};
} // namespace

/// The product may be summed in the buffer that carries it to the next iteration.
Buffer *GroupBuilder::findAccumulator(DotOp dot, Type element) {
  if (Buffer *own = plan.getBuffer(dot.getAcc());
      own && own->element == element && diesIn(dot.getAcc(), dot))
    if (!isa<BlockArgument>(dot.getAcc()))
      return own;
  auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
  if (!loop)
    return nullptr;
  for (auto [argument, next] : llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues()))
    if (next == dot.getResult()) {
      Buffer *carried = plan.getBuffer(argument);
      if (carried->element == element && !LaterUses{dot, plan, {}}.exist(argument, true))
        return carried;
    }
  return nullptr;
}

void GroupBuilder::visitDot(DotOp dot) {
  close();
  Type element = getDotComputeType(dot);
  DotPlan blocks;
  blocks.a = stageOperand(dot, dot.getA(), element);
  blocks.b = stageOperand(dot, dot.getB(), element);
  ArrayRef<int64_t> shape = dot.getB().getType().getShape();
  if (shape.back() > 1 && blocks.b.getColumnStride() != 1)
    blocks.rowsOfB = plan.createBuffer(element, shape);
  blocks.acc.buffer = findAccumulator(dot, element);
  if (!blocks.acc.buffer)
    blocks.acc.buffer = plan.createBuffer(element, dot.getType().getShape());
  if (plan.getBuffer(dot.getAcc()) != blocks.acc.buffer)
    addWrite(dot.getAcc(), blocks.acc.buffer, dot);
  plan.buffers[dot.getResult()] = blocks.acc.buffer;
  plan.dots[dot] = blocks;
  close();
}
