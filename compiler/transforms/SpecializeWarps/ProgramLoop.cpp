//===- ProgramLoop.cpp - Programs one after the other ---------------------===//
#include "compiler/transforms/SpecializeWarps/ProgramLoop.h"

#include "compiler/analysis/ArrayUses/ArrayUses.h"
#include "compiler/analysis/LaunchExpression/LaunchExpression.h"
#include "compiler/transforms/SpecializeWarps/ProgramWork.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tile;

static constexpr uint32_t kAxes = 3;

//===----------------------------------------------------------------------===//
// Which kernels
//===----------------------------------------------------------------------===//

/// What neither depends on the launch nor orders programs.
static bool isOfOneProgram(Operation *op) {
  // The former runs several already, perhaps; the latter may ask the machine where it is.
  if (isa<NumProgramsOp, InlineAsmOp>(op))
    return false;
  if (auto desc = dyn_cast<MakeDescriptorOp>(op); desc && desc->hasAttr(kBlockCopyAttr))
    return isMadeAtLaunch(desc);
  if (isa<LoadOp, StoreOp, DescriptorLoadOp, DescriptorStoreOp, DescriptorReduceOp>(op))
    return true;
  return isa<func::ReturnOp>(op) || isMemoryEffectFree(op) ||
         op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
}

/// Whether a program begins with loads of blocks that its warps make themselves: then there is
/// nothing to do for them while the next one's copies come.
static bool beginsWithLoads(func::FuncOp function, ArrayRef<RingLoad> loads) {
  Block &entry = function.front();
  Operation *first = nullptr;
  DenseSet<Operation *> fetched;
  for (const RingLoad &load : loads) {
    fetched.insert(load.op);
    Operation *around = entry.findAncestorOpInBlock(*load.op);
    if (around != load.op && (!first || around->isBeforeInBlock(first)))
      first = around;
  }
  return llvm::any_of(entry.getOps<LoadOp>(), [&](LoadOp load) {
    return isa<RankedTensorType>(load.getType()) && !fetched.contains(load) &&
           load->isBeforeInBlock(first);
  });
}

static bool asksWhichProgram(func::FuncOp function) {
  return function.walk([](ProgramIdOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Whether programs that differ are run better in turns than by the machine, which begins one where
/// another one ends. Measured: two groups of warps gain 1 to 14 %, three lose up to 3 %.
static bool gainsByTurns(func::FuncOp function, const ProgramWork &work) {
  constexpr int64_t kMostGroups = 2;
  int64_t group = getTarget(function).getFact("role_warps", 1);
  return !work.axis || getModuleInt(function, kNumWarpsAttr, 1) <= kMostGroups * group;
}

bool tile::canLoopOverPrograms(func::FuncOp function, ArrayRef<RingLoad> loads) {
  bool isInLoop = llvm::any_of(
      loads, [](const RingLoad &load) { return isa<scf::ForOp>(load.op->getParentOp()); });
  auto isApart = [](Operation *op) {
    return isOfOneProgram(op) ? WalkResult::advance() : WalkResult::interrupt();
  };
  bool areApart = !function.getBody().walk(isApart).wasInterrupted();
  std::optional<ProgramWork> work = getProgramWork(function);
  return asksWhichProgram(function) && isInLoop && areApart && work &&
         gainsByTurns(function, *work) && !beginsWithLoads(function, loads) &&
         getModuleInt(function, kNumCtasAttr, 1) == 1;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

namespace {
/// Builds the arithmetic of places in a grid. Numbers are not negative.
class GridBuilder {
public:
  GridBuilder(ImplicitLocOpBuilder &b, ValueRange sides) : b(b), sides(sides) {}

  /// Of program `number`, where the first axis is the fastest.
  SmallVector<Value> split(Value number);
  /// Where work changes along an axis: of the programs that thread block by thread block,
  /// turn by turn, are the `number`th, so that all thread blocks have a like amount to do.
  SmallVector<Value> share(Value number, Value count, Value blocks, const ProgramWork &work);

private:
  Value constant(int32_t value) { return arith::ConstantOp::create(b, b.getI32IntegerAttr(value)); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, x, y); }
  Value divide(Value x, Value y) { return arith::DivUIOp::create(b, x, y); }
  Value min(Value x, Value y) { return arith::MinUIOp::create(b, x, y); }
  Value turnEverySecond(Value number, Value count, Value blocks);

  ImplicitLocOpBuilder &b;
  ValueRange sides;
};
} // namespace

SmallVector<Value> GridBuilder::split(Value number) {
  SmallVector<Value> places;
  for (uint32_t axis = 0; axis + 1 < kAxes; ++axis) {
    places.push_back(arith::RemUIOp::create(b, number, sides[axis]));
    number = divide(number, sides[axis]);
  }
  places.push_back(number);
  return places;
}

/// In every second turn the thread blocks go the other way: who got the most gets the least.
Value GridBuilder::turnEverySecond(Value number, Value count, Value blocks) {
  Value turn = divide(number, blocks), first = mul(turn, blocks);
  Value size = min(blocks, sub(count, first)), place = sub(number, first);
  Value other = sub(sub(size, constant(1)), place);
  Value isOdd = arith::TruncIOp::create(b, b.getI1Type(), turn);
  return add(first, arith::SelectOp::create(b, isOdd, other, place));
}

/// Programs come in rows along the axis, of which so many are done together that they are two
/// turns: from what is the most work of all of them to what is the least, and back in the next
/// ones, so that neighbours in this order are a like amount of work. What is the least comes last.
SmallVector<Value> GridBuilder::share(Value number, Value count, Value blocks,
                                      const ProgramWork &work) {
  number = turnEverySecond(number, count, blocks);
  Value side = sides[*work.axis], rows = divide(count, side);
  Value together = add(divide(mul(blocks, constant(2)), side), constant(1));
  Value group = divide(number, mul(side, together));
  Value firstRow = mul(group, together), place = sub(number, mul(firstRow, side));
  Value size = min(together, sub(rows, firstRow));
  Value rank = divide(place, size), row = add(firstRow, sub(place, mul(rank, size)));
  Value lastGroup = divide(sub(rows, constant(1)), together);
  Value goesBack = arith::TruncIOp::create(b, b.getI1Type(), sub(lastGroup, group));
  Value other = sub(sub(side, constant(1)), rank);
  Value along =
      arith::SelectOp::create(b, goesBack, work.grows ? rank : other, work.grows ? other : rank);

  SmallVector<Value> places(kAxes);
  places[*work.axis] = along;
  uint32_t inner = *work.axis == 0 ? 1 : 0, outer = kAxes - *work.axis - inner;
  places[inner] = arith::RemUIOp::create(b, row, sides[inner]);
  places[outer] = divide(row, sides[inner]);
  return places;
}

void tile::loopOverPrograms(func::FuncOp function) {
  ProgramWork work = *getProgramWork(function);
  Block &entry = function.front();
  ImplicitLocOpBuilder b(function.getLoc(), entry.getTerminator());
  SmallVector<Value> sides;
  for (uint32_t axis = 0; axis < kAxes; ++axis) {
    (void)function.insertArgument(function.getNumArguments(), b.getI32Type(), {},
                                  function.getLoc());
    sides.push_back(entry.getArguments().back());
  }
  Value rows = arith::MulIOp::create(b, sides[0], sides[1]);
  Value count = arith::MulIOp::create(b, rows, sides[2]);
  Value first = ProgramIdOp::create(b, 0), blocks = NumProgramsOp::create(b, 0);
  auto loop = scf::ForOp::create(b, first, count, blocks);
  loop->setAttr(kProgramLoopAttr, b.getUnitAttr());
  if (work.axis)
    loop->setAttr(kUnequalProgramsAttr, b.getUnitAttr());
  Block &body = *loop.getBody();
  body.getOperations().splice(body.begin(), entry.getOperations(), entry.begin(),
                              rows.getDefiningOp()->getIterator());
  b.setInsertionPointToStart(&body);
  GridBuilder grid(b, sides);
  Value number = loop.getInductionVar();
  SmallVector<Value> places =
      work.axis ? grid.share(number, count, blocks, work) : grid.split(number);
  body.walk([&](ProgramIdOp op) {
    op.replaceAllUsesWith(places[op.getAxis()]);
    op.erase();
  });
  function->getParentOfType<ModuleOp>()->setAttr(kLaunchGridAttr, b.getUnitAttr());
}
