//===- DescriptorOps.cpp - Descriptors of arrays: type, rules, folds ------===//
#include "dialects/tile/IR/MemoryRules.h"
#include "dialects/tile/IR/StageSyntax.h"
#include "dialects/tile/IR/TileOps.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace tile;

//===----------------------------------------------------------------------===//
// The type
//===----------------------------------------------------------------------===//

Type DescType::parse(AsmParser &parser) {
  SmallVector<int64_t> shape;
  Type element;
  bool nan = false, tf32 = false;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    StringRef word;
    SMLoc place = parser.getCurrentLocation();
    if (parser.parseKeyword(&word))
      return {};
    if (word != "nan" && word != "tf32") {
      parser.emitError(place, "expects 'nan' or 'tf32', got '") << word << "'";
      return {};
    }
    (word == "nan" ? nan : tf32) = true;
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<DescType>(loc, parser.getContext(), ArrayRef(shape), element, nan, tf32);
}

void DescType::print(AsmPrinter &printer) const {
  printer << "<";
  printer.printDimensionList(getShape());
  printer << "x" << getElementType();
  if (getNanPadding())
    printer << ", nan";
  if (getTf32())
    printer << ", tf32";
  printer << ">";
}

LogicalResult DescType::verify(function_ref<InFlightDiagnostic()> emitError,
                               ArrayRef<int64_t> shape, Type elementType, bool nanPadding,
                               bool tf32) {
  if (shape.empty() || shape.size() > 5) // desc.1
    return emitError() << "expects one to five dimensions, got " << shape.size();
  if (llvm::any_of(shape, [](int64_t size) { return size < 1; })) // desc.1
    return emitError() << "expects dimensions of positive sizes";
  if (!isa<IntegerType, FloatType>(elementType) || // desc.2
      elementType.getIntOrFloatBitWidth() < 8 || elementType.getIntOrFloatBitWidth() > 64)
    return emitError() << "expects integers or floats of 8 to 64 bits as elements, got "
                       << elementType;
  if (nanPadding && !isa<FloatType>(elementType)) // desc.3
    return emitError() << "expects floats where the padding is NaN, got " << elementType;
  if (tf32 && !elementType.isF32()) // desc.3
    return emitError() << "expects elements of type 'f32' to round, got " << elementType;
  return success();
}

RankedTensorType DescType::getBlockType() const {
  return RankedTensorType::get(getShape(), getElementType());
}

//===----------------------------------------------------------------------===//
// Making, and what is inside
//===----------------------------------------------------------------------===//

LogicalResult MakeDescriptorOp::verify() {
  DescType type = getResult().getType();
  size_t rank = type.getShape().size();
  if (getSizes().size() != rank) // make_descriptor.1
    return emitOpError("expects one size for each of ")
           << rank << " dimensions, got " << getSizes().size();
  if (getStrides().size() != rank - 1) // make_descriptor.2
    return emitOpError("expects strides of all dimensions but the last, ")
           << rank - 1 << ", got " << getStrides().size();
  if (getBase().getType().getPointee() != type.getElementType()) // make_descriptor.3
    return emitOpError("expects a pointer to ")
           << type.getElementType() << ", got " << getBase().getType();
  return success();
}

/// descriptor_base(make_descriptor(p, ...))  ->  p
OpFoldResult DescriptorBaseOp::fold(FoldAdaptor) {
  auto made = getDesc().getDefiningOp<MakeDescriptorOp>();
  return made ? OpFoldResult(made.getBase()) : OpFoldResult();
}

LogicalResult DescriptorSizeOp::verify() {
  int64_t rank = getDesc().getType().getRank();
  if (getDim() >= rank) // descriptor_size.1
    return emitOpError("expects a dimension below ") << rank << ", got " << getDim();
  return success();
}

/// descriptor_size(make_descriptor(p, sizes, strides), i)  ->  sizes[i]
OpFoldResult DescriptorSizeOp::fold(FoldAdaptor) {
  auto made = getDesc().getDefiningOp<MakeDescriptorOp>();
  return made ? OpFoldResult(made.getSizes()[getDim()]) : OpFoldResult();
}

LogicalResult DescriptorStrideOp::verify() {
  int64_t rank = getDesc().getType().getRank();
  if (getDim() + 1 >= rank) // descriptor_stride.1
    return emitOpError("expects a dimension before the last of ") << rank << ", got " << getDim();
  return success();
}

/// descriptor_stride(make_descriptor(p, sizes, strides), i)  ->  strides[i]
OpFoldResult DescriptorStrideOp::fold(FoldAdaptor) {
  auto made = getDesc().getDefiningOp<MakeDescriptorOp>();
  return made ? OpFoldResult(made.getStrides()[getDim()]) : OpFoldResult();
}

//===----------------------------------------------------------------------===//
// Access
//===----------------------------------------------------------------------===//

/// descriptor_load.1, descriptor_store.1, descriptor_reduce.1
static LogicalResult verifyIndices(Operation *op, DescType desc, ValueRange indices) {
  if (static_cast<int64_t>(indices.size()) != desc.getRank())
    return op->emitOpError("expects one index for each of ")
           << desc.getRank() << " dimensions, got " << indices.size();
  return success();
}

/// descriptor_load.2, descriptor_store.2, descriptor_reduce.3
static LogicalResult verifyBlock(Operation *op, DescType desc, Type block) {
  RankedTensorType want = desc.getBlockType();
  auto got = cast<RankedTensorType>(block);
  if (got.getShape() != want.getShape() || got.getElementType() != want.getElementType())
    return op->emitOpError("expects a block of type ") << want << ", got " << block;
  return success();
}

LogicalResult DescriptorLoadOp::verify() {
  if (failed(verifyIndices(*this, getDesc().getType(), getIndices())))
    return failure();
  return verifyBlock(*this, getDesc().getType(), getType());
}

LogicalResult DescriptorStoreOp::verify() {
  if (failed(verifyIndices(*this, getDesc().getType(), getIndices())))
    return failure();
  return verifyBlock(*this, getDesc().getType(), getValue().getType());
}

LogicalResult DescriptorReduceOp::verify() {
  if (failed(verifyIndices(*this, getDesc().getType(), getIndices())) ||
      failed(verifyBlock(*this, getDesc().getType(), getValue().getType())))
    return failure();
  if (getKind() == AtomicKind::Exchange) // descriptor_reduce.2
    return emitOpError("expects a kind that combines, got 'exchange'");
  return verifyAtomicKind(*this, getKind(), getDesc().getType().getElementType());
}

/// descriptor_gather.1, .2 and descriptor_scatter.1, .2
static LogicalResult verifyRows(Operation *op, DescType desc, Type rows, Type block) {
  if (desc.getRank() != 2 || desc.getShape().front() != 1)
    return op->emitOpError("expects a descriptor whose blocks are one row, got ") << desc;
  auto want = RankedTensorType::get({tile::getShape(rows)[0], desc.getShape().back()},
                                    desc.getElementType());
  auto got = cast<RankedTensorType>(block);
  if (got.getShape() != want.getShape() || got.getElementType() != want.getElementType())
    return op->emitOpError("expects a block of type ") << want << ", got " << block;
  return success();
}

LogicalResult DescriptorGatherOp::verify() {
  return verifyRows(*this, getDesc().getType(), getRows().getType(), getType());
}

LogicalResult DescriptorScatterOp::verify() {
  return verifyRows(*this, getDesc().getType(), getRows().getType(), getValue().getType());
}

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

ParseResult tile::parseDescriptorBlock(OpAsmParser &parser, Type &desc, Type &block) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(desc))
    return failure();
  auto type = dyn_cast<DescType>(desc);
  if (!type)
    return parser.emitError(loc, "expects a descriptor, got ") << desc;
  if (succeeded(parser.parseOptionalArrow()))
    return parser.parseType(block);
  block = type.getBlockType();
  return success();
}

void tile::printDescriptorBlock(OpAsmPrinter &printer, Operation *, Type desc, Type block) {
  printer << desc;
  if (tile::getLayout(block))
    printer << " -> " << block;
}

//===----------------------------------------------------------------------===//
// Descriptors that a program makes
//===----------------------------------------------------------------------===//

LogicalResult DescriptorAllocOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                                  ValueRange operands, DictionaryAttr,
                                                  OpaqueProperties, RegionRange,
                                                  SmallVectorImpl<Type> &types) {
  llvm::append_range(types, operands.getTypes());
  return success();
}

LogicalResult DescriptorAllocOp::verify() {
  if (getTemplates().empty()) // descriptor_alloc.1
    return emitOpError("expects a template");
  return success();
}

LogicalResult DescriptorSetOp::verify() {
  DescType type = getDesc().getType();
  size_t rank = type.getShape().size();
  if (!getDesc().getDefiningOp<DescriptorAllocOp>()) // descriptor_set.1
    return emitOpError("expects a descriptor of 'tile.descriptor_alloc'");
  if (getSizes().size() != rank) // descriptor_set.2
    return emitOpError("expects one size for each of ")
           << rank << " dimensions, got " << getSizes().size();
  if (getStrides().size() != rank - 1) // descriptor_set.3
    return emitOpError("expects strides of all dimensions but the last, ")
           << rank - 1 << ", got " << getStrides().size();
  if (getBase().getType().getPointee() != type.getElementType()) // descriptor_set.4
    return emitOpError("expects a pointer to ")
           << type.getElementType() << ", got " << getBase().getType();
  return success();
}

LogicalResult DescriptorPublishOp::verify() {
  for (Value desc : getDescriptors())
    if (!desc.getDefiningOp<DescriptorAllocOp>()) // descriptor_publish.1
      return emitOpError("expects descriptors of 'tile.descriptor_alloc'");
  return success();
}

LogicalResult DescriptorFreeOp::verify() {
  auto alloc = getDescriptors().empty()
                   ? DescriptorAllocOp()
                   : getDescriptors().front().getDefiningOp<DescriptorAllocOp>();
  if (!alloc || alloc.getDescriptors() != getDescriptors()) // descriptor_free.1
    return emitOpError("expects all descriptors of one 'tile.descriptor_alloc'");
  return success();
}
