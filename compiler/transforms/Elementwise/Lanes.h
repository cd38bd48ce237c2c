//===- Lanes.h - Elementwise arithmetic written as C++ expressions --------===//
//
// A rewrite of an elementwise operation reads like the formula that it creates.
// The same code serves a scalar, a vector and a tensor with or without layout:
// operands and constants take the form of the value that is rewritten.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_ELEMENTWISE_LANES_H
#define TILE_COMPILER_TRANSFORMS_ELEMENTWISE_LANES_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/Transforms/FoldUtils.h"

namespace tile {

/// Where operations are created: before one operation, with its location.
/// Constants are shared within the function through the folder.
class LaneBuilder {
public:
  LaneBuilder(mlir::Operation *before, mlir::OperationFolder &constants)
      : builder(before), loc(before->getLoc()), constants(constants) {}

  /// `element` in each lane of a value of type `type`.
  mlir::Value getConstant(mlir::Type type, mlir::TypedAttr element);

  template <typename OpT, typename... Args> OpT create(Args &&...args) {
    return OpT::create(builder, loc, std::forward<Args>(args)...);
  }
  mlir::OpBuilder &getBuilder() { return builder; }
  /// Whether the target multiplies by a power of two in one instruction (LLVM's
  /// `ldexp`, on scalars and vectors).
  bool scalesByPower = false;

private:
  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::OperationFolder &constants;
};

/// A number that takes the element type of the lanes it meets.
class Number {
public:
  Number(double value) : real(value), integer(0), isReal(true) {}
  Number(int64_t value) : real(static_cast<double>(value)), integer(value), isReal(false) {}
  Number(int value) : Number(static_cast<int64_t>(value)) {}
  Number(unsigned value) : Number(static_cast<int64_t>(value)) {}
  Number(uint64_t value) : Number(static_cast<int64_t>(value)) {}

  /// Rounded to nearest for floats, truncated to the width for integers.
  mlir::TypedAttr getAttr(mlir::Type element) const;

private:
  double real;
  int64_t integer;
  bool isReal;
};

/// A scalar, or all elements of a vector or tensor. Operators create one
/// elementwise operation each; none carries fast-math flags, so that the result
/// does not depend on the target. Integers are signed unless a name says
/// otherwise. Comparisons give lanes of i1 and are false for NaN, except `!=`.
class Lanes {
public:
  Lanes(LaneBuilder &at, mlir::Value value) : at(&at), value(value) {}
  operator mlir::Value() const { return value; }

  LaneBuilder &getBuilder() const { return *at; }
  mlir::Type getType() const { return value.getType(); }
  mlir::Type getElement() const { return getElementType(value.getType()); }
  /// Bits of an element; of an `index`, those that constants of it have.
  unsigned getWidth() const;
  bool isFloat() const { return llvm::isa<mlir::FloatType>(getElement()); }

  /// The same number in each lane, of the type of these lanes.
  Lanes like(Number number) const;
  /// The integer type of the same width and shape, and back to `float`.
  Lanes asInt() const;
  Lanes asFloat(mlir::Type element) const;
  /// These lanes with another element type: conversions of value. Integers are
  /// signed, and a float must be an integer within range.
  Lanes extendSigned(unsigned width) const;
  Lanes extendUnsigned(unsigned width) const;
  Lanes truncate(unsigned width) const;
  Lanes toFloat(mlir::Type element) const;
  Lanes extendFloat(mlir::Type element) const;
  Lanes truncateFloat(mlir::Type element) const;

private:
  LaneBuilder *at;
  mlir::Value value;
};

Lanes operator+(Lanes a, Lanes b);
Lanes operator-(Lanes a, Lanes b);
Lanes operator*(Lanes a, Lanes b);
Lanes operator/(Lanes a, Lanes b);
Lanes operator-(Lanes a);
Lanes operator&(Lanes a, Lanes b);
Lanes operator|(Lanes a, Lanes b);
Lanes operator^(Lanes a, Lanes b);
Lanes operator~(Lanes a);
Lanes operator<<(Lanes a, Lanes b);
/// Arithmetic shift; `shiftUnsigned` fills with zeros.
Lanes operator>>(Lanes a, Lanes b);
Lanes shiftUnsigned(Lanes a, Lanes b);
Lanes operator<(Lanes a, Lanes b);
Lanes operator<=(Lanes a, Lanes b);
Lanes operator>(Lanes a, Lanes b);
Lanes operator>=(Lanes a, Lanes b);
Lanes operator==(Lanes a, Lanes b);
Lanes operator!=(Lanes a, Lanes b);
Lanes lessUnsigned(Lanes a, Lanes b);

inline Lanes operator+(Lanes a, Number b) { return a + a.like(b); }
inline Lanes operator-(Lanes a, Number b) { return a - a.like(b); }
inline Lanes operator*(Lanes a, Number b) { return a * a.like(b); }
inline Lanes operator+(Number a, Lanes b) { return b.like(a) + b; }
inline Lanes operator-(Number a, Lanes b) { return b.like(a) - b; }
inline Lanes operator*(Number a, Lanes b) { return b.like(a) * b; }
inline Lanes operator/(Number a, Lanes b) { return b.like(a) / b; }
inline Lanes operator&(Lanes a, Number b) { return a & a.like(b); }
inline Lanes operator|(Lanes a, Number b) { return a | a.like(b); }
inline Lanes operator^(Lanes a, Number b) { return a ^ a.like(b); }
inline Lanes operator<<(Lanes a, Number b) { return a << a.like(b); }
inline Lanes operator>>(Lanes a, Number b) { return a >> a.like(b); }
inline Lanes shiftUnsigned(Lanes a, Number b) { return shiftUnsigned(a, a.like(b)); }
inline Lanes operator<(Lanes a, Number b) { return a < a.like(b); }
inline Lanes operator<=(Lanes a, Number b) { return a <= a.like(b); }
inline Lanes operator>(Lanes a, Number b) { return a > a.like(b); }
inline Lanes operator>=(Lanes a, Number b) { return a >= a.like(b); }
inline Lanes operator==(Lanes a, Number b) { return a == a.like(b); }
inline Lanes operator!=(Lanes a, Number b) { return a != a.like(b); }
inline Lanes lessUnsigned(Lanes a, Number b) { return lessUnsigned(a, a.like(b)); }

/// `condition ? a : b`, lane by lane; the lane not taken may hold anything.
Lanes select(Lanes condition, Lanes a, Lanes b);
inline Lanes select(Lanes condition, Lanes a, Number b) { return select(condition, a, a.like(b)); }
inline Lanes select(Lanes condition, Number a, Lanes b) { return select(condition, b.like(a), b); }

/// `a * b + c`, rounded once.
Lanes fma(Lanes a, Lanes b, Lanes c);
inline Lanes fma(Lanes a, Number b, Lanes c) { return fma(a, a.like(b), c); }
inline Lanes fma(Lanes a, Lanes b, Number c) { return fma(a, b, a.like(c)); }
inline Lanes fma(Lanes a, Number b, Number c) { return fma(a, a.like(b), a.like(c)); }

Lanes abs(Lanes a);
/// The smaller one; of a number and NaN the number.
Lanes minimum(Lanes a, Lanes b);
Lanes sqrt(Lanes a);
Lanes copySign(Lanes magnitude, Lanes sign);
/// `sum of coefficients[i] * x^i`, by Horner's rule with one fma a step.
Lanes polynomial(Lanes x, llvm::ArrayRef<double> coefficients);

/// NaN passes both: the bound is taken where `x` is beyond it.
inline Lanes clampAbove(Lanes x, Number high) { return select(x > high, high, x); }
inline Lanes clampBelow(Lanes x, Number low) { return select(x < low, low, x); }

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_ELEMENTWISE_LANES_H
