//===- AssignLayouts.cpp - Give every block a layout ----------------------===//
//
// Types are changed in place: first every block gets the plain layout of its
// shape, then accesses to memory, and ops that tie the layouts of their
// operands and results, get conversions around them.
//
//===----------------------------------------------------------------------===//
#include "compiler/transforms/AssignLayouts/AssignLayouts.h"

#include "compiler/analysis/AccessPattern/AccessPattern.h"
#include "compiler/analysis/LayoutInference/LayoutInference.h"
#include "compiler/analysis/LinearLayout/Constructors.h"
#include "compiler/analysis/OperandSource/OperandSource.h"
#include "compiler/analysis/ThreadExchange/SortPlan.h"
#include "compiler/transforms/AssignLayouts/AccessOrder.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

#include <map>
#include <numeric>

namespace tile {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "compiler/transforms/AssignLayouts/AssignLayouts.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

namespace {
/// What decides the layout of an access to memory.
struct Access {
  Operation *op;
  Value pointer;
  SmallVector<unsigned> order; // dimensions, most contiguous first
  int64_t width;               // elements a vector
  bool isOperand = false;      // reads what a dot multiplies
  bool isCopy = false;         // and may run ahead of its loop
  bool isPartial = false;      // of whose vectors the last elements may be masked
  /// The dimension along which the program reduces what it reads, if one alone.
  std::optional<unsigned> reduced = std::nullopt;
};

class LayoutAssigner {
public:
  explicit LayoutAssigner(func::FuncOp function)
      : function(function), context(function.getContext()), lanes(getTarget(function).getLanes()),
        warps(getModuleInt(function, kNumWarpsAttr, 1)),
        accessBits(getTarget(function).getFact("access_bits", 128)) {}

  LogicalResult run();

private:
  LogicalResult verifyBlocks();
  void collectAccesses();
  void assignPlainLayouts();
  void convertAccesses();
  LogicalResult convertTiedOps();
  LogicalResult convertShapeOp(Operation *op);
  void convertReduction(Operation *op);
  void convertDot(DotOp op);
  void convertSort(SortOp op);

  LayoutAttr getPlainLayout(ArrayRef<int64_t> shape);
  LayoutAttr getAccessLayout(const Access &access);
  void convertOperand(OpOperand &operand, LayoutAttr layout);
  void convertResult(OpResult result, LayoutAttr layout);

  func::FuncOp function;
  MLIRContext *context;
  int64_t lanes, warps, accessBits;
  SmallVector<Access> accesses;
  SmallVector<Operation *> tied;
  DenseMap<ArrayRef<int64_t>, LayoutAttr> plainLayouts;
};

struct AssignLayoutsPass : tile::impl::AssignLayoutsBase<AssignLayoutsPass> {
  void runOnOperation() override {
    if (!getTarget(getOperation())) {
      getOperation().emitError("expects a module with a '") << kTargetAttr << "'";
      return signalPassFailure();
    }
    if (failed(LayoutAssigner(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace

LogicalResult LayoutAssigner::run() {
  if (failed(verifyBlocks()))
    return failure();
  collectAccesses();
  assignPlainLayouts();
  convertAccesses();
  return convertTiedOps();
}

/// Blocks of unknown size, or with an encoding that is no layout, have none.
LogicalResult LayoutAssigner::verifyBlocks() {
  auto isBad = [](Type type) {
    auto block = dyn_cast<TensorType>(type);
    auto ranked = dyn_cast<RankedTensorType>(type);
    return block &&
           (!ranked || !ranked.hasStaticShape() || (ranked.getEncoding() && !getLayout(ranked)));
  };
  WalkResult result = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool bad = llvm::any_of(op->getResultTypes(), isBad);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        bad |= llvm::any_of(block.getArgumentTypes(), isBad);
    if (!bad)
      return WalkResult::advance();
    op->emitOpError("expects blocks of known size without an encoding of another kind");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Accesses to memory
//===----------------------------------------------------------------------===//

/// The pointer and mask of an access to global memory by a block, or nulls.
static std::pair<Value, Value> getPointerAndMask(Operation *op) {
  Value pointer, mask;
  if (auto load = dyn_cast<LoadOp>(op))
    std::tie(pointer, mask) = std::pair<Value, Value>(load.getPointer(), load.getMask());
  else if (auto store = dyn_cast<StoreOp>(op))
    std::tie(pointer, mask) = std::pair<Value, Value>(store.getPointer(), store.getMask());
  else if (std::optional<AtomicAccess> atomic = getAtomicAccess(op))
    std::tie(pointer, mask) = std::pair<Value, Value>(atomic->pointer, atomic->mask);
  if (!pointer || !isa<RankedTensorType>(pointer.getType()))
    return {};
  return {pointer, mask};
}

/// Whether `load` is to become a copy, for a dot of the loop around it.
static bool mayBecomeCopy(Operation *op) {
  auto load = dyn_cast<LoadOp>(op);
  return load && isa<LoopLikeOpInterface>(op->getParentOp()) &&
         !getTarget(op).getAsyncCopyBytes().empty() && getModuleInt(op, kNumStagesAttr, 1) > 1 &&
         becomesOperand(load.getResult());
}

/// Accesses of one shape that run in the same order share the widest of their
/// vectors: a layout in common is worth more than each one's exact width. Operands of dots have
/// layouts of their own anyway. None is wider than one vector of what is written or copied: a warp
/// that comes twice to each sector, where no cache joins the two, takes twice as long. Measured:
/// sums of halves and words of 32 bits take 25 % longer by eight elements than by four, products of
/// such copies 30 %.
static void shareWidths(MutableArrayRef<Access> accesses, int64_t accessBits) {
  struct Widths {
    int64_t widest = 1, most = std::numeric_limits<int64_t>::max();
  };
  std::map<std::tuple<SmallVector<int64_t>, SmallVector<unsigned>, bool, bool>, Widths> shared;
  auto key = [](const Access &access) {
    return std::tuple(SmallVector<int64_t>(getShape(access.pointer.getType())), access.order,
                      access.isOperand, access.isPartial);
  };
  for (Access &access : accesses) {
    Widths &widths = shared[key(access)];
    widths.widest = std::max(widths.widest, access.width);
    if (!isa<LoadOp>(access.op) || access.isCopy)
      widths.most = std::min(widths.most, getMostElements(access.pointer, accessBits));
  }
  for (Access &access : accesses) {
    Widths widths = shared[key(access)];
    access.width = std::min(widths.widest, widths.most);
  }
}

/// Collects in `axes` along which dimensions the elements of `block`, each changed
/// for itself, are reduced.
static void collectReductions(Value block, DenseSet<Value> &seen, SetVector<unsigned> &axes) {
  if (!seen.insert(block).second)
    return;
  for (Operation *user : block.getUsers()) {
    if (auto reduce = dyn_cast<ReduceOp>(user))
      axes.insert(reduce.getAxis());
    else if (getLayoutTie(user) == LayoutTie::Same)
      for (Value result : user->getResults())
        collectReductions(result, seen, axes);
  }
}

/// Accesses of one shape agree on what is reduced, as on their widths.
static void shareReductions(MutableArrayRef<Access> accesses) {
  std::map<SmallVector<int64_t>, SetVector<unsigned>> axes;
  DenseSet<Value> seen;
  for (Access &access : accesses)
    for (Value result : access.op->getResults())
      collectReductions(result, seen, axes[SmallVector<int64_t>(getShape(result.getType()))]);
  for (Access &access : accesses) {
    const SetVector<unsigned> &found =
        axes[SmallVector<int64_t>(getShape(access.pointer.getType()))];
    if (found.size() == 1)
      access.reduced = found.front();
  }
}

void LayoutAssigner::collectAccesses() {
  AccessAnalysis patterns(function);
  function.walk([&](Operation *op) {
    auto [pointer, mask] = getPointerAndMask(op);
    if (!pointer)
      return;
    auto type = cast<RankedTensorType>(pointer.getType());
    if (type.getRank() == 0)
      return;
    SmallVector<unsigned> order = getAccessOrder(op, pointer, patterns.get(pointer));
    // Every thread should have something to do before any does more at a time.
    int64_t share = std::max<int64_t>(1, type.getNumElements() / (lanes * warps));
    int64_t width = patterns.getVectorWidth(pointer, mask, order.front(), accessBits);
    bool isCopy = mayBecomeCopy(op);
    int64_t copied =
        isCopy ? patterns.getVectorWidth(pointer, mask, order.front(), accessBits, true) : width;
    bool isPartial = copied > width;
    for (width = copied; width > share;)
      width /= 2;
    auto load = dyn_cast<LoadOp>(op);
    bool isOperand = isCopy || (load && isMultiplied(load.getResult()));
    accesses.push_back({op, pointer, order, width, isOperand, isCopy, isPartial});
  });
  shareWidths(accesses, accessBits);
  shareReductions(accesses);
}

LayoutAttr LayoutAssigner::getAccessLayout(const Access &access) {
  return LayoutAttr::get(context, getDefaultLayout(getShape(access.pointer.getType()), access.order,
                                                   access.width, lanes, warps, access.reduced));
}

void LayoutAssigner::convertAccesses() {
  for (const Access &access : accesses) {
    LayoutAttr layout = getAccessLayout(access);
    for (OpOperand &operand : access.op->getOpOperands())
      convertOperand(operand, layout);
    for (OpResult result : access.op->getResults())
      convertResult(result, layout);
  }
}

//===----------------------------------------------------------------------===//
// Plain layouts
//===----------------------------------------------------------------------===//

LayoutAttr LayoutAssigner::getPlainLayout(ArrayRef<int64_t> shape) {
  LayoutAttr &layout = plainLayouts[shape];
  if (!layout) {
    SmallVector<unsigned> order(shape.size());
    std::iota(order.rbegin(), order.rend(), 0);
    layout = LayoutAttr::get(context, getDefaultLayout(shape, order, 1, lanes, warps));
  }
  return layout;
}

void LayoutAssigner::assignPlainLayouts() {
  auto assign = [&](Value value) {
    auto block = dyn_cast<RankedTensorType>(value.getType());
    if (block && !block.getEncoding())
      value.setType(block.cloneWithEncoding(getPlainLayout(block.getShape())));
  };
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value result : op->getResults())
      assign(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), assign);
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
        constant.setValueAttr(elements.reshape(cast<ShapedType>(constant.getType())));
    if (isa<DotOp, SortOp>(op) || getLayoutTie(op) == LayoutTie::Shape ||
        getLayoutTie(op) == LayoutTie::Reduction)
      tied.push_back(op);
  });
  SmallVector<Type> results;
  for (Type type : function.getResultTypes())
    results.push_back(isa<RankedTensorType>(type) && !getLayout(type)
                          ? withLayout(type, getPlainLayout(getShape(type)))
                          : type);
  SmallVector<Type> arguments(function.isExternal()
                                  ? TypeRange(function.getArgumentTypes())
                                  : TypeRange(function.getBody().getArgumentTypes()));
  function.setType(FunctionType::get(context, arguments, results));
}

//===----------------------------------------------------------------------===//
// Ops that tie layouts
//===----------------------------------------------------------------------===//

void LayoutAssigner::convertOperand(OpOperand &operand, LayoutAttr layout) {
  Type type = operand.get().getType();
  if (!isa<RankedTensorType>(type) || getLayout(type) == layout)
    return;
  OpBuilder builder(operand.getOwner());
  operand.set(ConvertLayoutOp::create(builder, operand.get().getLoc(), withLayout(type, layout),
                                      operand.get()));
}

/// The op yields `layout`; users still see what they saw.
void LayoutAssigner::convertResult(OpResult result, LayoutAttr layout) {
  Type type = result.getType();
  if (!isa<RankedTensorType>(type) || getLayout(type) == layout)
    return;
  OpBuilder builder(context);
  builder.setInsertionPointAfter(result.getOwner());
  result.setType(withLayout(type, layout));
  auto convert = ConvertLayoutOp::create(builder, result.getLoc(), type, result);
  result.replaceAllUsesExcept(convert, convert);
}

LogicalResult LayoutAssigner::convertTiedOps() {
  for (Operation *op : tied) {
    if (auto dot = dyn_cast<DotOp>(op))
      convertDot(dot);
    else if (auto sort = dyn_cast<SortOp>(op))
      convertSort(sort);
    else if (getLayoutTie(op) == LayoutTie::Reduction)
      convertReduction(op);
    else if (failed(convertShapeOp(op)))
      return failure();
  }
  return success();
}

void LayoutAssigner::convertReduction(Operation *op) {
  LayoutAttr layout = getResultLayout(op, 0, getLayout(op->getOperand(0).getType()));
  for (OpResult result : op->getResults())
    convertResult(result, layout);
}

LogicalResult LayoutAssigner::convertShapeOp(Operation *op) {
  LayoutAttr result = getLayout(op->getResult(0).getType());
  if (!result) // split gave scalars: every thread has them
    result = getPlainLayout({});
  if (LayoutAttr operand = getOperandLayout(op, 0, result)) {
    for (OpOperand &source : op->getOpOperands())
      convertOperand(source, operand);
    return success();
  }
  // The plain layout of the operands may fit where that of the result does not.
  LayoutAttr source = getLayout(op->getOperand(0).getType());
  if (LayoutAttr forward = getResultLayout(op, 0, source)) {
    for (OpResult result : op->getResults())
      convertResult(result, forward);
    return success();
  }
  // Sides that are no powers of two may need elements of other threads.
  if (isa<ReshapeOp>(op))
    return success();
  return op->emitOpError("finds no layout in which the threads of a program can change ")
         << op->getOperand(0).getType() << " to " << op->getResult(0).getType();
}

void LayoutAssigner::convertDot(DotOp op) {
  const LinearLayout &acc = getLayout(op.getType()).getLayout();
  auto convert = [&](OpOperand &operand, MatmulOperand which) {
    LinearLayout layout = getScalarDotLayout(acc, which, getShape(operand.get().getType()));
    convertOperand(operand, LayoutAttr::get(context, layout));
  };
  convert(op.getAMutable(), MatmulOperand::A);
  convert(op.getBMutable(), MatmulOperand::B);
}

/// Rows come to where they are compared, and are fetched from where they end.
void LayoutAssigner::convertSort(SortOp op) {
  SortPlan plan = planSort(op.getSource().getType().getShape(),
                           op.getSorted().getType().getShape().back(), lanes, warps);
  convertOperand(op.getSourceMutable(), LayoutAttr::get(context, plan.first));
  for (OpResult result : op->getResults())
    convertResult(result, LayoutAttr::get(context, plan.last));
}
