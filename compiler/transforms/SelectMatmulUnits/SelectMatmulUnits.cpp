//===- SelectMatmulUnits.cpp - Choose an instruction for each dot ---------===//
#include "compiler/transforms/SelectMatmulUnits/SelectMatmulUnits.h"

#include "dialects/tile/IR/TileOps.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/Builders.h"

#include <numeric>

namespace tile {
#define GEN_PASS_DEF_SELECTMATMULUNITS
#include "compiler/transforms/SelectMatmulUnits/SelectMatmulUnits.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

namespace {
struct SelectMatmulUnitsPass : tile::impl::SelectMatmulUnitsBase<SelectMatmulUnitsPass> {
  void runOnOperation() override;
};
} // namespace

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

LinearLayout tile::getUnitLayout(MatmulUnit unit, MatmulOperand operand, ArrayRef<int64_t> shape,
                                 const WarpGrid &warps) {
  unsigned rank = shape.size();
  LinearLayout layout = unit.getFragment(operand);
  if (rank == 3)
    layout = layout.expanded(0);
  // Warps in the same row hold the same rows of A, in the same column those of B.
  layout = operand == MatmulOperand::B ? layout.replicated(Dim::Warp, warps.rows)
                                       : layout.repeated(Dim::Warp, rank - 2, warps.rows);
  layout = operand == MatmulOperand::A ? layout.replicated(Dim::Warp, warps.columns)
                                       : layout.repeated(Dim::Warp, rank - 1, warps.columns);
  if (rank == 3)
    layout = layout.repeated(Dim::Warp, 0, warps.batch);
  SmallVector<unsigned> order(rank);
  std::iota(order.rbegin(), order.rend(), 0);
  return layout.resizedTo(shape, order);
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

/// Whether `value` comes of a dot by computation within one step of a loop.
static bool comesFromDot(Value value) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  Operation *def = value.getDefiningOp();
  if (!def)
    return false;
  options.inclusive = true;
  options.filter = [&](Operation *op) { return op->getBlock() == def->getBlock(); };
  (void)getBackwardSlice(value, &slice, options);
  return llvm::any_of(slice, llvm::IsaPred<DotOp>);
}

/// Dots of which one's result becomes operand A of another.
static DenseSet<Operation *> findChained(ArrayRef<DotOp> dots) {
  DenseSet<Operation *> chained;
  for (DotOp dot : dots) {
    SetVector<Operation *> slice;
    BackwardSliceOptions options;
    options.omitBlockArguments = true;
    options.filter = [&](Operation *op) { return op->getBlock() == dot->getBlock(); };
    if (!comesFromDot(dot.getA()))
      continue;
    options.inclusive = true;
    (void)getBackwardSlice(dot.getA(), &slice, options);
    chained.insert(dot);
    for (Operation *op : slice)
      if (isa<DotOp>(op))
        chained.insert(op);
  }
  return chained;
}

/// What a warp reads for its part of the product, times what is done twice.
static double getTraffic(const MatmulProblem &problem, ArrayRef<int64_t> instruction,
                         const WarpGrid &warps) {
  double rows = std::max<double>(instruction[0], double(problem.m) / warps.rows);
  double columns = std::max<double>(instruction[1], double(problem.n) / warps.columns);
  double waste = rows * warps.rows / problem.m * (columns * warps.columns / problem.n);
  return (rows + columns) * waste * waste;
}

static WarpGrid arrangeWarps(const MatmulProblem &problem, MatmulUnit unit, int64_t batch,
                             bool isChained) {
  std::array<int64_t, 3> instruction = unit.getInstructionShape();
  int64_t warps =
      problem.numWarps / unit.getFragment(MatmulOperand::Acc).getInSize(Dim::Warp);
  WarpGrid best;
  best.batch = std::gcd(batch, warps);
  warps /= best.batch;
  best.rows = warps;
  if (isChained && problem.m >= instruction[0] * warps)
    return best;
  double least = getTraffic(problem, instruction, best);
  for (int64_t columns = 2; columns <= warps; ++columns) {
    WarpGrid grid{best.batch, warps / columns, columns};
    if (warps % columns != 0)
      continue;
    double traffic = getTraffic(problem, instruction, grid);
    if (traffic < least)
      std::tie(best, least) = std::pair(grid, traffic);
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

static void convertOperand(OpOperand &operand, LayoutAttr layout) {
  OpBuilder builder(operand.getOwner());
  Type type = withLayout(operand.get().getType(), layout);
  operand.set(ConvertLayoutOp::create(builder, operand.get().getLoc(), type, operand.get()));
}

static void useUnit(DotOp op, MatmulUnit unit, const WarpGrid &warps) {
  auto getOperandLayout = [&](MatmulOperand operand, Value value) {
    return LayoutAttr::get(op.getContext(),
                           getUnitLayout(unit, operand, getShape(value.getType()), warps));
  };
  convertOperand(op.getAMutable(), getOperandLayout(MatmulOperand::A, op.getA()));
  convertOperand(op.getBMutable(), getOperandLayout(MatmulOperand::B, op.getB()));
  LayoutAttr acc = getOperandLayout(MatmulOperand::Acc, op.getAcc());
  convertOperand(op.getAccMutable(), acc);
  OpBuilder builder(op.getContext());
  builder.setInsertionPointAfter(op);
  Type type = op.getType();
  op.getResult().setType(cast<RankedTensorType>(withLayout(type, acc)));
  auto back = ConvertLayoutOp::create(builder, op.getLoc(), type, op.getResult());
  op.getResult().replaceAllUsesExcept(back, back);
  op.setUnitAttr(unit);
}

void SelectMatmulUnitsPass::runOnOperation() {
  TargetAttr target = getTarget(getOperation());
  if (!target) {
    getOperation().emitError("expects a module with a '") << kTargetAttr << "'";
    return signalPassFailure();
  }
  SmallVector<MatmulUnit> units = target.getUnits();
  SmallVector<DotOp> dots;
  getOperation().walk([&](DotOp op) {
    if (!op.getUnitAttr() && getLayout(op.getType()))
      dots.push_back(op);
  });
  if (units.empty() || dots.empty())
    return;
  DenseSet<Operation *> chained = findChained(dots);
  for (DotOp op : dots) {
    MatmulProblem problem = op.getProblem();
    auto *unit = llvm::find_if(units, [&](MatmulUnit unit) {
      int64_t together = unit.getFragment(MatmulOperand::Acc).getInSize(Dim::Warp);
      return problem.numWarps % together == 0 && unit.accepts(problem);
    });
    if (unit == units.end())
      continue;
    int64_t batch = op.getType().getRank() == 3 ? op.getType().getDimSize(0) : 1;
    useUnit(op, *unit, arrangeWarps(problem, *unit, batch, chained.contains(op)));
  }
}
