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

/// An array of one block at an address that memory has: that of the first pointer.
static ArrayExpressions getBlockExpressions(func::FuncOp function, DescType type) {
  Builder b(function.getContext());
  constexpr int64_t kAlignment = 16, kBits = 64;
  auto constant = [](int64_t value) {
    return SmallVector<int64_t>{static_cast<int64_t>(LaunchStep::Constant), value};
  };
  SmallVector<int64_t> base = constant(kAlignment);
  for (BlockArgument argument : function.getArguments())
    if (isa<PtrType>(argument.getType())) {
      base = *getLaunchExpression(argument);
      for (LaunchStep step : {LaunchStep::Div, LaunchStep::Mul}) {
        llvm::append_range(base, constant(kAlignment));
        base.append({static_cast<int64_t>(step), kBits});
      }
      break;
    }
  SmallVector<Attribute> sizes, strides;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    sizes.push_back(b.getDenseI64ArrayAttr(constant(type.getShape()[dim])));
    if (dim + 1 < type.getRank())
      strides.push_back(
          b.getDenseI64ArrayAttr(constant(llvm::product_of(type.getShape().drop_front(dim + 1)))));
  }
  return {b.getDenseI64ArrayAttr(base), b.getArrayAttr(sizes), b.getArrayAttr(strides)};
}

Value LaunchDescriptors::get(MakeDescriptorOp op, const BlockCopyBox &box) {
  Builder b(op.getContext());
  return get(op, ::describe(op.getType(), box,
                            {getExpression(op.getBase()), getExpressions(b, op.getSizes()),
                             getExpressions(b, op.getStrides())}));
}

Value LaunchDescriptors::getTemplate(MakeDescriptorOp op, const BlockCopyBox &box) {
  return get(op, ::describe(op.getType(), box, getBlockExpressions(function, op.getType())));
}

/// The same box of the same array, also where blocks of other shapes are made of it.
Value LaunchDescriptors::get(MakeDescriptorOp op, DictionaryAttr description) {
  for (auto &[attribute, argument] : known)
    if (attribute == description && argument.getType() == op.getType())
      return argument;
  unsigned index = function.getNumArguments();
  (void)function.insertArgument(index, op.getType(), DictionaryAttr(), op.getLoc());
  known.push_back({description, function.getArgument(index)});
  return known.back().second;
}

void LaunchDescriptors::describe(ModuleOp module) const {
  SmallVector<Attribute> descriptions;
  for (auto &[attribute, argument] : known)
    descriptions.push_back(attribute);
  module->setAttr(kLaunchDescriptorsAttr, ArrayAttr::get(module.getContext(), descriptions));
}
