//===- Scan.cpp - Scans with any combiner -----------------------------------===//
//
// Each thread scans its registers. What comes before them, of other lanes, other
// warps and registers further in, is put together and joins in the end. Elements
// are never exchanged: combiners need not be commutative.
//
//===----------------------------------------------------------------------===//
#include "compiler/analysis/ThreadExchange/ScanPlan.h"
#include "compiler/conversion/TileToGPU/Combiner.h"
#include "compiler/conversion/TileToGPU/Exchange.h"
#include "compiler/conversion/TileToGPU/IntegerMath.h"
#include "compiler/conversion/TileToGPU/Lowerings.h"
#include "compiler/conversion/TileToGPU/Shuffle.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace tile;

namespace {
using Values = SmallVector<Value>;

/// Vectors that count where `present` (a boolean, or a vector of them; null:
/// always) is true; without values: nowhere.
struct Part {
  Values values;
  Value present;
};

/// The lowering of one scan.
class Scan {
public:
  Scan(ScanOp op, ThreadLowering &t)
      : op(op), t(t), b(t.b), combiner(op.getCombiner(), t), reverse(op.getReverse()) {
    for (Value source : op.getSources())
      values.push_back(t.get(source));
  }

  LogicalResult run();

private:
  LogicalResult prepare();
  LogicalResult convert(const LinearLayout &from, const LinearLayout &to);
  void scanRegisters();
  FailureOr<Part> getPrefix(Values totals);
  Part scanLanes(Values &totals);
  FailureOr<Part> scanWarps(Values &totals);
  Part scanOuter(const Part &prefix, ValueRange totals);
  Part join(const Part &earlier, const Part &later);
  void finish(const Part &prefix);

  Values shuffleFrom(ValueRange vectors, Value lane);
  Values slice(ValueRange vectors, ArrayRef<int32_t> registers) {
    return llvm::map_to_vector(vectors, [&](Value v) { return t.shuffle(v, registers); });
  }
  Values select(Value condition, ValueRange ifTrue, ValueRange ifFalse) {
    return llvm::map_to_vector(llvm::zip(ifTrue, ifFalse), [&](auto pair) -> Value {
      auto [yes, no] = pair;
      return arith::SelectOp::create(b, condition, yes, no);
    });
  }
  /// Step `i` of `count`, on the way that the scan goes.
  int64_t getStep(int64_t i, int64_t count) const { return reverse ? count - 1 - i : i; }

  ScanOp op;
  ThreadLowering &t;
  ImplicitLocOpBuilder &b;
  Combiner combiner;
  bool reverse;
  LinearLayout layout; // in which the scan runs
  ScanPlan plan;
  Values values;
  SmallVector<Values> steps; // scanned registers, by their place along the axis
};
} // namespace

//===----------------------------------------------------------------------===//
// Before and after
//===----------------------------------------------------------------------===//

LogicalResult Scan::convert(const LinearLayout &from, const LinearLayout &to) {
  ArrayRef<int64_t> shape = getShape(op.getSources().front().getType());
  for (Value &value : values) {
    FailureOr<Value> moved = Exchange(op, t).convert(value, from, to, shape);
    if (failed(moved))
      return failure();
    value = *moved;
  }
  return success();
}

/// Plan. Where the scan begins in padding, a value that says which elements
/// count joins the others.
LogicalResult Scan::prepare() {
  if (failed(combiner.check()))
    return failure();
  Type block = op.getSources().front().getType();
  ArrayRef<int64_t> shape = getShape(block);
  unsigned axis = op.getAxis();
  layout = getLinearLayout(block);
  std::optional<ScanPlan> planned = planScan(layout, axis);
  if (!planned) {
    LinearLayout plain =
        getScannableLayout(shape, axis, t.scope.getNumLanes(), t.scope.getNumWarps());
    planned = planScan(plain, axis);
    if (!planned)
      return op.emitOpError("finds no layout in which the threads of a program can scan ") << block;
    if (failed(convert(layout, plain)))
      return failure();
    layout = plain;
  }
  plan = std::move(*planned);
  if (reverse && layout.getDimSize(axis) != shape[axis]) {
    Value coordinates = emitCoordinates(b, t.scope, layout, axis);
    auto limit = DenseElementsAttr::get(cast<VectorType>(coordinates.getType()),
                                        static_cast<int32_t>(shape[axis]));
    values.push_back(arith::CmpIOp::create(b, arith::CmpIPredicate::slt, coordinates,
                                           arith::ConstantOp::create(b, limit)));
    combiner.setMasked();
  }
  return success();
}

LogicalResult Scan::run() {
  if (failed(prepare()))
    return failure();
  scanRegisters();
  if (plan.crossesThreads()) {
    FailureOr<Part> prefix = getPrefix(steps[getStep(plan.depth - 1, plan.depth)]);
    if (failed(prefix))
      return failure();
    finish(*prefix);
  }
  values.clear();
  for (size_t i = 0; i < op.getSources().size(); ++i) {
    Values registers;
    for (int32_t slot : plan.slots)
      registers.push_back(t.extract(steps[slot / plan.inner.kept][i], slot % plan.inner.kept));
    values.push_back(t.pack(registers));
  }
  const LinearLayout &wanted = getLinearLayout(op.getScanned().front().getType());
  if (layout != wanted && failed(convert(layout, wanted)))
    return failure();
  for (auto [result, value] : llvm::zip(op.getScanned(), values))
    t.set(result, value);
  return success();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void Scan::scanRegisters() {
  int64_t kept = plan.inner.kept;
  steps.resize(plan.depth);
  Values met;
  for (int64_t i = 0; i < plan.depth; ++i) {
    int64_t step = getStep(i, plan.depth);
    Values own = slice(values, ArrayRef(plan.inner.order).slice(step * kept, kept));
    met = met.empty() ? own : combiner.apply(met, own);
    steps[step] = met;
  }
}

Values Scan::shuffleFrom(ValueRange vectors, Value lane) {
  return llvm::map_to_vector(vectors, [&](Value vector) {
    Values moved;
    for (Value reg : t.unpack(vector))
      moved.push_back(emitShuffle(t, reg, lane, /*flips=*/0));
    return t.pack(moved);
  });
}

/// Both parts in one; where only one is there, that one.
Part Scan::join(const Part &earlier, const Part &later) {
  if (earlier.values.empty() || later.values.empty())
    return earlier.values.empty() ? later : earlier;
  Part joined{combiner.apply(earlier.values, later.values), Value()};
  if (earlier.present)
    joined.values = select(earlier.present, joined.values, later.values);
  if (later.present)
    joined.values = select(later.present, joined.values, earlier.values);
  if (earlier.present && later.present)
    joined.present = arith::OrIOp::create(b, earlier.present, later.present);
  return joined;
}

/// In each step the lanes of one half take in the last lane of the other. Leaves
/// the total of the warp in all lanes, and gives what the lanes before have.
Part Scan::scanLanes(Values &totals) {
  Value lane = t.scope.getLane();
  int64_t all = 0;
  auto withBits = [&](int64_t bits, bool set) -> Value {
    Value cleared = createAnd(b, lane, (t.scope.getNumLanes() - 1) & ~bits);
    return set ? arith::OrIOp::create(b, cleared, createI32(b, bits)).getResult() : cleared;
  };
  for (uint64_t bit : plan.laneBits) {
    // The last lane of the half before: all lower bits set, or none in reverse.
    Value from = withBits(all | int64_t(bit), !reverse);
    from = createXor(b, from, createI32(b, int64_t(bit)));
    Values both = combiner.apply(shuffleFrom(totals, from), totals);
    Value isLater = createEquals(b, createAnd(b, lane, int64_t(bit)), reverse ? 0 : int64_t(bit));
    totals = select(isLater, both, totals);
    all |= int64_t(bit);
  }
  // Counting down: a borrow passes through the bits that are not the axis'.
  Value others = withBits(all, false);
  Value along = createAnd(b, lane, all), next;
  if (reverse)
    next = arith::AddIOp::create(b, withBits(~all & (t.scope.getNumLanes() - 1), true),
                                 createI32(b, 1));
  else
    next = arith::SubIOp::create(b, along, createI32(b, 1));
  Value before = arith::OrIOp::create(b, createAnd(b, next, all), others);
  Value first = createI32(b, reverse ? all : 0);
  Value isLater = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, along, first);
  Part part{shuffleFrom(totals, before), isLater};
  totals = shuffleFrom(totals, withBits(all, !reverse));
  return part;
}

/// Leaves the total of all warps, and gives what the warps before have.
FailureOr<Part> Scan::scanWarps(Values &totals) {
  const LinearLayout &partial = plan.inner.partial;
  LinearLayout gathered = plan.getGatheredLayout(t.scope.getNumLanes(), t.scope.getNumWarps());
  for (Value &total : totals) {
    FailureOr<Value> moved = Exchange(op, t).convert(total, partial, gathered, partial.getShape());
    if (failed(moved))
      return failure();
    total = *moved;
  }
  int64_t warps = plan.inner.warps, kept = plan.inner.kept;
  Value warp = t.extract(emitCoordinates(b, t.scope, partial, plan.axis), 0);
  Values met, before;
  for (int64_t i = 0; i < warps; ++i) {
    int64_t step = getStep(i, warps);
    if (i > 0) {
      // Kept by all warps from this one on, and replaced by those behind it.
      auto predicate = reverse ? arith::CmpIPredicate::sle : arith::CmpIPredicate::sge;
      Value isReached = arith::CmpIOp::create(b, predicate, warp, createI32(b, step));
      before = before.empty() ? met : select(isReached, met, before);
    }
    Values own = slice(totals, llvm::to_vector(llvm::seq<int32_t>(step * kept, (step + 1) * kept)));
    met = met.empty() ? own : combiner.apply(met, own);
  }
  totals = met;
  Value first = createI32(b, getStep(0, warps));
  return Part{before, arith::CmpIOp::create(b, arith::CmpIPredicate::ne, warp, first)};
}

/// Registers outside of the threads go on with the totals of those before them.
Part Scan::scanOuter(const Part &prefix, ValueRange totals) {
  int64_t inside = plan.inner.kept / plan.outer;
  SmallVector<Values> registers(totals.size());
  for (Values &list : registers)
    list.resize(plan.inner.kept);
  Value always = arith::ConstantOp::create(b, b.getBoolAttr(true));
  Values presents(plan.inner.kept, always);
  Values met;
  for (int64_t i = 0; i < plan.outer; ++i) {
    ArrayRef<int32_t> chain =
        ArrayRef(plan.outerOrder).slice(getStep(i, plan.outer) * inside, inside);
    Part part = join({met, Value()}, {slice(prefix.values, chain), prefix.present});
    for (auto [list, vector] : llvm::zip(registers, part.values))
      for (auto [reg, place] : llvm::zip(t.unpack(vector), chain))
        list[place] = reg;
    if (part.present)
      for (int32_t place : chain)
        presents[place] = part.present;
    Values own = slice(totals, chain);
    met = met.empty() ? own : combiner.apply(met, own);
  }
  Part whole;
  for (ArrayRef<Value> list : registers)
    whole.values.push_back(t.pack(list));
  whole.present = t.pack(presents);
  return whole;
}

FailureOr<Part> Scan::getPrefix(Values totals) {
  Part prefix;
  if (!plan.laneBits.empty())
    prefix = scanLanes(totals);
  if (plan.inner.warps > 1) {
    FailureOr<Part> warps = scanWarps(totals);
    if (failed(warps))
      return failure();
    prefix = join(*warps, prefix);
  }
  return plan.outer > 1 ? scanOuter(prefix, totals) : prefix;
}

void Scan::finish(const Part &prefix) {
  for (Values &step : steps) {
    Values both = combiner.apply(prefix.values, step);
    step = prefix.present ? select(prefix.present, both, step) : both;
  }
}

LogicalResult tile::lower(ScanOp op, ThreadLowering &t) { return Scan(op, t).run(); }
