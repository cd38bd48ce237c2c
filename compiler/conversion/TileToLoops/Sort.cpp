//===- Sort.cpp - Sorting rows by their digits ----------------------------===//
//
// One pass a digit, the lowest first: count how often each of its values occurs,
// and move the row in that order. Equal elements keep their order. The number of
// steps depends on the length of a row alone.
//
//===----------------------------------------------------------------------===//
#include "compiler/conversion/TileToLoops/BufferAccess.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile;
using namespace tile::loops;

namespace {
/// A row of keys, and of the places where they were (null: not asked for).
struct Row {
  Buffer *keys, *places;
  SmallVector<Value> position; // of the row in `keys`

  SmallVector<Value> at(Value index) const {
    SmallVector<Value> indices(position);
    indices.push_back(index);
    return indices;
  }
};

class SortEmitter {
public:
  SortEmitter(Emitter &emitter, OpBuilder &builder, SortOp op)
      : access(emitter, builder, op.getLoc()), builder(builder), loc(op.getLoc()),
        blocks(emitter.getPlan().getCollective(op)), source(op.getSource().getType()),
        sorted(op.getSorted().getType()), size(source.getShape().back()), radix(getRadixPlan(op)) {}
  void emit();

private:
  void emitPlaces(const Row &row);
  void emitPasses(const Row &row, const Row &spare);
  void emitPass(Value shift, const Row &from, const Row &to);
  void emitResult(const Row &row, Buffer *from, ArrayRef<Value> position, Buffer *result);
  Value getDigit(Value key, Value shift);

  BufferAccess access;
  OpBuilder &builder;
  Location loc;
  const CollectivePlan &blocks;
  RankedTensorType source, sorted;
  int64_t size;
  RadixPlan radix;
};
} // namespace

void SortEmitter::emit() {
  OpBuilder::InsertionGuard guard(builder);
  ArrayRef<Buffer *> spares = ArrayRef(blocks.temporaries).drop_front();
  bool hasPlaces = blocks.results.size() > 1;
  Row row{blocks.sources.front(), hasPlaces ? spares[1] : nullptr, {}};
  Row spare{spares[0], hasPlaces ? spares[2] : nullptr, {}};
  for (int64_t outer : source.getShape().drop_back())
    row.position.push_back(outer == 1 ? access.getIndex(0)
                                      : access.openLoop(0, outer, 1).getInductionVar());
  if (hasPlaces)
    emitPlaces(row);
  emitPasses(row, spare);
  const Row &last = radix.passes % 2 == 0 ? row : spare;
  if (blocks.results.front() != last.keys)
    emitResult(row, last.keys, last.position, blocks.results.front());
  if (hasPlaces)
    emitResult(row, last.places, {}, blocks.results.back());
}

/// Before sorting, each element is in its place.
void SortEmitter::emitPlaces(const Row &row) {
  OpBuilder::InsertionGuard guard(builder);
  Value index = access.openLoop(0, size, 1).getInductionVar();
  access.store(*row.places, index,
               arith::TruncIOp::create(builder, loc, builder.getI32Type(), index));
}

/// Two passes in one iteration bring a row to the spare one and back.
void SortEmitter::emitPasses(const Row &row, const Row &spare) {
  OpBuilder::InsertionGuard guard(builder);
  if (radix.passes == 1)
    return emitPass(access.getIndex(0), row, spare);
  int64_t bits = radix.digitBits;
  Value shift = access.openLoop(0, radix.passes * bits, 2 * bits).getInductionVar();
  emitPass(shift, row, spare);
  emitPass(access.add(shift, access.getIndex(bits)), spare, row);
}

/// The digit of `key` above its lowest `shift` bits, as an index.
Value SortEmitter::getDigit(Value key, Value shift) {
  key = access.toIndex(key);
  Value moved = arith::ShRUIOp::create(builder, loc, key, shift);
  return arith::AndIOp::create(builder, loc, moved, access.getIndex(radix.getNumDigits() - 1));
}

void SortEmitter::emitPass(Value shift, const Row &from, const Row &to) {
  const Buffer &counts = *blocks.temporaries.front();
  auto inLoop = [&](int64_t count, int64_t step, auto body) {
    OpBuilder::InsertionGuard guard(builder);
    body(access.openLoop(0, count, step).getInductionVar());
  };
  constexpr int64_t kLanes = 16; // digits have at least as many values
  auto zeros = VectorType::get({kLanes}, builder.getI32Type());
  Value zero = access.emitter.getConstant(builder.getI32IntegerAttr(0));
  Value one = access.emitter.getConstant(builder.getI32IntegerAttr(1));
  inLoop(radix.getNumDigits(), kLanes, [&](Value digit) {
    access.store(counts, digit, access.emitter.getConstant(DenseElementsAttr::get(zeros, 0)));
  });
  inLoop(size, 1, [&](Value index) {
    Value digit = getDigit(access.load(*from.keys, from.at(index)), shift);
    access.store(counts, digit, access.add(access.load(counts, digit), one));
  });
  {
    // Counts become where the elements of each digit begin.
    OpBuilder::InsertionGuard guard(builder);
    scf::ForOp loop = access.openLoop(0, radix.getNumDigits(), 1, zero);
    Value begin = loop.getRegionIterArgs().front();
    Value end = access.add(begin, access.load(counts, loop.getInductionVar()));
    access.store(counts, loop.getInductionVar(), begin);
    scf::YieldOp::create(builder, loc, end);
  }
  inLoop(size, 1, [&](Value index) {
    Value key = access.load(*from.keys, from.at(index));
    Value digit = getDigit(key, shift);
    Value place = access.load(counts, digit);
    access.store(counts, digit, access.add(place, one));
    Value target = access.toIndex(place);
    access.store(*to.keys, to.at(target), key);
    if (from.places)
      access.store(*to.places, target, access.load(*from.places, index));
  });
}

/// Copy what `result` holds of a row.
void SortEmitter::emitResult(const Row &row, Buffer *from, ArrayRef<Value> position,
                             Buffer *result) {
  OpBuilder::InsertionGuard guard(builder);
  int64_t count = sorted.getShape().back(), lanes = getChunkWidth(count);
  Value index = access.openLoop(0, llvm::alignTo(count, lanes), lanes).getInductionVar();
  SmallVector<Value> source(position), target(row.position);
  source.push_back(index);
  target.push_back(index);
  access.store(*result, target, access.load(*from, source, lanes));
}

void Emitter::emitSort(SortOp op) { SortEmitter(*this, builder, op).emit(); }
