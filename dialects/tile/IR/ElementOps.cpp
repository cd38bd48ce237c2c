//===- ElementOps.cpp - Scalar code and assembly by element: rules --------===//
#include "dialects/tile/IR/TileOps.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tile;

/// The type whose shape differs from the first one's; null if they have one.
static Type findOtherShape(TypeRange sources, TypeRange results) {
  Type first = results.front();
  for (TypeRange types : {sources, results})
    for (Type type : types)
      if (isa<RankedTensorType>(type) != isa<RankedTensorType>(first) ||
          getShape(type) != getShape(first))
        return type;
  return {};
}

//===----------------------------------------------------------------------===//
// map
//===----------------------------------------------------------------------===//

LogicalResult MapOp::verify() {
  if (getSources().empty() || getMapped().empty()) // map.1
    return emitOpError("expects a source and a result");
  if (Type other = findOtherShape(getSources().getTypes(), getMapped().getTypes())) // map.1
    return emitOpError("expects blocks of one shape, got ")
           << getMapped().front().getType() << " and " << other;
  if (static_cast<int32_t>(getPack()) < 1) // map.2
    return emitOpError("expects a positive pack, got ") << static_cast<int32_t>(getPack());
  return success();
}

/// Elements of `blocks`, each `pack` times, are the types of `values`.
static bool haveElements(ValueRange values, ValueRange blocks, size_t pack) {
  if (values.size() != blocks.size() * pack)
    return false;
  return llvm::all_of(llvm::enumerate(values), [&](auto entry) {
    return entry.value().getType() == getElementType(blocks[entry.index() / pack].getType());
  });
}

LogicalResult MapOp::verifyRegions() {
  Block &code = getBody().front();
  auto yield = dyn_cast<YieldOp>(code.getTerminator());
  if (!yield || !haveElements(code.getArguments(), getSources(), getPack()) ||
      !haveElements(yield.getValues(), getMapped(), getPack())) // map.3
    return emitOpError("expects a region that takes ")
           << getPack() << " elements of each source and yields as many of each result";
  auto isBlock = [](Type type) { return isa<RankedTensorType>(type); };
  WalkResult result = getBody().walk([&](Operation *op) {
    if (llvm::any_of(op->getResultTypes(), isBlock)) { // map.5
      op->emitOpError("expects scalars inside of 'tile.map'");
      return WalkResult::interrupt();
    }
    if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() || isMemoryEffectFree(op) ||
        hasSingleEffect<MemoryEffects::Read>(op))
      return WalkResult::advance();
    op->emitOpError("expects no effects other than reads inside of 'tile.map'"); // map.4
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Whether the code is the same for all elements, so that blocks can be computed
/// with at once.
static bool isStraight(MapOp op) {
  return op.getPack() == 1 &&
         llvm::all_of(op.getBody().front().without_terminator(), [](Operation &inner) {
           bool isElementwise =
               inner.hasTrait<OpTrait::Elementwise>() && inner.getNumRegions() == 0;
           return isa<arith::ConstantOp>(inner) || (isElementwise && isPure(&inner));
         });
}

/// map { y = f(x) }  ->  y = f(x) on blocks, where f does not branch
LogicalResult MapOp::canonicalize(MapOp op, PatternRewriter &rewriter) {
  if (!isStraight(op))
    return rewriter.notifyMatchFailure(op, "has control flow of its own");
  auto block = cast<RankedTensorType>(op.getMapped().front().getType());
  IRMapping mapping;
  auto spread = [&](Value scalar) -> Value {
    if (Value known = mapping.lookupOrNull(scalar))
      return known;
    Type type = block.clone(scalar.getType());
    Value splat = SplatOp::create(rewriter, scalar.getLoc(), type, scalar);
    mapping.map(scalar, splat);
    return splat;
  };
  Block &code = op.getBody().front();
  mapping.map(code.getArguments(), op.getSources());
  for (Operation &inner : code.without_terminator()) {
    for (Value operand : inner.getOperands())
      spread(operand);
    Operation *copy = rewriter.clone(inner, mapping);
    if (isa<arith::ConstantOp>(inner)) { // stays a scalar until it is used
      mapping.erase(inner.getResult(0));
      Value splat = spread(copy->getResult(0));
      mapping.map(inner.getResult(0), splat);
      continue;
    }
    rewriter.modifyOpInPlace(copy, [&] {
      for (OpResult result : copy->getResults())
        result.setType(block.clone(result.getType()));
    });
  }
  SmallVector<Value> results;
  for (Value value : cast<YieldOp>(code.getTerminator()).getValues())
    results.push_back(spread(value));
  rewriter.replaceOp(op, results);
  return success();
}

//===----------------------------------------------------------------------===//
// inline_asm
//===----------------------------------------------------------------------===//

int64_t InlineAsmOp::getElementsPerRegister(Type type) {
  Type element = getElementType(type);
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return bits < 32 ? std::min<int64_t>(getPack(), 32 / bits) : 1;
}

int64_t InlineAsmOp::getNumRegisters(Type type) {
  return llvm::divideCeil(getPack(), getElementsPerRegister(type));
}

LogicalResult InlineAsmOp::verify() {
  if (getMapped().empty()) // inline_asm.1
    return emitOpError("expects a result");
  if (Type other = findOtherShape(getSources().getTypes(), getMapped().getTypes())) // inline_asm.1
    return emitOpError("expects values of one shape, got ")
           << getMapped().front().getType() << " and " << other;
  if (static_cast<int32_t>(getPack()) < 1) // inline_asm.2
    return emitOpError("expects a positive pack, got ") << static_cast<int32_t>(getPack());
  SmallVector<StringRef> parts;
  getConstraints().split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  int64_t outputs = llvm::count_if(parts, [](StringRef part) { return part.starts_with("="); });
  int64_t clobbers = llvm::count_if(parts, [](StringRef part) { return part.starts_with("~"); });
  int64_t inputs = parts.size() - outputs - clobbers, wantInputs = 0, wantOutputs = 0;
  for (Type type : getSources().getTypes())
    wantInputs += getNumRegisters(type);
  for (Type type : getMapped().getTypes())
    wantOutputs += getNumRegisters(type);
  if (inputs != wantInputs || outputs != wantOutputs) // inline_asm.3
    return emitOpError("expects constraints of ")
           << wantOutputs << " outputs and " << wantInputs << " inputs, got " << outputs << " and "
           << inputs;
  return success();
}

void InlineAsmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (getIsPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

Speculation::Speculatability InlineAsmOp::getSpeculatability() {
  return getIsPure() ? Speculation::Speculatable : Speculation::NotSpeculatable;
}
