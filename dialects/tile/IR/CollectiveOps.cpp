//===- CollectiveOps.cpp - Scans, sorts, histograms: rules and folds ------===//
#include "dialects/tile/IR/TileOps.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tile;

//===----------------------------------------------------------------------===//
// scan
//===----------------------------------------------------------------------===//

LogicalResult ScanOp::verify() {
  if (getSources().empty() || getScanned().size() != getSources().size())
    return emitOpError("expects one result per source, at least one");
  ArrayRef<int64_t> shape = getShape(getSources().front().getType());
  int64_t axis = getAxis();
  bool sameShape =
      llvm::all_of(getSources(), [&](Value source) { return getShape(source.getType()) == shape; });
  if (!sameShape || axis < 0 || axis >= static_cast<int64_t>(shape.size())) // scan.1
    return emitOpError("expects sources of one shape with dimension ") << axis;
  for (auto [source, result] : llvm::zip(getSources(), getScanned()))
    if (source.getType() != result.getType()) // scan.2
      return emitOpError("expects a result of type ")
             << source.getType() << ", got " << result.getType();
  return success();
}

LogicalResult ScanOp::verifyRegions() {
  Block &body = getCombiner().front();
  size_t count = getSources().size();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || body.getNumArguments() != 2 * count || yield.getNumOperands() != count) // scan.3
    return emitOpError("expects a region of ") << 2 * count << " arguments that yields " << count;
  for (auto [index, source] : llvm::enumerate(getSources())) {
    Type element = getElementType(source.getType());
    for (Type type : {body.getArgument(index).getType(), body.getArgument(count + index).getType(),
                      yield.getOperand(index).getType()})
      if (type != element) // scan.3
        return emitOpError("expects elements of type ")
               << element << " in the region, got " << type;
  }
  return success();
}

/// scan of one element  ->  the element
LogicalResult ScanOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &results) {
  if (getShape(getSources().front().getType())[getAxis()] != 1)
    return failure();
  llvm::append_range(results, getSources());
  return success();
}

//===----------------------------------------------------------------------===//
// sort
//===----------------------------------------------------------------------===//

LogicalResult SortOp::verify() {
  RankedTensorType source = getSource().getType(), sorted = getSorted().getType();
  Type element = source.getElementType();
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 16) // sort.1
    return emitOpError("expects integers, or floats of 16 bits or more, got ") << element;
  bool sameShape = source.getRank() == sorted.getRank() && source.getRank() > 0 &&
                   source.getShape().drop_back() == sorted.getShape().drop_back() &&
                   sorted.getShape().back() <= source.getShape().back();
  if (!sameShape || sorted.getElementType() != element) // sort.2
    return emitOpError("expects a result of the shape and element type of ")
           << source << ", or with fewer elements in the last dimension, got " << sorted;
  if (!getPlaces())
    return success();
  if (getShape(getPlaces().getType()) != sorted.getShape()) // sort.3
    return emitOpError("expects places of shape [")
           << sorted.getShape() << "], got [" << getShape(getPlaces().getType()) << "]";
  return success();
}

/// sort whose places nobody reads  ->  sort without;  of rows of one element  ->  the row
LogicalResult SortOp::canonicalize(SortOp op, PatternRewriter &rewriter) {
  if (op.getPlaces() && op.getPlaces().use_empty()) {
    auto plain = SortOp::create(rewriter, op.getLoc(), op.getSorted().getType(), Type(),
                                op.getSource(), op.getDescending(), op.getIsUnsigned());
    rewriter.replaceOp(op, {plain.getSorted(), Value()});
    return success();
  }
  if (op.getPlaces() || op.getSource().getType() != op.getSorted().getType() ||
      op.getSource().getType().getShape().back() != 1)
    return rewriter.notifyMatchFailure(op, "rows have several elements, or places are asked for");
  rewriter.replaceOp(op, op.getSource());
  return success();
}

//===----------------------------------------------------------------------===//
// histogram
//===----------------------------------------------------------------------===//

LogicalResult HistogramOp::verify() {
  int64_t source = getSource().getType().getRank(), counts = getCounts().getType().getRank();
  if (source != 1 || counts != 1) // histogram.1
    return emitOpError("expects blocks of rank one, got ranks ") << source << " and " << counts;
  return success();
}
