//===- Dot.cpp - Matrix products in registers -----------------------------===//
//
// The plan has put both operands and the accumulator in the arena. A block of
// accumulators stays in registers over the whole inner dimension: each step
// loads a row piece of b and multiplies it by scalars of a. Every element is a
// sum in the order of the inner dimension, on every machine.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TileToLoops/Emitter.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile;
using namespace tile::loops;

namespace {
/// What stays in registers: `rows` x `columns` vectors of `lanes` elements.
struct RegisterBlock {
  int64_t rows, columns, lanes;
};

class DotEmitter {
public:
  DotEmitter(Emitter &emitter, OpBuilder &builder, DotOp dot)
      : emitter(emitter), builder(builder), loc(dot.getLoc()), dot(dot),
        blocks(emitter.getPlan().getDot(dot)) {}
  void emit();

private:
  RegisterBlock chooseBlock();
  void emitRegisterBlock(Value batch, Value row, Value column);
  SmallVector<Value> emitStep(Value batch, Value row, Value column, Value step,
                              ValueRange accumulators);
  Value multiplyAdd(Value a, Value b, Value acc);
  Value getElementAddress(const Buffer &buffer, Value batch, Value row, Value column);
  Value add(Value a, int64_t b);
  scf::ForOp openLoop(int64_t upper, int64_t step, ValueRange carried = {});

  Emitter &emitter;
  OpBuilder &builder;
  Location loc;
  DotOp dot;
  DotPlan blocks;
  RegisterBlock block{};
  Type element;
  VectorType vector;
  int64_t depth = 0;
};
} // namespace

static int64_t getLargestDivisor(int64_t number, int64_t limit) {
  for (int64_t divisor = std::min(number, limit); divisor > 1; --divisor)
    if (number % divisor == 0)
      return divisor;
  return 1;
}

/// Fill the vector registers with accumulators, but for one row piece of b and one value of a.
RegisterBlock DotEmitter::chooseBlock() {
  int64_t bytes = emitter.getVectorBytes(), registers = emitter.getVectorRegisters();
  ArrayRef<int64_t> shape = dot.getType().getShape();
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  RegisterBlock result;
  result.lanes = std::min(bytes / getByteWidth(element), getChunkWidth(columns));
  int64_t pieces = llvm::divideCeil(columns, result.lanes);
  result.columns = getLargestDivisor(pieces, registers >= 32 ? 4 : 2);
  int64_t rowLimit = std::min<int64_t>(8, (registers - 1 - result.columns) / result.columns);
  result.rows = getLargestDivisor(rows, rowLimit);
  return result;
}

scf::ForOp DotEmitter::openLoop(int64_t upper, int64_t step, ValueRange carried) {
  auto loop = scf::ForOp::create(builder, loc, emitter.getIndex(0), emitter.getIndex(upper),
                                 emitter.getIndex(step), carried);
  builder.setInsertionPointToStart(loop.getBody());
  return loop;
}

void DotEmitter::emit() {
  OpBuilder::InsertionGuard guard(builder);
  element = blocks.acc->element;
  block = chooseBlock();
  vector = VectorType::get({block.lanes}, element);
  ArrayRef<int64_t> shape = dot.getType().getShape();
  depth = dot.getA().getType().getShape().back();
  Value batch;
  if (shape.size() == 3)
    batch = openLoop(shape.front(), 1).getInductionVar();
  // The columns outside, so that one piece of b stays close while rows pass by.
  int64_t width = block.columns * block.lanes;
  Value column = openLoop(llvm::alignTo(shape.back(), width), width).getInductionVar();
  Value row = openLoop(shape[shape.size() - 2], block.rows).getInductionVar();
  emitRegisterBlock(batch, row, column);
}

Value DotEmitter::add(Value a, int64_t b) {
  return b == 0 ? a : arith::AddIOp::create(builder, loc, a, emitter.getIndex(b)).getResult();
}

Value DotEmitter::getElementAddress(const Buffer &buffer, Value batch, Value row, Value column) {
  size_t rank = buffer.shape.size();
  Value index =
      arith::MulIOp::create(builder, loc, row, emitter.getIndex(buffer.strides[rank - 2]));
  Value offset = column;
  if (buffer.strides[rank - 1] != 1)
    offset =
        arith::MulIOp::create(builder, loc, column, emitter.getIndex(buffer.strides[rank - 1]));
  index = arith::AddIOp::create(builder, loc, index, offset);
  if (batch) {
    Value skipped = arith::MulIOp::create(builder, loc, batch, emitter.getIndex(buffer.strides[0]));
    index = arith::AddIOp::create(builder, loc, index, skipped);
  }
  return LLVM::GEPOp::create(builder, loc, LLVM::LLVMPointerType::get(builder.getContext()),
                             buffer.element, emitter.getAddress(buffer),
                             ArrayRef<LLVM::GEPArg>{index});
}

Value DotEmitter::multiplyAdd(Value a, Value b, Value acc) {
  if (isa<FloatType>(element))
    return math::FmaOp::create(builder, loc, a, b, acc);
  Value product = arith::MulIOp::create(builder, loc, a, b);
  return arith::AddIOp::create(builder, loc, acc, product);
}

/// acc[rows, columns] += a[rows, step] * b[step, columns]
SmallVector<Value> DotEmitter::emitStep(Value batch, Value row, Value column, Value step,
                                        ValueRange accumulators) {
  unsigned alignment = getByteWidth(element);
  SmallVector<Value> pieces, next;
  for (int64_t piece = 0; piece < block.columns; ++piece) {
    Value address = getElementAddress(*blocks.b, batch, step, add(column, piece * block.lanes));
    pieces.push_back(LLVM::LoadOp::create(builder, loc, vector, address, alignment));
  }
  for (int64_t i = 0; i < block.rows; ++i) {
    Value address = getElementAddress(*blocks.a, batch, add(row, i), step);
    Value scalar = LLVM::LoadOp::create(builder, loc, element, address, alignment);
    Value factor = vector::BroadcastOp::create(builder, loc, vector, scalar);
    for (auto [piece, value] : llvm::enumerate(pieces))
      next.push_back(multiplyAdd(factor, value, accumulators[i * block.columns + piece]));
  }
  return next;
}

void DotEmitter::emitRegisterBlock(Value batch, Value row, Value column) {
  unsigned alignment = getByteWidth(element);
  SmallVector<Value> addresses, accumulators;
  for (int64_t i = 0; i < block.rows; ++i)
    for (int64_t piece = 0; piece < block.columns; ++piece) {
      addresses.push_back(
          getElementAddress(*blocks.acc, batch, add(row, i), add(column, piece * block.lanes)));
      accumulators.push_back(
          LLVM::LoadOp::create(builder, loc, vector, addresses.back(), alignment));
    }
  {
    OpBuilder::InsertionGuard guard(builder);
    scf::ForOp loop = openLoop(depth, 1, accumulators);
    SmallVector<Value> next =
        emitStep(batch, row, column, loop.getInductionVar(), loop.getRegionIterArgs());
    scf::YieldOp::create(builder, loc, next);
    accumulators = SmallVector<Value>(loop.getResults());
  }
  for (auto [value, address] : llvm::zip(accumulators, addresses))
    LLVM::StoreOp::create(builder, loc, value, address, alignment);
}

void Emitter::emitDot(DotOp dot) { DotEmitter(*this, builder, dot).emit(); }
