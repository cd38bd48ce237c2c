//===- ProgramWork.cpp - How much work programs are -----------------------===//
#include "compiler/transforms/SpecializeWarps/ProgramWork.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tile;

namespace {
/// How a number changes from program to program: on which axes it depends, and whether it
/// grows along them (1), shrinks (-1), or is the same or does both (0).
struct Trend {
  uint32_t axes = 0;
  int direction = 0;

  bool isSame() const { return axes == 0; }
  Trend reversed() const { return {axes, -direction}; }
};

/// Finds trends; nothing: a value depends on something else than places in the grid, or in a
/// way that is not seen. Each value's is found once: paths to it may be very many.
class TrendSearch {
public:
  std::optional<Trend> getTrend(Value value);
  std::optional<Trend> getIterationsTrend(Operation *op);

private:
  std::optional<Trend> findTrend(Value value);
  std::optional<Trend> joinOperands(Operation *op);
  std::optional<Trend> getScaledTrend(Operation *op);

  DenseMap<Value, std::optional<Trend>> known;
};
} // namespace

static Trend join(Trend a, Trend b) {
  if (a.isSame() || b.isSame())
    return a.isSame() ? b : a;
  return {a.axes | b.axes, a.direction == b.direction ? a.direction : 0};
}

std::optional<Trend> TrendSearch::getTrend(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  std::optional<Trend> trend = findTrend(value);
  known.try_emplace(value, trend);
  return trend;
}

std::optional<Trend> TrendSearch::joinOperands(Operation *op) {
  Trend all;
  for (Value operand : op->getOperands()) {
    std::optional<Trend> trend = getTrend(operand);
    if (!trend)
      return std::nullopt;
    all = join(all, *trend);
  }
  return all;
}

/// Of a product or a quotient with a number that is the same for all. Sizes are not negative.
std::optional<Trend> TrendSearch::getScaledTrend(Operation *op) {
  std::optional<Trend> first = getTrend(op->getOperand(0)), second = getTrend(op->getOperand(1));
  bool isScaled =
      first && second && (second->isSame() || (first->isSame() && isa<arith::MulIOp>(op)));
  if (!isScaled)
    return std::nullopt;
  Value scale = op->getOperand(second->isSame() ? 1 : 0);
  APInt number;
  bool isNegative = matchPattern(scale, m_ConstantInt(&number)) && number.isNegative();
  Trend trend = second->isSame() ? *first : *second;
  return isNegative ? trend.reversed() : trend;
}

std::optional<Trend> TrendSearch::findTrend(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<func::FuncOp>(argument.getOwner()->getParentOp()) ? std::optional(Trend())
                                                                 : std::nullopt;
  Operation *op = value.getDefiningOp();
  if (auto id = dyn_cast<ProgramIdOp>(op))
    return Trend{1u << id.getAxis(), 1};
  if (op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return std::nullopt;
  if (auto difference = dyn_cast<arith::SubIOp>(op)) {
    std::optional<Trend> from = getTrend(difference.getLhs()), less = getTrend(difference.getRhs());
    return from && less ? std::optional(join(*from, less->reversed())) : std::nullopt;
  }
  if (isa<arith::MulIOp, arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp, arith::FloorDivSIOp,
          arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op))
    return getScaledTrend(op);
  std::optional<Trend> all = joinOperands(op);
  bool isMonotonic =
      isa<arith::AddIOp, arith::MinSIOp, arith::MinUIOp, arith::MaxSIOp, arith::MaxUIOp,
          arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp>(op);
  return all && (all->isSame() || isMonotonic) ? all : std::nullopt;
}

/// How the number of a loop's iterations changes.
std::optional<Trend> TrendSearch::getIterationsTrend(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop)
    return std::nullopt;
  std::optional<Trend> first = getTrend(loop.getLowerBound()), end = getTrend(loop.getUpperBound());
  std::optional<Trend> step = getTrend(loop.getStep());
  if (!first || !end || !step || !step->isSame())
    return std::nullopt;
  return join(*end, first->reversed());
}

std::optional<ProgramWork> tile::getProgramWork(func::FuncOp function) {
  TrendSearch search;
  uint32_t axes = 0;
  bool grows = false, shrinks = false;
  bool isKnown = !function
                      .walk([&](LoopLikeOpInterface loop) {
                        std::optional<Trend> trend = search.getIterationsTrend(loop);
                        if (!trend)
                          return WalkResult::interrupt();
                        axes |= trend->axes;
                        grows |= trend->direction > 0;
                        shrinks |= trend->direction < 0;
                        return WalkResult::advance();
                      })
                      .wasInterrupted();
  if (!isKnown)
    return std::nullopt;
  if (axes == 0)
    return ProgramWork();
  if (!llvm::isPowerOf2_32(axes) || grows == shrinks)
    return std::nullopt;
  return ProgramWork{llvm::Log2_32(axes), grows};
}
