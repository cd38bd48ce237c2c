//===- Rematerializer.cpp - Compute twice what is cheap -------------------===//
#include "compiler/transforms/RemoveConversions/Rematerializer.h"

#include "compiler/analysis/AccessPattern/AccessPattern.h"
#include "compiler/analysis/BufferPlan/BufferPlan.h"
#include "compiler/transforms/RemoveConversions/HomeSolver.h"
#include "dialects/tile/IR/BlockCopy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tile;

static bool isBlock(Value value) { return isa<RankedTensorType>(value.getType()); }

static int64_t getRegisters(LayoutAttr layout) {
  return layout.getLayout().getInSize(Dim::Register);
}

/// How often `op` runs, by the loops around it.
static int64_t getFrequency(Operation *op) {
  int64_t frequency = 1;
  while ((op = op->getParentOp()) && frequency < 4096)
    if (isa<LoopLikeOpInterface>(op))
      frequency *= 8;
  return frequency;
}

/// Whether a program computes integers once, before its loops. What takes no exchange between its
/// threads the warps of another role can compute for themselves.
static bool isPlaceBeforeLoops(ConvertLayoutOp op) {
  return getElementType(op.getType()).isInteger() && getFrequency(op) == 1 &&
         getTarget(op).getFact("role_warps") != 0;
}

/// Issue slots of a thread to convert, and what it is worth not to.
static int64_t getConversionCost(ConvertLayoutOp op) {
  constexpr int64_t kWorthOfRoles = 16;
  int64_t worth = isPlaceBeforeLoops(op) ? kWorthOfRoles : getFrequency(op);
  return planLayoutConversion(op).cost * worth;
}

/// Issue slots for each register of the result, of a load for each access; nothing if
/// too dear to repeat.
static std::optional<int64_t> getRepeatCost(Operation *op, int64_t threads) {
  switch (getFlexibleTie(op, threads)) {
  case LayoutTie::Leaf:
    return isa<ArangeOp>(op) ? 1 : 0;
  case LayoutTie::Shape:
    return 0;
  case LayoutTie::Same:
    if (isa<LoadOp>(op))
      return 8;
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
      return 20;
    if (op->getDialect()->getNamespace() == arith::ArithDialect::getDialectNamespace() ||
        isa<AddPtrOp, CastPtrOp, HintOp, PtrToIntOp, IntToPtrOp>(op))
      return 1;
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

Rematerializer::Rematerializer(func::FuncOp function, DenseSet<Operation *> shared)
    : function(function),
      threads(getTarget(function).getLanes() * getModuleInt(function, kNumWarpsAttr, 1)),
      shared(std::move(shared)) {}

void Rematerializer::run() {
  SmallVector<ConvertLayoutOp> conversions;
  function.walk([&](ConvertLayoutOp op) { conversions.push_back(op); });
  if (!conversions.empty())
    findAccessWidths();
  for (ConvertLayoutOp op : conversions)
    if (!rematerialize(op) && !hoistToLoad(op)) // it stands behind the value: others may use it
      available[{op.getSource(), getLayout(op.getType())}] = op;
  eraseUnused();
}

//===----------------------------------------------------------------------===//
// Computing a value in another layout
//===----------------------------------------------------------------------===//

Value Rematerializer::find(Value value, LayoutAttr layout) const {
  if (!isBlock(value) || getLayout(value.getType()) == layout)
    return value;
  if (auto convert = value.getDefiningOp<ConvertLayoutOp>())
    if (getLayout(convert.getSource().getType()) == layout)
      return convert.getSource();
  return available.lookup({value, layout});
}

/// Before anything changes: patterns are known of values that are there.
void Rematerializer::findAccessWidths() {
  SmallVector<LoadOp> loads;
  function.walk([&](LoadOp load) {
    if (isBlock(load.getResult()) && getFlexibleTie(load, threads) == LayoutTie::Same)
      loads.push_back(load);
  });
  if (loads.empty())
    return;
  AccessAnalysis patterns(function);
  int64_t bits = getTarget(function).getFact("access_bits", 128);
  for (LoadOp load : loads)
    for (unsigned dim = 0; dim < getShape(load.getType()).size(); ++dim)
      accessWidths[load].push_back(
          patterns.getVectorWidth(load.getPointer(), load.getMask(), dim, bits));
}

/// How many elements one access of a thread moves if `load` gives `layout`.
int64_t Rematerializer::getAccessWidth(LoadOp load, LayoutAttr layout) const {
  int64_t widest = 1;
  for (auto [dim, width] : llvm::enumerate(accessWidths.lookup(load)))
    widest = std::max(widest, layout.getLayout().getContiguity(dim, width));
  return widest;
}

/// Whether threads read `value` on chip, where any layout costs the same. Of what is shared it may
/// be the block that was asked for.
bool Rematerializer::isReadOnChip(Value value) const {
  Operation *def = value.getDefiningOp();
  if (auto convert = dyn_cast_if_present<ConvertLayoutOp>(def))
    return shared.contains(convert.getSource().getDefiningOp());
  return isa_and_nonnull<DescriptorLoadOp>(def) ? def->hasAttr(kBlockCopyAttr)
                                                : shared.contains(def);
}

/// `moves`: nothing else uses the value, so that it is computed once, as before.
bool Rematerializer::plan(Value value, LayoutAttr layout, Plan &plan, bool moves) {
  constexpr size_t kMostSteps = 64;
  constexpr int64_t kReadCost = 2;
  if (find(value, layout) || llvm::is_contained(plan.steps, Wanted(value, layout)))
    return true;
  Operation *op = value.getDefiningOp();
  int64_t registers = getRegisters(layout);
  if (isReadOnChip(value)) {
    plan.cost += kReadCost * registers * getFrequency(op);
    plan.steps.emplace_back(value, layout);
    return true;
  }
  std::optional<int64_t> cost = op ? getRepeatCost(op, threads) : std::nullopt;
  if (!cost || op->getNumRegions() != 0 || op->getNumResults() != 1)
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isBlock(operand.get()))
      continue;
    LayoutAttr from = getOperandLayout(op, operand.getOperandNumber(), layout);
    if (!from || !this->plan(operand.get(), from, plan, moves && operand.get().hasOneUse()))
      return false;
  }
  if (moves)
    registers = std::max<int64_t>(0, registers - getRegisters(getLayout(value.getType())));
  if (auto load = dyn_cast<LoadOp>(op))
    registers = llvm::divideCeil(registers, getAccessWidth(load, layout));
  plan.cost += *cost * registers * getFrequency(op);
  plan.steps.emplace_back(value, layout);
  return plan.steps.size() <= kMostSteps;
}

/// The copy of a constant has its value in the new type.
static void retype(Operation *op, LayoutAttr layout) {
  Value result = op->getResult(0);
  result.setType(withLayout(result.getType(), layout));
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    constant.setValueAttr(
        cast<DenseElementsAttr>(constant.getValue()).reshape(cast<ShapedType>(result.getType())));
}

Value Rematerializer::carryOut(const Plan &plan, Value value, LayoutAttr layout) {
  OpBuilder builder(function.getContext());
  for (auto [step, wanted] : plan.steps) {
    Operation *op = step.getDefiningOp();
    builder.setInsertionPointAfter(op);
    if (isReadOnChip(step)) {
      auto convert = dyn_cast<ConvertLayoutOp>(op);
      available[{step, wanted}] =
          ConvertLayoutOp::create(builder, op->getLoc(), withLayout(step.getType(), wanted),
                                  convert ? convert.getSource() : step);
      continue;
    }
    Operation *copy = builder.clone(*op);
    for (OpOperand &operand : copy->getOpOperands())
      if (isBlock(operand.get()))
        operand.set(find(operand.get(), getOperandLayout(op, operand.getOperandNumber(), wanted)));
    retype(copy, wanted);
    available[{step, wanted}] = copy->getResult(0);
  }
  return find(value, layout);
}

bool Rematerializer::rematerialize(ConvertLayoutOp op) {
  Plan steps;
  LayoutAttr layout = getLayout(op.getType());
  Value source = op.getSource();
  if (isReadOnChip(source) || !plan(source, layout, steps, source.hasOneUse()) ||
      steps.cost > getConversionCost(op))
    return false;
  op.replaceAllUsesWith(carryOut(steps, source, layout));
  op.erase();
  return true;
}

//===----------------------------------------------------------------------===//
// Moving conversions up to loads
//===----------------------------------------------------------------------===//

/// The one operand of `op` that is not cheap to repeat; null if several are.
static OpOperand *getDearOperand(Operation *op, function_ref<bool(OpOperand &)> isCheap) {
  OpOperand *dear = nullptr;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isBlock(operand.get()) || isCheap(operand))
      continue;
    if (dear)
      return nullptr;
    dear = &operand;
  }
  return dear;
}

/// Whether what `op` converts is copied to on-chip memory as it was loaded, for
/// a dot to read it from there, so that its width does not matter.
static bool mayBecomeCopy(ConvertLayoutOp op) {
  return op->getParentOfType<LoopLikeOpInterface>() && !getTarget(op).getAsyncCopyBytes().empty() &&
         getModuleInt(op, kNumStagesAttr, 1) > 1 &&
         llvm::any_of(op->getUsers(), llvm::IsaPred<DotOp>);
}

static unsigned getBits(Value value) {
  Type element = getElementType(value.getType());
  return isa<PtrType>(element) ? 64 : element.getIntOrFloatBitWidth();
}

/// convert(f(load))  ->  f(convert(load)), through any number of f that do not
/// narrow: what a matmul reads then comes from on-chip memory as it was loaded.
bool Rematerializer::hoistToLoad(ConvertLayoutOp op) {
  SmallVector<OpOperand *> chain; // from the conversion up
  LayoutAttr layout = getLayout(op.getType());
  Value value = op.getSource();
  Plan sideSteps;
  bool isCopied = mayBecomeCopy(op);
  while (!value.getDefiningOp<LoadOp>()) {
    Operation *def = value.getDefiningOp();
    if (!def || !value.hasOneUse() || def->getNumResults() != 1 || def->getNumRegions() != 0 ||
        !isMemoryEffectFree(def))
      return false;
    LayoutTie tie = getLayoutTie(def);
    if (tie != LayoutTie::Same && !isa<TransposeOp, ReshapeOp>(def))
      return false;
    OpOperand *dear = getDearOperand(def, [&](OpOperand &operand) {
      LayoutAttr from = getOperandLayout(def, operand.getOperandNumber(), layout);
      return from && plan(operand.get(), from, sideSteps);
    });
    LayoutAttr from = dear ? getOperandLayout(def, dear->getOperandNumber(), layout) : LayoutAttr();
    if (!from || (!isCopied && getBits(dear->get()) > getBits(value)))
      return false;
    chain.push_back(dear);
    layout = from;
    value = dear->get();
  }
  if (chain.empty() || !value.hasOneUse())
    return false;
  carryOut(sideSteps, value, getLayout(value.getType()));
  OpBuilder builder(op);
  builder.setInsertionPointAfterValue(value);
  Value moved =
      ConvertLayoutOp::create(builder, value.getLoc(), withLayout(value.getType(), layout), value);
  LayoutAttr result = layout;
  for (OpOperand *dear : llvm::reverse(chain)) {
    Operation *def = dear->getOwner();
    dear->set(moved);
    result = getResultLayout(def, dear->getOperandNumber(), result);
    for (OpOperand &operand : def->getOpOperands())
      if (&operand != dear && isBlock(operand.get()))
        operand.set(find(operand.get(), getOperandLayout(def, operand.getOperandNumber(), result)));
    def->getResult(0).setType(withLayout(def->getResult(0).getType(), result));
    moved = def->getResult(0);
  }
  op.replaceAllUsesWith(moved);
  op.erase();
  return true;
}

void Rematerializer::eraseUnused() {
  function.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}
