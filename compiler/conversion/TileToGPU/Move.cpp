//===- Move.cpp - Elements from other places of a block ---------------------===//
//
// Where no element leaves its thread, registers are renamed. Else the block is
// written to on-chip memory, row by row, and each thread reads what it needs.
//
//===----------------------------------------------------------------------===//
#include "compiler/analysis/ThreadExchange/MovePlan.h"
#include "compiler/conversion/TileToGPU/GlobalMemory.h"
#include "compiler/conversion/TileToGPU/IntegerMath.h"
#include "compiler/conversion/TileToGPU/Lowerings.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tile;

namespace {
/// A block in the scratch memory of an op. Padding has places of its own, so
/// that nothing has to be left out.
class ScratchBlock {
public:
  ScratchBlock(Operation *op, ThreadLowering &t)
      : t(t), element(t.convertType(getElementType(op->getResult(0).getType()))),
        shape(getMoveShape(op)), bytes(getMemoryBits(element) / 8),
        base(createI32(t.b, t.memory.getScratch(op, getMoveBytes(op)))) {}

  /// Write `block`, with its first element `offset` further along `axis`.
  void write(Value block, unsigned axis = 0, int64_t offset = 0);
  /// Write `block` row by row under its own shape, without its padding.
  void writeDense(Value block);
  /// The elements at `coordinates`, a vector of i32 for each dimension.
  Value read(ArrayRef<Value> coordinates);

private:
  /// Offsets in bytes in a block of `sizes`: a vector of i32.
  Value getOffsets(ArrayRef<Value> coordinates, ArrayRef<int64_t> sizes);
  /// Where `inside`, unless that is null: everywhere.
  void writeAt(Value block, Value offsets, Value inside);

  ThreadLowering &t;
  Type element;
  SmallVector<int64_t> shape;
  int64_t bytes;
  Value base;
};
} // namespace

static Value createConstant(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(cast<VectorType>(type), static_cast<int32_t>(value)));
}

static Value createScaled(ImplicitLocOpBuilder &b, Value vector, int64_t factor) {
  return factor == 1 ? vector
                     : arith::MulIOp::create(b, vector, createConstant(b, vector.getType(), factor))
                           .getResult();
}

static Value createShifted(ImplicitLocOpBuilder &b, Value vector, int64_t amount) {
  return amount == 0 ? vector
                     : arith::AddIOp::create(b, vector, createConstant(b, vector.getType(), amount))
                           .getResult();
}

Value ScratchBlock::getOffsets(ArrayRef<Value> coordinates, ArrayRef<int64_t> sizes) {
  Value sum = vector::BroadcastOp::create(t.b, coordinates.front().getType(), base);
  int64_t stride = bytes;
  for (auto [coordinate, size] : llvm::reverse(llvm::zip_equal(coordinates, sizes))) {
    sum = arith::AddIOp::create(t.b, sum, createScaled(t.b, coordinate, stride));
    stride *= size;
  }
  return sum;
}

static SmallVector<Value> getCoordinates(const LinearLayout &layout, ThreadLowering &t) {
  SmallVector<Value> coordinates;
  for (unsigned dim = 0; dim < layout.getRank(); ++dim)
    coordinates.push_back(emitCoordinates(t.b, t.scope, layout, dim));
  return coordinates;
}

void ScratchBlock::write(Value block, unsigned axis, int64_t offset) {
  const LinearLayout &layout = getLinearLayout(block.getType());
  SmallVector<Value> coordinates = getCoordinates(layout, t);
  coordinates[axis] = createShifted(t.b, coordinates[axis], offset);
  writeAt(block, getOffsets(coordinates, shape), /*inside=*/Value());
}

void ScratchBlock::writeDense(Value block) {
  const LinearLayout &layout = getLinearLayout(block.getType());
  ArrayRef<int64_t> sizes = getShape(block.getType());
  writeAt(block, getOffsets(getCoordinates(layout, t), sizes),
          emitInside(t.b, t.scope, layout, sizes));
}

void ScratchBlock::writeAt(Value block, Value offsets, Value inside) {
  Value stored = toMemory(t.b, t.get(block));
  for (auto [reg, first] : llvm::enumerate(getFirstCopies(getLinearLayout(block.getType())))) {
    if (int32_t(reg) != first)
      continue;
    Value element = t.extract(stored, reg), offset = t.extract(offsets, reg);
    OpBuilder::InsertionGuard guard(t.b);
    if (inside) {
      Value flag = t.extract(inside, reg);
      t.b.setInsertionPointToStart(
          scf::IfOp::create(t.b, flag, /*withElseRegion=*/false).thenBlock());
    }
    t.memory.store(t.b, element, {offset, 0}, bytes);
  }
}

Value ScratchBlock::read(ArrayRef<Value> coordinates) {
  Value offsets = getOffsets(coordinates, shape);
  SmallVector<Value> registers;
  for (int64_t reg = 0, end = cast<VectorType>(offsets.getType()).getNumElements(); reg < end;
       ++reg)
    registers.push_back(
        t.memory.load(t.b, getMemoryType(element), {t.extract(offsets, reg), 0}, bytes));
  Value stored = t.pack(registers);
  return fromMemory(t.b, stored, VectorType::get(registers.size(), element));
}

/// Coordinates of `result`, those of padding moved inside.
static SmallVector<Value> getInnerCoordinates(Value result, ThreadLowering &t) {
  const LinearLayout &layout = getLinearLayout(result.getType());
  SmallVector<Value> coordinates = getCoordinates(layout, t);
  for (auto [dim, size] : llvm::enumerate(getShape(result.getType())))
    if (layout.getDimSize(dim) != size)
      coordinates[dim] = arith::MinUIOp::create(
          t.b, coordinates[dim], createConstant(t.b, coordinates[dim].getType(), size - 1));
  return coordinates;
}

/// The places in the source, as unsigned numbers, clamped to its size.
static Value getGatherPlaces(GatherOp op, ThreadLowering &t) {
  int64_t last = getShape(op.getSource().getType())[op.getAxis()] - 1;
  Value index = t.get(op.getIndex());
  auto type = cast<VectorType>(index.getType());
  unsigned bits = type.getElementTypeBitWidth();
  Type places = type.clone(t.b.getI32Type());
  if (bits < 32) {
    index = arith::ExtUIOp::create(t.b, places, index);
    type = cast<VectorType>(places);
  }
  auto limit = DenseElementsAttr::get(type, t.b.getIntegerAttr(type.getElementType(), last));
  index = arith::MinUIOp::create(t.b, index, arith::ConstantOp::create(t.b, limit));
  return bits > 32 ? arith::TruncIOp::create(t.b, places, index).getResult() : index;
}

LogicalResult tile::lower(GatherOp op, ThreadLowering &t) {
  ScratchBlock scratch(op, t);
  t.scope.emitBarrier(t.b); // what the memory held before has been read by now
  scratch.write(op.getSource());
  t.scope.emitBarrier(t.b);
  SmallVector<Value> coordinates = getInnerCoordinates(op, t);
  coordinates[op.getAxis()] = getGatherPlaces(op, t);
  t.set(op, scratch.read(coordinates));
  return success();
}

/// Whether no element leaves its thread; then `op` is lowered.
static bool lowerLocally(Operation *op, ThreadLowering &t) {
  std::optional<SmallVector<int32_t>> plan = planLocalMove(op);
  if (!plan)
    return false;
  SmallVector<Value> registers, moved;
  for (Value operand : op->getOperands())
    llvm::append_range(registers, t.unpack(t.get(operand)));
  for (int32_t reg : *plan)
    moved.push_back(registers[std::max(reg, 0)]);
  t.set(op->getResult(0), t.pack(moved));
  return true;
}

LogicalResult tile::lower(CatOp op, ThreadLowering &t) {
  if (lowerLocally(op, t))
    return success();
  ScratchBlock scratch(op, t);
  unsigned axis = op.getAxis();
  t.scope.emitBarrier(t.b);
  scratch.write(op.getFirst());
  // The padding of the first block lies where the second one will.
  if (getLinearLayout(op.getFirst().getType()).getDimSize(axis) !=
      getShape(op.getFirst().getType())[axis])
    t.scope.emitBarrier(t.b);
  scratch.write(op.getSecond(), axis, getShape(op.getFirst().getType())[axis]);
  t.scope.emitBarrier(t.b);
  t.set(op, scratch.read(getInnerCoordinates(op, t)));
  return success();
}

LogicalResult tile::lower(ExtractOp op, ThreadLowering &t) {
  if (lowerLocally(op, t))
    return success();
  ScratchBlock scratch(op, t);
  t.scope.emitBarrier(t.b);
  scratch.write(op.getSource());
  t.scope.emitBarrier(t.b);
  SmallVector<Value> coordinates = getInnerCoordinates(op, t);
  for (auto [coordinate, offset, stride] : llvm::zip(coordinates, op.getOffsets(), op.getStrides()))
    coordinate = createShifted(t.b, createScaled(t.b, coordinate, stride), offset);
  t.set(op, scratch.read(coordinates));
  return success();
}

LogicalResult tile::lowerMove(ReshapeOp op, ThreadLowering &t) {
  if (lowerLocally(op, t))
    return success();
  ScratchBlock scratch(op, t);
  t.scope.emitBarrier(t.b);
  scratch.writeDense(op.getSource());
  t.scope.emitBarrier(t.b);
  t.set(op, scratch.read(getInnerCoordinates(op, t)));
  return success();
}
