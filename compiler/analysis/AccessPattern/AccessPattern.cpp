//===- AccessPattern.cpp - Patterns of all values of a kernel -------------===//
#include "compiler/analysis/AccessPattern/AccessPattern.h"

#include "dialects/tile/IR/TileOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile;

/// Divides zero. Small enough for products of two to fit.
static constexpr int64_t kMost = int64_t(1) << 30;

int64_t tile::getPowerOfTwoPart(int64_t value) {
  return value == 0 ? kMost : std::min(kMost, value & -value);
}

ValuePattern ValuePattern::getUnknown(unsigned rank) {
  Dims ones(rank, 1);
  return {ones, ones, ones, ones, std::nullopt};
}

int64_t ValuePattern::getDivisibilityAt(unsigned dim, int64_t group) const {
  // Within a run the elements at multiples of `group` are its start plus those.
  return contiguity[dim] > group ? std::min(divisibility[dim], group) : divisibility[dim];
}

ValuePattern ValuePattern::meet(const ValuePattern &other) const {
  ValuePattern both = getUnknown(getRank());
  for (unsigned dim = 0; dim < getRank(); ++dim) {
    int64_t group = std::min(contiguity[dim], other.contiguity[dim]);
    both.contiguity[dim] = group;
    both.divisibility[dim] =
        std::min(getDivisibilityAt(dim, group), other.getDivisibilityAt(dim, group));
    both.constancy[dim] = std::min(constancy[dim], other.constancy[dim]);
    both.leading[dim] = std::min(getLeading(dim), other.getLeading(dim));
  }
  if (constant == other.constant)
    both.constant = constant;
  return both;
}

bool ValuePattern::operator==(const ValuePattern &other) const {
  return contiguity == other.contiguity && divisibility == other.divisibility &&
         constancy == other.constancy && leading == other.leading && constant == other.constant;
}

static unsigned getPatternRank(Type type) { return std::max<size_t>(1, getShape(type).size()); }

//===----------------------------------------------------------------------===//
// Walking the kernel
//===----------------------------------------------------------------------===//

AccessAnalysis::AccessAnalysis(Operation *root, int64_t loadedDivisibility)
    : loadedDivisibility(loadedDivisibility) {
  if (auto function = dyn_cast<FunctionOpInterface>(root))
    for (BlockArgument argument : function.getArguments()) {
      ValuePattern pattern = ValuePattern::getUnknown(getPatternRank(argument.getType()));
      if (auto divisor =
              function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), kDivisibilityAttr))
        pattern.divisibility.front() = std::min(divisor.getInt(), kMost);
      patterns.try_emplace(argument, pattern);
    }
  for (Region &region : root->getRegions())
    for (Block &block : region)
      visitBlock(block);
}

ValuePattern AccessAnalysis::get(Value value) const {
  auto found = patterns.find(value);
  return found != patterns.end() ? found->second
                                 : ValuePattern::getUnknown(getPatternRank(value.getType()));
}

/// Replaces what is known of `value`. Returns whether that changed anything.
bool AccessAnalysis::update(Value value, ValuePattern pattern) {
  auto [entry, isNew] = patterns.try_emplace(value, pattern);
  if (isNew)
    return true;
  if (entry->second == pattern)
    return false;
  entry->second = std::move(pattern);
  return true;
}

/// The divisor of which `guarded` is one where it is zero, and so on.
static Value getUnguardedDivisor(Value guarded) {
  auto select = guarded.getDefiningOp<arith::SelectOp>();
  return select && matchPattern(select.getTrueValue(), m_One()) ? select.getFalseValue() : guarded;
}

static bool isDivision(Operation *op) {
  return isa_and_present<arith::DivSIOp, arith::DivUIOp>(op);
}

void AccessAnalysis::visitBlock(Block &block) {
  for (Operation &op : block)
    visit(&op);
}

void AccessAnalysis::visit(Operation *op) {
  if (isa<scf::ForOp, scf::WhileOp>(op))
    return visitLoop(op);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        visitBlock(block);
    for (OpResult result : op->getResults()) {
      unsigned index = result.getResultNumber();
      update(result, get(branch.thenYield().getOperand(index))
                         .meet(get(branch.elseYield().getOperand(index))));
    }
    return;
  }
  if (auto roles = dyn_cast<RolesOp>(op)) {
    for (Region &region : roles.getBodies())
      visitBlock(region.front());
    return;
  }
  if (op->getNumRegions() != 0)
    return; // what is inside works on single elements, and nothing is known of the results
  SmallVector<ValuePattern, 4> operands;
  for (Value operand : op->getOperands())
    operands.push_back(get(operand));
  if (isDivision(op) || isa<arith::RemSIOp, arith::RemUIOp>(op))
    operands[1] = get(getUnguardedDivisor(op->getOperand(1)));
  if (isa<arith::MulIOp>(op))
    for (unsigned i : {0, 1}) // of a remainder: x - x / divisor * divisor
      if (Operation *quotient = op->getOperand(i).getDefiningOp();
          isDivision(quotient) && quotient->getOperand(1) == op->getOperand(1 - i))
        operands[1 - i] = get(getUnguardedDivisor(op->getOperand(1 - i)));
  for (OpResult result : op->getResults()) {
    ValuePattern pattern = getResultPattern(result, operands);
    if (isa<LoadOp>(op) && !isa<RankedTensorType>(result.getType()))
      pattern.divisibility.front() = loadedDivisibility;
    update(result, std::move(pattern));
  }
}

/// A loop's values hold on entry, and after each step: begin with the former
/// and take away what the latter do not keep.
void AccessAnalysis::visitLoop(Operation *op) {
  auto loop = cast<LoopLikeOpInterface>(op);
  if (auto counted = dyn_cast<scf::ForOp>(op)) {
    ValuePattern induction = ValuePattern::getUnknown(1);
    induction.divisibility[0] = std::min(get(counted.getLowerBound()).divisibility[0],
                                         get(counted.getStep()).divisibility[0]);
    update(counted.getInductionVar(), induction);
  }
  SmallVector<BlockArgument> carried(loop.getRegionIterArgs());
  for (auto [argument, init] : llvm::zip(carried, loop.getInits()))
    update(argument, get(init));
  bool changed = true;
  while (changed) {
    changed = false;
    for (Region &region : op->getRegions()) {
      for (Block &block : region)
        visitBlock(block);
      // The second region of a while loop gets what its first passes on.
      if (auto loop = dyn_cast<scf::WhileOp>(op); loop && &region == &loop.getBefore())
        for (auto [argument, passed] :
             llvm::zip(loop.getAfterArguments(), loop.getConditionOp().getArgs()))
          update(argument, get(passed));
    }
    for (auto [argument, next] : llvm::zip(carried, loop.getYieldedValues()))
      changed |= update(argument, get(argument).meet(get(next)));
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (auto [result, passed] : llvm::zip(loop.getResults(), loop.getConditionOp().getArgs()))
      update(result, get(passed));
    return;
  }
  for (auto [result, argument] : llvm::zip(op->getResults(), carried))
    update(result, get(argument));
}

//===----------------------------------------------------------------------===//
// What follows for accesses
//===----------------------------------------------------------------------===//

/// Bits in memory of what `pointer` points to.
static int64_t getElementBits(Value pointer) {
  auto pointee = cast<PtrType>(getElementType(pointer.getType())).getPointee();
  return isa<PtrType>(pointee) ? 64 : std::max(8u, pointee.getIntOrFloatBitWidth());
}

int64_t tile::getMostElements(Value pointer, int64_t maxBits) {
  return std::max<int64_t>(1, maxBits / getElementBits(pointer));
}

int64_t AccessAnalysis::getVectorWidth(Value pointer, Value mask, unsigned dim, int64_t maxBits,
                                       bool partial) const {
  int64_t bits = getElementBits(pointer);
  ValuePattern pattern = get(pointer);
  int64_t width = std::min(pattern.contiguity[dim], getMostElements(pointer, maxBits));
  // Runs begin at multiples of the divisor, and so do vectors no longer than it.
  width = std::min(width, std::max<int64_t>(1, pattern.divisibility[dim] * 8 / bits));
  if (mask)
    width = std::min(width, partial ? get(mask).getLeading(dim) : get(mask).constancy[dim]);
  return width;
}
