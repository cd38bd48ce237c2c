//===- Dot.cpp - Products of blocks -----------------------------------------===//
//
// By a matmul unit, whose fragments the layouts repeat, or by fused
// multiplications of what each thread holds. Which registers meet is found by
// coordinates: lanes and warps move all of them alike.
//
//===----------------------------------------------------------------------===//
#include "compiler/analysis/LayoutInference/LayoutInference.h"
#include "compiler/conversion/TileToGPU/Exchange.h"
#include "compiler/conversion/TileToGPU/Fragments.h"
#include "compiler/conversion/TileToGPU/Lowerings.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tile;

static int64_t getDepth(DotOp op) { return getShape(op.getA().getType()).back(); }

//===----------------------------------------------------------------------===//
// Without a unit
//===----------------------------------------------------------------------===//

/// In the accumulator's type.
static Value widen(DotOp op, ThreadLowering &t, Value vector) {
  Type acc = getElementType(op.getType());
  Type wide = cast<VectorType>(vector.getType()).clone(acc);
  if (isa<FloatType>(acc))
    return arith::ExtFOp::create(t.b, wide, vector);
  return op.getIsUnsigned() ? Value(arith::ExtUIOp::create(t.b, wide, vector))
                            : Value(arith::ExtSIOp::create(t.b, wide, vector));
}

/// The operand where each thread holds the rows or columns of its accumulators.
static FailureOr<Value> gather(DotOp op, ThreadLowering &t, Value operand, MatmulOperand which,
                               LinearLayout &layout) {
  Type type = operand.getType();
  layout = getScalarDotLayout(getLinearLayout(op.getType()), which, getShape(type));
  return Exchange(op, t).convert(t.get(operand), getLinearLayout(type), layout, getShape(type));
}

/// The elements at `places`, some of them several times, in the accumulator's type. Each is
/// widened once, where it is needed: all at once would fill the registers.
static Value pickWide(DotOp op, ThreadLowering &t, Value vector, ArrayRef<int32_t> places) {
  if (getElementType(op.getType()) == cast<VectorType>(vector.getType()).getElementType())
    return t.shuffle(vector, places);
  llvm::SmallSetVector<int32_t, 16> distinct(places.begin(), places.end());
  Value wide = widen(op, t, t.shuffle(vector, distinct.getArrayRef()));
  SmallVector<int32_t> among = llvm::map_to_vector(places, [&](int32_t place) {
    return static_cast<int32_t>(llvm::find(distinct, place) - distinct.begin());
  });
  return t.shuffle(wide, among);
}

static LogicalResult lowerScalarDot(DotOp op, ThreadLowering &t) {
  LinearLayout layoutA, layoutB;
  FailureOr<Value> a = gather(op, t, op.getA(), MatmulOperand::A, layoutA);
  FailureOr<Value> b = gather(op, t, op.getB(), MatmulOperand::B, layoutB);
  if (failed(a) || failed(b))
    return failure();
  RegisterTable tableA(layoutA), tableB(layoutB), acc(getLinearLayout(op.getType()));
  Value sum = t.get(op.getAcc());
  bool isFloat = isa<FloatType>(getElementType(op.getType()));
  for (int64_t k = 0, depth = getDepth(op); k < depth; ++k) {
    SmallVector<int32_t> fromA, fromB;
    for (const Coordinates &place : acc.getPlaces()) {
      fromA.push_back(tableA.find(getPlaceInA(place, k)));
      fromB.push_back(tableB.find(getPlaceInB(place, k)));
    }
    Value x = pickWide(op, t, *a, fromA), y = pickWide(op, t, *b, fromB);
    sum = isFloat ? Value(math::FmaOp::create(t.b, x, y, sum))
                  : Value(arith::AddIOp::create(t.b, arith::MulIOp::create(t.b, x, y), sum));
  }
  t.set(op, sum);
  return success();
}

//===----------------------------------------------------------------------===//
// By a unit
//===----------------------------------------------------------------------===//

static LogicalResult lowerUnitDot(DotOp op, MatmulUnit unit, ThreadLowering &t) {
  Fragments inA(unit, MatmulOperand::A, op.getA().getType());
  Fragments inB(unit, MatmulOperand::B, op.getB().getType());
  Fragments inAcc(unit, MatmulOperand::Acc, op.getType());
  if (!inA.hasThreadsOfFragment() || !inB.hasThreadsOfFragment() || !inAcc.hasThreadsOfFragment())
    return op.emitOpError("expects operands in the layouts of its unit's fragments");
  SmallVector<Value> a = t.unpack(t.get(op.getA())), b = t.unpack(t.get(op.getB()));
  SmallVector<Value> acc = t.unpack(t.get(op.getAcc()));
  MatmulProblem problem = op.getProblem();
  int64_t step = unit.getInstructionShape()[2];
  SmallVector<Coordinates> origins = inAcc.getOrigins();
  for (int64_t k = 0, depth = getDepth(op); k < depth; k += step) {
    for (const Coordinates &origin : origins) {
      SmallVector<int32_t> fromA = inA.find(getPlaceInA(origin, k));
      SmallVector<int32_t> fromB = inB.find(getPlaceInB(origin, k));
      SmallVector<int32_t> into = inAcc.find(origin);
      if (fromA.empty() || fromB.empty() || into.empty())
        return op.emitOpError("expects threads to hold the fragments that its unit multiplies");
      SmallVector<Value> sums =
          unit.emit(t.b, t.b.getLoc(), problem, pick(a, fromA), pick(b, fromB), pick(acc, into));
      for (auto [reg, sum] : llvm::zip(into, sums))
        acc[reg] = sum;
    }
  }
  t.set(op, t.pack(acc));
  return success();
}

LogicalResult tile::lower(DotOp op, ThreadLowering &t) {
  if (MatmulUnit unit = op.getUnitAttr())
    return lowerUnitDot(op, unit, t);
  return lowerScalarDot(op, t);
}
