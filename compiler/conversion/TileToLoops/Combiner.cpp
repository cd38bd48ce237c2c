//===- Combiner.cpp - The region of a reduction or scan -------------------===//
#include "compiler/conversion/TileToLoops/Combiner.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tile;
using namespace tile::loops;

SmallVector<Value> loops::applyCombiner(Emitter &emitter, OpBuilder &builder, Location loc,
                                        Region &region, ValueRange a, ValueRange b) {
  Block &body = region.front();
  auto vectorType = dyn_cast<VectorType>(a.front().getType());
  auto likeLanes = [&](Value value) -> Value {
    if (!vectorType || isa<VectorType>(value.getType()))
      return value;
    auto type = VectorType::get(vectorType.getShape(), value.getType());
    return vector::BroadcastOp::create(builder, loc, type, value);
  };
  IRMapping mapping;
  mapping.map(body.getArguments().take_front(a.size()), a);
  mapping.map(body.getArguments().drop_front(a.size()), b);
  auto lookup = [&](Value value) {
    if (Value mapped = mapping.lookupOrNull(value))
      return mapped;
    return value.getParentBlock() == &body ? value : emitter.getScalar(value);
  };
  for (Operation &inner : body.without_terminator()) {
    IRMapping operands;
    bool isConstant = inner.getNumOperands() == 0;
    for (Value operand : inner.getOperands())
      operands.map(operand, likeLanes(lookup(operand)));
    Operation *copy = builder.clone(inner, operands);
    if (vectorType && !isConstant)
      for (OpResult result : copy->getResults())
        result.setType(VectorType::get(vectorType.getShape(), getLaneType(result.getType())));
    mapping.map(inner.getResults(), copy->getResults());
  }
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             [&](Value value) { return likeLanes(lookup(value)); });
}
