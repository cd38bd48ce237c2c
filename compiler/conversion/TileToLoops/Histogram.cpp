//===- Histogram.cpp - Counting numbers, one after the other --------------===//
#include "compiler/conversion/TileToLoops/BufferAccess.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile;
using namespace tile::loops;

/// A number as an index; what is below zero becomes larger than any bin.
static Value getBin(BufferAccess &access, Value number) {
  Type type = number.getType(), i64 = access.builder.getI64Type();
  if (type == i64)
    return number;
  if (type.isInteger(1))
    return arith::ExtUIOp::create(access.builder, access.loc, i64, number);
  return arith::ExtSIOp::create(access.builder, access.loc, i64, number);
}

void Emitter::emitHistogram(HistogramOp op) {
  Location loc = op.getLoc();
  BufferAccess access(*this, builder, loc);
  const CollectivePlan &blocks = plan.getCollective(op);
  const Buffer &counts = *blocks.results.front();
  int64_t bins = counts.shape.front(), lanes = getChunkWidth(bins);
  Type i32 = builder.getI32Type();
  {
    OpBuilder::InsertionGuard guard(builder);
    Value zeros = getConstant(DenseElementsAttr::get(VectorType::get({lanes}, i32), 0));
    Value bin = access.openLoop(0, llvm::alignTo(bins, lanes), lanes).getInductionVar();
    access.store(counts, bin, zeros);
  }
  OpBuilder::InsertionGuard guard(builder);
  int64_t size = op.getSource().getType().getShape().front();
  Value index = access.openLoop(0, size, 1).getInductionVar();
  Value bin = getBin(access, access.load(*blocks.sources.front(), index));
  Value counted =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, bin, getIndex(bins));
  if (op.getMask())
    counted = arith::AndIOp::create(builder, loc, counted, access.load(*blocks.sources[1], index));
  // What is not counted adds nothing to the first bin: no branch.
  bin = arith::SelectOp::create(builder, loc, counted, bin, getIndex(0));
  Value more = arith::ExtUIOp::create(builder, loc, i32, counted);
  access.store(counts, bin, access.add(access.load(counts, bin), more));
}
