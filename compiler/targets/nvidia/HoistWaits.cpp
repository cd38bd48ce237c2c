//===- HoistWaits.cpp - Waits for matrix products directly behind loops -----===//
#include "compiler/targets/nvidia/HoistWaits.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

static bool isWait(const Instruction &instruction) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  const auto *text = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return text && StringRef(text->getAsmString()).starts_with("wgmma.wait_group");
}

/// Whether `instruction` only computes, from values that are there before the loop, or comes of
/// such in its block.
static bool isIndependent(const Instruction &instruction, const Loop &loop) {
  return !instruction.mayReadOrWriteMemory() && !instruction.mayHaveSideEffects() &&
         none_of(instruction.operands(), [&](const Use &operand) {
           const auto *def = dyn_cast<Instruction>(operand);
           return def && (loop.contains(def) || isa<PHINode>(def));
         });
}

/// The wait that only what does not need `loop` precedes in `exit`.
static Instruction *findFirstWait(BasicBlock &exit, const Loop &loop) {
  BasicBlock::iterator place = exit.getFirstInsertionPt();
  while (place != exit.end() && isIndependent(*place, loop))
    ++place;
  if (place == exit.end() || !isWait(*place))
    return nullptr;
  bool isReady = none_of(place->operands(), [&](const Use &operand) {
    const auto *def = dyn_cast<Instruction>(operand);
    return def && def->getParent() == &exit && !isa<PHINode>(def);
  });
  return isReady ? &*place : nullptr;
}

void tile::nvidia::hoistWaits(Module &module) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    DominatorTree tree(function);
    LoopInfo loops(tree);
    for (const Loop *loop : loops.getLoopsInPreorder()) {
      BasicBlock *exit = loop->getExitBlock();
      if (Instruction *wait = exit ? findFirstWait(*exit, *loop) : nullptr)
        wait->moveBefore(*exit, exit->getFirstInsertionPt());
    }
  }
}
