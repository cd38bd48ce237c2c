//===- AsyncDot.cpp - Products by units that read on-chip memory ------------===//
#include "compiler/analysis/LinearLayout/Constructors.h"
#include "compiler/conversion/TileToGPU/Fragments.h"
#include "compiler/conversion/TileToGPU/IntegerMath.h"
#include "compiler/conversion/TileToGPU/Lowerings.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tile;

/// Accumulators as products have them in flight, and back.
static Value toFlight(ThreadLowering &t, Value vector) {
  auto type = cast<VectorType>(getTypeInFlight(vector.getType()));
  return type == vector.getType() ? vector : vector::BitCastOp::create(t.b, type, vector);
}

static Value fromFlight(ThreadLowering &t, Value words, Type block) {
  auto type = cast<VectorType>(t.convertType(block));
  return type == words.getType() ? words : vector::BitCastOp::create(t.b, type, words);
}

namespace {
/// An operand in on-chip memory: where the fragments of the warps begin.
class OnChipOperand {
public:
  OnChipOperand(ThreadLowering &t, TypedValue<BufferType> buffer)
      : t(t), memory(buffer.getType().getLayout().getLayout()), shape(buffer.getType().getShape()),
        bytes(buffer.getType().getElementBytes()), variable(t.get(buffer)) {
    std::array<unsigned, 2> order{1, 0};
    elements = AccessMap::get(LinearLayout::getUnit(2).resizedTo(shape, order), memory);
  }

  /// Add what the warps that act together contribute: `place` of their first
  /// one is a sum over the bits of the warp's number.
  void addWarps(const LinearLayout &acc, int64_t together, unsigned dim) {
    for (int64_t warp = together; warp < acc.getInSize(Dim::Warp); warp *= 2) {
      Coordinates place(2, 0);
      place[dim] = acc.apply({{Dim::Warp, uint64_t(warp)}})[dim];
      if (place[dim] == 0)
        continue;
      starts.push_back(place);
      Value bit = createDigit(t.b, t.scope.getWarp(), warp, 2);
      variable = createAdd(t.b, variable, createMul(t.b, bit, getOffset(place)));
    }
  }

  /// The fragment at `place` in the first warps, or nothing if that of others is
  /// not as far from it as their first ones are.
  std::optional<OnChipFragment> get(const Coordinates &place) {
    for (const Coordinates &start : starts) {
      Coordinates sum{place[0] + start[0], place[1] + start[1]};
      if (getOffset(sum) != getOffset(place) + getOffset(start))
        return std::nullopt;
    }
    Value address = t.memory.getAddress(t.b, {variable, getOffset(place)});
    return OnChipFragment{address, &memory, static_cast<unsigned>(bytes * 8)};
  }

private:
  /// In bytes, of the element at `place`: registers of a layout that has only
  /// them count powers of two of both dimensions first.
  int64_t getOffset(const Coordinates &place) const {
    int64_t rows = getPowerOfTwoPart(shape[0]), columns = getPowerOfTwoPart(shape[1]);
    int64_t inTile = place[0] % rows * columns + place[1] % columns;
    int64_t tile = place[0] / rows * (shape[1] / columns) + place[1] / columns;
    return elements.apply({{Dim::Register, uint64_t(tile * rows * columns + inTile)}}) * bytes;
  }

  ThreadLowering &t;
  const LinearLayout &memory;
  ArrayRef<int64_t> shape;
  int64_t bytes;
  AccessMap elements;
  Value variable;
  SmallVector<Coordinates> starts;
};

class AsyncDotLowering {
public:
  AsyncDotLowering(AsyncDotOp op, ThreadLowering &t)
      : op(op), t(t), unit(op.getUnit()), acc(unit, MatmulOperand::Acc, op.getBlockType()),
        b(t, op.getB()) {
    if (auto buffer = dyn_cast<TypedValue<BufferType>>(op.getA()))
      a.emplace(t, buffer);
  }

  LogicalResult run();

private:
  LogicalResult packA();
  LogicalResult multiply(int64_t first, int64_t end);
  LogicalResult addParts(int64_t depth);
  void begin();
  SmallVector<int32_t> findSums(const Coordinates &origin);
  LogicalResult emit(const Coordinates &origin, int64_t k, bool isFirst);

  AsyncDotOp op;
  ThreadLowering &t;
  MatmulUnit unit;
  Fragments acc;
  std::optional<OnChipOperand> a;
  OnChipOperand b;
  /// Fragments of A in registers, packed, by the place of their first element.
  std::map<Coordinates, SmallVector<Value>> packedA;
  SmallVector<Value> registers; // of the accumulators, as they are in flight
  bool startsAnew = false;
  bool savesRegisters = false;
};
} // namespace

/// Where many products share a loop their operands' places, kept ready, would fill
/// the registers.
static bool isInLoopOfMany(AsyncDotOp op) {
  constexpr int64_t kMany = 4;
  auto loop = op->getParentOfType<scf::ForOp>();
  if (!loop)
    return false;
  auto dots = loop.getBody()->getOps<AsyncDotOp>();
  return std::distance(dots.begin(), dots.end()) >= kMany;
}

LogicalResult AsyncDotLowering::packA() {
  Fragments fragments(unit, MatmulOperand::A, op.getA().getType());
  if (!fragments.hasThreadsOfFragment())
    return op.emitOpError("expects A in the layout of its unit's fragments");
  SmallVector<Value> values = t.unpack(t.get(op.getA()));
  for (const Coordinates &place : fragments.getOrigins())
    packedA[place] = unit.packRegisters(t.b, t.b.getLoc(), pick(values, fragments.find(place)));
  return success();
}

/// Registers in flight are not touched, nor those that a first product writes.
void AsyncDotLowering::begin() {
  SmallVector<Value> touched;
  for (auto &[place, words] : packedA)
    llvm::append_range(touched, words);
  bool readsAcc = isa<RankedTensorType>(op.getAcc().getType()) && !startsAnew;
  if (readsAcc)
    llvm::append_range(touched, registers);
  touched = t.hooks.emitMatmulBegin(t.b, touched);
  ArrayRef<Value> rest = touched;
  for (auto &[place, words] : packedA) {
    words.assign(rest.begin(), rest.begin() + words.size());
    rest = rest.drop_front(words.size());
  }
  if (readsAcc)
    registers.assign(rest.begin(), rest.end());
}

/// The registers of the accumulators' fragment at `origin`: each holds as many elements, which
/// lie one behind the other in the block's layout as well. Empty if they are not there.
SmallVector<int32_t> AsyncDotLowering::findSums(const Coordinates &origin) {
  SmallVector<int32_t> elements = acc.find(origin), found;
  int64_t each = getLinearLayout(op.getBlockType()).getInSize(Dim::Register) / registers.size();
  for (size_t i = 0; i < elements.size(); i += each) {
    for (int64_t next = 0; next < each; ++next)
      if (elements[i] % each != 0 || elements[i + next] != elements[i] + next)
        return {};
    found.push_back(elements[i] / each);
  }
  return found;
}

LogicalResult AsyncDotLowering::emit(const Coordinates &origin, int64_t k, bool isFirst) {
  AsyncProduct product;
  if (a) {
    std::optional<OnChipFragment> fragment = a->get(getPlaceInA(origin, k));
    if (!fragment)
      return op.emitOpError("expects A in memory as its unit reads it");
    product.a = *fragment;
  } else {
    auto words = packedA.find(getPlaceInA(origin, k));
    if (words == packedA.end())
      return op.emitOpError("expects threads to hold the fragments of A that its unit multiplies");
    product.registersA = words->second;
  }
  std::optional<OnChipFragment> fragment = b.get(getPlaceInB(origin, k));
  SmallVector<int32_t> into = findSums(origin);
  if (!fragment || into.empty())
    return op.emitOpError("expects B in memory and accumulators as its unit has them");
  product.b = *fragment;
  SmallVector<Value> sums = pick(registers, into);
  product.acc = sums;
  product.isFirst = isFirst;
  product.savesRegisters = savesRegisters;
  sums = unit.emitAsync(t.b, t.b.getLoc(), op.getProblem(), product);
  for (auto [reg, sum] : llvm::zip(into, sums))
    registers[reg] = sum;
  return success();
}

LogicalResult AsyncDotLowering::run() {
  const LinearLayout &layout = getLinearLayout(op.getBlockType());
  int64_t together = unit.getFragment(MatmulOperand::Acc).getInSize(Dim::Warp);
  if (!acc.hasThreadsOfFragment())
    return op.emitOpError("expects accumulators in the layout of its unit's fragments");
  if (a)
    a->addWarps(layout, together, 0);
  else if (failed(packA()))
    return failure();
  b.addWarps(layout, together, 1);
  registers = t.unpack(toFlight(t, t.get(op.getAcc())));
  startsAnew = matchPattern(op.getAcc(), m_AnyZeroFloat()) || matchPattern(op.getAcc(), m_Zero());
  savesRegisters = isInLoopOfMany(op);
  int64_t depth = op.getProblem().k;
  if (failed(op.getMaxImpreciseAcc() > 0 ? addParts(depth) : multiply(0, depth)))
    return failure();
  t.set(op, t.pack(registers));
  return success();
}

/// A group of the products from `first` to `end` along k.
LogicalResult AsyncDotLowering::multiply(int64_t first, int64_t end) {
  begin();
  for (int64_t k = first; k < end; k += unit.getInstructionShape()[2])
    for (const Coordinates &origin : acc.getOrigins())
      if (failed(emit(origin, k, startsAnew && k == first)))
        return failure();
  t.hooks.emitMatmulCommit(t.b);
  return success();
}

/// Sums of a few products each, begun anew and added once they are complete. What
/// registers hold before does not matter.
LogicalResult AsyncDotLowering::addParts(int64_t depth) {
  int64_t step = unit.getInstructionShape()[2];
  int64_t part = std::max<int64_t>(step, op.getMaxImpreciseAcc() / step * step);
  SmallVector<Value> sums = t.unpack(fromFlight(t, t.get(op.getAcc()), op.getBlockType()));
  Value nothing = LLVM::UndefOp::create(t.b, registers.front().getType());
  startsAnew = true;
  for (int64_t k = 0; k < depth; k += part) {
    registers.assign(registers.size(), nothing);
    if (failed(multiply(k, std::min(k + part, depth))))
      return failure();
    registers = t.hooks.emitMatmulWait(t.b, registers, /*inFlight=*/0);
    Value addends = fromFlight(t, t.pack(registers), op.getBlockType());
    for (auto [sum, addend] : llvm::zip(sums, t.unpack(addends)))
      sum = arith::AddFOp::create(t.b, sum, addend);
  }
  registers = t.unpack(toFlight(t, t.pack(sums)));
  return success();
}

LogicalResult tile::lower(AsyncDotOp op, ThreadLowering &t) {
  return AsyncDotLowering(op, t).run();
}

LogicalResult tile::lower(PendOp op, ThreadLowering &t) {
  t.set(op, toFlight(t, t.get(op.getValue())));
  return success();
}

LogicalResult tile::lower(AwaitDotsOp op, ThreadLowering &t) {
  SmallVector<Value> all;
  for (Value pending : op.getPending())
    llvm::append_range(all, t.unpack(t.get(pending)));
  all = t.hooks.emitMatmulWait(t.b, all, op.getInFlight());
  ArrayRef<Value> rest = all;
  for (auto [pending, value] : llvm::zip(op.getPending(), op.getValues())) {
    int64_t count = cast<VectorType>(t.get(pending).getType()).getNumElements();
    Value words = t.pack(rest.take_front(count));
    bool isComplete = isa<RankedTensorType>(value.getType());
    t.set(value, isComplete ? fromFlight(t, words, value.getType()) : words);
    rest = rest.drop_front(count);
  }
  return success();
}
