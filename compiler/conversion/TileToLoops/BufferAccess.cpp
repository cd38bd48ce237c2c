//===- BufferAccess.cpp - Loops over blocks in the arena ------------------===//
#include "compiler/conversion/TileToLoops/BufferAccess.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tile;
using namespace tile::loops;

/// `type`, or a vector of it.
static Type withLanes(Type type, int64_t lanes) {
  return lanes == 0 ? type : VectorType::get({lanes}, type);
}

Value BufferAccess::getAddress(const Buffer &buffer, ValueRange indices) {
  Value offset;
  for (auto [index, stride, size] : llvm::zip(indices, buffer.strides, buffer.shape)) {
    if (size == 1 || matchPattern(index, m_Zero()))
      continue;
    Value step = index;
    if (stride != 1)
      step = arith::MulIOp::create(builder, loc, index, getIndex(stride));
    offset = offset ? add(offset, step) : step;
  }
  Value base = emitter.getAddress(buffer);
  if (!offset)
    return base;
  return LLVM::GEPOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
                             getMemoryType(buffer.element), base, ArrayRef<LLVM::GEPArg>{offset});
}

Value BufferAccess::load(const Buffer &buffer, ValueRange indices, int64_t lanes) {
  Type memory = getMemoryType(buffer.element), element = getLaneType(buffer.element);
  Value value = LLVM::LoadOp::create(builder, loc, withLanes(memory, lanes),
                                     getAddress(buffer, indices), getByteWidth(memory));
  if (memory == element)
    return value;
  if (!element.isInteger(1))
    return arith::BitcastOp::create(builder, loc, withLanes(element, lanes), value);
  return arith::TruncIOp::create(builder, loc, withLanes(element, lanes), value);
}

void BufferAccess::store(const Buffer &buffer, ValueRange indices, Value value) {
  Type memory = getMemoryType(buffer.element);
  auto vector = dyn_cast<VectorType>(value.getType());
  Type type = withLanes(memory, vector ? vector.getNumElements() : 0);
  if (value.getType() != type)
    value = getElementTypeOrSelf(value.getType()).isInteger(1)
                ? arith::ExtUIOp::create(builder, loc, type, value).getResult()
                : arith::BitcastOp::create(builder, loc, type, value).getResult();
  LLVM::StoreOp::create(builder, loc, value, getAddress(buffer, indices), getByteWidth(memory));
}

scf::ForOp BufferAccess::openLoop(int64_t lower, int64_t upper, int64_t step, ValueRange carried) {
  auto loop =
      scf::ForOp::create(builder, loc, getIndex(lower), getIndex(upper), getIndex(step), carried);
  builder.setInsertionPointToStart(loop.getBody());
  return loop;
}

Value BufferAccess::toIndex(Value value) {
  Type type = builder.getI64Type();
  return value.getType() == type ? value
                                 : arith::ExtUIOp::create(builder, loc, type, value).getResult();
}
