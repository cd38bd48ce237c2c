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
      : emitter(emitter), builder(builder), loc(dot.getLoc()),
        blocks(emitter.getPlan().getDot(dot)), element(blocks.acc.buffer->element),
        depth(dot.getA().getType().getShape().back()) {
    ArrayRef<int64_t> shape = dot.getType().getShape();
    rows = shape[shape.size() - 2];
    columns = shape.back();
    batches = shape.size() == 3 ? shape.front() : 1;
  }
  void emit();

private:
  RegisterBlock chooseBlock();
  void transposeB();
  SmallVector<Value> transposeSquare(SmallVector<Value> vectors);
  void emitRegisterBlock(Value row, Value column);
  SmallVector<Value> emitStep(Value a, Value b, ValueRange accumulators);
  Value multiplyAdd(Value a, Value b, Value acc);
  Value getBlockAddress(const DotBlock &source);
  Value advance(Value address, Value index, int64_t stride);
  Value advance(Value address, int64_t elements);
  Value load(Type type, Value address);
  void store(Value value, Value address);
  scf::ForOp openLoop(int64_t upper, int64_t step, ValueRange carried = {});

  Emitter &emitter;
  OpBuilder &builder;
  Location loc;
  DotPlan blocks;
  Type element;
  int64_t batches, rows, columns, depth;
  Value batch; // of the loop over batches, if any
  RegisterBlock block{};
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
  block = chooseBlock();
  if (batches > 1)
    batch = openLoop(batches, 1).getInductionVar();
  if (blocks.rowsOfB)
    transposeB();
  // The columns outside, so that one piece of b stays close while rows pass by.
  int64_t width = block.columns * block.lanes;
  Value column = openLoop(llvm::alignTo(columns, width), width).getInductionVar();
  Value row = openLoop(rows, block.rows).getInductionVar();
  emitRegisterBlock(row, column);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value DotEmitter::advance(Value address, Value index, int64_t stride) {
  if (stride != 1)
    index = arith::MulIOp::create(builder, loc, index, emitter.getIndex(stride));
  return LLVM::GEPOp::create(builder, loc, address.getType(), element, address,
                             ArrayRef<LLVM::GEPArg>{index});
}

Value DotEmitter::advance(Value address, int64_t elements) {
  if (elements == 0)
    return address;
  return LLVM::GEPOp::create(builder, loc, address.getType(), element, address,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(elements)});
}

/// The first element of the matrix that the loop over batches is at.
Value DotEmitter::getBlockAddress(const DotBlock &source) {
  Value address = emitter.getAddress(*source.buffer);
  return batch ? advance(address, batch, source.buffer->strides.front()) : address;
}

Value DotEmitter::load(Type type, Value address) {
  return LLVM::LoadOp::create(builder, loc, type, address, getByteWidth(element));
}

void DotEmitter::store(Value value, Value address) {
  LLVM::StoreOp::create(builder, loc, value, address, getByteWidth(element));
}

//===----------------------------------------------------------------------===//
// Transposition
//===----------------------------------------------------------------------===//

/// Rows become columns: interleaving the first half with the second, once for
/// each bit of an index, rotates the bits of (row, column) by that many.
SmallVector<Value> DotEmitter::transposeSquare(SmallVector<Value> vectors) {
  int64_t size = vectors.size();
  SmallVector<int64_t> low, high;
  for (int64_t lane = 0; lane < size; ++lane) {
    low.push_back(lane / 2 + (lane % 2) * size);
    high.push_back(low.back() + size / 2);
  }
  for (int64_t done = 1; done < size; done *= 2) {
    SmallVector<Value> next;
    for (int64_t i = 0; i < size / 2; ++i)
      for (ArrayRef<int64_t> lanes : {ArrayRef(low), ArrayRef(high)})
        next.push_back(
            vector::ShuffleOp::create(builder, loc, vectors[i], vectors[i + size / 2], lanes));
    vectors = std::move(next);
  }
  return vectors;
}

/// Fill `rowsOfB` by squares that fit in registers.
void DotEmitter::transposeB() {
  OpBuilder::InsertionGuard guard(builder);
  int64_t lanes = emitter.getVectorBytes() / getByteWidth(element);
  int64_t size = std::min({lanes, depth & -depth, columns & -columns});
  DotBlock target{blocks.rowsOfB, false};
  Value column = openLoop(columns, size).getInductionVar();
  Value row = openLoop(depth, size).getInductionVar();
  Value from = advance(getBlockAddress(blocks.b), row, blocks.b.getRowStride());
  from = advance(from, column, blocks.b.getColumnStride());
  Value to = advance(getBlockAddress(target), row, target.getRowStride());
  to = advance(to, column, 1);
  SmallVector<Value> vectors;
  for (int64_t i = 0; i < size; ++i)
    vectors.push_back(
        load(VectorType::get({size}, element), advance(from, i * blocks.b.getColumnStride())));
  for (auto [i, vector] : llvm::enumerate(transposeSquare(std::move(vectors))))
    store(vector, advance(to, i * target.getRowStride()));
  blocks.b = target;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Value DotEmitter::multiplyAdd(Value a, Value b, Value acc) {
  if (isa<FloatType>(element))
    return math::FmaOp::create(builder, loc, a, b, acc);
  Value product = arith::MulIOp::create(builder, loc, a, b);
  return arith::AddIOp::create(builder, loc, acc, product);
}

/// acc[rows, columns] += column at `a` * row at `b`
SmallVector<Value> DotEmitter::emitStep(Value a, Value b, ValueRange accumulators) {
  auto vector = VectorType::get({block.lanes}, element);
  SmallVector<Value> pieces, next;
  for (int64_t piece = 0; piece < block.columns; ++piece)
    pieces.push_back(load(vector, advance(b, piece * block.lanes)));
  for (int64_t i = 0; i < block.rows; ++i) {
    Value scalar = load(element, advance(a, i * blocks.a.getRowStride()));
    Value factor = vector::BroadcastOp::create(builder, loc, vector, scalar);
    for (auto [piece, value] : llvm::enumerate(pieces))
      next.push_back(multiplyAdd(factor, value, accumulators[i * block.columns + piece]));
  }
  return next;
}

void DotEmitter::emitRegisterBlock(Value row, Value column) {
  Value a = advance(getBlockAddress(blocks.a), row, blocks.a.getRowStride());
  Value b = advance(getBlockAddress(blocks.b), column, 1);
  Value acc = advance(getBlockAddress(blocks.acc), row, blocks.acc.getRowStride());
  acc = advance(acc, column, 1);
  SmallVector<Value> addresses, accumulators;
  for (int64_t i = 0; i < block.rows; ++i)
    for (int64_t piece = 0; piece < block.columns; ++piece) {
      addresses.push_back(advance(acc, i * blocks.acc.getRowStride() + piece * block.lanes));
      accumulators.push_back(load(VectorType::get({block.lanes}, element), addresses.back()));
    }
  {
    OpBuilder::InsertionGuard guard(builder);
    SmallVector<Value> carried{a, b};
    llvm::append_range(carried, accumulators);
    scf::ForOp loop = openLoop(depth, 1, carried);
    ValueRange arguments = loop.getRegionIterArgs();
    SmallVector<Value> next{advance(arguments[0], blocks.a.getColumnStride()),
                            advance(arguments[1], blocks.b.getRowStride())};
    llvm::append_range(next, emitStep(arguments[0], arguments[1], arguments.drop_front(2)));
    scf::YieldOp::create(builder, loc, next);
    accumulators = SmallVector<Value>(loop.getResults().drop_front(2));
  }
  for (auto [value, address] : llvm::zip(accumulators, addresses))
    store(value, address);
}

void Emitter::emitDot(DotOp dot) { DotEmitter(*this, builder, dot).emit(); }
