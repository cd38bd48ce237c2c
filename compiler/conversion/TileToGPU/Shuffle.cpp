//===- Shuffle.cpp - Values from other lanes --------------------------------===//
#include "compiler/conversion/TileToGPU/Shuffle.h"
#include "compiler/conversion/TileToGPU/IntegerMath.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tile;

Value tile::toBits(ImplicitLocOpBuilder &b, Value value) {
  if (isa<LLVM::LLVMPointerType>(value.getType()))
    return LLVM::PtrToIntOp::create(b, b.getI64Type(), value);
  value = toMemory(b, value);
  Type bits = b.getIntegerType(value.getType().getIntOrFloatBitWidth());
  return value.getType() == bits ? value : arith::BitcastOp::create(b, bits, value);
}

Value tile::fromBits(ImplicitLocOpBuilder &b, Value bits, Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::IntToPtrOp::create(b, type, bits);
  Type inMemory = getMemoryType(type);
  if (bits.getType() != inMemory)
    bits = arith::BitcastOp::create(b, inMemory, bits);
  return fromMemory(b, bits, type);
}

/// 32 bits of lane `from ^ flips`; `from` may be null: the own lane.
static Value shuffleWord(ThreadLowering &t, Value word, Value from, uint64_t flips) {
  if (!from && flips == 0)
    return word;
  gpu::ShuffleMode mode = from ? gpu::ShuffleMode::IDX : gpu::ShuffleMode::XOR;
  Value offset = createXor(t.b, from, flips || !from ? createI32(t.b, flips) : Value());
  Value width = createI32(t.b, t.scope.getNumLanes());
  return gpu::ShuffleOp::create(t.b, word, offset, width, mode).getShuffleResult();
}

Value tile::emitBitShuffle(ThreadLowering &t, Value value, Value from, uint64_t flips) {
  ImplicitLocOpBuilder &b = t.b;
  unsigned width = value.getType().getIntOrFloatBitWidth();
  if (width == 32)
    return shuffleWord(t, value, from, flips);
  if (width < 32) {
    Value word = arith::ExtUIOp::create(b, b.getI32Type(), value);
    return arith::TruncIOp::create(b, value.getType(), shuffleWord(t, word, from, flips));
  }
  auto words = VectorType::get(2, b.getI32Type());
  auto whole = VectorType::get(1, b.getI64Type());
  Value split = vector::BitCastOp::create(b, words, vector::BroadcastOp::create(b, whole, value));
  SmallVector<Value> moved;
  for (int64_t i = 0; i < 2; ++i)
    moved.push_back(shuffleWord(t, vector::ExtractOp::create(b, split, i), from, flips));
  Value joined = vector::FromElementsOp::create(b, words, moved);
  return vector::ExtractOp::create(b, vector::BitCastOp::create(b, whole, joined), int64_t(0));
}

Value tile::emitShuffle(ThreadLowering &t, Value value, Value from, uint64_t flips) {
  Value moved = emitBitShuffle(t, toBits(t.b, value), from, flips);
  return fromBits(t.b, moved, value.getType());
}
