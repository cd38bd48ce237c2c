//===- SmallLoads.cpp - What a loop loads beside operands of dots ---------===//
#include "compiler/analysis/SmallLoads/SmallLoads.h"

#include "compiler/analysis/OperandSource/OperandSource.h"
#include "compiler/analysis/ThreadCopies/ThreadCopies.h"

using namespace mlir;
using namespace tile;

int64_t tile::countElements(Type type) {
  if (!isa<RankedTensorType>(type))
    return 1;
  LayoutAttr layout = getLayout(type);
  return layout ? layout.getLayout().getInSize(Dim::Register) : INT64_MAX;
}

int64_t tile::getLeastCopyWidth(LoadOp load) {
  int64_t bytes = std::max(8u, getElementType(load.getType()).getIntOrFloatBitWidth()) / 8;
  int64_t least = 0;
  for (int64_t copied : getTarget(load).getAsyncCopyBytes())
    if (copied % bytes == 0 && (least == 0 || copied / bytes < least))
      least = copied / bytes;
  return least;
}

bool tile::isSmallLoad(LoadOp load, scf::ForOp loop, const LoopWrites &writes) {
  auto type = dyn_cast<RankedTensorType>(load.getType());
  TargetAttr target = getTarget(load);
  if (!type || isa<PtrType>(type.getElementType()) || load.getIsVolatile() ||
      getOtherThanZero(load) || load->getBlock() != loop.getBody())
    return false;
  int64_t threads = target.getLanes() * getModuleInt(load, kNumWarpsAttr, 1);
  if (type.getNumElements() > 2 * threads || getLeastCopyWidth(load) == 0 || becomesOperand(load) ||
      writes.mayWrite(load))
    return false;
  LoopSlice slice(loop);
  return slice.add(load.getPointer()) && (!load.getMask() || slice.add(load.getMask())) &&
         llvm::none_of(slice.ops, llvm::IsaPred<LoadOp>);
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
