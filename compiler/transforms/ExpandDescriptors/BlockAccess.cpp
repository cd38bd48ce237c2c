//===- BlockAccess.cpp - Pointers and mask of a block of an array ---------===//
//
// Addresses are written so that analyses find the runs in them: one pointer to
// the block's first element, then the offsets of rows, then the columns.
//
//===----------------------------------------------------------------------===//
#include "compiler/transforms/ExpandDescriptors/BlockAccess.h"

#include "dialects/tile/IR/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tile;

DescriptorParts DescriptorParts::get(ValueRange values) {
  size_t rank = values.size() / 2; // a base, sizes, and one stride less
  return {values.front(), values.slice(1, rank), values.drop_front(1 + rank)};
}

SmallVector<Type> DescriptorParts::getTypes(DescType type) {
  Builder b(type.getContext());
  SmallVector<Type> types{PtrType::get(type.getElementType())};
  types.append(type.getRank(), b.getI32Type());
  types.append(type.getRank() - 1, b.getI64Type());
  return types;
}

namespace {
/// Writes the parts of one access.
class AccessBuilder {
public:
  AccessBuilder(ImplicitLocOpBuilder &b, const DescriptorParts &parts, ArrayRef<int64_t> shape,
                ValueRange indices)
      : b(b), parts(parts), shape(shape), indices(indices) {}

  Value createPointers();
  Value createMask();

private:
  unsigned getRank() const { return shape.size(); }
  bool isGiven(unsigned dim) const { return isa<RankedTensorType>(indices[dim].getType()); }
  Value widen(Value value);
  Value splat(Value scalar, ArrayRef<int64_t> sizes);
  Value alongDim(Value line, unsigned dim);
  Value broadcast(Value value, ArrayRef<int64_t> sizes);
  Value createOffsets(unsigned dim);
  Value createInside(Value index, Value size);

  ImplicitLocOpBuilder &b;
  const DescriptorParts &parts;
  ArrayRef<int64_t> shape;
  ValueRange indices;
};
} // namespace

/// As 64-bit integers.
Value AccessBuilder::widen(Value value) {
  return arith::ExtSIOp::create(b, withElementType(value.getType(), b.getI64Type()), value);
}

Value AccessBuilder::splat(Value scalar, ArrayRef<int64_t> sizes) {
  return SplatOp::create(b, RankedTensorType::get(sizes, scalar.getType()), scalar);
}

/// A one-dimensional block as a block of the access's rank.
Value AccessBuilder::alongDim(Value line, unsigned dim) {
  for (unsigned axis = 0; axis < getRank(); ++axis) {
    if (axis == dim)
      continue;
    SmallVector<int64_t> sizes(getShape(line.getType()));
    sizes.insert(sizes.begin() + axis, 1);
    auto type = RankedTensorType::get(sizes, getElementType(line.getType()));
    line = ExpandDimsOp::create(b, type, line, axis);
  }
  return line;
}

Value AccessBuilder::broadcast(Value value, ArrayRef<int64_t> sizes) {
  auto type = RankedTensorType::get(sizes, getElementType(value.getType()));
  return value.getType() == type ? value : BroadcastOp::create(b, type, value).getResult();
}

/// What the indices of one dimension add to the address; null for nothing.
Value AccessBuilder::createOffsets(unsigned dim) {
  bool isLast = dim + 1 == getRank();
  if (shape[dim] == 1 && !isGiven(dim))
    return {};
  Value line = isGiven(dim) ? indices[dim]
                            : ArangeOp::create(b, RankedTensorType::get(shape[dim], b.getI32Type()),
                                               b.getI32IntegerAttr(0));
  if (!isLast)
    line = arith::MulIOp::create(b, widen(line), splat(parts.strides[dim], shape[dim]));
  return alongDim(line, dim);
}

Value AccessBuilder::createPointers() {
  Value first = parts.base;
  for (unsigned dim = 0; dim < getRank(); ++dim) {
    if (isGiven(dim))
      continue;
    Value offset = widen(indices[dim]);
    if (dim + 1 < getRank())
      offset = arith::MulIOp::create(b, offset, parts.strides[dim]);
    first = AddPtrOp::create(b, first.getType(), first, offset);
  }
  SmallVector<int64_t> sizes(getRank(), 1);
  Value pointers = splat(first, sizes);
  for (unsigned dim = 0; dim < getRank(); ++dim) {
    Value offsets = createOffsets(dim);
    if (!offsets)
      continue;
    sizes[dim] = shape[dim];
    pointers = broadcast(pointers, sizes);
    pointers = AddPtrOp::create(b, pointers.getType(), pointers, broadcast(offsets, sizes));
  }
  return pointers;
}

/// 0 <= index < size
Value AccessBuilder::createInside(Value index, Value size) {
  using P = arith::CmpIPredicate;
  Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
  if (isa<RankedTensorType>(index.getType())) {
    zero = splat(zero, getShape(index.getType()));
    size = splat(size, getShape(index.getType()));
  }
  Value from = arith::CmpIOp::create(b, P::sge, index, zero);
  Value below = arith::CmpIOp::create(b, P::slt, index, size);
  return arith::AndIOp::create(b, from, below);
}

Value AccessBuilder::createMask() {
  Value mask;
  auto add = [&](Value condition) {
    condition = broadcast(condition, shape);
    mask = mask ? arith::AndIOp::create(b, mask, condition).getResult() : condition;
  };
  for (unsigned dim = 0; dim < getRank(); ++dim) {
    Value index = indices[dim];
    if (shape[dim] == 1 && !isGiven(dim)) {
      SmallVector<int64_t> ones(getRank(), 1);
      add(splat(createInside(index, parts.sizes[dim]), ones));
      continue;
    }
    if (!isGiven(dim)) {
      auto type = RankedTensorType::get(shape[dim], b.getI32Type());
      Value line = ArangeOp::create(b, type, b.getI32IntegerAttr(0));
      index = arith::AddIOp::create(b, splat(index, shape[dim]), line);
    }
    add(alongDim(createInside(index, parts.sizes[dim]), dim));
  }
  return mask;
}

BlockAccess tile::createBlockAccess(ImplicitLocOpBuilder &b, const DescriptorParts &parts,
                                    ArrayRef<int64_t> shape, ValueRange indices) {
  AccessBuilder builder(b, parts, shape, indices);
  Value pointers = builder.createPointers();
  return {pointers, builder.createMask()};
}
