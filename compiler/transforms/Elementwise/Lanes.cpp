//===- Lanes.cpp - Elementwise arithmetic written as C++ expressions ------===//
#include "compiler/transforms/Elementwise/Lanes.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tile;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value LaneBuilder::getConstant(Type type, TypedAttr element) {
  Attribute value = element;
  if (auto shaped = dyn_cast<ShapedType>(type))
    value = DenseElementsAttr::get(shaped, Attribute(element));
  Dialect *arith = builder.getContext()->getLoadedDialect<arith::ArithDialect>();
  return constants.getOrCreateConstant(builder.getInsertionBlock(), arith, value, type);
}

static unsigned getBits(Type element) {
  return element.isIndex() ? IndexType::kInternalStorageBitWidth : element.getIntOrFloatBitWidth();
}

unsigned Lanes::getWidth() const { return getBits(getElement()); }

TypedAttr Number::getAttr(Type element) const {
  auto type = dyn_cast<FloatType>(element);
  if (!type) {
    assert(!isReal && "integer lanes take integers");
    APInt bits(getBits(element), integer, /*isSigned=*/true,
               /*implicitTrunc=*/true);
    return IntegerAttr::get(element, bits);
  }
  APFloat rounded(real);
  bool inexact;
  rounded.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &inexact);
  return FloatAttr::get(type, rounded);
}

Lanes Lanes::like(Number number) const {
  return {*at, at->getConstant(getType(), number.getAttr(getElement()))};
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

template <typename OpT> static Lanes binary(Lanes a, Lanes b) {
  LaneBuilder &at = a.getBuilder();
  return {at, at.create<OpT>(Value(a), Value(b)).getResult()};
}

template <typename FloatOpT, typename IntOpT> static Lanes binary(Lanes a, Lanes b) {
  return a.isFloat() ? binary<FloatOpT>(a, b) : binary<IntOpT>(a, b);
}

static Lanes compare(Lanes a, Lanes b, arith::CmpFPredicate real, arith::CmpIPredicate integer) {
  LaneBuilder &at = a.getBuilder();
  if (a.isFloat())
    return {at, at.create<arith::CmpFOp>(real, Value(a), Value(b)).getResult()};
  return {at, at.create<arith::CmpIOp>(integer, Value(a), Value(b)).getResult()};
}

Lanes tile::operator+(Lanes a, Lanes b) { return binary<arith::AddFOp, arith::AddIOp>(a, b); }
Lanes tile::operator-(Lanes a, Lanes b) { return binary<arith::SubFOp, arith::SubIOp>(a, b); }
Lanes tile::operator*(Lanes a, Lanes b) { return binary<arith::MulFOp, arith::MulIOp>(a, b); }
Lanes tile::operator/(Lanes a, Lanes b) { return binary<arith::DivFOp, arith::DivSIOp>(a, b); }
Lanes tile::operator&(Lanes a, Lanes b) { return binary<arith::AndIOp>(a, b); }
Lanes tile::operator|(Lanes a, Lanes b) { return binary<arith::OrIOp>(a, b); }
Lanes tile::operator^(Lanes a, Lanes b) { return binary<arith::XOrIOp>(a, b); }
Lanes tile::operator~(Lanes a) { return a ^ -1; }
Lanes tile::operator<<(Lanes a, Lanes b) { return binary<arith::ShLIOp>(a, b); }
Lanes tile::operator>>(Lanes a, Lanes b) { return binary<arith::ShRSIOp>(a, b); }
Lanes tile::shiftUnsigned(Lanes a, Lanes b) { return binary<arith::ShRUIOp>(a, b); }

Lanes tile::operator-(Lanes a) {
  LaneBuilder &at = a.getBuilder();
  if (a.isFloat())
    return {at, at.create<arith::NegFOp>(Value(a)).getResult()};
  return a.like(0) - a;
}

Lanes tile::operator<(Lanes a, Lanes b) {
  return compare(a, b, arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt);
}
Lanes tile::operator<=(Lanes a, Lanes b) {
  return compare(a, b, arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle);
}
Lanes tile::operator>(Lanes a, Lanes b) {
  return compare(a, b, arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt);
}
Lanes tile::operator>=(Lanes a, Lanes b) {
  return compare(a, b, arith::CmpFPredicate::OGE, arith::CmpIPredicate::sge);
}
Lanes tile::operator==(Lanes a, Lanes b) {
  return compare(a, b, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq);
}
Lanes tile::operator!=(Lanes a, Lanes b) {
  return compare(a, b, arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne);
}
Lanes tile::lessUnsigned(Lanes a, Lanes b) {
  LaneBuilder &at = a.getBuilder();
  return {at, at.create<arith::CmpIOp>(arith::CmpIPredicate::ult, Value(a), Value(b)).getResult()};
}

Lanes tile::select(Lanes condition, Lanes a, Lanes b) {
  LaneBuilder &at = a.getBuilder();
  return {at, at.create<arith::SelectOp>(Value(condition), Value(a), Value(b)).getResult()};
}

Lanes tile::fma(Lanes a, Lanes b, Lanes c) {
  LaneBuilder &at = a.getBuilder();
  return {at, at.create<math::FmaOp>(Value(a), Value(b), Value(c)).getResult()};
}

Lanes tile::abs(Lanes a) {
  LaneBuilder &at = a.getBuilder();
  return {at, at.create<math::AbsFOp>(Value(a)).getResult()};
}

Lanes tile::minimum(Lanes a, Lanes b) { return binary<arith::MinNumFOp>(a, b); }

Lanes tile::sqrt(Lanes a) {
  LaneBuilder &at = a.getBuilder();
  return {at, at.create<math::SqrtOp>(Value(a)).getResult()};
}

Lanes tile::copySign(Lanes magnitude, Lanes sign) {
  return binary<math::CopySignOp>(magnitude, sign);
}

Lanes tile::polynomial(Lanes x, ArrayRef<double> coefficients) {
  Lanes sum = x.like(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, coefficient);
  return sum;
}

//===----------------------------------------------------------------------===//
// Changes of type
//===----------------------------------------------------------------------===//

template <typename OpT> static Lanes convert(Lanes a, Type element) {
  if (a.getElement() == element)
    return a;
  LaneBuilder &at = a.getBuilder();
  return {at, at.create<OpT>(withElementType(a.getType(), element), Value(a)).getResult()};
}

static Type getInt(Lanes a, unsigned width) {
  return IntegerType::get(a.getType().getContext(), width);
}

Lanes Lanes::asInt() const { return convert<arith::BitcastOp>(*this, getInt(*this, getWidth())); }
Lanes Lanes::asFloat(Type element) const { return convert<arith::BitcastOp>(*this, element); }
Lanes Lanes::extendSigned(unsigned width) const {
  return convert<arith::ExtSIOp>(*this, getInt(*this, width));
}
Lanes Lanes::extendUnsigned(unsigned width) const {
  return convert<arith::ExtUIOp>(*this, getInt(*this, width));
}
Lanes Lanes::truncate(unsigned width) const {
  return convert<arith::TruncIOp>(*this, getInt(*this, width));
}
Lanes Lanes::toFloat(Type element) const { return convert<arith::SIToFPOp>(*this, element); }
Lanes Lanes::extendFloat(Type element) const { return convert<arith::ExtFOp>(*this, element); }
Lanes Lanes::truncateFloat(Type element) const { return convert<arith::TruncFOp>(*this, element); }
