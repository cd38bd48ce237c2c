//===- ProgramLoop.cpp - Programs one after the other ---------------------===//
#include "compiler/transforms/SpecializeWarps/ProgramLoop.h"

#include "compiler/analysis/ArrayUses/ArrayUses.h"
#include "compiler/analysis/LaunchExpression/LaunchExpression.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tile;

static constexpr uint32_t kAxes = 3;

//===----------------------------------------------------------------------===//
// Which kernels
//===----------------------------------------------------------------------===//

/// Whether all programs get the same value, as far as that is to be seen.
static bool isSameInAll(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<func::FuncOp>(argument.getOwner()->getParentOp());
  Operation *op = value.getDefiningOp();
  return !isa<ProgramIdOp>(op) && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
         llvm::all_of(op->getOperands(), isSameInAll);
}

/// Whether programs are a like amount of work: else those that the machine begins when
/// others have ended are the better distributed.
static bool isEqualWork(func::FuncOp function) {
  return !function
              .walk([](Operation *op) {
                auto loop = dyn_cast<scf::ForOp>(op);
                bool isEqual = !isa<LoopLikeOpInterface>(op) ||
                               (loop && isSameInAll(loop.getLowerBound()) &&
                                isSameInAll(loop.getUpperBound()) && isSameInAll(loop.getStep()));
                return isEqual ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// What neither depends on the launch nor orders programs.
static bool isOfOneProgram(Operation *op) {
  // The former runs several already, perhaps; the latter may ask the machine where it is.
  if (isa<NumProgramsOp, InlineAsmOp>(op))
    return false;
  if (auto desc = dyn_cast<MakeDescriptorOp>(op); desc && desc->hasAttr(kBlockCopyAttr))
    return isMadeAtLaunch(desc);
  if (isa<LoadOp, StoreOp, DescriptorLoadOp, DescriptorStoreOp, DescriptorReduceOp>(op))
    return true;
  return isa<func::ReturnOp>(op) || isMemoryEffectFree(op) || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
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

bool tile::canLoopOverPrograms(func::FuncOp function, ArrayRef<RingLoad> loads) {
  bool isInLoop = llvm::any_of(
      loads, [](const RingLoad &load) { return isa<scf::ForOp>(load.op->getParentOp()); });
  auto isApart = [](Operation *op) {
    return isOfOneProgram(op) ? WalkResult::advance() : WalkResult::interrupt();
  };
  bool areApart = !function.getBody().walk(isApart).wasInterrupted();
  return asksWhichProgram(function) && isInLoop && areApart && isEqualWork(function) &&
         !beginsWithLoads(function, loads) && getModuleInt(function, kNumCtasAttr, 1) == 1;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// Places of program `number` in the grid, whose first axis is the fastest.
static SmallVector<Value> splitNumber(ImplicitLocOpBuilder &b, Value number, ValueRange sides) {
  SmallVector<Value> places;
  for (uint32_t axis = 0; axis + 1 < kAxes; ++axis) {
    places.push_back(arith::RemUIOp::create(b, number, sides[axis]));
    number = arith::DivUIOp::create(b, number, sides[axis]);
  }
  places.push_back(number);
  return places;
}

void tile::loopOverPrograms(func::FuncOp function) {
  Block &entry = function.front();
  ImplicitLocOpBuilder b(function.getLoc(), entry.getTerminator());
  SmallVector<Value> sides;
  for (uint32_t axis = 0; axis < kAxes; ++axis) {
    (void)function.insertArgument(function.getNumArguments(), b.getI32Type(), {}, function.getLoc());
    sides.push_back(entry.getArguments().back());
  }
  Value rows = arith::MulIOp::create(b, sides[0], sides[1]);
  Value count = arith::MulIOp::create(b, rows, sides[2]);
  Value first = ProgramIdOp::create(b, 0), blocks = NumProgramsOp::create(b, 0);
  auto loop = scf::ForOp::create(b, first, count, blocks);
  loop->setAttr(kProgramLoopAttr, b.getUnitAttr());
  Block &body = *loop.getBody();
  body.getOperations().splice(body.begin(), entry.getOperations(), entry.begin(),
                              rows.getDefiningOp()->getIterator());
  b.setInsertionPointToStart(&body);
  SmallVector<Value> places = splitNumber(b, loop.getInductionVar(), sides);
  body.walk([&](ProgramIdOp op) {
    op.replaceAllUsesWith(places[op.getAxis()]);
    op.erase();
  });
  function->getParentOfType<ModuleOp>()->setAttr(kLaunchGridAttr, b.getUnitAttr());
}
