//===- LayoutMath.cpp - Layouts as code of one thread -----------------------===//
#include "compiler/conversion/TileToGPU/LayoutMath.h"
#include "compiler/conversion/TileToGPU/IntegerMath.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace mlir;
using namespace tile;

static constexpr Dim kThreadDims[] = {Dim::Lane, Dim::Warp};

//===----------------------------------------------------------------------===//
// Linear parts
//===----------------------------------------------------------------------===//

Value tile::emitThreadPart(ImplicitLocOpBuilder &b, const ExecutionScope &scope,
                           const LinearMap &map, Dim out) {
  ThreadOps ops{b, scope};
  Value result;
  for (Dim in : kThreadDims) {
    SmallVector<uint64_t> columns;
    for (unsigned bit = 0, end = map.getInBits(in); bit < end; ++bit)
      columns.push_back(map.getColumn(in, bit, out));
    if (std::optional<Value> part = emitLinear(ops, columns, scope.getIndex(in)))
      result = createXor(b, result, *part);
  }
  return result;
}

/// Digits of the repeats of lanes and warps along `out`, weighted.
static Value emitThreadRepeats(ImplicitLocOpBuilder &b, const ExecutionScope &scope,
                               const LinearLayout &layout, Dim out) {
  Value result;
  llvm::SmallMapVector<Dim, int64_t, 4> counted, covered;
  for (const DimBits &in : layout.getTile().getIns())
    counted[in.dim] = int64_t(1) << in.bits;
  for (const DimBits &dim : layout.getTile().getOuts())
    covered[dim.dim] = int64_t(1) << dim.bits;
  for (const Repeat &repeat : layout.getRepeats()) {
    int64_t divisor = counted.try_emplace(repeat.in, 1).first->second;
    counted[repeat.in] *= repeat.count;
    if (repeat.out == Dim::None)
      continue;
    int64_t weight = covered.try_emplace(repeat.out, 1).first->second;
    covered[repeat.out] *= repeat.count;
    if (repeat.out != out || !llvm::is_contained(kThreadDims, repeat.in))
      continue;
    Value digit = createDigit(b, scope.getIndex(repeat.in), divisor, repeat.count);
    result = createAdd(b, result, createMul(b, digit, weight));
  }
  return result;
}

/// Union of the output bits that inputs other than registers move.
static uint64_t getThreadBits(const LinearMap &map, Dim out) {
  uint64_t bits = 0;
  for (Dim in : kThreadDims)
    for (unsigned bit = 0, end = map.getInBits(in); bit < end; ++bit)
      bits |= map.getColumn(in, bit, out);
  return bits;
}

static Value createConstants(ImplicitLocOpBuilder &b, ArrayRef<int32_t> values) {
  auto type = VectorType::get(values.size(), b.getI32Type());
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, values));
}

Value tile::emitCoordinates(ImplicitLocOpBuilder &b, const ExecutionScope &scope,
                            const LinearLayout &layout, unsigned dim) {
  Dim out = tensorDim(dim);
  int64_t registers = layout.getInSize(Dim::Register);
  const LinearMap &tile = layout.getTile();
  uint64_t threadBits = getThreadBits(tile, out);
  SmallVector<int32_t> flips, adds;
  bool anyFlip = false, anyAdd = false;
  int64_t tileRegisters = int64_t(1) << tile.getInBits(Dim::Register);
  for (int64_t reg = 0; reg < registers; ++reg) {
    int64_t whole = layout.apply({{Dim::Register, reg}})[dim];
    int64_t inTile = tile.unpackOut(tile.applyDim(Dim::Register, reg % tileRegisters), out);
    // Where no thread moves these bits, flipping them is adding them.
    int64_t flip = (inTile & threadBits) ? inTile : 0;
    flips.push_back(flip);
    adds.push_back(whole - flip);
    anyFlip |= flip != 0;
    anyAdd |= whole != flip;
  }
  Value thread = emitThreadPart(b, scope, tile, out);
  Value repeats = emitThreadRepeats(b, scope, layout, out);
  auto type = VectorType::get(registers, b.getI32Type());
  auto spread = [&](Value value) -> Value { return vector::BroadcastOp::create(b, type, value); };
  if (!anyFlip) {
    Value sum = createAdd(b, thread, repeats);
    if (!sum)
      return createConstants(b, adds);
    return anyAdd ? createAdd(b, spread(sum), createConstants(b, adds)) : spread(sum);
  }
  Value result = createXor(b, spread(thread), createConstants(b, flips));
  if (anyAdd)
    result = createAdd(b, result, createConstants(b, adds));
  return repeats ? createAdd(b, result, spread(repeats)) : result;
}

//===----------------------------------------------------------------------===//
// Copies and padding
//===----------------------------------------------------------------------===//

/// Values of `in` that are used: indices beyond hold copies of nothing new.
static int64_t getScopeSize(const ExecutionScope &scope, Dim in) {
  return in == Dim::Lane ? scope.getNumLanes() : scope.getNumWarps();
}

/// Ownership as far as lanes, or warps, are concerned.
static Value emitOwnershipOf(Dim in, ImplicitLocOpBuilder &b, const ExecutionScope &scope,
                             const LinearLayout &layout) {
  Value owns;
  int64_t counted = int64_t(1) << layout.getTile().getInBits(in);
  if (uint64_t free = layout.getFreeMask(in))
    owns = createEquals(b, createAnd(b, scope.getIndex(in), free), 0);
  for (const Repeat &repeat : layout.getRepeats()) {
    if (repeat.in != in)
      continue;
    if (repeat.out == Dim::None)
      owns = createAnd(
          b, owns, createEquals(b, createDigit(b, scope.getIndex(in), counted, repeat.count), 0));
    counted *= repeat.count;
  }
  // A layout that does not name all lanes or warps is held by the first ones.
  if (counted < getScopeSize(scope, in))
    owns = createAnd(b, owns,
                     arith::CmpIOp::create(b, arith::CmpIPredicate::ult, scope.getIndex(in),
                                           createI32(b, counted)));
  return owns;
}

Value tile::emitOwnership(ImplicitLocOpBuilder &b, const ExecutionScope &scope,
                          const LinearLayout &layout) {
  Value owns;
  for (Dim in : kThreadDims)
    owns = createAnd(b, owns, emitOwnershipOf(in, b, scope, layout));
  return owns;
}

Value tile::emitWarpOwnership(ImplicitLocOpBuilder &b, const ExecutionScope &scope,
                              const LinearLayout &layout) {
  return emitOwnershipOf(Dim::Warp, b, scope, layout);
}

Value tile::emitInside(ImplicitLocOpBuilder &b, const ExecutionScope &scope,
                       const LinearLayout &layout, ArrayRef<int64_t> shape) {
  Value inside;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    if (layout.getDimSize(dim) == size)
      continue;
    Value coordinates = emitCoordinates(b, scope, layout, dim);
    Value limit = vector::BroadcastOp::create(b, coordinates.getType(), createI32(b, size));
    inside = createAnd(b, inside,
                       arith::CmpIOp::create(b, arith::CmpIPredicate::slt, coordinates, limit));
  }
  return inside;
}

SmallVector<int32_t> tile::getFirstCopies(const LinearLayout &layout) {
  std::map<SmallVector<int64_t>, int32_t> seen;
  SmallVector<int32_t> first;
  for (int32_t reg = 0, end = layout.getInSize(Dim::Register); reg < end; ++reg)
    first.push_back(
        seen.try_emplace(layout.apply({{Dim::Register, uint64_t(reg)}}), reg).first->second);
  return first;
}

//===----------------------------------------------------------------------===//
// Offsets into on-chip memory
//===----------------------------------------------------------------------===//

Value ThreadOps::constant(int64_t value) { return createI32(b, value); }
Value ThreadOps::bitXor(Value lhs, Value rhs) { return createXor(b, lhs, rhs); }
Value ThreadOps::bitAnd(Value value, int64_t mask) {
  // An index has no bits beyond its size.
  bool isAll = (value == scope.getLane() && mask + 1 >= scope.getNumLanes()) ||
               (value == scope.getWarp() && mask + 1 >= scope.getNumWarps());
  return isAll && llvm::isPowerOf2_64(mask + 1) ? value : createAnd(b, value, mask);
}
Value ThreadOps::shiftLeft(Value value, unsigned amount) { return createShift(b, value, amount); }
Value ThreadOps::shiftRight(Value value, unsigned amount) {
  return createShiftRight(b, value, amount);
}
Value ThreadOps::add(Value lhs, Value rhs) { return createAdd(b, lhs, rhs); }
Value ThreadOps::mul(Value value, int64_t factor) { return createMul(b, value, factor); }
Value ThreadOps::div(Value value, int64_t divisor) {
  return divisor == 1 ? value : arith::DivUIOp::create(b, value, createI32(b, divisor));
}
Value ThreadOps::rem(Value value, int64_t divisor) {
  return arith::RemUIOp::create(b, value, createI32(b, divisor));
}

ThreadOffsets::Offset ThreadOffsets::get(int64_t reg, int64_t subtract) {
  auto offset = emitter.getOffset(reg);
  Value &variable = bytes[offset.base];
  if (!variable)
    variable = createAdd(b, base, createMul(b, offset.base, elementBytes));
  return {variable, (offset.immediate - subtract) * elementBytes};
}
