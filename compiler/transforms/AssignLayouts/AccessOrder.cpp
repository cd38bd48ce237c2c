//===- AccessOrder.cpp - Which dimension neighbouring threads go along -----===//
#include "compiler/transforms/AssignLayouts/AccessOrder.h"

#include "compiler/analysis/OperandSource/OperandSource.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace tile;

namespace {
/// How neighbours along a dimension differ: not at all, by multiples of a number that is not
/// known to be one (a stride of one is known: kernels are compiled for it), or otherwise.
enum class Step { None, Far, Near };

/// Finds steps. Each value's is found once: a chain such as x = x * a + x has as many paths
/// to its start as two to the power of its length.
class StepSearch {
public:
  Step getStep(Value value, unsigned dim);

private:
  Step findStep(Value value, unsigned dim);
  Step getWidest(ValueRange values, unsigned dim);
  Step getProductStep(arith::MulIOp product, unsigned dim);
  Step getCarriedStep(BlockArgument argument, unsigned dim);

  DenseMap<std::pair<Value, unsigned>, Step> known;
};
} // namespace

Step StepSearch::getStep(Value value, unsigned dim) {
  if (auto found = known.find({value, dim}); found != known.end())
    return found->second;
  Step step = findStep(value, dim);
  known.try_emplace({value, dim}, step);
  return step;
}

Step StepSearch::getWidest(ValueRange values, unsigned dim) {
  Step widest = Step::None;
  for (Value value : values)
    widest = std::max(widest, getStep(value, dim));
  return widest;
}

/// Of a product, one side of which is the same along the dimension.
static Step scale(Step step, Value factor) {
  APInt number;
  bool isOne = matchPattern(factor, m_ConstantInt(&number)) && number.isOne();
  return step == Step::None || isOne ? step : Step::Far;
}

Step StepSearch::getProductStep(arith::MulIOp product, unsigned dim) {
  Step left = getStep(product.getLhs(), dim), right = getStep(product.getRhs(), dim);
  if (right == Step::None)
    return scale(left, product.getRhs());
  return left == Step::None ? scale(right, product.getLhs()) : Step::Near;
}

Step StepSearch::getCarriedStep(BlockArgument argument, unsigned dim) {
  auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
  if (!loop || argument == loop.getInductionVar())
    return Step::Near;
  return getStep(loop.getTiedLoopInit(argument)->get(), dim);
}

Step StepSearch::findStep(Value value, unsigned dim) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.getDimSize(dim) == 1)
    return Step::None;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return getCarriedStep(argument, dim);
  Operation *op = value.getDefiningOp();
  DenseElementsAttr constant;
  if (isa<SplatOp>(op) || (matchPattern(op, m_Constant(&constant)) && constant.isSplat()))
    return Step::None;
  if (auto expand = dyn_cast<ExpandDimsOp>(op))
    return getStep(expand.getSource(), dim - (dim > expand.getAxis()));
  if (auto product = dyn_cast<arith::MulIOp>(op))
    return getProductStep(product, dim);
  if (isa<BroadcastOp, AddPtrOp, HintOp, arith::AddIOp, arith::SubIOp, arith::ExtSIOp,
          arith::ExtUIOp, arith::TruncIOp>(op))
    return getWidest(op->getOperands(), dim);
  return Step::Near;
}

/// Of an operand as it is loaded; weights tend to lie so that it is the closer one.
static std::optional<unsigned> getSummedDim(Operation *access) {
  auto load = dyn_cast<LoadOp>(access);
  auto [dot, which] = load ? findFedDot(load) : std::pair<DotOp, MatmulOperand>();
  if (!dot || dot.getType().getRank() != 2)
    return std::nullopt;
  bool isA = which == MatmulOperand::A;
  OperandSource source = traceOperand(isA ? dot.getA() : dot.getB());
  return source.block == load.getResult() ? std::optional<unsigned>(source.order[isA ? 1 : 0])
                                          : std::nullopt;
}

SmallVector<unsigned> tile::getAccessOrder(Operation *access, Value pointer,
                                           const ValuePattern &pattern) {
  unsigned rank = cast<RankedTensorType>(pointer.getType()).getRank();
  StepSearch search;
  SmallVector<Step> steps;
  for (unsigned dim = 0; dim < rank; ++dim)
    steps.push_back(search.getStep(pointer, dim));
  SmallVector<unsigned> order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  std::optional<unsigned> summed = getSummedDim(access);
  auto rate = [&](unsigned dim) {
    return std::tuple(pattern.contiguity[dim], steps[dim], dim == summed);
  };
  llvm::stable_sort(order, [&](unsigned a, unsigned b) { return rate(a) > rate(b); });
  return order;
}
