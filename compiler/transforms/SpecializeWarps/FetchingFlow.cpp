//===- FetchingFlow.cpp - Loops and branches of the fetching role ---------===//
#include "compiler/transforms/SpecializeWarps/FetchingBuilder.h"

#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tile;

//===----------------------------------------------------------------------===//
// Loops that count
//===----------------------------------------------------------------------===//

FetchingBuilder::Carried FetchingBuilder::getCarried(scf::ForOp loop) const {
  Carried carried{{}, places.getCountersIn(loop)};
  for (unsigned i = 0; i < loop.getNumRegionIterArgs(); ++i)
    if (slice.needsArgument(loop, i))
      carried.needed.push_back(i);
  return carried;
}

SmallVector<Value> FetchingBuilder::getInits(scf::ForOp loop, const Carried &carried) const {
  SmallVector<Value> inits = llvm::map_to_vector(carried.needed, [&](unsigned index) {
    return values.lookupOrDefault(loop.getInits()[index]);
  });
  llvm::append_range(inits, places.get(carried.counters));
  return inits;
}

/// What the next iteration begins with.
SmallVector<Value> FetchingBuilder::getNext(scf::ForOp loop, const Carried &carried) {
  places.advance(b, loop);
  SmallVector<Value> next = llvm::map_to_vector(carried.needed, [&](unsigned index) {
    return values.lookupOrDefault(loop.getYieldedValues()[index]);
  });
  llvm::append_range(next, places.get(carried.counters));
  return next;
}

void FetchingBuilder::enter(scf::ForOp loop, const Carried &carried, Value index,
                            ValueRange arguments) {
  values.map(loop.getInductionVar(), index);
  for (auto [i, needed] : llvm::enumerate(carried.needed))
    values.map(loop.getRegionIterArg(needed), arguments[i]);
  places.set(carried.counters, arguments.drop_front(carried.needed.size()));
}

void FetchingBuilder::leave(scf::ForOp loop, const Carried &carried, ValueRange results) {
  for (auto [i, needed] : llvm::enumerate(carried.needed))
    values.map(loop.getResult(needed), results[i]);
  places.set(carried.counters, results.drop_front(carried.needed.size()));
}

/// The loop's iterations from `first` on.
void FetchingBuilder::buildCounting(scf::ForOp loop, const Carried &carried, Value first,
                                    ValueRange inits) {
  auto copy = scf::ForOp::create(b, first, values.lookupOrDefault(loop.getUpperBound()),
                                 values.lookupOrDefault(loop.getStep()), inits,
                                 /*bodyBuilder=*/nullptr, loop.getUnsignedCmp());
  enter(loop, carried, copy.getInductionVar(), copy.getRegionIterArgs());
  b.setInsertionPointToStart(copy.getBody());
  buildBlock(*loop.getBody());
  SmallVector<Value> next = getNext(loop, carried);
  if (!copy.getBody()->empty() && isa<scf::YieldOp>(copy.getBody()->back()))
    copy.getBody()->back().erase();
  b.setInsertionPointToEnd(copy.getBody());
  scf::YieldOp::create(b, next);
  b.setInsertionPointAfter(copy);
  leave(loop, carried, copy.getResults());
}

/// Whether the loop, in which threads copy, shares a ring with one in which a single thread may.
bool FetchingBuilder::sharesWithStrided(scf::ForOp loop) const {
  return llvm::any_of(rings, [&](const Ring &ring) {
    return ring.isFilledByEither() && llvm::is_contained(ring.getLoops(), loop.getOperation());
  });
}

void FetchingBuilder::buildLoop(scf::ForOp loop) {
  Carried carried = getCarried(loop);
  if (isStridedLoop(loop))
    return buildStrided(loop, carried);
  if (sharesWithStrided(loop))
    BarrierOp::create(b);
  buildCounting(loop, carried, values.lookupOrDefault(loop.getLowerBound()),
                getInits(loop, carried));
}

//===----------------------------------------------------------------------===//
// Loops whose blocks may be copied as a whole
//===----------------------------------------------------------------------===//

bool FetchingBuilder::isStridedLoop(scf::ForOp loop) const {
  return llvm::any_of(rings, [&](const Ring &ring) {
    return llvm::any_of(ring.sites, [&](const RingSite &site) {
      return site.front().op->getParentOp() == loop && isStrided(site);
    });
  });
}

/// Whether all that the iteration at hand reads is blocks as copies know them.
Value FetchingBuilder::areStrided(scf::ForOp loop) {
  Value all;
  for (const Ring &ring : rings)
    for (const RingSite &site : ring.sites)
      for (const RingLoad &load : site)
        if (load.strided && load.op->getParentOp() == loop) {
          b.setLoc(load.op->getLoc());
          Value one = createIsStrided(b, *load.strided,
                                      [&](Value value) { return values.lookupOrDefault(value); });
          all = all ? Value(arith::AndIOp::create(b, all, one)) : one;
        }
  return all;
}

Value FetchingBuilder::isBefore(scf::ForOp loop, Value index) {
  auto less = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  return arith::CmpIOp::create(b, less, index, values.lookupOrDefault(loop.getUpperBound()));
}

/// The first iterations, as long as copies of whole blocks bring all that they read. Between such
/// a copy and the wait before it there is nothing to compute: threads take their time for that
/// while units multiply, and the program waits.
scf::WhileOp FetchingBuilder::buildInBlocks(scf::ForOp loop, const Carried &carried) {
  SmallVector<Value> inits{values.lookupOrDefault(loop.getLowerBound())};
  llvm::append_range(inits, getInits(loop, carried));
  auto types = llvm::to_vector(ValueRange(inits).getTypes());
  auto copy = scf::WhileOp::create(b, types, inits, nullptr, nullptr);
  auto begin = [&](Block &block, Filling how) {
    b.setInsertionPointToEnd(&block);
    filling = how;
    enter(loop, carried, block.getArgument(0), block.getArguments().drop_front());
    buildBlock(*loop.getBody());
    filling = Filling::AsLoaded;
  };
  Block &before = *copy.getBeforeBody(), &after = *copy.getAfterBody();
  begin(before, Filling::None);
  Value isIn = isBefore(loop, before.getArgument(0));
  Value goesOn = arith::AndIOp::create(b, isIn, areStrided(loop));
  scf::ConditionOp::create(b, goesOn, before.getArguments());
  begin(after, Filling::InBlocks);
  Value step = values.lookupOrDefault(loop.getStep());
  SmallVector<Value> next{arith::AddIOp::create(b, after.getArgument(0), step)};
  llvm::append_range(next, getNext(loop, carried));
  scf::YieldOp::create(b, next);
  b.setInsertionPointAfter(copy);
  return copy;
}

/// Threads copy what is left. Warps that have not waited for the copies before meet first.
void FetchingBuilder::buildStrided(scf::ForOp loop, const Carried &carried) {
  scf::WhileOp first = buildInBlocks(loop, carried);
  ValueRange reached = first.getResults();
  auto types = llvm::to_vector(reached.drop_front().getTypes());
  auto rest = scf::IfOp::create(b, types, isBefore(loop, reached.front()), /*withElseRegion=*/true);
  b.setInsertionPointToStart(rest.elseBlock());
  scf::YieldOp::create(b, reached.drop_front());
  b.setInsertionPointToStart(rest.thenBlock());
  BarrierOp::create(b);
  buildCounting(loop, carried, reached.front(), reached.drop_front());
  SmallVector<Value> results = llvm::map_to_vector(carried.needed, [&](unsigned index) {
    return values.lookupOrDefault(loop.getResult(index));
  });
  llvm::append_range(results, places.get(carried.counters));
  scf::YieldOp::create(b, results);
  b.setInsertionPointAfter(rest);
  leave(loop, carried, rest.getResults());
  inBlocks.push_back(first);
  slowParts.push_back(rest);
}

/// What only threads that copy need is computed where they do.
void FetchingBuilder::sinkSlowParts() {
  for (scf::WhileOp loop : inBlocks)
    loop.walk<WalkOrder::PostOrder, mlir::ReverseIterator>([](Operation *op) {
      if (isOpTriviallyDead(op))
        op->erase();
    });
  for (scf::IfOp part : slowParts) {
    Block &block = *part.thenBlock();
    auto isUsedThere = [&](Operation *user) { return block.findAncestorOpInBlock(*user); };
    Operation *previous;
    for (Operation *op = part->getPrevNode(); op; op = previous) {
      previous = op->getPrevNode();
      if (!op->use_empty() && isMemoryEffectFree(op) && llvm::all_of(op->getUsers(), isUsedThere))
        op->moveBefore(&block.front());
    }
  }
}

//===----------------------------------------------------------------------===//
// Other control flow
//===----------------------------------------------------------------------===//

/// Gives what the slice needs of the branch that is taken, and counters.
void FetchingBuilder::buildBranch(scf::IfOp branch) {
  SmallVector<unsigned> counters = places.getCountersIn(branch), needed;
  SmallVector<Value> before = places.get(counters);
  SmallVector<Type> types;
  for (auto [i, type] : llvm::enumerate(branch.getResultTypes()))
    if (slice.needsResult(branch, i)) {
      needed.push_back(i);
      types.push_back(fold(type));
    }
  llvm::append_range(types, TypeRange(ValueRange(before)));
  if (types.empty())
    return;
  auto copy = scf::IfOp::create(b, types, values.lookupOrDefault(branch.getCondition()),
                                /*withElseRegion=*/true);
  for (auto [from, to] : llvm::zip(branch->getRegions(), copy->getRegions())) {
    places.set(counters, before);
    b.setInsertionPointToEnd(&to.front());
    SmallVector<Value> yielded;
    if (!from.empty()) {
      buildBlock(from.front());
      for (unsigned index : needed)
        yielded.push_back(values.lookupOrDefault(from.front().getTerminator()->getOperand(index)));
    }
    llvm::append_range(yielded, places.get(counters));
    scf::YieldOp::create(b, yielded);
  }
  b.setInsertionPointAfter(copy);
  for (auto [i, index] : llvm::enumerate(needed))
    values.map(branch.getResult(index), copy.getResult(i));
  places.set(counters, copy.getResults().drop_front(needed.size()));
}

/// Carries what the slice needs, and counters.
void FetchingBuilder::buildWhile(scf::WhileOp loop) {
  SmallVector<unsigned> counters = places.getCountersIn(loop), carried, passedOn;
  SmallVector<Value> inits;
  SmallVector<Type> types;
  for (auto [i, init] : llvm::enumerate(loop.getInits()))
    if (slice.needsArgument(loop, i)) {
      carried.push_back(i);
      inits.push_back(values.lookupOrDefault(init));
    }
  for (auto [i, type] : llvm::enumerate(loop.getResultTypes()))
    if (slice.needsResult(loop, i)) {
      passedOn.push_back(i);
      types.push_back(fold(type));
    }
  llvm::append_range(inits, places.get(counters));
  types.append(2 * counters.size(), b.getI32Type());
  auto copy = scf::WhileOp::create(b, types, inits, nullptr, nullptr);
  auto enter = [&](Block &from, Block &to, ArrayRef<unsigned> needed) {
    for (auto [i, index] : llvm::enumerate(needed))
      values.map(from.getArgument(index), to.getArgument(i));
    places.set(counters, to.getArguments().drop_front(needed.size()));
    b.setInsertionPointToEnd(&to);
    buildBlock(from);
  };
  auto getNext = [&](ValueRange all, ArrayRef<unsigned> needed) {
    SmallVector<Value> next = llvm::map_to_vector(
        needed, [&](unsigned index) { return values.lookupOrDefault(all[index]); });
    llvm::append_range(next, places.get(counters));
    return next;
  };
  scf::ConditionOp condition = loop.getConditionOp();
  enter(*loop.getBeforeBody(), *copy.getBeforeBody(), carried);
  scf::ConditionOp::create(b, values.lookupOrDefault(condition.getCondition()),
                           getNext(condition.getArgs(), passedOn));
  enter(*loop.getAfterBody(), *copy.getAfterBody(), passedOn);
  scf::YieldOp::create(b, getNext(loop.getYieldOp().getResults(), carried));

  b.setInsertionPointAfter(copy);
  for (auto [i, index] : llvm::enumerate(passedOn))
    values.map(loop.getResult(index), copy.getResult(i));
  places.set(counters, copy.getResults().drop_front(passedOn.size()));
}
