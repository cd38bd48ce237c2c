//===- LayoutInference.cpp - How ops tie the layouts of their blocks ------===//
#include "compiler/analysis/LayoutInference/LayoutInference.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tile;

static LayoutAttr toAttr(MLIRContext *context, const LinearLayout &layout) {
  return LayoutAttr::get(context, layout);
}

static LayoutAttr toAttr(MLIRContext *context, const std::optional<LinearLayout> &layout) {
  return layout ? LayoutAttr::get(context, *layout) : LayoutAttr();
}

/// Whether every block among operands and results has the same shape.
static bool hasOneShape(Operation *op) {
  std::optional<ArrayRef<int64_t>> shape;
  for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
    for (Type type : types) {
      auto block = dyn_cast<RankedTensorType>(type);
      if (!block)
        continue;
      if (shape && *shape != block.getShape())
        return false;
      shape = block.getShape();
    }
  return shape.has_value();
}

static bool isBlock(Type type) { return isa<RankedTensorType>(type); }

LayoutTie tile::getLayoutTie(Operation *op) {
  if (isa<ExpandDimsOp, BroadcastOp, TransposeOp, ReshapeOp, JoinOp, SplitOp>(op))
    return LayoutTie::Shape;
  if (isa<GatherOp, CatOp, ExtractOp>(op))
    return LayoutTie::Moving;
  if (isa<ReduceOp>(op))
    return LayoutTie::Reduction;
  if (isa<ArangeOp, SplatOp>(op) || op->hasTrait<OpTrait::ConstantLike>())
    return LayoutTie::Leaf;
  if (isa<PrintOp, AssertOp, BufferStoreOp, DescriptorStoreOp, DescriptorReduceOp>(op))
    return LayoutTie::Sink;
  if (isa<ScanOp>(op))
    return LayoutTie::Same;
  bool isElementwise = (op->hasTrait<OpTrait::Elementwise>() && op->getNumRegions() == 0) ||
                       isa<HintOp, MapOp, InlineAsmOp>(op);
  if (isElementwise && !isa<ConvertLayoutOp>(op) && hasOneShape(op) &&
      llvm::any_of(op->getOperandTypes(), isBlock) && llvm::all_of(op->getResultTypes(), isBlock))
    return LayoutTie::Same;
  return LayoutTie::Anchor;
}

/// The layout of what is broadcast to a block of layout `result`.
static LinearLayout getBroadcastSource(BroadcastOp op, LinearLayout layout) {
  ArrayRef<int64_t> from = op.getSource().getType().getShape();
  ArrayRef<int64_t> to = op.getResult().getType().getShape();
  for (unsigned dim = 0; dim < from.size(); ++dim)
    if (from[dim] != to[dim])
      layout = layout.collapsed(dim);
  return layout.withoutRedundantRegisters();
}

LayoutAttr tile::getOperandLayout(Operation *op, unsigned index, LayoutAttr result) {
  MLIRContext *context = op->getContext();
  const LinearLayout &layout = result.getLayout();
  return TypeSwitch<Operation *, LayoutAttr>(op)
      .Case([&](ExpandDimsOp expand) {
        unsigned axis = expand.getAxis();
        // A padded side of size one moves something along it.
        if (layout.getDimSize(axis) != 1)
          return LayoutAttr();
        return toAttr(context, layout.squeezed(axis).withoutRedundantRegisters());
      })
      .Case([&](BroadcastOp broadcast) {
        return toAttr(context, getBroadcastSource(broadcast, layout));
      })
      .Case([&](TransposeOp transpose) {
        SmallVector<unsigned> inverse(transpose.getOrder().size());
        for (auto [dim, from] : llvm::enumerate(transpose.getOrder()))
          inverse[from] = dim;
        return toAttr(context, layout.transposed(inverse));
      })
      .Case([&](ReshapeOp reshape) {
        if (layout.getShape() != SmallVector<int64_t>(reshape.getType().getShape()))
          return LayoutAttr();
        return toAttr(context, layout.reshaped(reshape.getSource().getType().getShape()));
      })
      .Case([&](JoinOp) { return toAttr(context, layout.split()); })
      .Case([&](SplitOp) { return toAttr(context, layout.joined()); })
      .Case([&](GatherOp) { return index == 1 ? result : LayoutAttr(); }) // 1: the index
      .Case<CatOp, ExtractOp>([&](auto) { return LayoutAttr(); })
      .Default([&](Operation *) { return result; });
}

LayoutAttr tile::getResultLayout(Operation *op, unsigned index, LayoutAttr operand) {
  MLIRContext *context = op->getContext();
  const LinearLayout &layout = operand.getLayout();
  return TypeSwitch<Operation *, LayoutAttr>(op)
      .Case([&](ExpandDimsOp expand) { return toAttr(context, layout.expanded(expand.getAxis())); })
      .Case([&](BroadcastOp) { return LayoutAttr(); })
      .Case([&](TransposeOp transpose) {
        SmallVector<unsigned> order(transpose.getOrder().begin(), transpose.getOrder().end());
        return toAttr(context, layout.transposed(order));
      })
      .Case([&](ReshapeOp reshape) {
        RankedTensorType source = reshape.getSource().getType();
        if (layout.getShape() != SmallVector<int64_t>(source.getShape()))
          return LayoutAttr();
        return toAttr(context, layout.reshaped(reshape.getType().getShape()));
      })
      .Case([&](JoinOp) { return toAttr(context, layout.joined()); })
      .Case([&](SplitOp) { return toAttr(context, layout.split()); })
      .Case([&](GatherOp) { return index == 1 ? operand : LayoutAttr(); })
      .Case<CatOp, ExtractOp>([&](auto) { return LayoutAttr(); })
      .Case([&](ReduceOp reduce) {
        if (!isBlock(reduce.getReduced().front().getType()))
          return LayoutAttr();
        return toAttr(context, layout.sliced(reduce.getAxis()).withoutRedundantRegisters());
      })
      .Default([&](Operation *) { return operand; });
}

LogicalResult tile::verifyHasLayouts(Operation *root) {
  auto lacks = [](Value value) { return isBlock(value.getType()) && !getLayout(value.getType()); };
  WalkResult result = root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    bool bad = llvm::any_of(op->getResults(), lacks);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        bad |= llvm::any_of(block.getArguments(), lacks);
    if (!bad)
      return WalkResult::advance();
    op->emitOpError("expects blocks with layouts");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

LinearLayout tile::getScalarDotLayout(const LinearLayout &acc, MatmulOperand operand,
                                      ArrayRef<int64_t> shape) {
  unsigned rank = shape.size();
  // k takes the place of n in A, of m in B.
  unsigned inner = operand == MatmulOperand::A ? rank - 1 : rank - 2;
  SmallVector<unsigned> order{inner};
  for (unsigned dim = rank; dim-- > 0;)
    if (dim != inner)
      order.push_back(dim);
  return acc.collapsed(inner).withoutRedundantRegisters().resizedTo(shape, order);
}
