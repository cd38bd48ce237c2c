//===- HomeSolver.cpp - One layout for each value -------------------------===//
#include "compiler/transforms/RemoveConversions/HomeSolver.h"

#include "compiler/analysis/LinearLayout/Constructors.h"
#include "compiler/analysis/LinearLayout/Conversion.h"
#include "compiler/analysis/LinearLayout/WarpMatch.h"
#include "compiler/analysis/OperandSource/OperandSource.h"
#include "compiler/analysis/ThreadExchange/ThreadExchange.h"
#include "compiler/transforms/RemoveConversions/ControlFlow.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tile;

static bool isBlock(Value value) { return isa<RankedTensorType>(value.getType()); }

/// Of a packed operand the few words become many elements: each shall be unpacked once.
static bool isPackedOperand(LoadOp load) {
  return isa<scf::ForOp>(load->getParentOp()) && !findFedDot(load).first && becomesOperand(load);
}

LayoutTie tile::getFlexibleTie(Operation *op, int64_t threads) {
  auto load = dyn_cast<LoadOp>(op);
  if (load && isBlock(load.getResult()) && !load.getIsVolatile() &&
      cast<RankedTensorType>(load.getType()).getNumElements() <= 2 * threads &&
      !isPackedOperand(load))
    return LayoutTie::Same;
  return getLayoutTie(op);
}

HomeSolver::HomeSolver(func::FuncOp function)
    : function(function),
      threads(getTarget(function).getLanes() * getModuleInt(function, kNumWarpsAttr, 1)) {
  int64_t lanes = getTarget(function).getLanes();
  scalarLayout =
      LayoutAttr::get(function.getContext(), getDefaultLayout({}, {}, 1, lanes, threads / lanes));
}

void HomeSolver::run() {
  findProducts();
  fixAnchors();
  bypassConversions();
  propagate();
  anchorReductions();
  // What a loop carries is decided by its uses in the body, which are met after
  // the values that become it: a second sweep reaches those, a third what
  // they need from an outer loop.
  for (int sweep = 0; sweep < 3; ++sweep)
    if (!sweepBackward(function.getBody().front()))
      break;
  settle();
  applyTypes();
  unifyResults();
  insertConversions();
}

//===----------------------------------------------------------------------===//
// What is fixed
//===----------------------------------------------------------------------===//

void HomeSolver::findProducts() {
  function.walk([&](DotOp op) {
    multiplying.insert(op->getBlock());
    LayoutAttr layout = getLayout(op.getType());
    auto [found, isNew] = products.try_emplace(op.getType().getShape(), layout);
    if (!isNew && found->second != layout)
      found->second = {};
  });
}

/// Whether `value` cannot be computed in another layout: it was given or read.
static bool isGiven(Value value, int64_t threads) {
  while (auto convert = value.getDefiningOp<ConvertLayoutOp>())
    value = convert.getSource();
  Operation *op = value.getDefiningOp();
  return op ? !isControlFlow(op) && getFlexibleTie(op, threads) == LayoutTie::Anchor
            : isa<func::FuncOp>(value.getParentBlock()->getParentOp());
}

/// Accesses to blocks of a product's shape, the product among them perhaps, give each
/// warp what it has of that: the threads of others need not be waited for. Loads where
/// products are made, which are their operands, stay as they are.
LayoutAttr HomeSolver::getAccessLayout(Operation *op) const {
  Value pointer = op->getOperand(0);
  LayoutAttr layout = getLayout(pointer.getType());
  if (isGiven(pointer, threads) || (isa<LoadOp>(op) && multiplying.contains(op->getBlock())))
    return layout;
  constexpr int64_t kLineBits = 1024;
  LayoutAttr product = products.lookup(getShape(pointer.getType()));
  unsigned bits = getMemoryBits(getElementType(getPointeeLike(pointer.getType())));
  std::optional<LinearLayout> matching =
      product ? withWarpsOf(layout.getLayout(), product.getLayout(), kLineBits / bits)
              : std::nullopt;
  return matching ? LayoutAttr::get(op->getContext(), *matching) : layout;
}

/// Blocks that are copied to on-chip memory are read in any layout at the same cost: that of
/// a product wins. Operands of dots are read as these want them.
HomeSolver::Priority HomeSolver::getPriority(Operation *op) {
  auto load = dyn_cast<DescriptorLoadOp>(op);
  if (load && load->hasAttr(kBlockCopyAttr) && !isMultiplied(load.getResult()))
    return Wanted;
  return isa<DotOp>(op) ? Multiplied : Loaded;
}

/// Whether a unit reads the operand on chip, where threads store it as they have it.
static bool isTakenInAnyLayout(OpOperand &operand) {
  auto dot = dyn_cast<DotOp>(operand.getOwner());
  if (!dot || &operand == &dot.getAccMutable())
    return false;
  bool isA = &operand == &dot.getAMutable();
  return isReadOnChip(dot, isA ? MatmulOperand::A : MatmulOperand::B);
}

void HomeSolver::fixAnchors() {
  auto fix = [&](Value value, Priority priority, LayoutAttr layout = {}) {
    if (isBlock(value))
      homes[value] = {layout ? layout : getLayout(value.getType()), priority, true};
  };
  for (Value argument : function.getArguments())
    fix(argument, Loaded);
  function.walk([&](Operation *op) {
    if (isa<ConvertLayoutOp>(op) || isControlFlow(op) ||
        getFlexibleTie(op, threads) != LayoutTie::Anchor)
      return;
    bool isAccess = isa<LoadOp, StoreOp>(op) || getAtomicAccess(op);
    LayoutAttr access = isAccess && isBlock(op->getOperand(0)) ? getAccessLayout(op) : LayoutAttr();
    for (Value result : op->getResults())
      fix(result, getPriority(op), access);
    for (OpOperand &operand : op->getOpOperands())
      if (isBlock(operand.get()) && !isTakenInAnyLayout(operand))
        anchored[&operand] = access ? access : getLayout(operand.get().getType());
    for (Region &region : op->getRegions())
      for (Value argument : region.getArguments())
        fix(argument, Loaded);
  });
}

void HomeSolver::bypassConversions() {
  function.walk([](ConvertLayoutOp op) {
    op.replaceAllUsesWith(op.getSource());
    op.erase();
  });
}

//===----------------------------------------------------------------------===//
// Forward: from what is fixed to what is computed from it
//===----------------------------------------------------------------------===//

/// Where a dot is, its layout wins over that of loads. Elsewhere, as behind the
/// loop of a matmul, a product goes to where the loads are, and stays there on
/// its way to memory.
bool HomeSolver::isStronger(Value value, Priority priority, Priority than) const {
  bool isByDot = false;
  for (Block *block = value.getParentBlock(); block && !isByDot;
       block = block->getParentOp() ? block->getParentOp()->getBlock() : nullptr)
    isByDot = multiplying.contains(block);
  auto rank = [&](Priority priority) {
    return priority == Multiplied && !isByDot ? 2 * Loaded - 1 : 2 * priority;
  };
  return rank(priority) > rank(than);
}

void HomeSolver::claim(Value value, LayoutAttr layout, Priority priority) {
  value = getRepresentative(value);
  Home &home = homes[value];
  if (home.isFixed || !isStronger(value, priority, home.priority))
    return;
  home.layout = layout;
  home.priority = priority;
  worklist.insert(value);
}

/// Whether threads hold the same of a block in both layouts, each in its registers.
static bool holdSame(LayoutAttr layout, LayoutAttr other, Value block) {
  const LinearLayout &a = layout.getLayout(), &b = other.getLayout();
  return a.getInSize(Dim::Register) == b.getInSize(Dim::Register) &&
         planRegisters(a, b, getShape(block.getType())) &&
         planRegisters(b, a, getShape(block.getType()));
}

void HomeSolver::propagateFrom(Value value) {
  Home home = homes[value];
  for (Value name : getNames(value)) {
    for (OpOperand &use : name.getUses()) {
      Operation *op = use.getOwner();
      if (Value destination = getDestination(use)) {
        claim(destination, home.layout, home.priority);
        continue;
      }
      LayoutTie tie = getFlexibleTie(op, threads);
      if (tie != LayoutTie::Same && tie != LayoutTie::Shape && tie != LayoutTie::Reduction &&
          tie != LayoutTie::Moving)
        continue;
      bool isReduction = tie == LayoutTie::Reduction;
      LayoutAttr from = isReduction ? getReductionLayout(op) : home.layout;
      LayoutAttr result = getResultLayout(op, use.getOperandNumber(), from);
      if (!result)
        continue;
      LayoutAttr back =
          isReduction ? home.layout : getOperandLayout(op, use.getOperandNumber(), result);
      if (back != home.layout && !(back && holdSame(home.layout, back, name)))
        continue;
      for (Value value : op->getResults())
        if (isBlock(value))
          claim(value, result, home.priority);
    }
  }
}

void HomeSolver::propagate() {
  // In program order: of equal claims the first one that comes is served.
  for (Value argument : function.getArguments())
    if (homes.lookup(argument).isFixed)
      worklist.insert(argument);
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value result : op->getResults())
      if (homes.lookup(result).isFixed)
        worklist.insert(result);
  });
  while (!worklist.empty())
    propagateFrom(worklist.pop_back_val());
}

/// Reductions of what nothing else decided stay as they are, and their results
/// follow them.
void HomeSolver::anchorReductions() {
  function.walk([&](ReduceOp op) {
    Value source = getRepresentative(op.getSources().front());
    if (getHome(source))
      return;
    claim(source, getLayout(source.getType()), Wanted);
    while (!worklist.empty())
      propagateFrom(worklist.pop_back_val());
  });
}

//===----------------------------------------------------------------------===//
// Backward: from uses to what they use
//===----------------------------------------------------------------------===//

LayoutAttr HomeSolver::getHome(Value value) const {
  auto found = homes.find(getRepresentative(value));
  return found == homes.end() ? LayoutAttr() : found->second.layout;
}

/// The layout in which a reduction takes its operands: that of the strongest.
LayoutAttr HomeSolver::getReductionLayout(Operation *op) const {
  Home best;
  for (Value operand : op->getOperands()) {
    Home home = homes.lookup(getRepresentative(operand));
    if (home.layout && (!best.layout || home.priority > best.priority))
      best = home;
  }
  return best.layout;
}

/// The layout that a use wants; null if it takes any, or is not decided.
LayoutAttr HomeSolver::getRequired(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (Value destination = getDestination(operand))
    return getHome(destination);
  switch (getFlexibleTie(op, threads)) {
  case LayoutTie::Same:
  case LayoutTie::Shape:
  case LayoutTie::Moving: {
    Value result = op->getResult(0);
    LayoutAttr home = isBlock(result) ? getHome(result) : scalarLayout;
    return home ? getOperandLayout(op, operand.getOperandNumber(), home) : LayoutAttr();
  }
  case LayoutTie::Reduction:
    return getReductionLayout(op);
  case LayoutTie::Anchor:
    return anchored.lookup(&operand);
  case LayoutTie::Leaf:
  case LayoutTie::Sink:
    return {};
  }
  return {};
}

void HomeSolver::addDemands(Value value, Demands &demands) {
  for (Value name : getNames(getRepresentative(value)))
    for (OpOperand &use : name.getUses()) {
      LayoutAttr layout = getRequired(use);
      if (!layout)
        continue;
      int64_t weight = 1;
      for (auto loop = use.getOwner()->getParentOfType<LoopLikeOpInterface>();
           loop && weight < 4096; loop = loop->getParentOfType<LoopLikeOpInterface>())
        weight *= 8;
      demands[layout] += weight;
    }
}

/// Decide for values that must agree. Returns whether something was decided.
bool HomeSolver::decideBackward(ValueRange values) {
  Demands demands;
  for (Value value : values) {
    if (!isBlock(value) || getHome(value))
      return false;
    addDemands(value, demands);
  }
  Operation *op = values.front().getDefiningOp();
  bool isShape = op && getLayoutTie(op) == LayoutTie::Shape;
  LayoutAttr best;
  int64_t most = 0;
  for (auto &[layout, weight] : demands) {
    bool isPossible = !isShape || getOperandLayout(op, 0, layout);
    if (isPossible && weight > most)
      std::tie(best, most) = std::pair(layout, weight);
  }
  if (!best)
    return false;
  for (Value value : values)
    homes[getRepresentative(value)] = {best, Wanted, false};
  return true;
}

bool HomeSolver::sweepBackward(Block &block) {
  bool changed = false;
  for (Operation &op : llvm::reverse(block)) {
    if (isControlFlow(&op)) {
      for (Value result : op.getResults())
        changed |= decideBackward(result);
    } else if (op.getNumResults() != 0 && getLayoutTie(&op) != LayoutTie::Reduction) {
      changed |= decideBackward(op.getResults());
    }
    if (!isControlFlow(&op))
      continue;
    for (Region &region : llvm::reverse(op.getRegions()))
      for (Block &inner : region) {
        changed |= sweepBackward(inner);
        for (Value argument : inner.getArguments())
          changed |= decideBackward(argument);
      }
  }
  return changed;
}

//===----------------------------------------------------------------------===//
// Writing it down
//===----------------------------------------------------------------------===//

/// Values that nobody asked for stay where they are; reductions follow their
/// operands.
void HomeSolver::settle() {
  auto keep = [&](Value value) {
    if (isBlock(value) && !getHome(value))
      homes[getRepresentative(value)] = {getLayout(value.getType()), Wanted, false};
  };
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<ReduceOp>(op)) {
      LayoutAttr operand = getReductionLayout(op);
      for (Value result : op->getResults())
        if (isBlock(result))
          homes[result] = {getResultLayout(op, 0, operand), Wanted, false};
    }
    llvm::for_each(op->getResults(), keep);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), keep);
  });
}

void HomeSolver::applyTypes() {
  auto apply = [&](Value value) {
    if (isBlock(value))
      value.setType(withLayout(value.getType(), getHome(value)));
  };
  function.walk([&](Operation *op) {
    llvm::for_each(op->getResults(), apply);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), apply);
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
        constant.setValueAttr(elements.reshape(cast<ShapedType>(constant.getType())));
  });
}

/// Results that one op gives in one layout, but which are at home in several:
/// all come in the first one's, and go home from there.
void HomeSolver::unifyResults() {
  function.walk([&](Operation *op) {
    if (op->getNumResults() < 2 || isControlFlow(op) ||
        getFlexibleTie(op, threads) != LayoutTie::Same)
      return;
    LayoutAttr shared = getLayout(op->getResult(0).getType());
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    for (OpResult result : llvm::drop_begin(op->getResults())) {
      Type home = result.getType();
      if (getLayout(home) == shared)
        continue;
      result.setType(withLayout(home, shared));
      auto convert = ConvertLayoutOp::create(builder, op->getLoc(), home, result);
      result.replaceAllUsesExcept(convert, convert);
    }
  });
}

/// Right behind the value, where all of its uses can share it.
Value HomeSolver::getConverted(Value value, LayoutAttr layout) {
  Value &result = converted[{value, layout}];
  if (!result) {
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    result = ConvertLayoutOp::create(builder, value.getLoc(), withLayout(value.getType(), layout),
                                     value);
  }
  return result;
}

void HomeSolver::insertConversions() {
  SmallVector<std::pair<OpOperand *, LayoutAttr>> changes;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (isBlock(operand.get()))
        if (LayoutAttr layout = getRequired(operand);
            layout && layout != getLayout(operand.get().getType()))
          changes.emplace_back(&operand, layout);
  });
  for (auto [operand, layout] : changes)
    operand->set(getConverted(operand->get(), layout));
}
