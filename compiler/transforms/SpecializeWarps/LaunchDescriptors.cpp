//===- LaunchDescriptors.cpp - Descriptors that the host makes ------------===//
#include "compiler/transforms/SpecializeWarps/Roles.h"

#include "compiler/analysis/LaunchExpression/LaunchExpression.h"
#include "dialects/tile/IR/BlockCopy.h"

using namespace mlir;
using namespace tile;

static DenseI64ArrayAttr getExpression(Value value) {
  return DenseI64ArrayAttr::get(value.getContext(), *getLaunchExpression(value));
}

static ArrayAttr getExpressions(Builder &b, ValueRange values) {
  return b.getArrayAttr(
      llvm::map_to_vector(values, [](Value value) -> Attribute { return getExpression(value); }));
}

static std::string getName(Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return name;
}

namespace {
/// Expressions of what a descriptor describes.
struct ArrayExpressions {
  DenseI64ArrayAttr base;
  ArrayAttr sizes, strides;
};
} // namespace

/// What the runtime reads.
static DictionaryAttr describe(DescType type, const BlockCopyBox &box,
                               const ArrayExpressions &array) {
  Builder b(type.getContext());
  NamedAttrList entries;
  entries.set("element", b.getStringAttr(getName(type.getElementType())));
  entries.set("rank", b.getI32IntegerAttr(static_cast<int32_t>(type.getRank())));
  entries.set("block", b.getDenseI64ArrayAttr(box.shape));
  entries.set("swizzle", b.getI32IntegerAttr(box.swizzleBytes));
  entries.set("base", array.base);
  entries.set("sizes", array.sizes);
  entries.set("strides", array.strides);
  if (type.getNanPadding())
    entries.set("nan_padding", b.getUnitAttr());
  if (type.getTf32())
    entries.set("tf32", b.getUnitAttr());
  return entries.getDictionary(type.getContext());
}

/// Of numbers in expressions.
static constexpr int64_t kBits = 64;

static SmallVector<int64_t> getConstant(int64_t value) {
  return {static_cast<int64_t>(LaunchStep::Constant), value};
}

/// Goes on in `expression` with a constant as the second number.
static void append(SmallVectorImpl<int64_t> &expression, LaunchStep step, int64_t constant) {
  llvm::append_range(expression, getConstant(constant));
  expression.append({static_cast<int64_t>(step), kBits});
}

/// An array of one block at an address that memory has: that of the first pointer.
static ArrayExpressions getBlockExpressions(func::FuncOp function, DescType type) {
  Builder b(function.getContext());
  SmallVector<int64_t> base = getConstant(kBlockAlignment);
  for (BlockArgument argument : function.getArguments())
    if (isa<PtrType>(argument.getType())) {
      base = *getLaunchExpression(argument);
      for (LaunchStep step : {LaunchStep::Div, LaunchStep::Mul})
        append(base, step, kBlockAlignment);
      break;
    }
  SmallVector<Attribute> sizes, strides;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    sizes.push_back(b.getDenseI64ArrayAttr(getConstant(type.getShape()[dim])));
    if (dim + 1 < type.getRank())
      strides.push_back(b.getDenseI64ArrayAttr(
          getConstant(llvm::product_of(type.getShape().drop_front(dim + 1)))));
  }
  return {b.getDenseI64ArrayAttr(base), b.getArrayAttr(sizes), b.getArrayAttr(strides)};
}

/// The distance of elements along a dimension. Where it is none that copies know, blocks are not
/// copied as a whole: any will do.
static SmallVector<int64_t> getStrideExpression(const StridedTerm *stride, int64_t least) {
  if (!stride)
    return getConstant(least);
  SmallVector<int64_t> expression = getConstant(stride->coefficient);
  for (Value factor : stride->factors) {
    llvm::append_range(expression, *getLaunchExpression(factor));
    expression.append({static_cast<int64_t>(LaunchStep::Mul), kBits});
  }
  append(expression, LaunchStep::Max, least);
  append(expression, LaunchStep::Min, kMostStride);
  return expression;
}

/// A block at each offset.
static ArrayExpressions getStridedExpressions(Builder &b, const StridedBlock &block,
                                              int64_t elementBytes) {
  SmallVector<int64_t> base = *getLaunchExpression(block.base);
  append(base, LaunchStep::Max, kBlockAlignment);
  SmallVector<Attribute> sizes, strides;
  for (int32_t dim : ArrayRef(block.getOrder()).drop_back()) {
    sizes.push_back(b.getDenseI64ArrayAttr(getConstant(block.shape[dim])));
    strides.push_back(b.getDenseI64ArrayAttr(
        getStrideExpression(block.getStride(dim), kBlockAlignment / elementBytes)));
  }
  sizes.push_back(b.getDenseI64ArrayAttr(getConstant(kMostOffset)));
  return {b.getDenseI64ArrayAttr(base), b.getArrayAttr(sizes), b.getArrayAttr(strides)};
}

Value LaunchDescriptors::get(LoadOp load, const StridedBlock &block, const BlockCopyBox &box) {
  Builder b(load.getContext());
  SmallVector<int64_t> shape =
      llvm::map_to_vector(block.getOrder(), [&](int32_t dim) { return block.shape[dim]; });
  Type element = getElementType(load.getType());
  auto type = DescType::get(b.getContext(), shape, element, /*nanPadding=*/false, /*tf32=*/false);
  return get(
      type, load.getLoc(),
      ::describe(type, box, getStridedExpressions(b, block, element.getIntOrFloatBitWidth() / 8)));
}

Value LaunchDescriptors::get(MakeDescriptorOp op, const BlockCopyBox &box) {
  Builder b(op.getContext());
  return get(op.getType(), op.getLoc(),
             ::describe(op.getType(), box,
                        {getExpression(op.getBase()), getExpressions(b, op.getSizes()),
                         getExpressions(b, op.getStrides())}));
}

Value LaunchDescriptors::getTemplate(MakeDescriptorOp op, const BlockCopyBox &box) {
  return get(op.getType(), op.getLoc(),
             ::describe(op.getType(), box, getBlockExpressions(function, op.getType())));
}

/// The same box of the same array, also where blocks of other shapes are made of it.
Value LaunchDescriptors::get(DescType type, Location loc, DictionaryAttr description) {
  for (auto &[attribute, argument] : known)
    if (attribute == description && argument.getType() == type)
      return argument;
  unsigned index = function.getNumArguments();
  (void)function.insertArgument(index, type, DictionaryAttr(), loc);
  known.push_back({description, function.getArgument(index)});
  return known.back().second;
}

void LaunchDescriptors::describe(ModuleOp module) const {
  SmallVector<Attribute> descriptions;
  for (auto &[attribute, argument] : known)
    descriptions.push_back(attribute);
  module->setAttr(kLaunchDescriptorsAttr, ArrayAttr::get(module.getContext(), descriptions));
}
