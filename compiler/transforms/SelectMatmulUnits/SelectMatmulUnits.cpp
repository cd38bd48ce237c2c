//===- SelectMatmulUnits.cpp - Choose an instruction for each dot ---------===//
#include "compiler/transforms/SelectMatmulUnits/SelectMatmulUnits.h"

#include "compiler/analysis/AccessPattern/AccessPattern.h"
#include "compiler/analysis/LayoutInference/LayoutInference.h"
#include "compiler/analysis/LinearLayout/Constructors.h"
#include "compiler/analysis/OperandSource/OperandSource.h"
#include "dialects/tile/IR/TileOps.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

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
  return layout.replicated(Dim::Warp, warps.copies).resizedTo(shape, order);
}

/// Doubles `counts` along the last two dimensions, the smaller side of `covered`
/// first, `total` times in all or as long as there is room. Returns what is left.
static int64_t spread(MutableArrayRef<int64_t> counts, MutableArrayRef<int64_t> covered,
                      ArrayRef<int64_t> room, int64_t total) {
  unsigned column = room.size() - 1, row = column - 1;
  for (; total % 2 == 0; total /= 2) {
    bool rowFits = covered[row] * 2 <= room[row], columnFits = covered[column] * 2 <= room[column];
    if (!rowFits && !columnFits)
      break;
    unsigned dim = columnFits && (!rowFits || covered[column] <= covered[row]) ? column : row;
    counts[dim] *= 2;
    covered[dim] *= 2;
  }
  return total;
}

/// The layout of the accumulators of a dot without a unit.
static LinearLayout getScalarAccumulatorLayout(ArrayRef<int64_t> shape, int64_t lanes,
                                               int64_t warps) {
  constexpr int64_t kMostOfThread = 16;
  unsigned rank = shape.size();
  SmallVector<int64_t> ones(rank, 1), covered(rank, 1);
  SmallVector<int64_t> room = llvm::map_to_vector(shape, getPowerOfTwoPart);
  BlockedShape blocked;
  blocked.perThread = blocked.lanes = blocked.warps = ones;
  blocked.order.resize(rank);
  std::iota(blocked.order.rbegin(), blocked.order.rend(), 0);
  int64_t share = room[rank - 1] * room[rank - 2] / (lanes * warps);
  spread(blocked.perThread, covered, room,
         std::clamp<int64_t>(getPowerOfTwoPart(share), 1, kMostOfThread));
  blocked.laneCopies = spread(blocked.lanes, covered, room, lanes);
  blocked.warpCopies = spread(blocked.warps, covered, room, warps);
  return getBlockedLayout(shape, blocked);
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

/// What the warps that act together read for their part of the product, times
/// what is done twice. Registers keep what was read; a unit that reads on-chip
/// memory reads both operands anew for each instruction.
static double getTraffic(const MatmulProblem &problem, MatmulUnit unit, const WarpGrid &warps) {
  std::array<int64_t, 3> instruction = unit.getInstructionShape();
  double rows = std::max<double>(instruction[0], double(problem.m) / warps.rows);
  double columns = std::max<double>(instruction[1], double(problem.n) / warps.columns);
  double waste = rows * warps.rows / problem.m * (columns * warps.columns / problem.n);
  double traffic = rows + columns;
  if (unit.readsOnChip()) {
    instruction = unit.getWidest(columns).getInstructionShape();
    traffic =
        rows / instruction[0] * (columns / instruction[1]) * (instruction[0] + instruction[1]);
  }
  return traffic * waste * waste;
}

/// Whether `parts` that are no power of two cut a side into whole instructions.
static bool isEvenCut(int64_t size, int64_t parts, int64_t step) {
  return llvm::isPowerOf2_64(parts) || size % (parts * step) == 0;
}

/// A unit that reads rows on chip reads those that are there, and no padding.
static bool hasRows(const MatmulProblem &problem, MatmulUnit unit, int64_t parts) {
  int64_t rows = unit.getInstructionShape()[0];
  return !unit.readsOnChip() || problem.m <= rows || problem.m % rows != 0 ||
         problem.m % (parts * rows) == 0;
}

/// Warps of which no arrangement cuts the product evenly compute the same as others.
static WarpGrid arrangeWarps(const MatmulProblem &problem, MatmulUnit unit, int64_t batch,
                             bool isChained) {
  std::array<int64_t, 3> instruction = unit.getInstructionShape();
  int64_t warps = problem.numWarps / unit.getFragment(MatmulOperand::Acc).getInSize(Dim::Warp);
  WarpGrid best;
  best.batch = std::gcd(batch, warps);
  warps /= best.batch;
  best.rows = warps;
  if (isChained && problem.m >= instruction[0] * warps &&
      isEvenCut(problem.m, warps, instruction[0]) && hasRows(problem, unit, warps))
    return best;
  std::optional<double> least;
  for (int64_t columns = 1; columns <= warps; ++columns) {
    WarpGrid grid{best.batch, warps / columns, columns};
    if (warps % columns != 0 || !hasRows(problem, unit, grid.rows) ||
        !isEvenCut(problem.m, grid.rows, instruction[0]) ||
        !isEvenCut(problem.n, columns, instruction[1]))
      continue;
    double traffic = getTraffic(problem, unit, grid);
    if (!least || traffic < *least)
      std::tie(best, least) = std::pair(grid, traffic);
  }
  if (least)
    return best;
  MatmulProblem smaller = problem;
  int64_t copies = problem.numWarps / getPowerOfTwoPart(problem.numWarps);
  smaller.numWarps /= copies;
  best = arrangeWarps(smaller, unit, batch, isChained);
  best.copies = copies;
  return best;
}

//===----------------------------------------------------------------------===//
// Units that read on-chip memory
//===----------------------------------------------------------------------===//

/// Whether `unit` can fetch `operand` from where copies or stores put it: as it
/// is loaded, or, where it is computed, in either order.
static bool canFetch(MatmulUnit unit, MatmulOperand which, Value operand) {
  ArrayRef<int64_t> shape = getShape(operand.getType());
  unsigned bits = std::max(8u, getElementType(operand.getType()).getIntOrFloatBitWidth());
  OperandSource source = traceOperand(operand);
  auto load = source.block.getDefiningOp<LoadOp>();
  if (!load)
    return unit.getOnChipLayout(which, shape, bits, 0) ||
           unit.getOnChipLayout(which, shape, bits, 1);
  constexpr int64_t kRun = 16;
  unsigned fastest = getFastestDim(getLayout(load.getType()).getLayout(), kRun);
  return unit.getOnChipLayout(which, shape, bits, source.getOperandDim(fastest)).has_value();
}

/// Both operands fit on chip at once, with something to spare.
static bool fitsOnChip(DotOp op, TargetAttr target) {
  int64_t bits = 0;
  for (Value operand : {op.getA(), op.getB()})
    bits += ShapedType::getNumElements(getShape(operand.getType())) *
            getElementType(operand.getType()).getIntOrFloatBitWidth();
  return bits / 8 <= target.getFact("on_chip_bytes", 0) * 3 / 4;
}

static bool canUse(DotOp op, MatmulUnit unit, TargetAttr target) {
  MatmulProblem problem = op.getProblem();
  LinearLayout fragment = unit.getFragment(MatmulOperand::Acc);
  if (fragment.getInSize(Dim::Lane) != target.getLanes() ||
      problem.numWarps % fragment.getInSize(Dim::Warp) != 0 || !unit.accepts(problem))
    return false;
  if (!unit.readsOnChip())
    return true;
  bool isLoaded = traceOperand(op.getA()).block.getDefiningOp<LoadOp>() != nullptr;
  return op.getType().getRank() == 2 && fitsOnChip(op, target) &&
         canFetch(unit, MatmulOperand::B, op.getB()) &&
         (!isLoaded || canFetch(unit, MatmulOperand::A, op.getA()));
}

//===----------------------------------------------------------------------===//
// Operands of narrow elements
//===----------------------------------------------------------------------===//

/// Whether a block is made, element by element, of one that is loaded with elements of at most
/// `bits`, `run` of them one behind the other along `dim`.
static bool comesNarrow(Value block, unsigned dim, unsigned bits, int64_t run) {
  llvm::SetVector<std::pair<Value, unsigned>> reached; // each once: paths may be very many
  reached.insert({block, dim});
  for (size_t i = 0; i < reached.size(); ++i) {
    OperandSource source = traceOperand(reached[i].first);
    Operation *def = source.block.getDefiningOp();
    auto type = dyn_cast<RankedTensorType>(source.block.getType());
    if (!def || !type || reached[i].second >= source.order.size())
      continue;
    unsigned along = source.order[reached[i].second];
    if (isa<LoadOp>(def) && type.getElementTypeBitWidth() <= bits &&
        getLayout(type).getLayout().getContiguity(along, run) == run)
      return true;
    if (!isa<LoadOp>(def) && getLayoutTie(def) == LayoutTie::Same)
      for (Value operand : def->getOperands())
        if (isa<RankedTensorType>(operand.getType()))
          reached.insert({operand, along});
  }
  return false;
}

/// Operands that are loaded as elements of half the width are read as they lie on chip, in words,
/// if each lane has as many of them. What another product gives would have to move for it.
static MatmulUnit choosePairs(DotOp op, MatmulUnit unit) {
  MatmulUnit paired = unit.getPaired();
  if (!paired || comesFromDot(op.getA()) || comesFromDot(op.getB()))
    return unit;
  LinearLayout fragment = paired.getFragment(MatmulOperand::B);
  int64_t run = fragment.getContiguity(0, fragment.getDimSize(0));
  unsigned rank = op.getType().getRank();
  auto isNarrow = [&](Value operand, unsigned dim) {
    unsigned bits = getElementType(operand.getType()).getIntOrFloatBitWidth();
    return comesNarrow(operand, dim, bits / 2, run);
  };
  return isNarrow(op.getA(), rank - 1) || isNarrow(op.getB(), rank - 2) ? paired : unit;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

static void convertOperand(OpOperand &operand, LayoutAttr layout) {
  OpBuilder builder(operand.getOwner());
  Type type = withLayout(operand.get().getType(), layout);
  operand.set(ConvertLayoutOp::create(builder, operand.get().getLoc(), type, operand.get()));
}

using OperandLayout = function_ref<LinearLayout(MatmulOperand, ArrayRef<int64_t>)>;

/// Give the operands and the result of `op` the layouts that `getLayoutOf` says.
static void convertDot(DotOp op, OperandLayout getLayoutOf) {
  auto getAttr = [&](MatmulOperand operand, Value value) {
    return LayoutAttr::get(op.getContext(), getLayoutOf(operand, getShape(value.getType())));
  };
  convertOperand(op.getAMutable(), getAttr(MatmulOperand::A, op.getA()));
  convertOperand(op.getBMutable(), getAttr(MatmulOperand::B, op.getB()));
  LayoutAttr acc = getAttr(MatmulOperand::Acc, op.getAcc());
  convertOperand(op.getAccMutable(), acc);
  OpBuilder builder(op.getContext());
  builder.setInsertionPointAfter(op);
  Type type = op.getType();
  op.getResult().setType(cast<RankedTensorType>(withLayout(type, acc)));
  auto back = ConvertLayoutOp::create(builder, op.getLoc(), type, op.getResult());
  op.getResult().replaceAllUsesExcept(back, back);
}

/// The block before conversions; the layout does not matter.
static void stripConversions(OpOperand &operand) {
  while (auto convert = operand.get().getDefiningOp<ConvertLayoutOp>())
    operand.set(convert.getSource());
}

static void useUnit(DotOp op, MatmulUnit unit, const WarpGrid &warps) {
  if (op.getMaxImpreciseAcc() > 0 && !unit.roundsSums())
    op.emitRemark("max_num_imprecise_acc has no effect: the matrix unit keeps the whole sum");
  unit = choosePairs(op, unit.getWidest(op.getProblem().n / warps.columns));
  op.setUnitAttr(unit);
  bool isInRegisters = !isReadOnChip(op, MatmulOperand::A);
  convertDot(op, [&](MatmulOperand operand, ArrayRef<int64_t> shape) {
    return getUnitLayout(unit, operand, shape, warps);
  });
  if (!unit.readsOnChip())
    return;
  stripConversions(op.getBMutable());
  if (!isInRegisters)
    stripConversions(op.getAMutable());
}

/// Products one by one: threads own squares, and lanes lie in one, so that each
/// value that a thread holds serves many products.
static void useScalars(DotOp op, int64_t lanes) {
  LinearLayout acc =
      getScalarAccumulatorLayout(op.getType().getShape(), lanes, op.getProblem().numWarps);
  convertDot(op, [&](MatmulOperand operand, ArrayRef<int64_t> shape) {
    return operand == MatmulOperand::Acc ? acc : getScalarDotLayout(acc, operand, shape);
  });
}

/// dot(a, b, 0) + c  ->  dot(a, b, c), whatever the order of the operands. Sums
/// are rounded in another order then, as they are for any size of the blocks.
static void accumulateInPlace(Operation *add) {
  for (unsigned index : {0, 1}) {
    auto dot = add->getOperand(index).getDefiningOp<DotOp>();
    if (!dot || !dot->hasOneUse() || dot->getBlock() != add->getBlock() || dot.getUnitAttr() ||
        !(matchPattern(dot.getAcc(), m_Zero()) || matchPattern(dot.getAcc(), m_PosZeroFloat())))
      continue;
    dot.getAccMutable().assign(add->getOperand(1 - index));
    dot->moveBefore(add); // where the other operand is known
    add->replaceAllUsesWith(ValueRange(dot.getResult()));
    add->erase();
    return;
  }
}

void SelectMatmulUnitsPass::runOnOperation() {
  TargetAttr target = getTarget(getOperation());
  if (!target) {
    getOperation().emitError("expects a module with a '") << kTargetAttr << "'";
    return signalPassFailure();
  }
  getOperation().walk([](Operation *op) {
    if (isa<arith::AddFOp, arith::AddIOp>(op))
      accumulateInPlace(op);
  });
  SmallVector<MatmulUnit> units = target.getUnits();
  SmallVector<DotOp> dots;
  getOperation().walk([&](DotOp op) {
    if (!op.getUnitAttr() && getLayout(op.getType()))
      dots.push_back(op);
  });
  if (dots.empty())
    return;
  DenseSet<Operation *> chained = findChained(dots);
  for (DotOp op : dots) {
    MatmulProblem problem = op.getProblem();
    auto *unit = llvm::find_if(units, [&](MatmulUnit unit) { return canUse(op, unit, target); });
    if (unit == units.end()) {
      useScalars(op, target.getLanes());
      continue;
    }
    int64_t batch = op.getType().getRank() == 3 ? op.getType().getDimSize(0) : 1;
    useUnit(op, *unit, arrangeWarps(problem, *unit, batch, chained.contains(op)));
  }
}
