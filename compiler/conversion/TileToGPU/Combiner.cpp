//===- Combiner.cpp - The region of a reduction, applied to vectors ---------===//
#include "compiler/conversion/TileToGPU/Combiner.h"
#include "dialects/tile/IR/TileOps.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tile;

Combiner::Combiner(Region &region, ThreadLowering &t) : region(region), t(t) {
  isElementwise = llvm::all_of(region.front().without_terminator(), [](Operation &op) {
    return isa<arith::ConstantOp>(op) || OpTrait::hasElementwiseMappableTraits(&op);
  });
}

LogicalResult Combiner::check() {
  WalkResult result = region.walk([](Operation *op) -> WalkResult {
    if (isa<TileDialect>(op->getDialect()) && !isa<YieldOp>(op))
      return op->emitError() << "'" << op->getName() << "' cannot be part of a combine function";
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Values of the kernel that the region uses are mapped as elsewhere.
static void mapCaptured(Region &region, ThreadLowering &t, IRMapping &mapping,
                        function_ref<Value(Value)> adapt) {
  region.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (!region.isAncestor(operand.getParentRegion()) && !mapping.contains(operand))
        mapping.map(operand, adapt(t.get(operand)));
  });
}

SmallVector<Value> Combiner::applyOnVectors(ValueRange operands, int64_t size) {
  auto widen = [&](Value scalar) -> Value {
    return vector::BroadcastOp::create(t.b, VectorType::get(size, scalar.getType()), scalar);
  };
  IRMapping mapping;
  Block &body = region.front();
  mapping.map(body.getArguments(), operands);
  mapCaptured(region, t, mapping, widen);
  for (Operation &op : body.without_terminator()) {
    Operation *lowered = op.cloneWithoutRegions(mapping);
    t.b.insert(lowered);
    for (auto [from, to] : llvm::zip(op.getResults(), lowered->getResults())) {
      if (isa<arith::ConstantOp>(op))
        mapping.map(from, widen(to));
      else
        to.setType(VectorType::get(size, t.convertType(from.getType())));
    }
  }
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookup(value); });
}

SmallVector<Value> Combiner::applyOnScalars(ValueRange operands) {
  IRMapping mapping;
  Block &body = region.front();
  mapping.map(body.getArguments(), operands);
  mapCaptured(region, t, mapping, [](Value value) { return value; });
  for (Operation &op : body.without_terminator())
    t.b.clone(op, mapping);
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookup(value); });
}

SmallVector<Value> Combiner::applyPlain(ValueRange lhs, ValueRange rhs) {
  SmallVector<Value> operands(lhs);
  llvm::append_range(operands, rhs);
  int64_t size = cast<VectorType>(lhs.front().getType()).getNumElements();
  if (isElementwise)
    return applyOnVectors(operands, size);
  SmallVector<SmallVector<Value>> results(lhs.size());
  for (int64_t i = 0; i < size; ++i) {
    auto scalars = llvm::map_to_vector(operands, [&](Value v) { return t.extract(v, i); });
    for (auto [result, value] : llvm::zip(results, applyOnScalars(scalars)))
      result.push_back(value);
  }
  return llvm::map_to_vector(results, [&](ArrayRef<Value> regs) { return t.pack(regs); });
}

SmallVector<Value> Combiner::apply(ValueRange lhs, ValueRange rhs) {
  if (!isMasked)
    return applyPlain(lhs, rhs);
  Value hasLhs = lhs.back(), hasRhs = rhs.back();
  lhs = lhs.drop_back();
  rhs = rhs.drop_back();
  Value hasBoth = arith::AndIOp::create(t.b, hasLhs, hasRhs);
  SmallVector<Value> results;
  for (auto [both, left, right] : llvm::zip(applyPlain(lhs, rhs), lhs, rhs)) {
    Value one = arith::SelectOp::create(t.b, hasLhs, left, right);
    results.push_back(arith::SelectOp::create(t.b, hasBoth, both, one));
  }
  results.push_back(arith::OrIOp::create(t.b, hasLhs, hasRhs));
  return results;
}
