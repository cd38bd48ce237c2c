//===- PointerBase.cpp - Which array a pointer points into ----------------===//
#include "compiler/analysis/PointerBase/PointerBase.h"

#include "dialects/tile/IR/TileOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tile;

/// What a pointer is computed from as far as offsets, shapes and loops go; null where
/// loops exchange it.
static Value getOrigin(Value pointer) {
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
      return pointer;
    pointer = op->getOperand(0);
  }
}

Value tile::getPointerBase(Value pointer) {
  Value origin = getOrigin(pointer);
  return isa_and_nonnull<BlockArgument>(origin) ? origin : Value();
}

bool tile::isReadOnly(Value pointer) {
  Value origin = getOrigin(pointer);
  if (auto argument = dyn_cast_or_null<BlockArgument>(origin)) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return function.getArgAttr(argument.getArgNumber(), kReadOnlyAttr) != nullptr;
  }
  return origin && origin.getDefiningOp()->hasAttr(kReadOnlyAttr);
}
