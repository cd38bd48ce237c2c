//===- PointerBase.cpp - Which array a pointer points into ----------------===//
#include "compiler/analysis/PointerBase/PointerBase.h"

#include "dialects/tile/IR/TileOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tile;

Value tile::getPointerBase(Value pointer) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(pointer)) {
      Operation *parent = argument.getOwner()->getParentOp();
      if (isa<func::FuncOp>(parent))
        return argument;
      auto loop = dyn_cast<scf::ForOp>(parent);
      if (!loop || argument == loop.getInductionVar())
        return {};
      pointer = loop.getTiedLoopInit(argument)->get(); // advanced, but not exchanged
      if (getElementType(pointer.getType()) != getElementType(argument.getType()))
        return {};
      continue;
    }
    Operation *op = pointer.getDefiningOp();
    if (!isa<AddPtrOp, SplatOp, BroadcastOp, ExpandDimsOp, ReshapeOp, TransposeOp, HintOp,
             CastPtrOp, ConvertLayoutOp>(op))
      return {};
    pointer = op->getOperand(0);
  }
}
