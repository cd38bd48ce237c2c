//===- PointerBase.cpp - Which array a pointer points into ----------------===//
#include "compiler/analysis/PointerBase/PointerBase.h"

#include "dialects/tile/IR/TileOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tile;

/// What a pointer is computed from as far as offsets and shapes go.
static Value skipOffsets(Value pointer) {
  while (Operation *op = pointer.getDefiningOp()) {
    if (!isa<AddPtrOp, SplatOp, BroadcastOp, ExpandDimsOp, ReshapeOp, TransposeOp, HintOp,
             CastPtrOp, ConvertLayoutOp>(op))
      break;
    pointer = op->getOperand(0);
  }
  return pointer;
}

static Value enterLoops(Value pointer);

/// Whether a loop advances the pointer that it carries there, and does not exchange it.
static bool isAdvanced(scf::ForOp loop, unsigned index) {
  Value argument = loop.getRegionIterArg(index);
  Value next = enterLoops(loop.getYieldedValues()[index]);
  return next == argument ||
         (next && next == enterLoops(loop.getInits()[index])); // back at the start
}

/// The same behind loops that pass it on; null where they exchange it.
static Value enterLoops(Value pointer) {
  pointer = skipOffsets(pointer);
  auto loop = pointer.getDefiningOp<scf::ForOp>();
  if (!loop)
    return pointer;
  unsigned index = cast<OpResult>(pointer).getResultNumber();
  return isAdvanced(loop, index) ? enterLoops(loop.getInits()[index]) : Value();
}

/// What a pointer is computed from, also before the loops around it; null where loops
/// exchange it.
static Value getOrigin(Value pointer) {
  while (true) {
    pointer = enterLoops(pointer);
    auto argument = dyn_cast_or_null<BlockArgument>(pointer);
    if (!argument || isa<func::FuncOp>(argument.getOwner()->getParentOp()))
      return pointer;
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument == loop.getInductionVar())
      return {};
    unsigned index = argument.getArgNumber() - loop.getNumInductionVars();
    if (!isAdvanced(loop, index))
      return {};
    pointer = loop.getInits()[index];
    if (getElementType(pointer.getType()) != getElementType(argument.getType()))
      return {};
  }
}

/// The load that gives a pointer, as it is or as a number; null if none does.
static LoadOp getPointerLoad(Value origin) {
  Operation *op = origin.getDefiningOp();
  while (op && isa<IntToPtrOp, HintOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return dyn_cast_if_present<LoadOp>(op);
}

/// The function's argument through which a pointer is loaded; null where none is known.
static Value getTable(Value origin) {
  LoadOp load = getPointerLoad(origin);
  Value table = load ? getOrigin(load.getPointer()) : Value();
  return isa_and_nonnull<BlockArgument>(table) ? table : Value();
}

Value tile::getPointerBase(Value pointer) {
  Value origin = getOrigin(pointer);
  if (!origin || isa<BlockArgument>(origin))
    return origin;
  Value table = getTable(origin), first;
  if (!table)
    return {};
  LoadOp load = getPointerLoad(origin);
  load->getParentOfType<func::FuncOp>().walk([&](LoadOp other) {
    if (getOrigin(other.getPointer()) != table)
      return WalkResult::advance();
    first = other;
    return WalkResult::interrupt();
  });
  return first;
}

bool tile::isReadOnly(Value pointer) {
  Value origin = getOrigin(pointer);
  if (auto argument = dyn_cast_or_null<BlockArgument>(origin)) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return function.getArgAttr(argument.getArgNumber(), kReadOnlyAttr) != nullptr;
  }
  return origin && origin.getDefiningOp()->hasAttr(kReadOnlyAttr);
}
