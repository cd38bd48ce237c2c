//===- IntegerMath.h - Address arithmetic with constants folded -------------===//
#ifndef TILE_CONVERSION_TILETOGPU_INTEGERMATH_H
#define TILE_CONVERSION_TILETOGPU_INTEGERMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tile {

/// Operations on i32 values. A constant operand that changes nothing leaves no
/// operation behind; a null value stands for zero where it says so.
mlir::Value createI32(mlir::ImplicitLocOpBuilder &b, int64_t value);
mlir::Value createAnd(mlir::ImplicitLocOpBuilder &b, mlir::Value value, int64_t mask);
/// Shifts left by a positive amount, right by a negative one.
mlir::Value createShift(mlir::ImplicitLocOpBuilder &b, mlir::Value value, int amount);
mlir::Value createShiftRight(mlir::ImplicitLocOpBuilder &b, mlir::Value value, unsigned amount);
mlir::Value createMul(mlir::ImplicitLocOpBuilder &b, mlir::Value value, int64_t factor);
/// ((value / divisor) % count), all positive.
mlir::Value createDigit(mlir::ImplicitLocOpBuilder &b, mlir::Value value, int64_t divisor,
                        int64_t count);
/// Either operand may be null (zero); the result is null if both are.
mlir::Value createAdd(mlir::ImplicitLocOpBuilder &b, mlir::Value lhs, mlir::Value rhs);
mlir::Value createXor(mlir::ImplicitLocOpBuilder &b, mlir::Value lhs, mlir::Value rhs);
/// Conjunction of booleans; either operand may be null (true).
mlir::Value createAnd(mlir::ImplicitLocOpBuilder &b, mlir::Value lhs, mlir::Value rhs);
/// `value == constant`
mlir::Value createEquals(mlir::ImplicitLocOpBuilder &b, mlir::Value value, int64_t constant);

} // namespace tile

#endif // TILE_CONVERSION_TILETOGPU_INTEGERMATH_H
