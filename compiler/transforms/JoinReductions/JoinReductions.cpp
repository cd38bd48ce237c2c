//===- JoinReductions.cpp - Reductions that wait once -------------------------===//
#include "compiler/transforms/JoinReductions/JoinReductions.h"

#include "compiler/analysis/ThreadExchange/ThreadExchange.h"
#include "dialects/tile/IR/TileOps.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace tile {
#define GEN_PASS_DEF_JOINREDUCTIONS
#include "compiler/transforms/JoinReductions/JoinReductions.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

namespace {
struct JoinReductionsPass : tile::impl::JoinReductionsBase<JoinReductionsPass> {
  void runOnOperation() override;
};
} // namespace

/// Layouts are among the types; elements may differ.
static bool sharesLayouts(Value some, Value other) {
  return getShape(some.getType()) == getShape(other.getType()) &&
         getLayout(some.getType()) == getLayout(other.getType());
}

static bool canJoin(ReduceOp some, ReduceOp other) {
  return some.getAxis() == other.getAxis() && isMemoryEffectFree(some) &&
         isMemoryEffectFree(other) &&
         sharesLayouts(some.getSources().front(), other.getSources().front()) &&
         sharesLayouts(some.getReduced().front(), other.getReduced().front());
}

/// The combiner of `op` at the end of `into`, from the arguments that begin at `first` of
/// `total` on each side. Gives what it yields.
static SmallVector<Value> cloneCombiner(RewriterBase &rewriter, ReduceOp op, Block *into,
                                        unsigned first, unsigned total) {
  IRMapping mapping;
  Block &body = op.getCombiner().front();
  unsigned count = op.getSources().size();
  for (unsigned i = 0; i < count; ++i)
    for (unsigned side : {0u, 1u})
      mapping.map(body.getArgument(side * count + i), into->getArgument(side * total + first + i));
  rewriter.setInsertionPointToEnd(into);
  for (Operation &inner : body.without_terminator())
    rewriter.clone(inner, mapping);
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookupOrDefault(value); });
}

/// One reduction in the place of `first`, where the sources of both are there.
static ReduceOp join(RewriterBase &rewriter, ReduceOp first, ReduceOp second) {
  SmallVector<Value> sources(first.getSources()), results(first.getReduced());
  llvm::append_range(sources, second.getSources());
  llvm::append_range(results, second.getReduced());
  unsigned count = sources.size();
  rewriter.setInsertionPoint(first);
  Location loc = rewriter.getFusedLoc({first.getLoc(), second.getLoc()});
  auto joined =
      ReduceOp::create(rewriter, loc, TypeRange(ValueRange(results)), sources, first.getAxis());
  Block *body = rewriter.createBlock(&joined.getCombiner());
  for (unsigned side = 0; side < 2; ++side)
    for (Value source : sources)
      body->addArgument(getElementType(source.getType()), loc);
  SmallVector<Value> yielded = cloneCombiner(rewriter, first, body, 0, count);
  llvm::append_range(yielded,
                     cloneCombiner(rewriter, second, body, first.getSources().size(), count));
  YieldOp::create(rewriter, loc, yielded);
  for (auto [result, replacement] : llvm::zip(results, joined.getReduced()))
    rewriter.replaceAllUsesWith(result, replacement);
  rewriter.eraseOp(first);
  rewriter.eraseOp(second);
  return joined;
}

/// Compute what `op` uses before `earlier`, if it does not need its results.
static LogicalResult moveOperands(RewriterBase &rewriter, ReduceOp op, ReduceOp earlier,
                                  DominanceInfo &dominance) {
  SetVector<Value> used;
  getUsedValuesDefinedAbove(op.getCombiner(), used);
  used.insert_range(op.getSources());
  return moveValueDefinitions(rewriter, used.getArrayRef(), earlier, dominance);
}

namespace {
/// The reductions of a block of code, one after the other.
class BlockJoiner {
public:
  BlockJoiner(RewriterBase &rewriter, DominanceInfo &dominance)
      : rewriter(rewriter), dominance(dominance) {}
  void visit(Operation *op);

private:
  int64_t findLastNeeded(Operation *op);
  std::optional<int64_t> findPartner(ReduceOp op, int64_t lastNeeded);

  RewriterBase &rewriter;
  DominanceInfo &dominance;
  SmallVector<ReduceOp> joined;
  /// For ops of the block, the last of `joined` that they need.
  DenseMap<Operation *, int64_t> lastNeeded;
};
} // namespace

/// The last of the reductions that `op` needs, or -1.
int64_t BlockJoiner::findLastNeeded(Operation *op) {
  int64_t last = -1;
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Operation *definition = operand.getDefiningOp())
        if (auto found = lastNeeded.find(definition); found != lastNeeded.end())
          last = std::max(last, found->second);
  });
  return last;
}

/// What needs a reduction cannot come before it, nor before earlier ones.
std::optional<int64_t> BlockJoiner::findPartner(ReduceOp op, int64_t lastNeeded) {
  constexpr unsigned kMostAttempts = 4;
  unsigned attempts = 0;
  for (int64_t place = lastNeeded + 1; place < static_cast<int64_t>(joined.size()); ++place) {
    if (!canJoin(joined[place], op))
      continue;
    if (succeeded(moveOperands(rewriter, op, joined[place], dominance)))
      return place;
    if (++attempts == kMostAttempts)
      break;
  }
  return std::nullopt;
}

void BlockJoiner::visit(Operation *op) {
  int64_t last = findLastNeeded(op);
  if (auto reduce = dyn_cast<ReduceOp>(op); reduce && meetsInside(reduce)) {
    if (std::optional<int64_t> place = findPartner(reduce, last)) {
      ReduceOp partner = joined[*place];
      lastNeeded.erase(partner);
      joined[*place] = join(rewriter, partner, reduce);
      lastNeeded[joined[*place]] = *place;
      return;
    }
    last = joined.size();
    joined.push_back(reduce);
  }
  if (last >= 0)
    lastNeeded[op] = last;
}

void JoinReductionsPass::runOnOperation() {
  IRRewriter rewriter(&getContext());
  DominanceInfo dominance(getOperation());
  getOperation().walk([&](Block *block) {
    BlockJoiner joiner(rewriter, dominance);
    for (Operation &op : llvm::make_early_inc_range(*block))
      joiner.visit(&op);
  });
}
