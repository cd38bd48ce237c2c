//===- CarryOffsets.cpp - Carry a number instead of a block ---------------===//
#include "compiler/transforms/CarryOffsets/CarryOffsets.h"

#include "dialects/tile/IR/TileOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

namespace tile {
#define GEN_PASS_DEF_CARRYOFFSETS
#include "compiler/transforms/CarryOffsets/CarryOffsets.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

/// On a loop: what does not change stays inside.
static constexpr llvm::StringLiteral kDisableHoistingAttr = "tile.disable_licm";

namespace {
/// One value that a loop carries as argument + steps, each the same for all
/// elements.
struct Advance {
  unsigned index;
  SmallVector<Operation *, 2> additions; // from the yielded value up
};

class OffsetCarrier {
public:
  explicit OffsetCarrier(scf::ForOp loop) : loop(loop), b(loop.getLoc(), loop) {}
  void run();

private:
  std::optional<Advance> match(unsigned index);
  bool isUniform(Value value);
  Value getScalar(Value uniform, Type type);
  Type getOffsetType(const Advance &advance);
  Value getStep(const Advance &advance, Type type);
  Value add(Value block, Value offset);
  void carry(const Advance &advance);
  void hoistNumbers();

  scf::ForOp loop;
  ImplicitLocOpBuilder b;
};

struct CarryOffsetsPass : tile::impl::CarryOffsetsBase<CarryOffsetsPass> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      OffsetCarrier(loop).run();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Finding
//===----------------------------------------------------------------------===//

/// Whether all elements are one number that the loop does not change.
bool OffsetCarrier::isUniform(Value value) {
  if (auto splat = value.getDefiningOp<SplatOp>())
    return loop.isDefinedOutsideOfLoop(splat.getSource());
  DenseElementsAttr elements;
  return matchPattern(value, m_Constant(&elements)) && elements.isSplat();
}

/// What is promised of the argument itself is promised anew in each iteration.
std::optional<Advance> OffsetCarrier::match(unsigned index) {
  Value argument = loop.getRegionIterArg(index);
  Advance advance{index, {}};
  Value value = loop.getYieldedValues()[index];
  if (!isa<RankedTensorType>(argument.getType()) || skipHints(value) == argument)
    return std::nullopt;
  while (skipHints(value) != argument) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != loop.getBody() || !isa<AddPtrOp, arith::AddIOp>(op) ||
        !isUniform(op->getOperand(1)))
      return std::nullopt;
    advance.additions.push_back(op);
    value = op->getOperand(0);
  }
  return advance;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

static SmallVector<OpOperand *> getUses(Value value) {
  return llvm::map_to_vector(value.getUses(), [](OpOperand &use) { return &use; });
}

static void replace(ArrayRef<OpOperand *> uses, Value value) {
  for (OpOperand *use : uses)
    use->set(value);
}

/// Offsets of pointers are 64 bits wide wherever they are summed.
Type OffsetCarrier::getOffsetType(const Advance &advance) {
  Type element = getElementType(loop.getRegionIterArg(advance.index).getType());
  return isa<PtrType>(element) ? IntegerType::get(loop.getContext(), 64) : element;
}

/// The number of which `uniform` is made, sign-extended to `type`.
Value OffsetCarrier::getScalar(Value uniform, Type type) {
  DenseElementsAttr elements;
  if (matchPattern(uniform, m_Constant(&elements)))
    return arith::ConstantOp::create(
        b, b.getIntegerAttr(type, elements.getSplatValue<APInt>().getSExtValue()));
  Value scalar = uniform.getDefiningOp<SplatOp>().getSource();
  return scalar.getType() == type ? scalar : Value(arith::ExtSIOp::create(b, type, scalar));
}

/// block + offset for each of its elements.
Value OffsetCarrier::add(Value block, Value offset) {
  auto type = cast<RankedTensorType>(block.getType());
  Value offsets = SplatOp::create(b, type.clone(offset.getType()), offset);
  if (isa<PtrType>(type.getElementType()))
    return AddPtrOp::create(b, type, block, offsets);
  return arith::AddIOp::create(b, block, offsets);
}

/// What a step adds, known before the loop.
Value OffsetCarrier::getStep(const Advance &advance, Type type) {
  Value step;
  for (Operation *addition : advance.additions) {
    Value part = getScalar(addition->getOperand(1), type);
    step = step ? Value(arith::AddIOp::create(b, step, part)) : part;
  }
  return step;
}

void OffsetCarrier::carry(const Advance &advance) {
  Type type = getOffsetType(advance);
  b.setInsertionPoint(loop);
  Value step = getStep(advance, type);
  OpOperand &init = loop.getInitsMutable()[advance.index];
  Value block = init.get();
  init.set(arith::ConstantOp::create(b, b.getIntegerAttr(type, 0)));

  BlockArgument argument = loop.getRegionIterArg(advance.index);
  SmallVector<OpOperand *> uses = getUses(argument);
  argument.setType(type);
  b.setInsertionPointToStart(loop.getBody());
  replace(uses, add(block, argument));
  b.setInsertionPoint(loop.getBody()->getTerminator());
  loop.getBody()->getTerminator()->setOperand(advance.index,
                                              arith::AddIOp::create(b, argument, step));

  Value result = loop.getResult(advance.index);
  uses = getUses(result);
  result.setType(type);
  b.setInsertionPointAfter(loop);
  if (!uses.empty())
    replace(uses, add(block, result));
}

/// Numbers that do not change leave the loop: a step may be one of them.
void OffsetCarrier::hoistNumbers() {
  if (loop->hasAttr(kDisableHoistingAttr))
    return;
  auto isNumber = [](Type type) { return type.isIntOrIndexOrFloat(); };
  moveLoopInvariantCode(
      loop.getLoopRegions(),
      [&](Value value, Region *) { return loop.isDefinedOutsideOfLoop(value); },
      [&](Operation *op, Region *) {
        return isMemoryEffectFree(op) && isSpeculatable(op) &&
               llvm::all_of(op->getResultTypes(), isNumber);
      },
      [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
}

void OffsetCarrier::run() {
  hoistNumbers();
  for (unsigned index = 0; index < loop.getNumRegionIterArgs(); ++index)
    if (std::optional<Advance> advance = match(index))
      carry(*advance);
}
