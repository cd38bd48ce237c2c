//===- SpecializeWarps.cpp - A thread that fetches blocks -----------------===//
#include "compiler/transforms/SpecializeWarps/SpecializeWarps.h"

#include "compiler/analysis/BufferPlan/BufferPlan.h"
#include "compiler/analysis/OperandSource/OperandSource.h"
#include "compiler/analysis/ThreadCopies/ThreadCopies.h"
#include "compiler/transforms/SpecializeWarps/ProgramLoop.h"
#include "compiler/transforms/SpecializeWarps/RegisterShares.h"
#include "compiler/transforms/SpecializeWarps/Roles.h"
#include "compiler/transforms/SpecializeWarps/StoreOrder.h"
#include "compiler/transforms/SpecializeWarps/ThreadLoads.h"

#include "mlir/Analysis/SliceAnalysis.h"

namespace tile {
#define GEN_PASS_DEF_SPECIALIZEWARPS
#include "compiler/transforms/SpecializeWarps/SpecializeWarps.h.inc"
} // namespace tile

using namespace mlir;
using namespace tile;

namespace {
struct SpecializeWarpsPass : tile::impl::SpecializeWarpsBase<SpecializeWarpsPass> {
  void runOnOperation() override;
};
} // namespace

/// What rings hold, by the loads that bring it.
using RingBlocks = DenseMap<Operation *, BufferType>;

/// Whether `op` gives another layout to what is read from a ring: it is read in that
/// layout then, or by a unit where it is.
static bool isOfRing(Operation *op, const RingBlocks &blocks) {
  auto convert = dyn_cast<ConvertLayoutOp>(op);
  if (!convert)
    return false;
  Value block = traceOperand(convert.getSource()).block;
  if (!blocks.contains(block.getDefiningOp()))
    return false;
  return convert.getSource() == block || llvm::all_of(op->getUsers(), [](Operation *user) {
           auto dot = dyn_cast<DotOp>(user);
           return dot && dot.getUnitAttr() && dot.getUnitAttr().readsOnChip();
         });
}

/// Whether `dot` reads an operand on chip that no copy brings there, or not as its
/// unit reads it: it is stored where it is defined.
static bool isStoredOperand(DotOp dot, MatmulOperand which, const OperandSource &source,
                            const RingBlocks &blocks) {
  MatmulUnit unit = dot.getUnitAttr();
  if (!unit || !unit.readsOnChip())
    return false;
  auto fetched = blocks.find(source.block.getDefiningOp());
  return fetched != blocks.end() ? !canReadIn(dot, which, source, fetched->second)
                                 : isReadOnChip(dot, which);
}

/// The most that is stored so at one time: in a block of code and in those around it.
static int64_t getStoredOperandBytes(func::FuncOp function, const RingBlocks &blocks) {
  DenseMap<Block *, llvm::SmallSetVector<Value, 4>> stored;
  function.walk([&](DotOp dot) {
    for (MatmulOperand which : {MatmulOperand::A, MatmulOperand::B}) {
      OperandSource source = traceOperand(which == MatmulOperand::A ? dot.getA() : dot.getB());
      if (isStoredOperand(dot, which, source, blocks))
        stored[source.block.getParentBlock()].insert(source.block);
    }
  });
  int64_t most = 0;
  for (auto &[innermost, operands] : stored) {
    int64_t bits = 0;
    for (Block *block = innermost; block; block = block->getParentOp()->getBlock())
      for (Value value : stored.lookup(block))
        bits += ShapedType::getNumElements(getShape(value.getType())) *
                std::max(8u, getElementType(value.getType()).getIntOrFloatBitWidth());
    most = std::max(most, bits / 8);
  }
  return most;
}

/// What else is on chip: buffers of stores and of operands, and what threads exchange.
static int64_t getOtherBytes(func::FuncOp function, ArrayRef<RingLoad> loads) {
  RingBlocks blocks;
  for (const RingLoad &load : loads)
    blocks[load.op] = load.block;
  // Two for each ring, one for each store; no less, for what is made of descriptors.
  constexpr int64_t kSignalBytes = 128, kLeastSignals = 8;
  auto signals =
      static_cast<int64_t>(2 * collectRings(loads).size() + collectStores(function).size() + 1);
  int64_t scratch = 0;
  function.walk([&](Operation *op) {
    if (!isOfRing(op, blocks))
      scratch = std::max(scratch, getScratchBytes(op));
  });
  return getStoreBytes(function) + getStoredOperandBytes(function, blocks) + scratch +
         kSignalBytes * std::max(kLeastSignals, signals);
}

/// Roles of the program's warps and of those that fetch, with empty bodies.
static RolesOp createRoles(func::FuncOp function, ImplicitLocOpBuilder &b, ArrayRef<Ring> rings,
                           int64_t fetchingWarps, int64_t otherBytes) {
  int64_t lanes = getTarget(function).getLanes(), onChipBytes = otherBytes + getRingBytes(rings);
  int64_t warps = getModuleInt(function, kNumWarpsAttr, 1);
  bool everywhere = llvm::any_of(rings, [](const Ring &ring) { return ring.isFilledEverywhere(); });
  bool byThreads = llvm::any_of(rings, [](const Ring &ring) { return ring.isFilledByThreads(); });
  int64_t addressWords = ThreadLoads::countRegisters(rings, fetchingWarps * lanes);
  RegisterShares shares = shareRegisters(function, warps, fetchingWarps, addressWords, onChipBytes);
  auto pair = [](int64_t first, int64_t second) {
    return SmallVector<int32_t>{static_cast<int32_t>(first), static_cast<int32_t>(second)};
  };
  auto roles =
      RolesOp::create(b, pair(warps, fetchingWarps), pair(shares.computing, shares.fetching),
                      pair(warps * lanes, byThreads ? fetchingWarps * lanes : 1), everywhere, 2);
  for (Region &region : roles.getBodies())
    region.emplaceBlock();
  return roles;
}

/// Marked loads, which are copies of whole blocks; `slice` gets what they need. Fails
/// where one cannot be made so.
static FailureOr<SmallVector<RingLoad>> collectBlockCopies(func::FuncOp function,
                                                           AddressSlice &slice) {
  SmallVector<RingLoad> loads;
  WalkResult result = function.walk([&](DescriptorLoadOp load) {
    if (!load->hasAttr(kBlockCopyAttr))
      return WalkResult::advance();
    if (Operation *obstacle = slice.add(load)) {
      load.emitError("cannot be fetched by another thread: its place depends on more than numbers")
              .attachNote(obstacle->getLoc())
          << "such as this";
      return WalkResult::interrupt();
    }
    loads.push_back(getRingLoad(load));
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return loads;
}

/// Without copies of whole blocks the role is for loops all of whose operands its threads
/// copy to where units read them.
static void dropPartialLoops(func::FuncOp function, SmallVectorImpl<RingLoad> &loads) {
  DenseSet<Operation *> selected, partial;
  for (const RingLoad &load : loads)
    selected.insert(load.op);
  function.walk([&](LoadOp load) {
    if (findFedDot(load).first && !(selected.contains(load) && feedsOnChip(load)))
      partial.insert(load->getParentOp());
  });
  llvm::erase_if(loads,
                 [&](const RingLoad &load) { return partial.contains(load.op->getParentOp()); });
}

/// Whether an iteration computes with the product's sums, rather than to carry them on alone.
static bool usesSums(DotOp dot) {
  return !llvm::all_of(dot->getUsers(), llvm::IsaPred<scf::YieldOp>);
}

/// Registers of a thread that hold the sums of a large product.
static constexpr int64_t kManySums = 128;

static int64_t countSums(DotOp dot) {
  return getLayout(dot.getType()).getLayout().getInSize(Dim::Register);
}

/// Whether what `dot`, in `loop`, reads is as it was copied, or is the same in all iterations.
static bool readsCopies(DotOp dot, scf::ForOp loop, ArrayRef<RingLoad> loads) {
  return llvm::all_of(dot.getOperands().take_front(2), [&](Value operand) {
    Value block = traceOperand(operand).block;
    return loop.isDefinedOutsideOfLoop(block) || llvm::any_of(loads, [&](const RingLoad &load) {
             return load.op == block.getDefiningOp();
           });
  });
}

/// Whether `value` depends on what memory holds.
static bool isLoaded(Value value) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.omitBlockArguments = options.inclusive = true;
  return failed(getBackwardSlice(value, &slice, options)) || llvm::any_of(slice, [](Operation *op) {
           return op->getNumRegions() == 0 && !isMemoryEffectFree(op);
         });
}

/// Whether one thread may copy all that the loop's products read, in programs that do like amounts
/// of work: around the loop is no branch, and it has as many iterations in each. Warps that prepare
/// operands gain more by another program on their processor.
static bool isCopiedByOne(scf::ForOp loop, ArrayRef<RingLoad> loads) {
  auto isOther = [&](const RingLoad &load) {
    return load.op->getParentOp() == loop && !load.strided;
  };
  return llvm::none_of(loads, isOther) && !loop->getParentOfType<scf::IfOp>() &&
         !isLoaded(loop.getLowerBound()) && !isLoaded(loop.getUpperBound()) &&
         llvm::all_of(loop.getBody()->getOps<DotOp>(),
                      [&](DotOp dot) { return readsCopies(dot, loop, loads); });
}

/// Whether the loop gains by a role whose threads copy. Measured: where the only product is of
/// fewer sums, or of rows that are short, an iteration is too short for signals and few threads,
/// and takes up to 40 % longer; in a loop around others (that the program has) small products
/// gain as well, since the next tile's operands come while this one ends, and so do those whose
/// sums threads compute with: one group does while another's product is at work. Those whose blocks
/// one thread copies gain by up to 15 % with half as many sums.
static bool gainsByThreads(scf::ForOp loop, ArrayRef<RingLoad> loads) {
  constexpr int64_t kLeastRowBytes = 128;
  auto dots = llvm::to_vector(loop.getBody()->getOps<DotOp>());
  if (loop->hasAttr(kWarpSpecializeAttr) || dots.size() != 1)
    return true;
  if (isCopiedByOne(loop, loads) && countSums(dots.front()) >= kManySums / 2)
    return true;
  int64_t bits = getElementType(dots.front().getA().getType()).getIntOrFloatBitWidth();
  auto outer = loop->getParentOfType<LoopLikeOpInterface>();
  bool isNested = outer && !outer->hasAttr(kProgramLoopAttr);
  return dots.front().getProblem().k * bits / 8 >= kLeastRowBytes &&
         (isNested || usesSums(dots.front()) || countSums(dots.front()) >= kManySums);
}

/// Whether a program of one group of warps gains by a role for its loop. Measured: with a second
/// program on the processor, which multiplies while this one waits, a large product gains by 11 to
/// 18 %; else up to half as much time is lost.
static bool gainsWithFewWarps(scf::ForOp loop, ArrayRef<RingLoad> loads) {
  auto dots = llvm::to_vector(loop.getBody()->getOps<DotOp>());
  return dots.size() == 1 && !usesSums(dots.front()) && countSums(dots.front()) >= kManySums &&
         isCopiedByOne(loop, loads);
}

/// Whether a processor holds two programs with the rings that the loads ask for.
static bool fitsTwice(func::FuncOp function, ArrayRef<RingLoad> loads) {
  int64_t bytes = getOtherBytes(function, loads) + getRingBytes(collectRings(loads));
  return countFittingPrograms(function, bytes) >= 2;
}

/// Whether it can be asked before each of the loop's iterations, and behind the last one, where its
/// blocks are.
static bool canAskAhead(scf::ForOp loop, const AddressSlice &slice) {
  return llvm::all_of(*loop.getBody(), [&](Operation &op) {
    return !slice.contains(&op) || (op.getNumRegions() == 0 && isMemoryEffectFree(&op));
  });
}

/// A loop's threads copy nothing or all of what they would: signals of both kinds of copies cost
/// more than is gained. Kernels take few descriptors.
static void keepStridedLoops(MutableArrayRef<RingLoad> loads, const AddressSlice &slice) {
  constexpr size_t kMostLoads = 16;
  DenseSet<Operation *> others;
  for (const RingLoad &load : loads) {
    auto loop = dyn_cast<scf::ForOp>(load.op->getParentOp());
    if (!loop || (load.isByThreads() && !load.strided) || !canAskAhead(loop, slice))
      others.insert(load.op->getParentOp());
  }
  for (RingLoad &load : loads)
    if (loads.size() > kMostLoads || others.contains(load.op->getParentOp()))
      load.strided = nullptr;
}

/// Copies of whole blocks, and in the order of the program what threads of the fetching
/// role copy beside them, if all of it fits on chip: else the program's warps do as well.
static FailureOr<SmallVector<RingLoad>> collectLoads(func::FuncOp function, AddressSlice &slice) {
  FailureOr<SmallVector<RingLoad>> copies = collectBlockCopies(function, slice);
  if (failed(copies) || !mayThreadsCopy(function, *copies))
    return copies;
  SmallVector<RingLoad> loads;
  AddressSlice wider = slice;
  ThreadLoads threadLoads(function, wider);
  auto next = copies->begin();
  function.walk([&](Operation *op) {
    if (next != copies->end() && next->op == op)
      loads.push_back(*next++);
    else if (auto load = dyn_cast<LoadOp>(op))
      if (std::optional<RingLoad> selected = threadLoads.select(load))
        loads.push_back(*selected);
  });
  keepStridedLoops(loads, wider);
  if (copies->empty()) {
    dropPartialLoops(function, loads);
    bool isWorthIt = isWorthARole(function, *copies);
    SmallVector<RingLoad> all(loads);
    llvm::erase_if(loads, [&](const RingLoad &load) {
      auto loop = dyn_cast<scf::ForOp>(load.op->getParentOp());
      return loop && !(isWorthIt ? gainsByThreads(loop, all) : gainsWithFewWarps(loop, all));
    });
    if (!isWorthIt && !fitsTwice(function, loads))
      return copies;
  }
  if (!canFitRings(function, collectRings(loads), getOtherBytes(function, loads)))
    return copies;
  slice = std::move(wider);
  return loads;
}

/// Where the program asks for roles and does not get them.
static void remarkOnLoops(func::FuncOp function, ArrayRef<RingLoad> loads) {
  function.walk([&](scf::ForOp loop) {
    bool hasRoles =
        llvm::any_of(loads, [&](const RingLoad &load) { return loop->isProperAncestor(load.op); });
    if (loop->hasAttr(kWarpSpecializeAttr) && !hasRoles)
      loop.emitRemark("loads of this loop have no warps of their own: that takes a machine whose "
                      "warps have roles, in groups that divide the program's, and loads that feed "
                      "dots: of blocks by descriptors, or by pointers in runs of 16 bytes, from "
                      "arrays that the kernel does not write, where their buffers fit on chip");
  });
}

/// Also lets programs follow each other, where they gain by that.
static FailureOr<SmallVector<RingLoad>> prepareLoads(func::FuncOp function, AddressSlice &slice) {
  FailureOr<SmallVector<RingLoad>> loads = collectLoads(function, slice);
  if (failed(loads) || loads->empty() || !canLoopOverPrograms(function, *loads))
    return loads;
  loopOverPrograms(function);
  slice = AddressSlice(function);
  return collectLoads(function, slice);
}

static LogicalResult specialize(func::FuncOp function) {
  AddressSlice slice(function);
  FailureOr<SmallVector<RingLoad>> loads = prepareLoads(function, slice);
  if (succeeded(loads))
    remarkOnLoops(function, *loads);
  if (failed(loads) || loads->empty())
    return loads;
  int64_t warps = getModuleInt(function, kNumWarpsAttr, 1);
  int64_t fetchingWarps = getTarget(function).getFact("role_warps", 1);
  int64_t otherBytes = getOtherBytes(function, *loads);
  SmallVector<Ring> rings = collectRings(*loads);
  fitRings(function, rings, otherBytes);

  Descriptors descriptors(function);
  Block &entry = function.front();
  ImplicitLocOpBuilder b(function.getLoc(), entry.getTerminator());
  RolesOp roles = createRoles(function, b, rings, fetchingWarps, otherBytes);
  Block &computing = roles.getBodies()[0].front(), &fetching = roles.getBodies()[1].front();
  computing.getOperations().splice(computing.end(), entry.getOperations(), entry.begin(),
                                   roles->getIterator());
  b.setInsertionPoint(roles);
  allocateRings(b, rings, warps, fetchingWarps * getTarget(function).getLanes());
  descriptors.program.allocate(b, function, descriptors.launch, descriptors.stores.byWarps);
  b.setInsertionPointToEnd(&fetching);
  buildFetching(b, computing, slice, rings, descriptors, fetchingWarps);
  descriptors.program.endFetching(b);
  readRings(computing, rings);
  storeBlocks(computing, descriptors);
  b.setInsertionPointToEnd(&computing);
  descriptors.program.endComputing(b, descriptors.stores.byWarps);
  for (const RingLoad &load : *loads)
    load.op->erase();
  computing.walk([](MakeDescriptorOp desc) {
    if (desc->use_empty())
      desc.erase();
  });
  auto module = function->getParentOfType<ModuleOp>();
  descriptors.launch.describe(module);
  module->setAttr(kLaunchWarpsAttr,
                  b.getI32IntegerAttr(static_cast<int32_t>(roles.getTotalWarps())));
  return success();
}

void SpecializeWarpsPass::runOnOperation() {
  for (auto function : getOperation().getOps<func::FuncOp>())
    if (failed(specialize(function)))
      return signalPassFailure();
}
