//===- PartBuilder.cpp - The program of one thread block ------------------===//
//
// Each op is written once for each form in which its results are needed.
//
//===----------------------------------------------------------------------===//
#include "compiler/transforms/SplitPrograms/PartBuilder.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tile;

namespace {
class PartBuilder {
public:
  PartBuilder(ImplicitLocOpBuilder &b, const PartPlan &plan, int64_t parts)
      : b(b), plan(plan), parts(parts) {}
  void run(Block &from);

private:
  using Forms = SmallVector<std::pair<Value, Split>>;

  void buildBlock(Block &from);
  void buildOp(Operation *op);
  void buildFor(scf::ForOp loop);
  void buildIf(scf::IfOp branch);
  void buildWhile(scf::WhileOp loop);
  void buildEffect(Operation *op);
  void buildPure(Operation *op, Split split);
  Operation *clone(Operation *op, ArrayRef<Split> operands);
  void move(Operation *op, OperandRange indices, Split split, int64_t size);
  Value getOffset(int64_t size);

  Forms getForms(ValueRange values) const;
  Forms getPassedForms(scf::WhileOp loop) const;
  SmallVector<Value> getAt(const Forms &forms, ValueRange of, ValueRange sources) const;
  SmallVector<Type> getTypes(const Forms &forms) const;
  Value get(Value value, Split split) const { return values.at({value, split}); }
  void set(const Forms &forms, ValueRange made);

  ImplicitLocOpBuilder &b;
  const PartPlan &plan;
  int64_t parts;
  Value part;
  DenseMap<std::pair<Value, Split>, Value> values;
};
} // namespace

//===----------------------------------------------------------------------===//
// Forms of values
//===----------------------------------------------------------------------===//

PartBuilder::Forms PartBuilder::getForms(ValueRange of) const {
  Forms forms;
  for (Value value : of)
    for (Split split : plan.getNeeded(value))
      forms.push_back({value, split});
  return forms;
}

SmallVector<Type> PartBuilder::getTypes(const Forms &forms) const {
  return llvm::map_to_vector(
      forms, [&](auto form) { return getPartType(form.first.getType(), form.second, parts); });
}

/// What `sources` are, where `forms` are those of the values `of` beside them.
SmallVector<Value> PartBuilder::getAt(const Forms &forms, ValueRange of, ValueRange sources) const {
  return llvm::map_to_vector(forms, [&](auto form) {
    return get(sources[llvm::find(of, form.first) - of.begin()], form.second);
  });
}

void PartBuilder::set(const Forms &forms, ValueRange made) {
  for (auto [form, value] : llvm::zip_equal(forms, made))
    values[form] = value;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void PartBuilder::buildFor(scf::ForOp loop) {
  ValueRange arguments = loop.getRegionIterArgs();
  Forms forms = getForms(arguments);
  auto made =
      scf::ForOp::create(b, get(loop.getLowerBound(), kWhole), get(loop.getUpperBound(), kWhole),
                         get(loop.getStep(), kWhole), getAt(forms, arguments, loop.getInits()));
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  if (!made.getBody()->empty())
    made.getBody()->getTerminator()->erase();
  values[{loop.getInductionVar(), kWhole}] = made.getInductionVar();
  set(forms, made.getRegionIterArgs());
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(made.getBody());
    buildBlock(*loop.getBody());
    scf::YieldOp::create(b, getAt(forms, arguments, loop.getYieldedValues()));
  }
  for (auto [form, result] : llvm::zip(forms, made.getResults())) {
    unsigned index = cast<BlockArgument>(form.first).getArgNumber() - 1;
    values[{loop.getResult(index), form.second}] = result;
  }
}

void PartBuilder::buildIf(scf::IfOp branch) {
  Forms forms = getForms(branch.getResults());
  bool hasElse = !branch.getElseRegion().empty();
  auto made = scf::IfOp::create(b, getTypes(forms), get(branch.getCondition(), kWhole), hasElse);
  made->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  for (auto [from, to] : llvm::zip(branch->getRegions(), made->getRegions())) {
    if (from.empty())
      continue;
    OpBuilder::InsertionGuard guard(b);
    Block &block = to.front();
    if (!block.empty())
      block.getTerminator()->erase();
    b.setInsertionPointToEnd(&block);
    buildBlock(from.front());
    scf::YieldOp::create(
        b, getAt(forms, branch.getResults(), from.front().getTerminator()->getOperands()));
  }
  set(forms, made.getResults());
}

/// What the condition passes on is a result, or an argument of the other block, or both.
PartBuilder::Forms PartBuilder::getPassedForms(scf::WhileOp loop) const {
  Forms forms;
  for (auto [result, argument] : llvm::zip(loop.getResults(), loop.getAfterArguments()))
    for (Value value : {Value(result), Value(argument)})
      for (Split split : plan.getNeeded(value))
        if (!llvm::is_contained(forms, std::pair(Value(result), split)))
          forms.push_back({result, split});
  return forms;
}

void PartBuilder::buildWhile(scf::WhileOp loop) {
  Forms forms = getForms(loop.getBeforeArguments()), passed = getPassedForms(loop);
  auto made = scf::WhileOp::create(b, getTypes(passed),
                                   getAt(forms, loop.getBeforeArguments(), loop.getInits()));
  made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  OpBuilder::InsertionGuard guard(b);
  auto begin = [&](Region &region, ArrayRef<Type> types) {
    SmallVector<Location> locations(types.size(), loop.getLoc());
    return b.createBlock(&region, region.end(), types, locations);
  };
  set(forms, begin(made.getBefore(), getTypes(forms))->getArguments());
  buildBlock(*loop.getBeforeBody());
  scf::ConditionOp condition = loop.getConditionOp();
  scf::ConditionOp::create(b, get(condition.getCondition(), kWhole),
                           getAt(passed, loop.getResults(), condition.getArgs()));
  Block *after = begin(made.getAfter(), getTypes(passed));
  for (auto [form, argument] : llvm::zip(passed, after->getArguments()))
    values[{loop.getAfterArguments()[cast<OpResult>(form.first).getResultNumber()], form.second}] =
        argument;
  buildBlock(*loop.getAfterBody());
  scf::YieldOp::create(b, getAt(forms, loop.getBeforeArguments(), loop.getYieldOp().getOperands()));
  set(passed, made.getResults());
}

//===----------------------------------------------------------------------===//
// Other ops
//===----------------------------------------------------------------------===//

/// Of this thread block's part, each of which is `size` long.
Value PartBuilder::getOffset(int64_t size) {
  Value constant = arith::ConstantOp::create(b, b.getI32IntegerAttr(static_cast<int32_t>(size)));
  return arith::MulIOp::create(b, part, constant);
}

Operation *PartBuilder::clone(Operation *op, ArrayRef<Split> operands) {
  IRMapping mapping;
  SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    mapping.map(value, get(value, kWhole));
  Operation *copy = op->clone(mapping);
  for (auto [i, split] : llvm::enumerate(operands))
    copy->setOperand(i, get(op->getOperand(i), split));
  b.insert(copy);
  return copy;
}

/// Lets an access by a descriptor begin where the part does.
void PartBuilder::move(Operation *op, OperandRange indices, Split split, int64_t size) {
  OpOperand &index = op->getOpOperand(indices.getBeginOperandIndex() + split);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  index.set(arith::AddIOp::create(b, index.get(), getOffset(size)));
}

static int64_t getSize(Type type, Split split) { return tile::getShape(type)[split]; }

void PartBuilder::buildPure(Operation *op, Split split) {
  Operation *copy = clone(op, *getOperandSplits(op, split, parts));
  for (auto [result, made] : llvm::zip(op->getResults(), copy->getResults())) {
    if (split != kWhole && canBeSplit(made.getType()))
      made.setType(getPartType(made.getType(), split, parts));
    values[{result, split}] = made;
  }
  if (auto load = dyn_cast<DescriptorLoadOp>(copy)) {
    if (split == kWhole)
      load->setAttr(kSameEverywhereAttr, b.getUnitAttr());
    else
      move(load, load.getIndices(), split, getSize(load.getType(), split));
  }
  if (split == kWhole)
    return;
  if (auto constant = dyn_cast<arith::ConstantOp>(copy)) {
    auto value = cast<SplatElementsAttr>(constant.getValue());
    constant.setValueAttr(value.resizeSplat(cast<ShapedType>(constant.getType())));
  } else if (auto range = dyn_cast<ArangeOp>(copy)) {
    Value offset = SplatOp::create(b, range.getType(), getOffset(getSize(range.getType(), 0)));
    values[{op->getResult(0), split}] = arith::AddIOp::create(b, range, offset);
  }
}

/// What is the same everywhere happens once.
void PartBuilder::buildEffect(Operation *op) {
  Split split = plan.getEffectSplit(op);
  SmallVector<Split> operands = *getEffectOperandSplits(op, split);
  if (split == kWhole) {
    Value zero = arith::ConstantOp::create(b, b.getI32IntegerAttr(0));
    Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, part, zero);
    auto branch = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(branch.thenYield());
    clone(op, operands);
    return;
  }
  Operation *copy = clone(op, operands);
  for (Value result : copy->getResults()) // of atomic operations, unused
    result.setType(getPartType(result.getType(), split, parts));
  if (auto store = dyn_cast<DescriptorStoreOp>(copy))
    move(store, store.getIndices(), split, getSize(store.getValue().getType(), split));
  if (auto reduce = dyn_cast<DescriptorReduceOp>(copy))
    move(reduce, reduce.getIndices(), split, getSize(reduce.getValue().getType(), split));
}

void PartBuilder::buildOp(Operation *op) {
  b.setLoc(op->getLoc());
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return buildFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return buildIf(branch);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return buildWhile(loop);
  if (isa<StoreOp, DescriptorStoreOp, DescriptorReduceOp, DescriptorScatterOp, AtomicRMWOp,
          AtomicCASOp, PrintOp, AssertOp>(op))
    return buildEffect(op);
  for (Split split : plan.getNeeded(op))
    buildPure(op, split);
}

/// All but the terminator, before which the new ops may stand.
void PartBuilder::buildBlock(Block &from) {
  auto ops = llvm::map_to_vector(from.without_terminator(), [](Operation &op) { return &op; });
  llvm::for_each(ops, [&](Operation *op) { buildOp(op); });
}

void PartBuilder::run(Block &from) {
  for (BlockArgument argument : from.getArguments())
    values[{argument, kWhole}] = argument;
  part = PartIdOp::create(b);
  buildBlock(from);
}

/// The old ops go once the new ones stand before them.
void tile::buildParts(func::FuncOp function, const PartPlan &plan, int64_t parts) {
  Block &body = function.front();
  auto old = llvm::map_to_vector(body.without_terminator(), [](Operation &op) { return &op; });
  auto b = ImplicitLocOpBuilder::atBlockTerminator(function.getLoc(), &body);
  PartBuilder(b, plan, parts).run(body);
  for (Operation *op : llvm::reverse(old))
    op->erase();
}
