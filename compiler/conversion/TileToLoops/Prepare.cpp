//===- Prepare.cpp - Checks and rewrites of a kernel before the plan ------===//
#include "compiler/conversion/TileToLoops/Prepare.h"

#include "compiler/conversion/TileToLoops/Values.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tile;
using namespace tile::loops;

//===----------------------------------------------------------------------===//
// Combine functions
//===----------------------------------------------------------------------===//

/// if c { a } else { b }  ->  select c, a, b: both are computed, by lanes.
static void flattenBranch(scf::IfOp branch) {
  auto isPure = [](Operation &op) { return isMemoryEffectFree(&op) && op.getNumRegions() == 0; };
  for (Region &region : branch->getRegions())
    if (!region.empty() && !llvm::all_of(region.front().without_terminator(), isPure))
      return; // reported below
  SmallVector<ValueRange> yielded;
  for (Region &region : branch->getRegions()) {
    if (region.empty())
      continue;
    Block &body = region.front();
    yielded.push_back(body.getTerminator()->getOperands());
    branch->getBlock()->getOperations().splice(Block::iterator(branch), body.getOperations(),
                                               body.begin(), std::prev(body.end()));
  }
  OpBuilder builder(branch);
  for (auto [index, result] : llvm::enumerate(branch.getResults()))
    result.replaceAllUsesWith(arith::SelectOp::create(
        builder, branch.getLoc(), branch.getCondition(), yielded[0][index], yielded[1][index]));
  branch.erase();
}

void loops::flattenCombiners(func::FuncOp kernel) {
  SmallVector<scf::IfOp> branches; // inner ones first
  kernel.walk([&](scf::IfOp branch) {
    if (branch->getParentOfType<ReduceOp>() || branch->getParentOfType<ScanOp>())
      branches.push_back(branch);
  });
  for (scf::IfOp branch : branches)
    flattenBranch(branch);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static bool isSupported(Operation *op) {
  if (isa<func::FuncOp, func::ReturnOp, scf::ForOp, scf::IfOp, scf::WhileOp, scf::YieldOp,
          scf::ConditionOp, ub::PoisonOp>(op))
    return true;
  if (isa<CastOp, ConvertLayoutOp>(op))
    return false; // conversions of 8-bit floats are expanded before
  return isa<TileDialect, arith::ArithDialect, math::MathDialect>(op->getDialect());
}

static LogicalResult checkOp(Operation *op) {
  if (!isSupported(op))
    return op->emitError() << "'" << op->getName() << "' cannot become loops";
  for (Type type : op->getResultTypes())
    if (auto block = dyn_cast<RankedTensorType>(type); block && block.getEncoding())
      return op->emitError() << "expects blocks without layouts, got " << type;
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
        elements && !elements.isSplat())
      return op->emitError() << "expects a constant block of equal elements";
  if (isa<ReduceOp, ScanOp>(op))
    for (Operation &inner : op->getRegion(0).front())
      if (!isa<YieldOp, arith::ConstantOp>(inner) && !isElementwise(&inner))
        return inner.emitError() << "'" << inner.getName()
                                 << "' cannot be part of a combine function";
  return success();
}

LogicalResult loops::checkSupported(func::FuncOp function) {
  if (!function->hasAttr(kKernelAttr))
    return function.emitError() << "expects all calls to be inlined, but '" << function.getName()
                                << "' is not a kernel";
  if (function.isExternal() || !llvm::hasSingleElement(function.getBody()))
    return function.emitError() << "expects a kernel with structured control flow";
  WalkResult result = function.walk<WalkOrder::PreOrder>([](Operation *op) {
    if (failed(checkOp(op)))
      return WalkResult::interrupt();
    return isa<ReduceOp, ScanOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Assertions on blocks
//===----------------------------------------------------------------------===//

/// assert(block)  ->  assert(all of block)
static void reduceAssertion(AssertOp assertion) {
  auto type = dyn_cast<RankedTensorType>(assertion.getCondition().getType());
  if (!type)
    return;
  OpBuilder builder(assertion);
  Location loc = assertion.getLoc();
  auto flat = RankedTensorType::get({type.getNumElements()}, type.getElementType());
  Value elements = assertion.getCondition();
  if (type != flat)
    elements = ReshapeOp::create(builder, loc, flat, elements);
  auto all = ReduceOp::create(builder, loc, type.getElementType(), elements, /*axis=*/0);
  {
    OpBuilder::InsertionGuard guard(builder);
    Type i1 = type.getElementType();
    Block *body = builder.createBlock(&all.getCombiner(), {}, {i1, i1}, {loc, loc});
    Value both = arith::AndIOp::create(builder, loc, body->getArgument(0), body->getArgument(1));
    YieldOp::create(builder, loc, both);
  }
  assertion.getConditionMutable().assign(all.getReduced()[0]);
}

//===----------------------------------------------------------------------===//
// Carried blocks that advance
//===----------------------------------------------------------------------===//

/// The scalar that all elements of `value` equal, where it exists before `loop`.
static Value getInvariantScalar(Value value, scf::ForOp loop) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto splat = dyn_cast<SplatOp>(op))
      return loop.isDefinedOutsideOfLoop(splat.getSource()) ? splat.getSource() : Value();
    if (!isa<BroadcastOp, ExpandDimsOp, ReshapeOp, TransposeOp, HintOp>(op))
      break;
    value = op->getOperand(0);
  }
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    if (auto elements = dyn_cast<SplatElementsAttr>(constant.getValue())) {
      OpBuilder builder(loop);
      return arith::ConstantOp::create(builder, constant.getLoc(),
                                       cast<TypedAttr>(elements.getSplatValue<Attribute>()));
    }
  return {};
}

/// The scalar step by which `loop` advances its carried block `index`, or null.
static Value getAdvance(scf::ForOp loop, unsigned index) {
  Value argument = loop.getRegionIterArg(index);
  Operation *next = loop.getYieldedValues()[index].getDefiningOp();
  if (!isBlock(argument) || !next || next->getBlock() != loop.getBody() ||
      !isa<AddPtrOp, arith::AddIOp>(next))
    return {};
  unsigned other = next->getOperand(0) == argument ? 1 : 0;
  if (next->getOperand(1 - other) != argument)
    return {};
  return getInvariantScalar(next->getOperand(other), loop);
}

/// The number of finished iterations as an integer of type `type`.
static Value countIterations(OpBuilder &builder, scf::ForOp loop, Type type) {
  Location loc = loop.getLoc();
  Value done = arith::SubIOp::create(builder, loc, loop.getInductionVar(), loop.getLowerBound());
  Value count = arith::DivUIOp::create(builder, loc, done, loop.getStep());
  unsigned from = count.getType().getIntOrFloatBitWidth(), to = type.getIntOrFloatBitWidth();
  if (from < to)
    return arith::ExtUIOp::create(builder, loc, type, count);
  return from > to ? arith::TruncIOp::create(builder, loc, type, count).getResult() : count;
}

/// p = init; loop { use(p); p += step }  ->  loop { use(init + count * step) }
///
/// The block is then computed where it is needed, and its pointers keep their
/// form. After the loop, its value follows from the number of iterations.
static void unrollAdvance(scf::ForOp loop, unsigned index, Value step) {
  if (!loop.getInductionVar().getType().isInteger())
    return;
  Location loc = loop.getLoc();
  Value init = loop.getInitArgs()[index];
  auto block = cast<RankedTensorType>(init.getType());
  bool isPointer = isa<PtrType>(block.getElementType());
  OpBuilder builder(loop.getContext());
  auto advance = [&](Value count) -> Value {
    Type wide = isPointer ? builder.getI64Type() : step.getType();
    Value amount = step;
    if (amount.getType() != wide)
      amount = arith::ExtSIOp::create(builder, loc, wide, amount);
    Value total = arith::MulIOp::create(builder, loc, count, amount);
    Value lanes = SplatOp::create(builder, loc, block.clone(wide), total);
    if (isPointer)
      return AddPtrOp::create(builder, loc, block, init, lanes);
    return arith::AddIOp::create(builder, loc, init, lanes);
  };
  Type countType = isPointer ? Type(builder.getI64Type()) : step.getType();
  builder.setInsertionPointToStart(loop.getBody());
  loop.getRegionIterArg(index).replaceAllUsesWith(
      advance(countIterations(builder, loop, countType)));
  if (Value result = loop.getResult(index); !result.use_empty()) {
    builder.setInsertionPointAfter(loop);
    auto zero = arith::ConstantOp::create(builder, loc,
                                          builder.getIntegerAttr(loop.getStep().getType(), 0));
    Value span = arith::SubIOp::create(builder, loc, loop.getUpperBound(), loop.getLowerBound());
    Value isEmpty = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                          loop.getLowerBound(), loop.getUpperBound());
    auto one = arith::ConstantOp::create(builder, loc,
                                         builder.getIntegerAttr(loop.getStep().getType(), 1));
    Value last = arith::SubIOp::create(builder, loc, span, one);
    Value count = arith::DivUIOp::create(builder, loc, last, loop.getStep());
    count = arith::AddIOp::create(builder, loc, count, one);
    Value trips = arith::SelectOp::create(builder, loc, isEmpty, zero, count);
    Type from = trips.getType();
    if (from.getIntOrFloatBitWidth() < countType.getIntOrFloatBitWidth())
      trips = arith::ExtUIOp::create(builder, loc, countType, trips);
    else if (from != countType)
      trips = arith::TruncIOp::create(builder, loc, countType, trips);
    result.replaceAllUsesWith(advance(trips));
  }
  // The carried value is dead now: it passes itself on, which costs nothing once
  // `removeDeadCarried` has dropped it.
  loop.getBody()->getTerminator()->setOperand(index, loop.getRegionIterArg(index));
}

/// Drop carried values that nothing reads.
static void removeDeadCarried(scf::ForOp loop) {
  llvm::BitVector dead(loop.getNumRegionIterArgs());
  for (auto [index, argument, yielded, result] :
       llvm::enumerate(loop.getRegionIterArgs(), loop.getYieldedValues(), loop.getResults()))
    dead[index] = yielded == argument && argument.hasOneUse() && result.use_empty();
  if (dead.none())
    return;
  OpBuilder builder(loop);
  SmallVector<Value> inits;
  for (auto [index, init] : llvm::enumerate(loop.getInitArgs()))
    if (!dead[index])
      inits.push_back(init);
  auto kept = scf::ForOp::create(builder, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                                 loop.getStep(), inits,
                                 /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
  kept.getRegion().takeBody(loop.getRegion());
  Block *body = kept.getBody();
  body->getTerminator()->eraseOperands(dead);
  llvm::BitVector deadArguments(1 + dead.size());
  for (unsigned index : dead.set_bits())
    deadArguments.set(1 + index);
  body->eraseArguments(deadArguments);
  unsigned next = 0;
  for (auto [index, result] : llvm::enumerate(loop.getResults()))
    if (!dead[index])
      result.replaceAllUsesWith(kept.getResult(next++));
  loop.erase();
}

void loops::prepareKernel(func::FuncOp kernel) {
  kernel.walk([](AssertOp assertion) { reduceAssertion(assertion); });
  SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops) {
    for (unsigned index = 0; index < loop.getNumRegionIterArgs(); ++index)
      if (Value step = getAdvance(loop, index))
        unrollAdvance(loop, index, step);
    removeDeadCarried(loop);
  }
}
