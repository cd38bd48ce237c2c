//===- SinkValues.cpp - Values are computed where they are used -------------===//
#include "compiler/targets/nvidia/SinkValues.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

using namespace llvm;

/// What sinks loads does not look at where a call behind them may write. The mark writes nothing
/// that a program sees, and no code comes of it.
void tile::nvidia::pinLoads(Module &module) {
  Function *mark = Intrinsic::getOrInsertDeclaration(&module, Intrinsic::sideeffect);
  for (Function &function : module)
    for (BasicBlock &block : function)
      if (any_of(block, [](const Instruction &op) { return isa<LoadInst>(op); }))
        CallInst::Create(mark, {}, "", block.getTerminator()->getIterator());
}

/// Whether `instruction` may look for a word that another program writes, or take a lock if that
/// is free.
static bool asksOthers(const Instruction &instruction) {
  if (const auto *change = dyn_cast<AtomicRMWInst>(&instruction))
    return change->getOperation() == AtomicRMWInst::Xchg && !change->use_empty();
  return isa<AtomicCmpXchgInst>(instruction) ||
         (isa<LoadInst>(instruction) && instruction.isAtomic());
}

static bool hasWaitingLoop(const Function &function, const LoopInfo &loops) {
  return any_of(instructions(function), [&](const Instruction &instruction) {
    return asksOthers(instruction) && loops.getLoopFor(instruction.getParent());
  });
}

/// What threads compute together stays where they are together.
static bool mayMove(const Instruction &instruction) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  return !isa<PHINode, AllocaInst>(instruction) && !instruction.isTerminator() &&
         !instruction.isEHPad() && !instruction.mayReadOrWriteMemory() &&
         !instruction.mayHaveSideEffects() && !(call && call->isConvergent());
}

/// The last block that comes before all uses; null where there are none, or none that are reached.
static BasicBlock *findCommonBlock(const Instruction &instruction, const DominatorTree &tree) {
  BasicBlock *common = nullptr;
  for (const Use &use : instruction.uses()) {
    auto *user = cast<Instruction>(use.getUser());
    auto *phi = dyn_cast<PHINode>(user);
    BasicBlock *block = phi ? phi->getIncomingBlock(use) : user->getParent();
    if (!tree.isReachableFromEntry(block))
      return nullptr;
    common = common ? tree.findNearestCommonDominator(common, block) : block;
  }
  return common;
}

static BasicBlock *findPlace(const Instruction &instruction, const DominatorTree &tree,
                             const LoopInfo &loops) {
  BasicBlock *place = findCommonBlock(instruction, tree);
  auto isInFurtherLoop = [&] {
    const Loop *loop = loops.getLoopFor(place);
    return loop && !loop->contains(&instruction);
  };
  while (place && isInFurtherLoop())
    place = tree.getNode(place)->getIDom()->getBlock();
  return place;
}

/// Uses move before what they use.
static void sinkValues(Function &function) {
  DominatorTree tree(function);
  LoopInfo loops(tree);
  if (hasWaitingLoop(function, loops))
    return;
  for (BasicBlock *block : post_order(&function))
    for (Instruction &instruction : make_early_inc_range(reverse(*block))) {
      if (!mayMove(instruction))
        continue;
      BasicBlock *place = findPlace(instruction, tree, loops);
      if (place && place != block)
        instruction.moveBefore(*place, place->getFirstInsertionPt());
    }
}

void tile::nvidia::sinkValues(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      ::sinkValues(function);
}
