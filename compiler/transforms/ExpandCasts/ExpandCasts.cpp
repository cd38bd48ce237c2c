//===- ExpandCasts.cpp - Conversions between float types ------------------===//
#include "compiler/transforms/ExpandCasts/ExpandCasts.h"

#include "compiler/transforms/ExpandCasts/ByteCasts.h"
#include "compiler/transforms/ExpandCasts/CastPlan.h"
#include "compiler/transforms/ExpandCasts/Encoding.h"
#include "compiler/transforms/ExpandCasts/NarrowArithmetic.h"
#include "dialects/tile/IR/TileOps.h"

namespace tile {
#define GEN_PASS_DEF_EXPANDCASTS
#include "compiler/transforms/ExpandCasts/ExpandCasts.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

static bool isKnown(Type type) { return type.isF32() || type.isF64() || isNarrowFloat(type); }

/// The rounding of a conversion, or none with an error.
static FailureOr<Rounding> getRounding(Operation *op) {
  if (auto cast = dyn_cast<CastOp>(op))
    return cast.getRounding();
  auto truncate = dyn_cast<arith::TruncFOp>(op);
  if (!truncate)
    return Rounding::NearestEven;
  if (isByteFloat(getElementType(truncate.getType())))
    return op->emitError("expects tile.cast to narrow to an 8-bit float, got arith.truncf");
  auto mode = truncate.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even);
  if (mode == arith::RoundingMode::to_nearest_even)
    return Rounding::NearestEven;
  if (mode == arith::RoundingMode::toward_zero)
    return Rounding::TowardZero;
  return op->emitError("expects rounding to nearest even or toward zero, got ")
         << arith::stringifyRoundingMode(mode);
}

/// Whether the operation is already what a native conversion becomes.
static bool isFinal(Operation *op, Type from, Type to, Rounding rounding,
                    const NarrowFloatFacts &facts) {
  bool involvesByte = isByteFloat(from) || isByteFloat(to);
  return facts.hasCast(from, to, rounding) && isa<CastOp>(op) == involvesByte;
}

static LogicalResult expandCast(Operation *op, LaneBuilder &at, const NarrowFloatFacts &facts) {
  Type from = getElementType(op->getOperand(0).getType());
  Type to = getElementType(op->getResult(0).getType());
  for (Type type : {from, to})
    if (!isKnown(type))
      return op->emitError("has no expansion on elements of type ") << type;
  FailureOr<Rounding> rounding = getRounding(op);
  if (failed(rounding))
    return failure();
  if (isFinal(op, from, to, *rounding, facts))
    return success();
  Lanes source(at, op->getOperand(0));
  op->getResult(0).replaceAllUsesWith(
      convertFloat(source, mlir::cast<FloatType>(to), *rounding, facts));
  op->erase();
  return success();
}

namespace {
struct ExpandCastsPass : tile::impl::ExpandCastsBase<ExpandCastsPass> {
  void runOnOperation() override {
    TargetAttr target = getTarget(getOperation());
    NarrowFloatFacts facts(target);
    if (failed(facts.verify(getOperation())))
      return signalPassFailure();
    OperationFolder constants(&getContext());
    SmallVector<Operation *> arithmetic, bytes, casts;
    getOperation()->walk([&](Operation *op) {
      if (isNarrowArithmetic(op, facts))
        arithmetic.push_back(op);
      else if (isByteCast(op, target, facts))
        bytes.push_back(op);
      else if (isa<CastOp, arith::ExtFOp, arith::TruncFOp>(op))
        casts.push_back(op);
    });
    for (Operation *op : arithmetic) {
      LaneBuilder at(op, constants);
      widenArithmetic(op, at, facts);
    }
    for (Operation *op : bytes) {
      LaneBuilder at(op, constants);
      expandByteCast(op, at);
    }
    for (Operation *op : casts) {
      LaneBuilder at(op, constants);
      if (failed(expandCast(op, at, facts)))
        return signalPassFailure();
    }
  }
};
} // namespace
