//===- ProgramDescriptors.cpp - Descriptors that the program makes --------===//
#include "compiler/transforms/SpecializeWarps/ProgramDescriptors.h"

#include "compiler/analysis/LaunchExpression/LaunchExpression.h"
#include "compiler/transforms/SpecializeWarps/Roles.h"
#include "dialects/tile/IR/BlockCopy.h"

using namespace mlir;
using namespace tile;

static Value createI32(ImplicitLocOpBuilder &b, int32_t value) {
  return arith::ConstantOp::create(b, b.getI32IntegerAttr(value));
}

SmallVector<Operation *> tile::getBlockAccesses(MakeDescriptorOp desc) {
  return llvm::filter_to_vector(desc->getUsers(),
                                [](Operation *user) { return user->hasAttr(kBlockCopyAttr); });
}

void ProgramDescriptors::allocate(ImplicitLocOpBuilder &b, func::FuncOp function,
                                  LaunchDescriptors &launch, bool byWarps) {
  function.walk([&](MakeDescriptorOp desc) {
    if (desc->hasAttr(kBlockCopyAttr) && !getBlockAccesses(desc).empty() && !isMadeAtLaunch(desc))
      order.push_back(desc);
  });
  if (order.empty())
    return;
  auto templates = llvm::map_to_vector(order, [&](MakeDescriptorOp desc) {
    return launch.getTemplate(desc, getAccessBox(getBlockAccesses(desc).front(), byWarps));
  });
  alloc = DescriptorAllocOp::create(b, templates);
  for (auto [desc, place] : llvm::zip(order, alloc.getDescriptors()))
    places[desc] = place;
  done = SignalAllocOp::create(b, SignalsType::get(b.getContext(), 1), 1, IntegerAttr());
}

/// The first op of the block of `desc` that holds one of its accesses.
static Operation *getFirstUse(MakeDescriptorOp desc) {
  Operation *first = nullptr;
  for (Operation *access : getBlockAccesses(desc)) {
    Operation *around = desc->getBlock()->findAncestorOpInBlock(*access);
    if (!first || around->isBeforeInBlock(first))
      first = around;
  }
  return first;
}

SmallVector<MakeDescriptorOp> ProgramDescriptors::getMadeBefore(Operation *op,
                                                                bool forLoads) const {
  return llvm::filter_to_vector(order, [&](MakeDescriptorOp desc) {
    SmallVector<Operation *> accesses = getBlockAccesses(desc);
    return !accesses.empty() && isa<DescriptorLoadOp>(accesses.front()) == forLoads &&
           desc->getBlock() == op->getBlock() && getFirstUse(desc) == op;
  });
}

/// Whether all accesses by `descs` are in `loop`.
static bool areIn(ArrayRef<MakeDescriptorOp> descs, scf::ForOp loop) {
  return llvm::all_of(descs, [&](MakeDescriptorOp desc) {
    return llvm::all_of(getBlockAccesses(desc),
                        [&](Operation *access) { return loop->isAncestor(access); });
  });
}

void ProgramDescriptors::make(ImplicitLocOpBuilder &b, ArrayRef<MakeDescriptorOp> descs,
                              scf::ForOp loop, Lookup lookup, llvm::function_ref<void()> await,
                              bool forWarps) const {
  OpBuilder::InsertionGuard guard(b);
  if (loop && areIn(descs, loop)) {
    Value runs = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, lookup(loop.getLowerBound()),
                                       lookup(loop.getUpperBound()));
    auto branch = scf::IfOp::create(b, runs, /*withElseRegion=*/false);
    b.setInsertionPoint(branch.thenYield());
  }
  await();
  Value one = createI32(b, 1);
  SmallVector<Value> made;
  for (MakeDescriptorOp desc : descs) {
    b.setLoc(desc.getLoc());
    // `getIndices` keeps accesses away from arrays without elements.
    auto sizes = llvm::map_to_vector(desc.getSizes(), [&](Value size) -> Value {
      return arith::MaxSIOp::create(b, lookup(size), one);
    });
    auto strides = llvm::map_to_vector(desc.getStrides(), lookup);
    auto place = cast<OpResult>(get(desc));
    DescriptorSetOp::create(b, place, place.getOwner()->getOperand(place.getResultNumber()),
                            lookup(desc.getBase()), sizes, strides);
    made.push_back(get(desc));
  }
  DescriptorPublishOp::create(b, made, forWarps);
}

SmallVector<Value> ProgramDescriptors::getIndices(ImplicitLocOpBuilder &b, MakeDescriptorOp desc,
                                                  ValueRange indices, Lookup lookup) const {
  constexpr int32_t kOutside = -(1 << 30);
  SmallVector<Value> result(indices);
  Value isEmpty;
  for (Value size : desc.getSizes()) {
    Value none = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, lookup(size), createI32(b, 1));
    isEmpty = isEmpty ? arith::OrIOp::create(b, isEmpty, none).getResult() : none;
  }
  result.front() = arith::SelectOp::create(b, isEmpty, createI32(b, kOutside), result.front());
  return result;
}

void ProgramDescriptors::endFetching(ImplicitLocOpBuilder &b) const {
  if (!isEmpty())
    ArriveOp::create(b, done, createI32(b, 0), /*together=*/false);
}

/// The program has awaited all copies, but descriptors may have been made for none.
void ProgramDescriptors::endComputing(ImplicitLocOpBuilder &b, bool byWarps) const {
  if (isEmpty())
    return;
  Value zero = createI32(b, 0);
  AcquireOp::create(b, done, zero, zero, ValueRange());
  if (byWarps)
    BarrierOp::create(b);
  DescriptorFreeOp::create(b, DescriptorAllocOp(alloc).getDescriptors());
}
