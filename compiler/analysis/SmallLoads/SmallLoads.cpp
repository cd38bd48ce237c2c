//===- SmallLoads.cpp - What a loop loads beside operands of dots ---------===//
#include "compiler/analysis/SmallLoads/SmallLoads.h"

#include "compiler/analysis/OperandSource/OperandSource.h"

using namespace mlir;
using namespace tile;

int64_t tile::countElements(Type type) {
  if (!isa<RankedTensorType>(type))
    return 1;
  LayoutAttr layout = getLayout(type);
  return layout ? layout.getLayout().getInSize(Dim::Register) : INT64_MAX;
}

/// A copy of one element at least.
static bool hasCopiesOf(TargetAttr target, Type element) {
  return llvm::is_contained(target.getAsyncCopyBytes(), element.getIntOrFloatBitWidth() / 8);
}

bool tile::isSmallLoad(LoadOp load, scf::ForOp loop, const LoopWrites &writes) {
  auto type = dyn_cast<RankedTensorType>(load.getType());
  TargetAttr target = getTarget(load);
  if (!type || isa<PtrType>(type.getElementType()) || load.getIsVolatile() || load.getMask() ||
      load->getBlock() != loop.getBody())
    return false;
  int64_t threads = target.getLanes() * getModuleInt(load, kNumWarpsAttr, 1);
  if (type.getNumElements() > 2 * threads || !hasCopiesOf(target, type.getElementType()) ||
      findFedDot(load).first || writes.mayWrite(load))
    return false;
  LoopSlice slice(loop);
  return slice.add(load.getPointer()) && llvm::none_of(slice.ops, llvm::IsaPred<LoadOp>);
}

bool tile::isAdvanced(LoadOp load, scf::ForOp loop) {
  LoopSlice slice(loop);
  return slice.add(load.getPointer()) && !slice.carried.empty();
}

bool tile::isBetterCopied(LoadOp load, scf::ForOp loop) {
  if (countElements(load.getType()) > kMostCarriedElements)
    return false; // an address for each of them
  return isAdvanced(load, loop) || llvm::any_of(load->getUsers(), [](Operation *user) {
           return isa<ConvertLayoutOp>(user) &&
                  countElements(user->getResult(0).getType()) > kMostCarriedElements;
         });
}
