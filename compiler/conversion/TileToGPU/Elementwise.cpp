//===- Elementwise.cpp - Constants, comparisons and pointers ----------------===//
#include "compiler/conversion/TileToGPU/Lowerings.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <map>

using namespace mlir;
using namespace tile;

LogicalResult tile::lower(arith::ConstantOp op, ThreadLowering &t) {
  Type type = t.convertType(op.getType());
  if (type == op.getType()) {
    t.set(op, t.b.clone(*op)->getResult(0));
    return success();
  }
  auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
  if (!splat)
    return op.emitOpError("expects a block of one value: threads cannot index a constant");
  auto value = DenseElementsAttr::get(cast<VectorType>(type), splat.getSplatValue<Attribute>());
  t.set(op, arith::ConstantOp::create(t.b, value));
  return success();
}

/// For each register the first one that is known to hold the same value: groups of
/// `constancy` elements are equal, and what threads add to coordinates does not
/// tear registers of a group apart.
static SmallVector<int32_t> getFirstEquals(const LinearLayout &layout,
                                           ArrayRef<int64_t> constancy) {
  std::map<SmallVector<int64_t>, int32_t> seen;
  SmallVector<int32_t> first;
  for (int32_t reg = 0, end = layout.getInSize(Dim::Register); reg < end; ++reg) {
    SmallVector<int64_t> group = layout.apply({{Dim::Register, uint64_t(reg)}});
    for (auto [coordinate, size] : llvm::zip(group, constancy))
      coordinate /= size;
    first.push_back(seen.try_emplace(group, reg).first->second);
  }
  return first;
}

/// Masks are mostly the same for runs of elements: one comparison each will do.
LogicalResult tile::lower(arith::CmpIOp op, ThreadLowering &t) {
  Value result =
      arith::CmpIOp::create(t.b, op.getPredicate(), t.get(op.getLhs()), t.get(op.getRhs()));
  if (isa<RankedTensorType>(op.getType()))
    result = t.shuffle(result, getFirstEquals(getLinearLayout(op.getType()),
                                              t.accesses.get(op.getResult()).constancy));
  t.set(op, result);
  return success();
}

LogicalResult tile::lower(AddPtrOp op, ThreadLowering &t) {
  Type pointee = getElementType(getPointeeLike(op.getPointer().getType()));
  Value offset = t.get(op.getOffset());
  Type wide = getElementTypeOrSelf(offset.getType());
  if (wide.getIntOrFloatBitWidth() < 64) {
    Type i64 = t.b.getI64Type();
    Type type = i64;
    if (auto vector = dyn_cast<VectorType>(offset.getType()))
      type = vector.clone(i64);
    offset = arith::ExtSIOp::create(t.b, type, offset);
  }
  Type element = getMemoryType(t.convertType(pointee));
  t.set(op, LLVM::GEPOp::create(t.b, t.convertType(op.getType()), element, t.get(op.getPointer()),
                                ArrayRef<LLVM::GEPArg>{offset}));
  return success();
}

LogicalResult tile::lower(PtrToIntOp op, ThreadLowering &t) {
  t.set(op, LLVM::PtrToIntOp::create(t.b, t.convertType(op.getType()), t.get(op.getSource())));
  return success();
}

LogicalResult tile::lower(IntToPtrOp op, ThreadLowering &t) {
  t.set(op, LLVM::IntToPtrOp::create(t.b, t.convertType(op.getType()), t.get(op.getSource())));
  return success();
}

/// What is left of these is native, two elements at a time.
LogicalResult tile::lower(CastOp op, ThreadLowering &t) {
  Value source = t.get(op.getSource());
  bool isScalar = !isa<VectorType>(source.getType());
  Type element = getElementTypeOrSelf(t.convertType(op.getType()));
  SmallVector<Value> from = isScalar ? SmallVector<Value>{source} : t.unpack(source), to;
  for (size_t i = 0; i < from.size(); i += 2) {
    Value last = from[std::min(i + 1, from.size() - 1)];
    Value pair = vector::FromElementsOp::create(
        t.b, VectorType::get(2, getElementTypeOrSelf(source.getType())), ValueRange{from[i], last});
    Value converted = t.hooks.emitCastOfPair(t.b, pair, element);
    if (!converted)
      return op.emitOpError("has no instruction on this target");
    for (int64_t j = 0; j < 2 && i + j < from.size(); ++j)
      to.push_back(vector::ExtractOp::create(t.b, converted, j));
  }
  t.set(op, isScalar ? to.front() : t.pack(to));
  return success();
}

LogicalResult tile::lower(CastPtrOp op, ThreadLowering &t) {
  t.set(op, t.get(op.getSource())); // LLVM's pointers have no pointee
  return success();
}
