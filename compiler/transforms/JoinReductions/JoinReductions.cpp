//===- JoinReductions.cpp - Reductions that wait once -------------------------===//
#include "compiler/transforms/JoinReductions/JoinReductions.h"

#include "compiler/analysis/ThreadExchange/ThreadExchange.h"
#include "dialects/tile/IR/TileOps.h"

#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
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
  return some.getAxis() == other.getAxis() &&
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

void JoinReductionsPass::runOnOperation() {
  IRRewriter rewriter(&getContext());
  DominanceInfo dominance(getOperation());
  getOperation().walk([&](Block *block) {
    SmallVector<ReduceOp> joined;
    for (ReduceOp op : llvm::to_vector(block->getOps<ReduceOp>())) {
      if (!meetsInside(op))
        continue;
      auto partner = llvm::find_if(joined, [&](ReduceOp earlier) {
        return canJoin(earlier, op) && succeeded(moveOperands(rewriter, op, earlier, dominance));
      });
      if (partner == joined.end())
        joined.push_back(op);
      else
        *partner = join(rewriter, *partner, op);
    }
  });
}
