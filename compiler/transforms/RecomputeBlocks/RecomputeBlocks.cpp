//===- RecomputeBlocks.cpp - Registers across reductions ------------------===//
#include "compiler/transforms/RecomputeBlocks/RecomputeBlocks.h"

#include "compiler/analysis/LayoutInference/LayoutInference.h"
#include "dialects/tile/IR/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tile {
#define GEN_PASS_DEF_RECOMPUTEBLOCKS
#include "compiler/transforms/RecomputeBlocks/RecomputeBlocks.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

namespace {
class Recomputer {
public:
  explicit Recomputer(scf::ForOp loop) : loop(loop) {}
  void run();

private:
  int64_t getBudget();
  bool isOutside(Value value) { return !loop->isAncestor(value.getParentBlock()->getParentOp()); }
  /// The op of the body that defines `value`, itself or inside; null if none does.
  Operation *getDefinition(Value value);
  int64_t countLive(Operation *at);
  bool isRecomputable(Value value);
  bool isRecomputable(Operation *op);
  Value recompute(Value value, OpBuilder &builder, IRMapping &again);
  void recomputeBehind(Operation *at);

  scf::ForOp loop;
  DenseMap<Value, bool> recomputable;
  int32_t rereads = 0;
};

struct RecomputeBlocksPass : tile::impl::RecomputeBlocksBase<RecomputeBlocksPass> {
  void runOnOperation() override {
    if (!getTarget(getOperation())) {
      getOperation().emitError("expects a module with a '") << kTargetAttr << "'";
      return signalPassFailure();
    }
    if (getTarget(getOperation()).getFact("program_registers") != 0)
      getOperation().walk([](scf::ForOp loop) { Recomputer(loop).run(); });
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// What lives across an op
//===----------------------------------------------------------------------===//

/// 32-bit registers in which a thread holds `value`. Offsets, constants and copies of a
/// number take none of their own: they are made of it where they are used.
static int64_t countRegisters(Value value) {
  LayoutAttr layout = getLayout(value.getType());
  Type element = getElementType(value.getType());
  Operation *op = value.getDefiningOp();
  if (!layout || !element.isIntOrFloat() || element.isInteger(1) ||
      (op && getLayoutTie(op) == LayoutTie::Leaf))
    return 0;
  int64_t bits = layout.getLayout().getInSize(Dim::Register) * element.getIntOrFloatBitWidth();
  return llvm::divideCeil(bits, 32);
}

/// Registers for blocks, such that several programs, or one of many warps, are
/// at work together.
int64_t Recomputer::getBudget() {
  constexpr int64_t kThreadsAtWork = 512, kBesideBlocks = 32;
  int64_t threads = getTarget(loop).getLanes() * getModuleInt(loop, kNumWarpsAttr, 1);
  int64_t registers = getTarget(loop).getFact("program_registers");
  return registers / std::max(threads, kThreadsAtWork) - kBesideBlocks;
}

Operation *Recomputer::getDefinition(Value value) {
  Operation *op = value.getDefiningOp();
  return op ? loop.getBody()->findAncestorOpInBlock(*op) : nullptr;
}

/// Blocks used behind `at` and not defined there; and all those from outside:
/// they are there for the next iteration too.
int64_t Recomputer::countLive(Operation *at) {
  DenseSet<Value> live;
  for (Operation &op : *loop.getBody())
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *definition = getDefinition(operand);
        bool isBehind =
            at->isBeforeInBlock(&op) && (!definition || !at->isBeforeInBlock(definition));
        if (isOutside(operand) || (isBehind && definition != at))
          live.insert(operand);
      }
    });
  int64_t registers = 0;
  for (Value value : live)
    registers += countRegisters(value);
  return registers;
}

//===----------------------------------------------------------------------===//
// What can be computed again
//===----------------------------------------------------------------------===//

/// Cheap, and for each element by itself.
static bool isCheap(Operation *op) {
  if (op->getNumRegions() != 0 || op->getNumResults() != 1 || !isMemoryEffectFree(op))
    return false;
  bool isDear = isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
                    arith::RemUIOp>(op);
  return isa<SplatOp>(op) || (isa<arith::ArithDialect>(op->getDialect()) && !isDear &&
                              getLayoutTie(op) == LayoutTie::Same);
}

/// Copies for later iterations go elsewhere, and are started before those of
/// this one are read.
static bool isLeftAlone(BufferLoadOp load) {
  if (!load.getBuffer().getDefiningOp<AwaitOp>())
    return false;
  for (Operation *op = load->getNextNode(); op; op = op->getNextNode())
    if (op->walk([](Operation *inner) {
            return isa<BufferStoreOp, AsyncCopyOp>(inner) ? WalkResult::interrupt()
                                                          : WalkResult::advance();
          }).wasInterrupted())
      return false;
  return true;
}

bool Recomputer::isRecomputable(Operation *op) {
  if (auto load = dyn_cast<BufferLoadOp>(op))
    return isLeftAlone(load);
  return isCheap(op) && llvm::all_of(op->getOperands(), [&](Value operand) {
           return !isa<RankedTensorType>(operand.getType()) || isOutside(operand) ||
                  isRecomputable(operand);
         });
}

bool Recomputer::isRecomputable(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != loop.getBody() || !isa<RankedTensorType>(value.getType()))
    return false;
  auto [entry, isNew] = recomputable.try_emplace(value, false);
  if (!isNew)
    return entry->second;
  bool result = isRecomputable(op);
  recomputable[value] = result;
  return result;
}

//===----------------------------------------------------------------------===//
// The rewrite
//===----------------------------------------------------------------------===//

Value Recomputer::recompute(Value value, OpBuilder &builder, IRMapping &again) {
  if (!isRecomputable(value))
    return value;
  if (Value done = again.lookupOrNull(value))
    return done;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    recompute(operand, builder, again);
  Operation *copy = builder.clone(*op, again);
  // Else CSE would take it for the first one.
  if (isa<BufferLoadOp>(copy))
    copy->setDiscardableAttr(kRereadAttr, builder.getI32IntegerAttr(++rereads));
  return copy->getResult(0);
}

/// Everything behind `at` uses what is computed there.
void Recomputer::recomputeBehind(Operation *at) {
  IRMapping again;
  OpBuilder builder(at->getContext());
  for (Operation *op = at->getNextNode(), *next; op; op = next) {
    next = op->getNextNode();
    builder.setInsertionPoint(op);
    op->walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands()) {
        Operation *definition = operand.get().getDefiningOp();
        if (definition && definition->getBlock() == at->getBlock() &&
            definition->isBeforeInBlock(at))
          operand.set(recompute(operand.get(), builder, again));
      }
    });
  }
}

void Recomputer::run() {
  SmallVector<ReduceOp> reductions = llvm::to_vector(loop.getBody()->getOps<ReduceOp>());
  for (ReduceOp reduction : reductions)
    if (countLive(reduction) >= getBudget()) {
      recomputable.clear();
      recomputeBehind(reduction);
    }
}
