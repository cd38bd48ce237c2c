//===- SharedLoads.cpp - Small loads whose elements many threads need -----===//
#include "compiler/transforms/RemoveConversions/SharedLoads.h"

#include "compiler/analysis/AccessPattern/AccessPattern.h"
#include "compiler/analysis/LayoutInference/LayoutInference.h"
#include "compiler/analysis/LinearLayout/Constructors.h"
#include "compiler/analysis/OperandSource/OperandSource.h"
#include "compiler/analysis/SmallLoads/SmallLoads.h"

#include <numeric>

using namespace mlir;
using namespace tile;

/// Whether loads of `loop` are copied ahead, for its dots.
static bool copiesOperands(scf::ForOp loop) {
  return getNumStages(loop) > 1 && isInnermost(loop) &&
         llvm::any_of(loop.getBody()->getOps<LoadOp>(),
                      [](LoadOp load) { return becomesOperand(load); });
}

/// Consecutive lanes have consecutive elements of the last dimension, as many as a copy moves.
static LayoutAttr getSharedLayout(LoadOp load) {
  ArrayRef<int64_t> shape = getShape(load.getType());
  SmallVector<unsigned> order(shape.size());
  std::iota(order.rbegin(), order.rend(), 0);
  LinearLayout layout =
      getDefaultLayout(shape, order, getLeastCopyWidth(load), getTarget(load).getLanes(),
                       getModuleInt(load, kNumWarpsAttr, 1));
  return LayoutAttr::get(load.getContext(), layout);
}

/// Right behind the value: what does not change is converted before the loop.
static Value convert(Value value, LayoutAttr layout) {
  OpBuilder b(value.getContext());
  b.setInsertionPointAfterValue(value);
  return ConvertLayoutOp::create(b, value.getLoc(), withLayout(value.getType(), layout), value);
}

static void share(LoadOp load) {
  LayoutAttr layout = getSharedLayout(load);
  Type wanted = load.getType();
  for (OpOperand &operand : load->getOpOperands())
    operand.set(convert(operand.get(), layout));
  Value result = load.getResult();
  result.setType(withLayout(wanted, layout));
  OpBuilder b(load->getContext());
  b.setInsertionPointAfter(load);
  auto back = ConvertLayoutOp::create(b, load.getLoc(), wanted, result);
  result.replaceAllUsesExcept(back, back);
}

/// Whether other loads are from where `value` tells: it is read before they are.
static bool tellsPlace(Value value) {
  llvm::SetVector<Value> reached; // each once: paths may be very many
  reached.insert(value);
  for (size_t i = 0; i < reached.size(); ++i)
    for (Operation *user : reached[i].getUsers()) {
      if (isa<AddPtrOp, LoadOp>(user))
        return true;
      LayoutTie tie = getLayoutTie(user);
      if (tie == LayoutTie::Same || tie == LayoutTie::Shape)
        reached.insert_range(user->getResults());
    }
  return false;
}

/// Whether that layout lets threads copy it.
static bool canShare(LoadOp load, const AccessAnalysis &patterns) {
  int64_t width = getLeastCopyWidth(load);
  ArrayRef<int64_t> shape = getShape(load.getType());
  unsigned last = shape.size() - 1;
  unsigned bits = std::max(8u, getElementType(load.getType()).getIntOrFloatBitWidth());
  return shape[last] % width == 0 &&
         patterns.getVectorWidth(load.getPointer(), load.getMask(), last, width * bits,
                                 /*partial=*/true) >= width;
}

DenseSet<Operation *> tile::shareSmallLoads(func::FuncOp function) {
  if (getTarget(function).getAsyncCopyBytes().empty())
    return {};
  SmallVector<LoadOp> loads;
  AccessAnalysis patterns(function);
  function.walk([&](scf::ForOp loop) {
    if (!copiesOperands(loop))
      return;
    LoopWrites writes(loop);
    for (LoadOp load : loop.getBody()->getOps<LoadOp>())
      if (isSmallLoad(load, loop, writes) && !tellsPlace(load) && canShare(load, patterns) &&
          (countElements(load.getType()) > kMostCarriedElements || isAdvanced(load, loop)))
        loads.push_back(load);
  });
  llvm::for_each(loads, share);
  return DenseSet<Operation *>(loads.begin(), loads.end());
}
