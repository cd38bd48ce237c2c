//===- StoreTurns.cpp - Parts of blocks that may meet those of other warps --===//
#include "compiler/transforms/SpecializeWarps/StoreTurns.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tile;

/// The loops around a store, from the outside in; none where there is something else, or
/// where they are those of several programs.
static SmallVector<scf::ForOp> getLoops(Operation *store) {
  SmallVector<scf::ForOp> loops;
  for (Operation *op = store->getParentOp(); !isa<RolesOp, FunctionOpInterface>(op);
       op = op->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || loop->hasAttr(kProgramLoopAttr))
      return {};
    loops.insert(loops.begin(), loop);
  }
  return loops;
}

bool tile::canTakeTurns(const BlockStore &store) { return !getLoops(store.op).empty(); }

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

namespace {
/// What tells where a store is: indices that change, and the parts of its descriptor if that
/// changes.
struct StorePlace {
  /// The first byte of the array, the one behind its last, and its shape; empty if all
  /// stores are of one.
  SmallVector<Value> array;
  SmallVector<Value> indices;
};
} // namespace

/// Dimensions along which blocks move.
static SmallVector<unsigned> getMovingDims(const BlockStore &store, scf::ForOp outermost) {
  SmallVector<unsigned> dims;
  for (auto [dim, index] : llvm::enumerate(store.getIndices()))
    if (outermost->isAncestor(index.getParentBlock()->getParentOp()))
      dims.push_back(dim);
  return dims;
}

static Value createI32(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(static_cast<int32_t>(value)));
}

static Value createI64(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
}

/// How many bytes lie between an array's first element and the end of its last.
static Value createExtent(ImplicitLocOpBuilder &b, MakeDescriptorOp desc) {
  Value last = createI64(b, 0), one = createI64(b, 1);
  for (auto [dim, size] : llvm::enumerate(desc.getSizes())) {
    Value wide = arith::ExtSIOp::create(b, b.getI64Type(), size);
    Value step = arith::SubIOp::create(b, wide, one);
    if (dim < desc.getStrides().size())
      step = arith::MulIOp::create(b, step, desc.getStrides()[dim]);
    last = arith::AddIOp::create(b, last, step);
  }
  unsigned bits = desc.getBase().getType().getPointee().getIntOrFloatBitWidth();
  return arith::MulIOp::create(b, arith::AddIOp::create(b, last, one),
                               createI64(b, std::max(8u, bits) / 8));
}

static StorePlace createPlace(ImplicitLocOpBuilder &b, const BlockStore &store,
                              ArrayRef<unsigned> dims, bool hasOneArray) {
  StorePlace place;
  for (unsigned dim : dims)
    place.indices.push_back(store.getIndices()[dim]);
  if (hasOneArray)
    return place;
  auto desc = store.getDesc().getDefiningOp<MakeDescriptorOp>();
  Value base = PtrToIntOp::create(b, b.getI64Type(), desc.getBase());
  place.array = {base, arith::AddIOp::create(b, base, createExtent(b, desc))};
  llvm::append_range(place.array, desc.getSizes());
  llvm::append_range(place.array, desc.getStrides());
  return place;
}

/// An array of no bytes, and indices so far below all others that no block reaches them.
static StorePlace createNowhere(ImplicitLocOpBuilder &b, const BlockStore &store,
                                ArrayRef<unsigned> dims, bool hasOneArray) {
  StorePlace place;
  place.indices.append(dims.size(), createI32(b, std::numeric_limits<int32_t>::min()));
  if (hasOneArray)
    return place;
  auto desc = store.getDesc().getDefiningOp<MakeDescriptorOp>();
  place.array.append(2, createI64(b, 0));
  place.array.append(desc.getSizes().size(), createI32(b, 0));
  place.array.append(desc.getStrides().size(), createI64(b, 0));
  return place;
}

/// Whether blocks of one array share elements, as far as indices along `dims` tell: these
/// are less than a block apart, in either direction, as numbers that go around.
static Value createOverlap(ImplicitLocOpBuilder &b, const StorePlace &first,
                           const StorePlace &second, ArrayRef<unsigned> dims,
                           ArrayRef<int64_t> shape) {
  Value overlap = arith::ConstantOp::create(b, b.getBoolAttr(true));
  for (auto [one, other, dim] : llvm::zip_equal(first.indices, second.indices, dims)) {
    Value distance = arith::SubIOp::create(b, one, other);
    Value shifted = arith::AddIOp::create(b, distance, createI32(b, shape[dim] - 1));
    Value isNear = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, shifted,
                                         createI32(b, 2 * shape[dim] - 1));
    overlap = arith::AndIOp::create(b, overlap, isNear);
  }
  return overlap;
}

/// Whether arrays share bytes, and are not one in which blocks do not overlap.
static Value createMeeting(ImplicitLocOpBuilder &b, const StorePlace &place, const StorePlace &last,
                           Value overlap) {
  Value meets = overlap;
  for (auto [now, before] : llvm::zip_equal(place.array, last.array)) {
    Value differs = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, now, before);
    meets = arith::OrIOp::create(b, meets, differs);
  }
  auto isBelow = [&](Value begin, Value end) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ult, begin, end);
  };
  if (!place.array.empty()) {
    meets = arith::AndIOp::create(b, meets, isBelow(place.array[0], last.array[1]));
    meets = arith::AndIOp::create(b, meets, isBelow(last.array[0], place.array[1]));
  }
  return meets;
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

/// Carries `state` around the loops: `inside` gives what it is behind the innermost's body.
static SmallVector<Value> carry(ArrayRef<scf::ForOp> loops, ValueRange state,
                                function_ref<SmallVector<Value>(ValueRange)> inside) {
  if (loops.empty())
    return inside(state);
  scf::ForOp loop = loops.front();
  IRRewriter rewriter(loop);
  auto wider = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, state, /*replaceInitOperandUsesInLoop=*/false,
      [](OpBuilder &, Location, ArrayRef<BlockArgument> arguments) {
        return SmallVector<Value>(arguments.begin(), arguments.end());
      }));
  SmallVector<Value> after =
      carry(loops.drop_front(), wider.getRegionIterArgs().take_back(state.size()), inside);
  auto yield = cast<scf::YieldOp>(wider.getBody()->getTerminator());
  size_t first = yield.getNumOperands() - state.size();
  yield->setOperands(first, state.size(), after);
  return SmallVector<Value>(wider.getResults().take_back(state.size()));
}

/// Signals for which a warp arrives when it has written.
static Value allocateTurns(ImplicitLocOpBuilder &b, Operation *store) {
  b.setInsertionPoint(store->getParentOfType<RolesOp>());
  auto warps = static_cast<uint32_t>(getModuleInt(store, kNumWarpsAttr, 1));
  return SignalAllocOp::create(b, SignalsType::get(b.getContext(), 1), warps, IntegerAttr());
}

/// The signal's phase and the last place, as loops carry them, and back.
static SmallVector<Value> pack(Value phase, const StorePlace &place) {
  SmallVector<Value> state{phase};
  llvm::append_range(state, place.array);
  llvm::append_range(state, place.indices);
  return state;
}

static StorePlace unpackPlace(ValueRange state, size_t indices) {
  StorePlace place;
  place.array = SmallVector<Value>(state.drop_front().drop_back(indices));
  place.indices = SmallVector<Value>(state.take_back(indices));
  return place;
}

void tile::takeTurns(const BlockStore &store) {
  SmallVector<scf::ForOp> loops = getLoops(store.op);
  SmallVector<unsigned> dims = getMovingDims(store, loops.front());
  bool hasOneArray = store.isDescribedOnce();
  ImplicitLocOpBuilder b(store.op->getLoc(), store.op);
  Value turns = allocateTurns(b, store.op);
  b.setInsertionPoint(loops.front());
  Value zero = createI32(b, 0);
  SmallVector<Value> before = pack(zero, createNowhere(b, store, dims, hasOneArray));

  carry(loops, before, [&](ValueRange state) {
    b.setInsertionPoint(store.op);
    Value phase = state.front();
    Value other = arith::XOrIOp::create(b, phase, createI32(b, 1));
    AcquireOp::create(b, turns, zero, other, ValueRange());
    AwaitBlockStoresOp::create(b, 0, /*byWarps=*/true, /*written=*/true);
    ArriveOp::create(b, turns, zero);
    StorePlace place = createPlace(b, store, dims, hasOneArray);
    StorePlace last = unpackPlace(state, dims.size());
    Value overlap = createOverlap(b, place, last, dims, store.getBlockShape());
    Value meets = createMeeting(b, place, last, overlap);
    scf::IfOp::create(b, meets, [&](OpBuilder &nested, Location loc) {
      AcquireOp::create(nested, loc, turns, zero, phase, ValueRange());
      scf::YieldOp::create(nested, loc);
    });
    return pack(other, place);
  });
}
