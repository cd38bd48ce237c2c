//===- Reduce.cpp - Reductions with any combiner ----------------------------===//
#include "compiler/analysis/ThreadExchange/ReductionPlan.h"
#include "compiler/conversion/TileToGPU/Combiner.h"
#include "compiler/conversion/TileToGPU/Exchange.h"
#include "compiler/conversion/TileToGPU/IntegerMath.h"
#include "compiler/conversion/TileToGPU/Lowerings.h"
#include "compiler/conversion/TileToGPU/Shuffle.h"

#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace tile;

namespace {
/// The lowering of one reduction: `values` go from step to step.
class Reduction {
public:
  Reduction(ReduceOp op, ThreadLowering &t)
      : op(op), t(t), combiner(op.getCombiner(), t), axis(op.getAxis()) {
    for (Value source : op.getSources())
      values.push_back(t.get(source));
  }

  LogicalResult run() {
    if (failed(prepare()))
      return failure();
    reduceRegisters(plan.order, plan.kept);
    size_t splits = plan.splitBits.size();
    for (auto [step, bit] : llvm::zip(plan.laneSteps, plan.splitBits))
      splitLanes(step, bit);
    for (uint64_t step : ArrayRef(plan.laneSteps).drop_front(splits))
      combineLanes(step);
    if (failed(combineWarps()))
      return failure();
    for (auto [result, value] : llvm::zip(op.getReduced(), values))
      t.set(result, isa<RankedTensorType>(result.getType()) ? value : t.extract(value, 0));
    return success();
  }

private:
  LogicalResult prepare();
  void reduceRegisters(ArrayRef<int32_t> order, int64_t kept);
  void combineLanes(uint64_t step);
  void splitLanes(uint64_t step, unsigned bit);
  LogicalResult combineWarps();

  ReduceOp op;
  ThreadLowering &t;
  Combiner combiner;
  unsigned axis;
  ReductionPlan plan;
  SmallVector<Value> values;
};
} // namespace

/// Plan; where the axis is padded, a value that says which elements count joins
/// the others.
LogicalResult Reduction::prepare() {
  if (failed(combiner.check()))
    return failure();
  Type block = op.getSources().front().getType();
  ArrayRef<int64_t> shape = getShape(block);
  LinearLayout layout = getLinearLayout(block);
  std::optional<ReductionPlan> planned = planSplitReduction(layout, axis);
  if (!planned) {
    LinearLayout plain = getReducibleLayout(shape, t.scope.getNumLanes(), t.scope.getNumWarps());
    for (Value &value : values) {
      FailureOr<Value> moved = Exchange(op, t).convert(value, layout, plain, shape);
      if (failed(moved))
        return failure();
      value = *moved;
    }
    layout = plain;
    planned = planSplitReduction(layout, axis);
  }
  plan = std::move(*planned);
  if (layout.getDimSize(axis) != shape[axis]) {
    Value coordinates = emitCoordinates(t.b, t.scope, layout, axis);
    auto limit = DenseElementsAttr::get(cast<VectorType>(coordinates.getType()),
                                        static_cast<int32_t>(shape[axis]));
    values.push_back(arith::CmpIOp::create(t.b, arith::CmpIPredicate::slt, coordinates,
                                           arith::ConstantOp::create(t.b, limit)));
    combiner.setMasked();
  }
  return success();
}

/// Whether registers are best combined part after part: products become part of sums, and
/// what is largest needs few registers. Sums of anything else go by halves: they follow
/// exponentials, beside which those were faster.
static bool goesByParts(ReduceOp op) {
  bool isSum =
      llvm::all_of(op.getCombiner().front().without_terminator(), llvm::IsaPred<arith::AddFOp>);
  return !isSum || llvm::any_of(op.getSources(), [](Value source) {
    return source.getDefiningOp<arith::MulFOp>() != nullptr;
  });
}

/// Parts of many registers, an eighth each, join the first one. Halves are combined as long as
/// there are two: few, wide operations. What is left over at an odd depth joins in the end.
void Reduction::reduceRegisters(ArrayRef<int32_t> order, int64_t kept) {
  constexpr int64_t kMaxParts = 8, kMinPart = 4;
  auto slice = [&](int64_t begin, int64_t count) {
    auto registers = llvm::to_vector(
        llvm::seq<int32_t>(begin * kept, static_cast<int32_t>((begin + count) * kept)));
    return llvm::map_to_vector(values, [&](Value v) { return t.shuffle(v, registers); });
  };
  for (Value &value : values)
    value = t.shuffle(value, order);
  int64_t depth = order.size() / kept;
  int64_t part = std::max(kMinPart, depth / kMaxParts);
  if (goesByParts(op) && depth % part == 0) {
    SmallVector<Value> sum = slice(0, part);
    for (int64_t begin = part; begin < depth; begin += part)
      sum = combiner.apply(sum, slice(begin, part));
    values = sum;
    depth = part;
  }
  SmallVector<SmallVector<Value>> rest;
  for (; depth > 1; depth /= 2) {
    if (depth % 2 != 0)
      rest.push_back(slice(depth - 1, 1));
    values = combiner.apply(slice(0, depth / 2), slice(depth / 2, depth / 2));
  }
  for (ArrayRef<Value> left : rest)
    values = combiner.apply(values, left);
}

void Reduction::combineLanes(uint64_t step) {
  SmallVector<Value> others;
  for (Value value : values) {
    SmallVector<Value> moved;
    for (Value reg : t.unpack(value))
      moved.push_back(emitShuffle(t, reg, /*from=*/Value(), step));
    others.push_back(t.pack(moved));
  }
  values = combiner.apply(values, others);
}

/// Each lane gives away the half of its registers that the other goes on with.
void Reduction::splitLanes(uint64_t step, unsigned bit) {
  Value flag = arith::ConstantOp::create(t.b, t.b.getI32IntegerAttr(static_cast<int32_t>(step)));
  Value zero = arith::ConstantOp::create(t.b, t.b.getI32IntegerAttr(0));
  Value masked = arith::AndIOp::create(t.b, t.scope.getLane(), flag);
  Value isUpper = arith::CmpIOp::create(t.b, arith::CmpIPredicate::ne, masked, zero);
  SmallVector<Value> own, others;
  for (Value value : values) {
    SmallVector<Value> registers = t.unpack(value), kept, moved;
    for (size_t i = 0; i < registers.size(); ++i) {
      if (i >> bit & 1)
        continue;
      Value lower = registers[i], upper = registers[i | size_t(1) << bit];
      kept.push_back(arith::SelectOp::create(t.b, isUpper, upper, lower));
      Value given = arith::SelectOp::create(t.b, isUpper, lower, upper);
      moved.push_back(emitShuffle(t, given, /*from=*/Value(), step));
    }
    own.push_back(t.pack(kept));
    others.push_back(t.pack(moved));
  }
  values = combiner.apply(own, others);
}

/// Bring the partial results to where the op's results live.
LogicalResult Reduction::combineWarps() {
  Type result = op.getReduced().front().getType();
  const LinearLayout *wanted = isa<RankedTensorType>(result) ? &getLinearLayout(result) : nullptr;
  if (plan.warps == 1 && !wanted)
    return success();
  SmallVector<int64_t> shape(getShape(result));
  LinearLayout from = plan.partial, to;
  if (plan.warps == 1) {
    from = from.squeezed(axis);
    to = *wanted;
  } else {
    to = getGatheredLayout(wanted, axis, plan.warps, t.scope.getNumLanes(), t.scope.getNumWarps());
    shape.insert(shape.begin() + axis, plan.warps);
  }
  if (failed(Exchange(op, t).convert(values, from, to, shape)))
    return failure();
  if (plan.warps > 1) {
    int64_t registers = to.getInSize(Dim::Register);
    reduceRegisters(llvm::to_vector(llvm::seq<int32_t>(0, registers)), registers / plan.warps);
  }
  return success();
}

LogicalResult tile::lower(ReduceOp op, ThreadLowering &t) { return Reduction(op, t).run(); }
