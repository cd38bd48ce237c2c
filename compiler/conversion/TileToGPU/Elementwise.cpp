//===- Elementwise.cpp - Constants and pointers -----------------------------===//
#include "compiler/conversion/TileToGPU/Lowerings.h"

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

LogicalResult tile::lower(CastPtrOp op, ThreadLowering &t) {
  t.set(op, t.get(op.getSource())); // LLVM's pointers have no pointee
  return success();
}
