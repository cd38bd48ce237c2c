//===- PlaceOperands.cpp - Operands of dots on chip -----------------------===//
#include "compiler/transforms/PlaceOperands/PlaceOperands.h"

#include "compiler/analysis/BufferPlan/BufferPlan.h"
#include "compiler/analysis/OperandSource/OperandSource.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/RegionUtils.h"

namespace tile {
#define GEN_PASS_DEF_PLACEOPERANDS
#include "compiler/transforms/PlaceOperands/PlaceOperands.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

namespace {
class OperandPlacer {
public:
  /// Replace `dot`. Fails where its unit can not read an operand on chip.
  LogicalResult place(DotOp dot);

private:
  Value getBuffer(DotOp dot, MatmulOperand which);
  Value findCopy(DotOp dot, MatmulOperand which, const OperandSource &source);
  Value store(const OperandSource &source, BufferType type, DotOp dot);
  bool isHeld(DotOp dot);

  /// Registers that loops with operands that threads hold take.
  DenseMap<Operation *, int64_t> held;
  /// Where blocks were stored, by block and layout.
  DenseMap<std::pair<Value, Type>, Value> stored;
};

struct PlaceOperandsPass : tile::impl::PlaceOperandsBase<PlaceOperandsPass> {
  void runOnOperation() override {
    OperandPlacer placer;
    SmallVector<DotOp> dots;
    getOperation().walk([&](DotOp dot) {
      if (MatmulUnit unit = dot.getUnitAttr(); unit && unit.readsOnChip())
        dots.push_back(dot);
    });
    for (DotOp dot : dots)
      if (failed(placer.place(dot)))
        return signalPassFailure();
    // Blocks that units read where they are, nobody loads.
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};
} // namespace

static Value transpose(OpBuilder &b, Location loc, Value buffer, const OperandSource &source) {
  if (source.isAsBlock())
    return buffer;
  return BufferTransposeOp::create(b, loc, buffer, source.order);
}

static unsigned getElementBits(Type block) {
  return std::max(8u, getElementType(block).getIntOrFloatBitWidth());
}

/// Whether the buffer still holds at `dot` what was read: a ring's until it is
/// given back, behind the last reader; others' as far as one block of code shows.
static bool isUnchanged(BufferLoadOp load, DotOp dot) {
  if (load.getBuffer().getDefiningOp<AcquireOp>())
    return true;
  if (load->getBlock() != dot->getBlock())
    return false;
  for (Operation *op = load->getNextNode(); op != dot; op = op->getNextNode())
    if (isa<BufferStoreOp, AsyncCopyOp>(op) && op->getOperand(1) == load.getBuffer())
      return false;
  return true;
}

/// The buffer that the block was read from, if the unit may read it there in
/// its stead.
Value OperandPlacer::findCopy(DotOp dot, MatmulOperand which, const OperandSource &source) {
  auto load = source.block.getDefiningOp<BufferLoadOp>();
  if (!load || !isUnchanged(load, dot))
    return {};
  return canReadIn(dot, which, source, load.getBuffer().getType()) ? load.getBuffer() : Value();
}

/// Once for each block, where it is defined. One that is loaded is awaited no sooner than the
/// product needs it: other loads may come between.
Value OperandPlacer::store(const OperandSource &source, BufferType type, DotOp dot) {
  Value &buffer = stored[{source.block, type}];
  if (buffer)
    return buffer;
  OpBuilder b(source.block.getContext());
  b.setInsertionPointAfterValue(source.block);
  auto load = source.block.getDefiningOp<LoadOp>();
  if (load && load->getBlock() == dot->getBlock())
    b.setInsertionPoint(dot);
  Location loc = source.block.getLoc();
  buffer = BufferAllocOp::create(b, loc, type, IntegerAttr());
  BufferStoreOp::create(b, loc, source.block, buffer);
  return buffer;
}

Value OperandPlacer::getBuffer(DotOp dot, MatmulOperand which) {
  Value operand = which == MatmulOperand::A ? dot.getA() : dot.getB();
  OperandSource source = traceOperand(operand);
  OpBuilder b(dot);
  if (Value copy = findCopy(dot, which, source))
    return transpose(b, dot.getLoc(), copy, source);
  // As threads hold it, where the unit takes that.
  constexpr int64_t kRun = 16;
  Type block = source.block.getType();
  unsigned fastest = source.getOperandDim(getFastestDim(getLayout(block).getLayout(), kRun));
  for (unsigned dim : {fastest, 1 - fastest}) {
    std::optional<LinearLayout> layout = dot.getUnitAttr().getOnChipLayout(
        which, getShape(operand.getType()), getElementBits(block), dim);
    if (!layout)
      continue;
    auto attr = LayoutAttr::get(dot.getContext(), source.getBlockLayout(*layout));
    auto type = BufferType::get(dot.getContext(), getShape(block), getElementType(block), attr);
    return transpose(b, dot.getLoc(), store(source, type, dot), source);
  }
  return {};
}

/// Whether threads get the block through memory in any case.
static bool isExchanged(Value block) {
  auto convert = block.getDefiningOp<ConvertLayoutOp>();
  return convert && getScratchBytes(convert) != 0;
}

//===----------------------------------------------------------------------===//
// Operands that threads hold
//===----------------------------------------------------------------------===//

/// Registers of a thread, of 32 bits.
static int64_t countRegisters(Type block) {
  constexpr int64_t kRegisterBits = 32;
  LayoutAttr layout = getLayout(block);
  int64_t bits = getElementBits(block);
  return layout.getLayout().getInSize(Dim::Register) * bits / kRegisterBits;
}

/// Registers that what a loop carries takes, and the two largest of its other products: one is
/// at work while threads work on the other.
static int64_t countRegisters(scf::ForOp loop) {
  int64_t carried = 0;
  SmallVector<int64_t> others{0, 0};
  for (Type type : loop.getResultTypes())
    if (isa<RankedTensorType>(type) && getElementType(type).isIntOrFloat() && getLayout(type))
      carried += countRegisters(type);
  auto add = [&](Value acc, Type block) {
    if (!isa<BlockArgument>(acc) && getLayout(block))
      others.push_back(countRegisters(block));
  };
  for (auto dot : loop.getBody()->getOps<DotOp>())
    add(dot.getAcc(), dot.getType());
  for (auto dot : loop.getBody()->getOps<AsyncDotOp>()) // placed already
    add(dot.getAcc(), dot.getBlockType());
  llvm::sort(others, std::greater<>());
  return carried + others[0] + others[1];
}

/// Whether threads hold A as the unit takes it from registers.
static bool isInFragments(DotOp dot) {
  const LinearLayout &layout = getLayout(dot.getA().getType()).getLayout();
  LinearLayout fragment = dot.getUnitAttr().getFragment(MatmulOperand::A);
  for (Dim in : {Dim::Register, Dim::Lane, Dim::Warp})
    for (unsigned bit = 0, bits = fragment.getTile().getInBits(in); bit < bits; ++bit)
      if (layout.getTile().getInBits(in) <= bit ||
          layout.apply({{in, uint64_t(1) << bit}}) != fragment.apply({{in, uint64_t(1) << bit}}))
        return false;
  return true;
}

/// Whether threads hold operand A: one that the loop does not change, of instructions that
/// would read on chip all the time, where the loop's threads store there as well.
bool OperandPlacer::isHeld(DotOp dot) {
  constexpr int64_t kNarrow = 64, kMost = 240, kOthers = 40;
  auto load = dot.getA().getDefiningOp<BufferLoadOp>();
  auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
  if (!load || !loop || loop->isAncestor(load) || !load.getBuffer().getDefiningOp<AcquireOp>() ||
      dot.getUnitAttr().getInstructionShape()[1] > kNarrow ||
      loop.getBody()->getOps<BufferStoreOp>().empty() || !isInFragments(dot))
    return false;
  auto roles = dot->getParentOfType<RolesOp>();
  int64_t own = roles ? roles.getRegisters()[roles.getRoleOf(dot)] : 0;
  int64_t &count = held.try_emplace(loop, countRegisters(loop)).first->second;
  int64_t more = countRegisters(dot.getA().getType());
  if (count + more + kOthers > (own ? own : kMost))
    return false;
  count += more;
  return true;
}

/// Products whose sum the unit may keep by itself; 0: all.
static int32_t getMaxImpreciseAcc(DotOp dot) {
  int32_t most = dot.getMaxImpreciseAcc();
  return dot.getUnitAttr().roundsSums() && most <= dot.getProblem().k ? most : 0;
}

LogicalResult OperandPlacer::place(DotOp dot) {
  Value a = dot.getA();
  if (!isHeld(dot) && (isReadOnChip(dot, MatmulOperand::A) || isExchanged(a)))
    a = getBuffer(dot, MatmulOperand::A);
  Value b = getBuffer(dot, MatmulOperand::B);
  if (!a || !b)
    return dot.emitOpError("expects operands that its unit can read on chip");
  ImplicitLocOpBuilder builder(dot.getLoc(), dot);
  auto product = AsyncDotOp::create(builder, PendingType::get(dot.getType()), a, b, dot.getAcc(),
                                    dot.getUnitAttr(), dot.getPrecision(), dot.getIsUnsigned(),
                                    getMaxImpreciseAcc(dot));
  auto await = AwaitDotsOp::create(builder, TypeRange(dot.getType()), ValueRange(product), 0);
  dot.replaceAllUsesWith(await.getValues().front());
  dot.erase();
  return success();
}
