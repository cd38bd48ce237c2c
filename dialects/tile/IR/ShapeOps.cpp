//===- ShapeOps.cpp - Shape changes: rules and folds ----------------------===//
#include "dialects/tile/IR/TileOps.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tile;

static RankedTensorType block(Value value) { return cast<RankedTensorType>(value.getType()); }

static LogicalResult verifySameElement(Operation *op, Type source, Type result) {
  if (getElementType(source) != getElementType(result))
    return op->emitOpError("expects result elements of type ")
           << getElementType(source) << ", got " << getElementType(result);
  return success();
}

static LogicalResult verifyShape(Operation *op, ArrayRef<int64_t> want, ArrayRef<int64_t> got) {
  if (want != got)
    return op->emitOpError("expects shape [") << want << "], got [" << got << "]";
  return success();
}

/// The attribute of a splat constant under `type`'s shape, or null.
static Attribute reshapeSplat(Attribute source, Type type) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(source);
  return splat ? splat.resizeSplat(cast<ShapedType>(type)) : Attribute();
}

//===----------------------------------------------------------------------===//
// arange, splat, broadcast
//===----------------------------------------------------------------------===//

LogicalResult ArangeOp::verify() {
  if (block(getResult()).getRank() != 1) // arange.1
    return emitOpError("expects a result of rank one, got ") << getType();
  return success();
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  if (!adaptor.getSource() || !isa<IntegerAttr, FloatAttr>(adaptor.getSource()))
    return {};
  return SplatElementsAttr::get(cast<ShapedType>(getType()), adaptor.getSource());
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType from = block(getSource()), to = block(getResult());
  if (from.getRank() != to.getRank()) // broadcast.1
    return emitOpError("expects equal ranks, got ") << from.getRank() << " and " << to.getRank();
  if (failed(verifySameElement(*this, from, to)))
    return failure();
  for (auto [dim, sizes] : llvm::enumerate(llvm::zip(from.getShape(), to.getShape()))) {
    auto [source, result] = sizes;
    if (source != result && source != 1) // broadcast.2
      return emitOpError("expects source dimension ")
             << dim << " to be 1 or " << result << ", got " << source;
  }
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (auto inner = getSource().getDefiningOp<BroadcastOp>()) {
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return reshapeSplat(adaptor.getSource(), getType());
}

//===----------------------------------------------------------------------===//
// expand_dims, reshape
//===----------------------------------------------------------------------===//

LogicalResult ExpandDimsOp::verify() {
  RankedTensorType from = block(getSource()), to = block(getResult());
  if (failed(verifySameElement(*this, from, to)))
    return failure();
  int64_t axis = getAxis();
  if (axis < 0 || axis > from.getRank())
    return emitOpError("expects an axis from 0 to ") << from.getRank() << ", got " << axis;
  SmallVector<int64_t> want(from.getShape());
  want.insert(want.begin() + axis, 1);
  return verifyShape(*this, want, to.getShape()); // expand_dims.1
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return reshapeSplat(adaptor.getSource(), getType());
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType from = block(getSource()), to = block(getResult());
  if (from.getNumElements() != to.getNumElements()) // reshape.1
    return emitOpError("expects equal numbers of elements, got ")
           << from.getNumElements() << " and " << to.getNumElements();
  return verifySameElement(*this, from, to);
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (auto inner = getSource().getDefiningOp<ReshapeOp>()) {
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return reshapeSplat(adaptor.getSource(), getType());
}

//===----------------------------------------------------------------------===//
// transpose
//===----------------------------------------------------------------------===//

LogicalResult TransposeOp::verify() {
  RankedTensorType from = block(getSource()), to = block(getResult());
  SmallVector<int64_t> order(getOrder().begin(), getOrder().end());
  if (static_cast<int64_t>(order.size()) != from.getRank()) // transpose.1
    return emitOpError("expects one order entry per source dimension, got ")
           << order.size() << " entries for " << from.getRank() << " dimensions";
  if (!isPermutationVector(order)) // transpose.2
    return emitOpError("expects order to be a permutation, got [") << order << "]";
  if (failed(verifySameElement(*this, from, to)))
    return failure();
  return verifyShape(*this, applyPermutation(from.getShape(), order), to.getShape()); // transpose.3
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  bool inPlace = llvm::all_of(llvm::enumerate(getOrder()), [](auto entry) {
    return entry.value() == static_cast<int32_t>(entry.index());
  });
  if (inPlace && getSource().getType() == getType())
    return getSource();
  return reshapeSplat(adaptor.getSource(), getType());
}

/// transpose(transpose(x, p), q)  ->  transpose(x, p[q])
LogicalResult TransposeOp::canonicalize(TransposeOp outer, PatternRewriter &rewriter) {
  auto inner = outer.getSource().getDefiningOp<TransposeOp>();
  if (!inner)
    return rewriter.notifyMatchFailure(outer, "source is not a transpose");
  auto order =
      llvm::map_to_vector(outer.getOrder(), [&](int32_t dim) { return inner.getOrder()[dim]; });
  rewriter.replaceOpWithNewOp<TransposeOp>(outer, outer.getType(), inner.getSource(), order);
  return success();
}

//===----------------------------------------------------------------------===//
// join, split
//===----------------------------------------------------------------------===//

LogicalResult JoinOp::verify() {
  if (failed(verifySameElement(*this, getFirst().getType(), getType())))
    return failure();
  SmallVector<int64_t> want(getShape(getFirst().getType()));
  want.push_back(2);
  return verifyShape(*this, want, getShape(getType())); // join.1
}

LogicalResult SplitOp::verify() {
  if (failed(verifySameElement(*this, getSource().getType(), getFirst().getType())))
    return failure();
  SmallVector<int64_t> want(getShape(getFirst().getType()));
  want.push_back(2);
  return verifyShape(*this, want, getShape(getSource().getType())); // split.1
}

/// split(join(a, b))  ->  a, b
LogicalResult SplitOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &results) {
  auto join = getSource().getDefiningOp<JoinOp>();
  if (!join || join.getFirst().getType() != getFirst().getType())
    return failure();
  results.append({join.getFirst(), join.getSecond()});
  return success();
}

//===----------------------------------------------------------------------===//
// gather, cat, extract
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::verify() {
  ArrayRef<int64_t> source = getShape(getSource().getType());
  SmallVector<int64_t> index(getShape(getIndex().getType()));
  int64_t axis = getAxis();
  if (source.size() != index.size() || axis < 0 || axis >= block(getSource()).getRank()) // gather.1
    return emitOpError("expects a source and an index with dimension ")
           << axis << ", got ranks " << source.size() << " and " << index.size();
  index[axis] = source[axis];
  if (ArrayRef(index) != source) // gather.2
    return emitOpError("expects an index with the source's sizes [")
           << source << "] off dimension " << axis << ", got [" << getShape(getIndex().getType())
           << "]";
  if (failed(verifySameElement(*this, getSource().getType(), getType()))) // gather.3
    return failure();
  return verifyShape(*this, getShape(getIndex().getType()), getShape(getType()));
}

OpFoldResult GatherOp::fold(FoldAdaptor adaptor) {
  return reshapeSplat(adaptor.getSource(), getType());
}

LogicalResult CatOp::verify() {
  RankedTensorType first = block(getFirst()), second = block(getSecond());
  int64_t axis = getAxis();
  if (first.getRank() != second.getRank() || axis < 0 || axis >= first.getRank()) // cat.1
    return emitOpError("expects operands with dimension ")
           << axis << ", got ranks " << first.getRank() << " and " << second.getRank();
  for (RankedTensorType operand : {first, second})
    if (failed(verifySameElement(*this, operand, getType())))
      return failure();
  int64_t size = first.getDimSize(axis) + second.getDimSize(axis);
  for (RankedTensorType operand : {first, second}) {
    SmallVector<int64_t> want(operand.getShape());
    want[axis] = size;
    if (failed(verifyShape(*this, want, getShape(getType())))) // cat.2
      return failure();
  }
  return success();
}

/// cat(splat, splat of the same)  ->  splat
OpFoldResult CatOp::fold(FoldAdaptor adaptor) {
  auto first = dyn_cast_or_null<SplatElementsAttr>(adaptor.getFirst());
  auto second = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSecond());
  if (!first || !second || first.getSplatValue<Attribute>() != second.getSplatValue<Attribute>())
    return {};
  return reshapeSplat(first, getType());
}

LogicalResult ExtractOp::verify() {
  RankedTensorType from = block(getSource()), to = block(getResult());
  if (failed(verifySameElement(*this, from, to)))
    return failure();
  int64_t rank = from.getRank();
  if (to.getRank() != rank) // extract.1
    return emitOpError("expects equal ranks, got ") << rank << " and " << to.getRank();
  if (int64_t(getOffsets().size()) != rank || int64_t(getStrides().size()) != rank) // extract.2
    return emitOpError("expects ") << rank << " offsets and strides, got " << getOffsets().size()
                                   << " and " << getStrides().size();
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t first = getOffsets()[dim];
    int64_t last = first + (to.getDimSize(dim) - 1) * getStrides()[dim];
    int64_t size = from.getDimSize(dim);
    if (first < 0 || first >= size || last < 0 || last >= size) // extract.3
      return emitOpError("expects elements from 0 to ")
             << size - 1 << " along dimension " << dim << ", got " << first << " to " << last;
  }
  return success();
}

/// Whether every element stays at its place.
static bool isIdentity(ExtractOp op) {
  return op.getSource().getType() == op.getType() &&
         llvm::all_of(op.getOffsets(), [](int64_t offset) { return offset == 0; });
}

OpFoldResult ExtractOp::fold(FoldAdaptor adaptor) {
  if (isIdentity(*this))
    return getSource();
  return reshapeSplat(adaptor.getSource(), getType());
}

/// extract(extract(x, o, s), p, t)  ->  extract(x, o + p * s, s * t)
LogicalResult ExtractOp::canonicalize(ExtractOp outer, PatternRewriter &rewriter) {
  auto inner = outer.getSource().getDefiningOp<ExtractOp>();
  if (!inner)
    return rewriter.notifyMatchFailure(outer, "source is not an extract");
  SmallVector<int64_t> offsets, strides;
  for (auto [o, s, p, t] :
       llvm::zip(inner.getOffsets(), inner.getStrides(), outer.getOffsets(), outer.getStrides())) {
    offsets.push_back(o + p * s);
    strides.push_back(s * t);
  }
  rewriter.replaceOpWithNewOp<ExtractOp>(outer, outer.getType(), inner.getSource(), offsets,
                                         strides);
  return success();
}

//===----------------------------------------------------------------------===//
// hint, convert_layout
//===----------------------------------------------------------------------===//

Value tile::skipHints(Value value) {
  while (auto hint = value.getDefiningOp<HintOp>())
    value = hint.getSource();
  return value;
}

LogicalResult HintOp::verify() {
  size_t dims = std::max<size_t>(1, getShape(getType()).size());
  for (auto list : {getDivisibility(), getContiguity(), getConstancy()}) {
    if (!list)
      continue;
    bool positive = llvm::all_of(*list, [](int64_t entry) { return entry > 0; });
    if (list->size() != dims || !positive) // hint.1
      return emitOpError("expects one positive entry per dimension (")
             << dims << "), got [" << *list << "]";
  }
  return success();
}

/// convert_layout between equal types  ->  nothing;  of a conversion  ->  one conversion
OpFoldResult ConvertLayoutOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (auto inner = getSource().getDefiningOp<ConvertLayoutOp>()) {
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return reshapeSplat(adaptor.getSource(), getType());
}
