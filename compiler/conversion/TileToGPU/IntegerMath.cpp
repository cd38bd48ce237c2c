//===- IntegerMath.cpp - Address arithmetic with constants folded -----------===//
#include "compiler/conversion/TileToGPU/IntegerMath.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

Value tile::createI32(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value tile::createAnd(ImplicitLocOpBuilder &b, Value value, int64_t mask) {
  return arith::AndIOp::create(b, value, createI32(b, mask));
}

Value tile::createShift(ImplicitLocOpBuilder &b, Value value, int amount) {
  if (amount == 0)
    return value;
  if (amount < 0)
    return createShiftRight(b, value, -amount);
  return arith::ShLIOp::create(b, value, createI32(b, amount));
}

Value tile::createShiftRight(ImplicitLocOpBuilder &b, Value value, unsigned amount) {
  if (amount == 0)
    return value;
  return arith::ShRUIOp::create(b, value, createI32(b, amount));
}

Value tile::createMul(ImplicitLocOpBuilder &b, Value value, int64_t factor) {
  if (llvm::isPowerOf2_64(factor))
    return createShift(b, value, llvm::Log2_64(factor));
  return arith::MulIOp::create(b, value, createI32(b, factor));
}

Value tile::createDigit(ImplicitLocOpBuilder &b, Value value, int64_t divisor, int64_t count) {
  if (divisor > 1)
    value = arith::DivUIOp::create(b, value, createI32(b, divisor));
  return arith::RemUIOp::create(b, value, createI32(b, count));
}

Value tile::createAdd(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return arith::AddIOp::create(b, lhs, rhs);
}

Value tile::createXor(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return arith::XOrIOp::create(b, lhs, rhs);
}

Value tile::createAnd(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return arith::AndIOp::create(b, lhs, rhs);
}

Value tile::createEquals(ImplicitLocOpBuilder &b, Value value, int64_t constant) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, value, createI32(b, constant));
}
