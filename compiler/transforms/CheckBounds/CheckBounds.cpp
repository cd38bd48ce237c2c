//===- CheckBounds.cpp - Accesses inside of the arrays they are meant for -===//
#include "compiler/transforms/CheckBounds/CheckBounds.h"

#include "dialects/tile/IR/TileOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tile {
#define GEN_PASS_DEF_CHECKBOUNDS
#include "compiler/transforms/CheckBounds/CheckBounds.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

//===----------------------------------------------------------------------===//
// Which argument a pointer follows from
//===----------------------------------------------------------------------===//

namespace {
/// Follows pointers up to the arguments they come from.
class BaseFinder {
public:
  /// The one argument that `pointer` follows from, or null.
  BlockArgument find(Value pointer) {
    visit(pointer);
    return isUnknown || bases.size() != 1 ? BlockArgument() : bases.front();
  }

private:
  void visit(Value value);
  void visitArgument(BlockArgument argument);

  SmallVector<BlockArgument, 1> bases;
  DenseSet<Value> seen;
  bool isUnknown = false;
};
} // namespace

void BaseFinder::visitArgument(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (isa<func::FuncOp>(parent)) {
    bases.push_back(argument);
    return;
  }
  auto loop = dyn_cast<LoopLikeOpInterface>(parent);
  OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
  OpOperand *yielded = loop ? loop.getTiedLoopYieldedValue(argument) : nullptr;
  if (!init || !yielded) {
    isUnknown = true;
    return;
  }
  visit(init->get());
  visit(yielded->get());
}

void BaseFinder::visit(Value value) {
  if (!seen.insert(value).second)
    return;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return visitArgument(argument);
  Operation *op = value.getDefiningOp();
  if (isa<AddPtrOp, CastPtrOp, SplatOp, BroadcastOp, ExpandDimsOp, ReshapeOp, TransposeOp, HintOp>(
          op))
    return visit(op->getOperand(0));
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    visit(select.getTrueValue());
    return visit(select.getFalseValue());
  }
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!loop) {
    isUnknown = true;
    return;
  }
  unsigned number = cast<OpResult>(value).getResultNumber();
  visit(loop.getInitArgs()[number]);
  visit(loop.getYieldedValues()[number]);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

namespace {
/// Where the memory of an argument's array begins and ends.
struct Extent {
  Value begin, end;
  std::string name;
};

/// Adds the arguments of one kernel, and checks against them.
class BoundsChecker {
public:
  explicit BoundsChecker(func::FuncOp kernel) : kernel(kernel) {}
  void run();

private:
  void addExtents();
  void check(Operation *op);
  Value createInside(ImplicitLocOpBuilder &b, Value pointer, const Extent &extent);

  func::FuncOp kernel;
  DenseMap<Value, Extent> extents;
};

struct CheckBoundsPass : tile::impl::CheckBoundsBase<CheckBoundsPass> {
  void runOnOperation() override {
    if (!getOperation()->hasAttr(kCheckBoundsAttr))
      return;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(kKernelAttr))
        BoundsChecker(function).run();
    // The arguments are there now: a second run must not add them again.
    getOperation()->removeAttr(kCheckBoundsAttr);
  }
};
} // namespace

/// How the user calls an argument, where the location tells.
static std::string getName(BlockArgument argument) {
  if (auto name = dyn_cast<NameLoc>(argument.getLoc()))
    return "'" + name.getName().str() + "'";
  return std::to_string(argument.getArgNumber());
}

void BoundsChecker::addExtents() {
  Type i64 = IntegerType::get(kernel.getContext(), 64);
  SmallVector<BlockArgument> arguments(kernel.getArguments());
  for (BlockArgument argument : arguments) {
    if (!isa<PtrType>(argument.getType()))
      continue;
    for (int part = 0; part < 2; ++part)
      (void)kernel.insertArgument(kernel.getNumArguments(), i64, {}, argument.getLoc());
    unsigned count = kernel.getNumArguments();
    extents[argument] = {kernel.getArgument(count - 2), kernel.getArgument(count - 1),
                         getName(argument)};
  }
}

/// begin <= address and address + size <= end
Value BoundsChecker::createInside(ImplicitLocOpBuilder &b, Value pointer, const Extent &extent) {
  using P = arith::CmpIPredicate;
  Type element = getElementType(getPointeeLike(pointer.getType()));
  unsigned bits = isa<PtrType>(element) ? 64 : element.getIntOrFloatBitWidth();
  Value size = arith::ConstantOp::create(b, b.getI64IntegerAttr(std::max(1u, bits / 8)));
  Value begin = extent.begin, last = arith::SubIOp::create(b, extent.end, size);
  Type addresses = withElementType(pointer.getType(), b.getI64Type());
  if (auto block = dyn_cast<RankedTensorType>(addresses)) {
    begin = SplatOp::create(b, block, begin);
    last = SplatOp::create(b, block, last);
  }
  Value address = PtrToIntOp::create(b, addresses, pointer);
  Value from = arith::CmpIOp::create(b, P::uge, address, begin);
  Value to = arith::CmpIOp::create(b, P::ule, address, last);
  return arith::AndIOp::create(b, from, to);
}

/// The operand of an access that says which lanes take part; null where none can.
static MutableOperandRange getMaskOperand(Operation *op) {
  return llvm::TypeSwitch<Operation *, MutableOperandRange>(op)
      .Case<LoadOp, StoreOp, AtomicRMWOp, AtomicLoadOp, AtomicStoreOp>(
          [](auto access) { return access.getMaskMutable(); })
      .Default([](Operation *other) { return MutableOperandRange(other, 0, 0); });
}

void BoundsChecker::check(Operation *op) {
  Value pointer = op->getOperand(0);
  BlockArgument base = BaseFinder().find(pointer);
  auto found = base ? extents.find(base) : extents.end();
  if (found == extents.end())
    return;
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Value inside = createInside(b, pointer, found->second);
  MutableOperandRange maskOperand = getMaskOperand(op);
  Value mask = maskOperand.empty() ? Value() : maskOperand[0].get();
  Value allowed = inside;
  if (mask) {
    Value isTrue = arith::ConstantOp::create(
        b, isa<RankedTensorType>(mask.getType())
               ? TypedAttr(DenseElementsAttr::get(cast<ShapedType>(mask.getType()), true))
               : TypedAttr(b.getBoolAttr(true)));
    allowed = arith::OrIOp::create(b, inside, arith::XOrIOp::create(b, mask, isTrue));
    mask = arith::AndIOp::create(b, mask, inside);
  }
  AssertOp::create(b, allowed, "access outside of the array of argument " + found->second.name);
  // The program goes on until it ends: what was found must not crash it.
  if (isa<AtomicCASOp, AtomicPollOp>(op)) {
    Value first = base;
    if (auto block = dyn_cast<RankedTensorType>(pointer.getType()))
      first = SplatOp::create(b, block.clone(first.getType()), first);
    if (first.getType() != pointer.getType())
      first = CastPtrOp::create(b, pointer.getType(), first);
    op->setOperand(0, arith::SelectOp::create(b, inside, pointer, first));
    return;
  }
  maskOperand.assign(mask ? mask : inside);
}

void BoundsChecker::run() {
  addExtents();
  SmallVector<Operation *> accesses;
  kernel.walk([&](Operation *op) {
    if (isa<LoadOp, StoreOp, AtomicPollOp>(op) || isAtomic(op))
      accesses.push_back(op);
  });
  llvm::for_each(accesses, [&](Operation *op) { check(op); });
}
