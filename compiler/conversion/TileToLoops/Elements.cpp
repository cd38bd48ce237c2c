//===- Elements.cpp - Code for one element after the other ----------------===//
//
// The code of a map may branch and loop, and assembly may do anything: both run
// on scalars, for the lanes inside of the block alone. What lanes beyond hold
// could be an address, a divisor or a condition that is never met.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/InlineAssembly/InlineAssembly.h"
#include "compiler/conversion/TileToLoops/Nest.h"

using namespace mlir;
using namespace tile;
using namespace tile::loops;

static unsigned getPack(Operation *op) {
  auto map = dyn_cast<MapOp>(op);
  return map ? map.getPack() : cast<InlineAsmOp>(op).getPack();
}

/// The results of one group of elements, `pack` of each operand in turn.
SmallVector<Value> Nest::runElements(Operation *op, ArrayRef<Value> elements) {
  if (auto assembly = dyn_cast<InlineAsmOp>(op))
    return emitInlineAssembly(builder, assembly, elements);
  Block &code = cast<MapOp>(op).getBody().front();
  for (auto [argument, element] : llvm::zip(code.getArguments(), elements))
    emitter.setScalar(argument, element);
  emitter.emitCode(code);
  return llvm::map_to_vector(code.getTerminator()->getOperands(),
                             [&](Value value) { return emitter.getScalar(value); });
}

/// The number of lanes inside of the block.
Value Nest::getLiveLanes(unsigned &level) {
  Value all = emitter.getIndex(width);
  if (!tailMask)
    return all;
  level = std::max(level, position[laneDim].level);
  setInsertionPoint(level);
  Value left = arith::SubIOp::create(builder, loc, emitter.getIndex(current->shape[laneDim]),
                                     position[laneDim].base);
  return arith::MinSIOp::create(builder, loc, left, all);
}

SmallVector<Lanes> Nest::loopOverElements(Operation *op, ArrayRef<Lanes> operands, unsigned level) {
  Value end = getLiveLanes(level);
  int64_t pack = getPack(op);
  SmallVector<Value> vectors, initial;
  for (const Lanes &operand : operands)
    vectors.push_back(spread(operand).value);
  for (Value result : op->getResults()) {
    Type lane = getLaneType(getElementType(result.getType()));
    Value zero = emitter.getConstant(cast<TypedAttr>(builder.getZeroAttr(lane)));
    initial.push_back(spread({zero, 0}).value);
  }
  setInsertionPoint(level);
  auto loop =
      scf::ForOp::create(builder, loc, emitter.getIndex(0), end, emitter.getIndex(pack), initial);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  // A group that reaches beyond the chunk is filled up with the last lane.
  SmallVector<Value> places;
  for (int64_t i = 0; i < pack; ++i) {
    Value lane = loop.getInductionVar();
    if (i > 0)
      lane = arith::AddIOp::create(builder, loc, lane, emitter.getIndex(i));
    if (pack > 1) {
      Value last = arith::SubIOp::create(builder, loc, end, emitter.getIndex(1));
      lane = arith::MinSIOp::create(builder, loc, lane, last);
    }
    places.push_back(getLaneIndex(lane));
  }
  SmallVector<Value> elements;
  for (auto [operand, vector] : llvm::zip(op->getOperands(), vectors))
    for (Value place : places) {
      Value element = vector::ExtractOp::create(builder, loc, vector, OpFoldResult(place));
      Type scalar = getScalarType(getElementType(operand.getType()));
      if (isa<LLVM::LLVMPointerType>(scalar))
        element = LLVM::IntToPtrOp::create(builder, loc, scalar, element);
      elements.push_back(element);
    }
  SmallVector<Value> results = runElements(op, elements), next(loop.getRegionIterArgs());
  for (auto [i, result] : llvm::enumerate(results)) {
    Value lane = result;
    if (isa<LLVM::LLVMPointerType>(lane.getType()))
      lane = LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), lane);
    Value &vector = next[i / pack];
    vector = vector::InsertOp::create(builder, loc, lane, vector, OpFoldResult(places[i % pack]));
  }
  scf::YieldOp::create(builder, loc, next);
  return llvm::map_to_vector(loop.getResults(), [&](Value vector) { return Lanes{vector, level}; });
}

SmallVector<Lanes> Nest::computeByElement(Operation *op, ArrayRef<Lanes> operands) {
  unsigned level = 0, pack = getPack(op);
  bool isUniform = true;
  for (const Lanes &operand : operands) {
    level = std::max(level, operand.level);
    isUniform &= operand.isUniform();
  }
  if (!isUniform)
    return loopOverElements(op, operands, level);
  setInsertionPoint(level);
  SmallVector<Value> elements;
  for (const Lanes &operand : operands)
    elements.append(pack, operand.value);
  SmallVector<Value> results = runElements(op, elements);
  SmallVector<Lanes> lanes;
  for (unsigned i = 0; i < results.size(); i += pack)
    lanes.push_back({results[i], level});
  return lanes;
}

/// Assembly with effects: once for every element, whether or not lanes agree.
void Nest::emitAssembly(InlineAsmOp op, ArrayRef<Lanes> operands) {
  SmallVector<Lanes> results =
      laneDim < 0 ? computeByElement(op, operands) : loopOverElements(op, operands, getInnermost());
  for (auto [result, lanes] : llvm::zip(op.getMapped(), results))
    if (Buffer *buffer = emitter.getPlan().getBuffer(result))
      storeBuffer(*buffer, getElementType(result.getType()), lanes, position,
                  /*isUnsigned=*/false);
}
