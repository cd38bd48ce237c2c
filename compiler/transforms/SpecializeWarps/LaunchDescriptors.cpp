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

/// What the runtime reads.
static DictionaryAttr describe(MakeDescriptorOp op, const BlockCopyBox &box) {
  Builder b(op.getContext());
  DescType type = op.getType();
  NamedAttrList entries;
  entries.set("element", b.getStringAttr(getName(type.getElementType())));
  entries.set("rank", b.getI32IntegerAttr(static_cast<int32_t>(type.getRank())));
  entries.set("block", b.getDenseI64ArrayAttr(box.shape));
  entries.set("swizzle", b.getI32IntegerAttr(box.swizzleBytes));
  entries.set("base", getExpression(op.getBase()));
  entries.set("sizes", getExpressions(b, op.getSizes()));
  entries.set("strides", getExpressions(b, op.getStrides()));
  if (type.getNanPadding())
    entries.set("nan_padding", b.getUnitAttr());
  if (type.getTf32())
    entries.set("tf32", b.getUnitAttr());
  return entries.getDictionary(op.getContext());
}

Value LaunchDescriptors::get(MakeDescriptorOp op, BufferType block) {
  DictionaryAttr description = ::describe(op, *getBlockCopyBox(op, block));
  // The same box of the same array, also where blocks of other shapes are made of it.
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
