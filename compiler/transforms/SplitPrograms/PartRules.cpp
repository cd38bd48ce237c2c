//===- PartRules.cpp - How ops tie the parts of their blocks --------------===//
#include "compiler/transforms/SplitPrograms/PartRules.h"

#include "compiler/analysis/LayoutInference/LayoutInference.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tile;

using Splits = std::optional<SmallVector<Split>>;

bool tile::canBeSplit(Type type) { return isa<RankedTensorType, DescType>(type); }

Type tile::getPartType(Type type, Split split, int64_t parts) {
  if (split == kWhole)
    return type;
  if (auto desc = dyn_cast<DescType>(type)) {
    SmallVector<int64_t> shape(desc.getShape());
    shape[split] /= parts;
    return DescType::get(type.getContext(), shape, desc.getElementType(), desc.getNanPadding(),
                         desc.getTf32());
  }
  auto block = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(block.getShape());
  shape[split] /= parts;
  return block.clone(shape);
}

/// The dimension of `to` whose parts hold the same elements as those of `split` of
/// `from`, where blocks are taken in row-major order.
static Split getReshapedSplit(ArrayRef<int64_t> from, ArrayRef<int64_t> to, Split split,
                              int64_t parts) {
  int64_t before = llvm::product_of(from.take_front(split));
  for (Split dim = 0; dim < static_cast<Split>(to.size()); before /= to[dim++])
    if (before == 1 && to[dim] != 1)
      return to[dim] % parts == 0 ? dim : kWhole;
    else if (before % to[dim] != 0)
      return kWhole;
  return kWhole;
}

/// All blocks among the operands alike.
static SmallVector<Split> splitBlocks(Operation *op, Split split) {
  return llvm::map_to_vector(op->getOperandTypes(),
                             [&](Type type) { return canBeSplit(type) ? split : kWhole; });
}

static Splits unlessWhole(Split split) {
  return split == kWhole ? Splits() : Splits(SmallVector<Split>{split});
}

static Splits getDotSplits(DotOp op, Split split) {
  bool isBatch = split == 0 && op.getType().getRank() == 3;
  Split row = op.getType().getRank() - 2;
  bool isRow = split == row;
  return SmallVector<Split>{isBatch || isRow ? split : kWhole, isBatch || !isRow ? split : kWhole,
                            split};
}

static Splits getMovedSplits(Operation *op, Split split, bool isAxis) {
  return isAxis ? Splits() : Splits(splitBlocks(op, split));
}

/// A dimension of which all is taken.
static bool takesAll(ExtractOp op, Split split) {
  return op.getOffsets()[split] == 0 && op.getStrides()[split] == 1 &&
         op.getSource().getType().getShape()[split] == op.getType().getShape()[split];
}

static Splits getGatheredSplits(DescriptorGatherOp op, Split split) {
  if (split != 0)
    return std::nullopt; // all rows have the descriptor's columns
  return SmallVector<Split>{kWhole, 0, kWhole};
}

static Splits getDefaultSplits(Operation *op, Split split) {
  if (op->hasTrait<OpTrait::ConstantLike>()) {
    auto constant = dyn_cast<arith::ConstantOp>(op);
    bool isSplat = constant && isa<SplatElementsAttr>(constant.getValue());
    return isSplat ? Splits(SmallVector<Split>()) : Splits();
  }
  bool isChoice = isa<arith::SelectOp, LoadOp, AtomicRMWOp, AtomicCASOp>(op);
  if (!isChoice && getLayoutTie(op) != LayoutTie::Same)
    return std::nullopt;
  return splitBlocks(op, split);
}

Splits tile::getOperandSplits(Operation *op, Split split, int64_t parts) {
  if (split == kWhole)
    return SmallVector<Split>(op->getNumOperands(), kWhole);
  return llvm::TypeSwitch<Operation *, Splits>(op)
      .Case<SplatOp, ArangeOp, MakeDescriptorOp>(
          [](Operation *leaf) { return SmallVector<Split>(leaf->getNumOperands(), kWhole); })
      .Case([&](BroadcastOp broadcast) {
        bool repeats = broadcast.getSource().getType().getShape()[split] == 1;
        return SmallVector<Split>{repeats ? kWhole : split};
      })
      .Case([&](ExpandDimsOp expand) {
        Split axis = static_cast<Split>(expand.getAxis());
        return SmallVector<Split>{split > axis ? split - 1 : split};
      })
      .Case([&](TransposeOp transpose) { return SmallVector<Split>{transpose.getOrder()[split]}; })
      .Case([&](ReshapeOp reshape) {
        return unlessWhole(getReshapedSplit(
            reshape.getType().getShape(), reshape.getSource().getType().getShape(), split, parts));
      })
      .Case([&](JoinOp join) {
        return getMovedSplits(join, split, split + 1 == join.getType().getRank());
      })
      .Case([&](SplitOp) { return SmallVector<Split>{split}; })
      .Case([&](ReduceOp reduce) {
        Split axis = static_cast<Split>(reduce.getAxis());
        return splitBlocks(reduce, split >= axis ? split + 1 : split);
      })
      .Case<ScanOp, CatOp, GatherOp>([&](auto along) {
        return getMovedSplits(along, split, split == static_cast<Split>(along.getAxis()));
      })
      .Case([&](SortOp sort) {
        return getMovedSplits(sort, split, split + 1 == sort.getSource().getType().getRank());
      })
      .Case([&](ExtractOp extract) {
        return getMovedSplits(extract, split, !takesAll(extract, split));
      })
      .Case([&](DotOp dot) { return getDotSplits(dot, split); })
      .Case<DescriptorLoadOp>([&](Operation *load) { return splitBlocks(load, split); })
      .Case([&](DescriptorGatherOp gather) { return getGatheredSplits(gather, split); })
      .Default([&](Operation *other) { return getDefaultSplits(other, split); });
}

Splits tile::getEffectOperandSplits(Operation *op, Split split) {
  if (isa<DescriptorScatterOp>(op) && split != kWhole)
    return split == 0 ? Splits(SmallVector<Split>{kWhole, 0, kWhole, 0}) : Splits();
  return splitBlocks(op, split);
}

Split tile::getResultSplit(Operation *op, unsigned operand, Split split, int64_t parts) {
  if (split == kWhole || op->getNumResults() == 0)
    return kWhole;
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type)
    return kWhole;
  // Few dimensions: the one whose parts need this part of the operand.
  for (Split result = 0; result < type.getRank(); ++result) {
    if (type.getShape()[result] % parts != 0)
      continue;
    Splits needed = getOperandSplits(op, result, parts);
    if (needed && (*needed)[operand] == split)
      return result;
  }
  return kWhole;
}
