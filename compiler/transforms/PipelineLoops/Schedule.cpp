//===- Schedule.cpp - Which loads of a loop run ahead ---------------------===//
#include "compiler/transforms/PipelineLoops/Schedule.h"

#include "compiler/analysis/BufferPlan/BufferPlan.h"
#include "compiler/analysis/OperandSource/OperandSource.h"
#include "compiler/analysis/SmallLoads/SmallLoads.h"
#include "compiler/analysis/ThreadCopies/ThreadCopies.h"
#include "compiler/transforms/PipelineLoops/Prologue.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tile;

static std::optional<StringRef> getReasonAgainst(LoadOp load, const LoopWrites &writes) {
  if (load.getIsVolatile())
    return StringRef("it is volatile");
  if (getOtherThanZero(load) && feedsOnChip(load))
    return StringRef("a unit is to read masked elements that are other than zero");
  if (writes.mayWrite(load))
    return StringRef("the loop writes to memory");
  return std::nullopt;
}

static InFlightDiagnostic refuse(LoadOp load) {
  return load.emitRemark("this load is not pipelined: ");
}

static int64_t getStageBytes(const Schedule &schedule) {
  int64_t bytes = 0;
  for (const AheadLoad &ahead : schedule.loads)
    bytes += ahead.block.getBytes();
  return bytes;
}

/// Whether a dot multiplies `block` as it is.
static bool isOperand(Value block) {
  return llvm::any_of(block.getUses(), [](OpOperand &use) {
    Operation *op = use.getOwner();
    return isa<DotOp>(op) ? use.getOperandNumber() < 2
                          : isViewOfBlock(op) && isOperand(op->getResult(0));
  });
}

/// The loads that get two buffers where not all can: what is multiplied as it is loaded comes
/// first. Units need one buffer of what they read in any case.
static DenseSet<Operation *> chooseLoads(const Schedule &schedule, int64_t freeBytes) {
  for (const AheadLoad &ahead : schedule.loads)
    freeBytes -= feedsOnChip(ahead.load) ? ahead.block.getBytes() : 0;
  DenseSet<Operation *> chosen;
  for (bool operands : {true, false})
    for (AheadLoad ahead : schedule.loads) {
      int64_t bytes = ahead.block.getBytes() * (feedsOnChip(ahead.load) ? 1 : 2);
      if (isOperand(ahead.load.getResult()) != operands || bytes > freeBytes)
        continue;
      chosen.insert(ahead.load);
      freeBytes -= bytes;
    }
  return chosen;
}

/// Leave loads as they are where on-chip memory is too short for two buffers of each, if it is not
/// for some. `slice` is then what these need, `freeBytes` what is left for them.
static void dropLoads(scf::ForOp loop, int64_t &freeBytes, LoopSlice &slice, Schedule &schedule) {
  if (getStageBytes(schedule) * 2 <= freeBytes)
    return;
  DenseSet<Operation *> chosen = chooseLoads(schedule, freeBytes);
  if (chosen.empty())
    return;
  SmallVector<AheadLoad> all = std::exchange(schedule.loads, {});
  slice = LoopSlice(loop);
  for (AheadLoad ahead : all) {
    if (!chosen.contains(ahead.load)) {
      refuse(ahead.load) << "two blocks of " << ahead.block.getBytes()
                         << " bytes of on-chip memory are not left for it";
      freeBytes -= feedsOnChip(ahead.load) ? ahead.block.getBytes() : 0;
      continue;
    }
    schedule.loads.push_back(ahead);
    slice.add(ahead.load.getPointer());
    if (ahead.load.getMask())
      slice.add(ahead.load.getMask());
  }
}

/// As many stages as fit.
static void fitStages(scf::ForOp loop, Schedule &schedule, int64_t freeBytes) {
  int64_t bytes = getStageBytes(schedule);
  int64_t fitting = bytes == 0 ? schedule.stages : freeBytes / bytes;
  schedule.spareBytes = freeBytes - std::min(fitting, schedule.stages) * bytes;
  if (fitting >= schedule.stages)
    return;
  loop.emitRemark("this loop has ")
      << std::max<int64_t>(1, fitting) << " stages instead of " << schedule.stages
      << ": each needs " << bytes << " bytes of on-chip memory, of which " << freeBytes
      << " are left";
  schedule.stages = fitting;
}

//===----------------------------------------------------------------------===//
// Rotation
//===----------------------------------------------------------------------===//

namespace {
/// Collects what a dot needs of the body, itself included.
class EarlySlice {
public:
  EarlySlice(scf::ForOp loop, DotOp dot, const DenseSet<Operation *> &copied,
             const DenseSet<Operation *> &late)
      : loop(loop), dot(dot), copied(copied), late(late) {}

  /// Fails where that is more than copies, invariants, the iteration's number and
  /// what the loop carries without the dot.
  bool collect() {
    ops.insert(dot);
    return llvm::all_of(dot->getOperands(), [&](Value operand) { return visit(operand); });
  }

  DenseSet<Operation *> ops;

private:
  bool visit(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != loop.getBody() || argument == loop.getInductionVar())
        return true;
      unsigned index = argument.getArgNumber() - loop.getNumInductionVars();
      return !arguments.insert(index).second || visit(loop.getYieldedValues()[index]);
    }
    Operation *op = value.getDefiningOp();
    if (op == dot || late.contains(op))
      return false;
    if (op->getBlock() != loop.getBody() || !ops.insert(op).second || copied.contains(op))
      return true;
    return llvm::all_of(op->getOperands(), [&](Value operand) { return visit(operand); });
  }

  scf::ForOp loop;
  DotOp dot;
  const DenseSet<Operation *> &copied, &late;
  DenseSet<unsigned> arguments;
};
} // namespace

/// Ops of the body that depend on `from`, itself included.
static DenseSet<Operation *> collectDependents(Operation *from) {
  DenseSet<Operation *> dependents{from};
  for (Operation *op = from->getNextNode(); op; op = op->getNextNode())
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *def = operand.getDefiningOp(); def && dependents.contains(def))
          dependents.insert(op);
    });
  return dependents;
}

/// What one dot gives, twice half of it as an operand, and the accumulators of
/// the dot that uses it, beside addresses and the like.
static bool fitsRegisters(DotOp dot, DotOp consumer) {
  constexpr int64_t kMostElements = 232;
  auto count = [](DotOp op) {
    return getLayout(op.getType()).getLayout().getInSize(Dim::Register);
  };
  return 2 * count(dot) + count(consumer) <= kMostElements;
}

/// What turns a copy into an operand is no more than another view of it; a ring's
/// block is acquired for it alone.
static void collectSource(Value operand, DenseSet<Operation *> &ops) {
  while (Operation *op = operand.getDefiningOp()) {
    if (!(isViewOfBlock(op) || isa<BufferLoadOp, AcquireOp>(op)) || !op->hasOneUse())
      return;
    ops.insert(op);
    if (isa<AcquireOp>(op))
      return;
    operand = op->getOperand(0);
  }
}

/// Where two dots follow each other, of which one feeds the other and both
/// complete later: find what is early and what is late. The first one is then at
/// work together with the second one of the iteration before, and what lies
/// between them runs beside that.
static void findRotation(scf::ForOp loop, Schedule &schedule) {
  SmallVector<DotOp> dots = llvm::to_vector(loop.getBody()->getOps<DotOp>());
  bool areAsync = llvm::all_of(
      dots, [](DotOp dot) { return dot.getUnitAttr() && dot.getUnitAttr().readsOnChip(); });
  if (dots.size() != 2 || !areAsync || !fitsRegisters(dots[0], dots[1]))
    return;
  DenseSet<Operation *> copied, late = collectDependents(dots[1]);
  for (const AheadLoad &ahead : schedule.loads)
    copied.insert(ahead.load);
  bool feeds = collectDependents(dots[0]).contains(dots[1]);
  collectSource(dots[1].getB(), late);
  for (Operation &op : loop.getBody()->without_terminator())
    if (!copied.contains(&op) && !isa<AcquireOp, BufferLoadOp>(op) && !isMemoryEffectFree(&op))
      return;
  EarlySlice early(loop, dots[0], copied, late);
  if (!feeds || !early.collect())
    return;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (late.contains(&op))
      schedule.lateOps.push_back(&op);
    if (early.ops.contains(&op))
      schedule.earlyOps.push_back(&op);
  }
}

/// Beside operands of dots, what is small and not carried in registers, where that costs no stage.
static void addSmallLoads(scf::ForOp loop, const AccessAnalysis &patterns, const LoopWrites &writes,
                          int64_t freeBytes, LoopSlice &slice, Schedule &schedule) {
  if (schedule.loads.empty())
    return;
  for (LoadOp load : loop.getBody()->getOps<LoadOp>()) {
    bool isKnown =
        llvm::any_of(schedule.loads, [&](const AheadLoad &ahead) { return ahead.load == load; });
    if (isKnown || !isSmallLoad(load, loop, writes) || !isBetterCopied(load, loop))
      continue;
    CopyRun run = findCopyRun(load, patterns);
    if (run.width == 0)
      continue;
    BufferType block = chooseBuffer(load, run);
    if ((getStageBytes(schedule) + block.getBytes()) * schedule.stages <= freeBytes &&
        slice.add(load.getPointer()) && (!load.getMask() || slice.add(load.getMask())))
      schedule.loads.push_back({load, block});
  }
}

/// Whether the product reads copies alone and adds to what the loop carries.
static bool accumulatesCopies(DotOp dot, scf::ForOp loop, const Schedule &schedule) {
  auto acc = dyn_cast<BlockArgument>(dot.getAcc());
  if (!acc || acc.getOwner() != loop.getBody() || !dot->hasOneUse())
    return false;
  unsigned index = acc.getArgNumber() - loop.getNumInductionVars();
  return loop.getYieldedValues()[index] == dot.getResult() &&
         llvm::all_of(ValueRange{dot.getA(), dot.getB()}, [&](Value operand) {
           Value source = traceOperand(operand).block;
           return llvm::any_of(schedule.loads, [&](const AheadLoad &ahead) {
             return ahead.load == source.getDefiningOp();
           });
         });
}

/// Copies start behind products: those that nobody waits for in their own iteration, or else
/// the first one, so that the units are never idle while threads compute addresses.
static void placeCopies(scf::ForOp loop, Schedule &schedule) {
  bool isInBody = true;
  SmallVector<DotOp> products;
  loop.getBody()->walk([&](DotOp dot) {
    if (dot.getUnitAttr() && dot.getUnitAttr().readsOnChip()) {
      products.push_back(dot);
      isInBody &= dot->getBlock() == loop.getBody();
    }
  });
  schedule.completesLater = !isInBody || llvm::all_of(products, [&](DotOp dot) {
    return accumulatesCopies(dot, loop, schedule);
  });
  if (!schedule.completesLater)
    schedule.startsCopies = products.front();
}

/// Whether threads have read the copy of `load` when those for later iterations start; units read
/// none of it.
static bool isReadBefore(LoadOp load, Operation *startsCopies) {
  auto precedes = [&](Operation *op) {
    return op->getBlock() == startsCopies->getBlock() && op->isBeforeInBlock(startsCopies);
  };
  return !isOperand(load.getResult()) && precedes(load) &&
         llvm::all_of(load->getUsers(), [&](Operation *user) {
           return !isa<ConvertLayoutOp>(user) || precedes(user);
         });
}

/// Programs that are at work together where each has so many bytes on chip: as many as have
/// registers at most.
static int64_t countPrograms(scf::ForOp loop, int64_t bytes) {
  constexpr int64_t kRegistersOfThread = 128;
  int64_t threads = getTarget(loop).getLanes() * getModuleInt(loop, kNumWarpsAttr, 1);
  int64_t registers = getTarget(loop).getFact("program_registers");
  return std::min(registers / (threads * kRegistersOfThread), countFittingPrograms(loop, bytes));
}

/// What threads read before copies start needs one buffer fewer. They meet once more then: worth it
/// where more programs are at work together.
static void reuseBlocks(scf::ForOp loop, int64_t freeBytes, Schedule &schedule) {
  if (!schedule.startsCopies)
    return;
  int64_t bytes = getOnChipBytes(loop) - freeBytes + getStageBytes(schedule) * schedule.stages +
                  getPassedBytes(loop);
  int64_t fewer = bytes;
  for (const AheadLoad &ahead : schedule.loads)
    fewer -= isReadBefore(ahead.load, schedule.startsCopies) ? ahead.block.getBytes() : 0;
  if (countPrograms(loop, fewer) > countPrograms(loop, bytes))
    for (AheadLoad &ahead : schedule.loads)
      ahead.reusesBlock = isReadBefore(ahead.load, schedule.startsCopies);
}

/// All that becomes an operand; `addSmallLoads` adds what is better copied of the rest.
static bool isWanted(LoadOp load, bool ownStages) {
  auto type = dyn_cast<RankedTensorType>(load.getType());
  if (!type || isa<PtrType>(type.getElementType()))
    return false;
  return ownStages || becomesOperand(load);
}

std::optional<Schedule> tile::buildSchedule(scf::ForOp loop, const AccessAnalysis &patterns,
                                            int64_t freeBytes) {
  Schedule schedule;
  schedule.usesRings = !loop.getBody()->getOps<AcquireOp>().empty();
  if (schedule.usesRings)
    findRotation(loop, schedule);
  if (schedule.isRotated())
    return schedule;
  schedule.stages = getNumStages(loop);
  bool ownStages = loop->hasAttr(kNumStagesAttr);
  if (schedule.stages < 2 || getTarget(loop).getAsyncCopyBytes().empty())
    return std::nullopt;
  LoopSlice slice(loop);
  LoopWrites writes(loop);
  for (LoadOp load : loop.getBody()->getOps<LoadOp>()) {
    if (!isWanted(load, ownStages))
      continue;
    if (std::optional<StringRef> reason = getReasonAgainst(load, writes)) {
      refuse(load) << *reason;
      continue;
    }
    CopyRun run = findCopyRun(load, patterns);
    if (run.width == 0) {
      refuse(load)
          << "too few of its elements are consecutive and aligned for an asynchronous copy";
      continue;
    }
    if (!slice.add(load.getPointer()) || (load.getMask() && !slice.add(load.getMask()))) {
      refuse(load) << "its address depends on what the loop computes";
      continue;
    }
    schedule.loads.push_back({load, chooseBuffer(load, run)});
  }
  addSmallLoads(loop, patterns, writes, freeBytes, slice, schedule);
  // A load whose value another's address needs is made early, not copied.
  llvm::erase_if(schedule.loads,
                 [&](const AheadLoad &ahead) { return slice.ops.contains(ahead.load); });
  if (schedule.loads.empty())
    return std::nullopt;
  dropLoads(loop, freeBytes, slice, schedule);
  fitStages(loop, schedule, freeBytes);
  if (schedule.stages < 2)
    return std::nullopt;
  bool isReadLater =
      llvm::any_of(schedule.loads, [](const AheadLoad &ahead) { return feedsOnChip(ahead.load); });
  if (isReadLater && schedule.stages > 2 && !schedule.usesRings)
    findRotation(loop, schedule);
  if (isReadLater && !schedule.isRotated()) {
    placeCopies(loop, schedule);
    reuseBlocks(loop, freeBytes, schedule);
  }
  schedule.ahead = schedule.stages - 1;
  schedule.addressOps = slice.getOps();
  schedule.carried = llvm::to_vector(slice.carried);
  llvm::sort(schedule.carried);
  return schedule;
}
