//===- RegisterCount.cpp - Registers of products in flight ----------------===//
#include "compiler/transforms/OverlapDots/RegisterCount.h"

using namespace mlir;
using namespace tile;

int64_t tile::countRegisters(Type block) {
  constexpr int64_t kRegisterBits = 32, kPointerBits = 64;
  LayoutAttr layout = getLayout(block);
  Type element = getElementType(block);
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : kPointerBits;
  return layout ? layout.getLayout().getInSize(Dim::Register) * bits / kRegisterBits : 0;
}

int64_t tile::countLive(Operation *op, Operation *except) {
  Block *block = op->getBlock();
  auto isNeeded = [&](Value value) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      Operation *inBlock = block->findAncestorOpInBlock(*user);
      return inBlock && op->isBeforeInBlock(inBlock);
    });
  };
  int64_t count = 0;
  auto add = [&](ValueRange values) {
    for (Value value : values)
      if (isa<RankedTensorType>(value.getType()) && isNeeded(value))
        count += countRegisters(value.getType());
  };
  add(block->getArguments());
  for (Operation &before : *block) {
    if (&before == op)
      break;
    if (&before != except)
      add(before.getResults());
  }
  return count;
}

int64_t tile::countRegisters(AsyncDotOp dot) {
  Type a = dot.getA().getType();
  return countRegisters(dot.getBlockType()) + (isa<BufferType>(a) ? 0 : countRegisters(a));
}

bool tile::fitRegisters(int64_t count, Operation *op) {
  constexpr int64_t kMost = 240, kOthers = 24;
  auto roles = op->getParentOfType<RolesOp>();
  int64_t own = roles ? roles.getRegisters()[roles.getRoleOf(op)] : 0;
  return count + kOthers <= (own ? own : kMost);
}
