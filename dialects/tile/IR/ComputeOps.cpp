//===- ComputeOps.cpp - Products, reductions, conversions: rules ----------===//
#include "dialects/tile/IR/TileOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tile;

//===----------------------------------------------------------------------===//
// dot
//===----------------------------------------------------------------------===//

static bool isByteFloat(Type type) {
  return isa<FloatType>(type) && type.getIntOrFloatBitWidth() == 8;
}

static LogicalResult verifyDotShapes(DotOp op) {
  ArrayRef<int64_t> a = op.getA().getType().getShape(), b = op.getB().getType().getShape();
  ArrayRef<int64_t> acc = op.getAcc().getType().getShape();
  bool batched = a.size() == 3;
  if (a.size() != b.size() || (a.size() != 2 && !batched) || (batched && a[0] != b[0])) // dot.1
    return op.emitOpError("expects operands of rank two, or three with equal batches, got [")
           << a << "] and [" << b << "]";
  if (a.back() != b[b.size() - 2]) // dot.2
    return op.emitOpError("expects as many rows of b as columns of a, got ")
           << b[b.size() - 2] << " and " << a.back();
  SmallVector<int64_t> want(a.drop_back());
  want.push_back(b.back());
  if (ArrayRef(want) != acc) // dot.3
    return op.emitOpError("expects an accumulator of shape [") << want << "], got [" << acc << "]";
  return success();
}

LogicalResult DotOp::verify() {
  if (failed(verifyDotShapes(*this)))
    return failure();
  Type a = getA().getType().getElementType(), b = getB().getType().getElementType();
  Type acc = getAcc().getType().getElementType();
  if (a != b && !(isByteFloat(a) && isByteFloat(b))) // dot.4
    return emitOpError("expects operands of one element type, got ") << a << " and " << b;
  bool valid = isa<FloatType>(a) ? isa<FloatType>(acc) : acc.isInteger(32);
  if (!valid) // dot.5
    return emitOpError("expects ") << (isa<FloatType>(a) ? "a float" : "an i32")
                                   << " accumulator for operands of type " << a << ", got " << acc;
  if (MatmulUnit unit = getUnitAttr(); unit && !unit.accepts(getProblem())) // dot.6
    return emitOpError("expects a unit that accepts the product, got ") << unit;
  return success();
}

MatmulProblem DotOp::getProblem() {
  RankedTensorType a = getA().getType(), acc = getAcc().getType();
  MatmulProblem problem;
  problem.a = a.getElementType();
  problem.b = getB().getType().getElementType();
  problem.acc = acc.getElementType();
  problem.precision = getPrecision();
  problem.isUnsigned = getIsUnsigned();
  problem.m = acc.getDimSize(acc.getRank() - 2);
  problem.n = acc.getDimSize(acc.getRank() - 1);
  problem.k = a.getDimSize(a.getRank() - 1);
  problem.numWarps = getModuleInt(*this, kNumWarpsAttr, 1);
  return problem;
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  if (getSources().empty() || getReduced().size() != getSources().size())
    return emitOpError("expects one result per source, at least one");
  ArrayRef<int64_t> shape = getShape(getSources().front().getType());
  int64_t axis = getAxis();
  bool sameShape =
      llvm::all_of(getSources(), [&](Value source) { return getShape(source.getType()) == shape; });
  if (!sameShape || axis < 0 || axis >= static_cast<int64_t>(shape.size())) // reduce.1
    return emitOpError("expects sources of one shape with dimension ") << axis;
  SmallVector<int64_t> want(shape);
  want.erase(want.begin() + axis);
  for (auto [source, result] : llvm::zip(getSources(), getReduced())) {
    Type element = getElementType(source.getType());
    if (getElementType(result.getType()) != element ||
        getShape(result.getType()) != ArrayRef(want)) // reduce.2
      return emitOpError("expects a result of shape [")
             << want << "] with elements of type " << element << ", got " << result.getType();
  }
  return success();
}

LogicalResult ReduceOp::verifyRegions() {
  Block &body = getCombiner().front();
  size_t count = getSources().size();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield || body.getNumArguments() != 2 * count || yield.getNumOperands() != count) // reduce.3
    return emitOpError("expects a region of ") << 2 * count << " arguments that yields " << count;
  for (auto [index, source] : llvm::enumerate(getSources())) {
    Type element = getElementType(source.getType());
    for (Type type : {body.getArgument(index).getType(), body.getArgument(count + index).getType(),
                      yield.getOperand(index).getType()})
      if (type != element) // reduce.3
        return emitOpError("expects elements of type ")
               << element << " in the region, got " << type;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// cast
//===----------------------------------------------------------------------===//

LogicalResult CastOp::verify() {
  if (getElementType(getSource().getType()) == getElementType(getType())) // cast.1
    return emitOpError("expects different element types, got ") << getType() << " twice";
  return success();
}

/// Zero is what masked loads are given most, and no rounding changes it. One below zero some
/// formats do not have.
OpFoldResult CastOp::fold(FoldAdaptor) {
  auto element = cast<FloatType>(getElementType(getType()));
  if (!llvm::APFloat::semanticsHasZero(element.getFloatSemantics()) ||
      !matchPattern(getSource(), m_PosZeroFloat()))
    return {};
  return Attribute(Builder(getContext()).getZeroAttr(getType()));
}
