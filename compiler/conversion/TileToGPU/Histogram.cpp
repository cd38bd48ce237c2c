//===- Histogram.cpp - Counting by atomic additions on chip -----------------===//
#include "compiler/conversion/TileToGPU/IntegerMath.h"
#include "compiler/conversion/TileToGPU/Lowerings.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tile;

static constexpr int64_t kCountBytes = 4;

namespace {
class Histogram {
public:
  Histogram(HistogramOp op, ThreadLowering &t)
      : op(op), t(t), b(t.b), bins(op.getCounts().getType().getNumElements()) {}

  void run() {
    base = createI32(b, t.memory.getScratch(op, bins * kCountBytes));
    t.scope.emitBarrier(b);
    clear();
    t.scope.emitBarrier(b);
    count();
    t.scope.emitBarrier(b);
    read();
  }

private:
  void clear();
  void count();
  void read();
  ThreadOffsets::Offset getPlace(Value bin) {
    return {createAdd(b, base, createMul(b, bin, kCountBytes)), 0};
  }
  Value getConstant(Type type, int64_t value) {
    if (auto vector = dyn_cast<ShapedType>(type))
      return arith::ConstantOp::create(
          b, DenseElementsAttr::get(vector, b.getIntegerAttr(vector.getElementType(), value)));
    return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
  }
  Value getBins();
  Value getCounted(Value numbers);

  HistogramOp op;
  ThreadLowering &t;
  ImplicitLocOpBuilder &b;
  int64_t bins;
  Value base;
};
} // namespace

/// A thread clears every so many counts.
void Histogram::clear() {
  auto loop = scf::ForOp::create(b, t.scope.getThread(), createI32(b, bins),
                                 createI32(b, t.scope.getNumThreads()));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  t.memory.store(b, createI32(b, 0), getPlace(loop.getInductionVar()), kCountBytes);
}

/// The numbers in a type that holds the number of bins too.
Value Histogram::getBins() {
  Value numbers = t.get(op.getSource());
  auto type = cast<VectorType>(numbers.getType());
  if (type.getElementTypeBitWidth() >= 32)
    return numbers;
  Type wide = type.clone(b.getI32Type());
  return type.getElementType().isInteger(1) ? arith::ExtUIOp::create(b, wide, numbers).getResult()
                                            : arith::ExtSIOp::create(b, wide, numbers).getResult();
}

/// Which registers count, ownership aside.
Value Histogram::getCounted(Value numbers) {
  Value counted = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, numbers,
                                        getConstant(numbers.getType(), bins));
  if (op.getMask())
    counted = arith::AndIOp::create(b, counted, t.get(op.getMask()));
  Type source = op.getSource().getType();
  return createAnd(b, counted, emitInside(b, t.scope, getLinearLayout(source), getShape(source)));
}

void Histogram::count() {
  const LinearLayout &layout = getLinearLayout(op.getSource().getType());
  Value numbers = getBins(), counted = getCounted(numbers);
  Value owns = emitOwnership(b, t.scope, layout);
  for (auto [reg, first] : llvm::enumerate(getFirstCopies(layout))) {
    if (first != int32_t(reg))
      continue;
    auto branch = scf::IfOp::create(b, createAnd(b, t.extract(counted, reg), owns),
                                    /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value bin = vector::ExtractOp::create(b, numbers, int64_t(reg));
    if (!bin.getType().isInteger(32))
      bin = arith::TruncIOp::create(b, b.getI32Type(), bin);
    LLVM::AtomicRMWOp::create(b, LLVM::AtomicBinOp::add, t.memory.getAddress(b, getPlace(bin)),
                              createI32(b, 1), LLVM::AtomicOrdering::monotonic,
                              t.hooks.getSyncScope(MemoryScope::CTA));
  }
}

void Histogram::read() {
  const LinearLayout &layout = getLinearLayout(op.getCounts().getType());
  Value coordinates = emitCoordinates(b, t.scope, layout, 0);
  if (layout.getDimSize(0) != bins) // padding reads some count
    coordinates =
        arith::MinUIOp::create(b, coordinates, getConstant(coordinates.getType(), bins - 1));
  SmallVector<Value> registers;
  for (int64_t reg = 0, end = layout.getInSize(Dim::Register); reg < end; ++reg)
    registers.push_back(
        t.memory.load(b, b.getI32Type(), getPlace(t.extract(coordinates, reg)), kCountBytes));
  t.set(op.getCounts(), t.pack(registers));
}

LogicalResult tile::lower(HistogramOp op, ThreadLowering &t) {
  Histogram(op, t).run();
  return success();
}
