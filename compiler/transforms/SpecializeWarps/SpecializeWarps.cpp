//===- SpecializeWarps.cpp - A thread that fetches blocks -----------------===//
#include "compiler/transforms/SpecializeWarps/SpecializeWarps.h"

#include "compiler/analysis/BufferPlan/BufferPlan.h"
#include "compiler/analysis/OperandSource/OperandSource.h"
#include "compiler/transforms/SpecializeWarps/RegisterShares.h"
#include "compiler/transforms/SpecializeWarps/Roles.h"

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

/// Whether `op` gives another layout to what is read from a ring: it is read in that
/// layout then, or by a unit where it is.
static bool isOfRing(Operation *op) {
  auto convert = dyn_cast<ConvertLayoutOp>(op);
  if (!convert)
    return false;
  Value block = traceOperand(convert.getSource()).block;
  if (Operation *source = block.getDefiningOp(); !source || !source->hasAttr(kBlockCopyAttr))
    return false;
  return convert.getSource() == block || llvm::all_of(op->getUsers(), [](Operation *user) {
           auto dot = dyn_cast<DotOp>(user);
           return dot && dot.getUnitAttr() && dot.getUnitAttr().readsOnChip();
         });
}

/// Whether `dot` reads an operand on chip that no copy brings there, or not as its
/// unit reads it: it is stored where it is defined.
static bool isStoredOperand(DotOp dot, MatmulOperand which, const OperandSource &source) {
  MatmulUnit unit = dot.getUnitAttr();
  if (!unit || !unit.readsOnChip())
    return false;
  auto fetched = source.block.getDefiningOp<DescriptorLoadOp>();
  return fetched ? !canReadIn(dot, which, source, getRingBlock(fetched)) : isReadOnChip(dot, which);
}

/// The most that is stored so at one time: in a block of code and in those around it.
static int64_t getStoredOperandBytes(func::FuncOp function) {
  DenseMap<Block *, llvm::SmallSetVector<Value, 4>> stored;
  function.walk([&](DotOp dot) {
    for (MatmulOperand which : {MatmulOperand::A, MatmulOperand::B}) {
      OperandSource source = traceOperand(which == MatmulOperand::A ? dot.getA() : dot.getB());
      if (isStoredOperand(dot, which, source))
        stored[source.block.getParentBlock()].insert(source.block);
    }
  });
  int64_t most = 0;
  for (auto &[innermost, blocks] : stored) {
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
static int64_t getOtherBytes(func::FuncOp function) {
  constexpr int64_t kSignals = 1024;
  int64_t scratch = 0;
  function.walk([&](Operation *op) {
    if (!isOfRing(op))
      scratch = std::max(scratch, getScratchBytes(op));
  });
  return getStoreBytes(function) + getStoredOperandBytes(function) + scratch + kSignals;
}

/// Moves the body, without its return, into the first region.
static RolesOp createRoles(func::FuncOp function, ImplicitLocOpBuilder &b, int64_t warps,
                           int64_t fetchingWarps, int64_t onChipBytes, bool everywhere) {
  TargetAttr target = getTarget(function);
  int64_t lanes = target.getLanes();
  RegisterShares shares = shareRegisters(function, warps, fetchingWarps, onChipBytes);
  auto pair = [](int64_t first, int64_t second) {
    return SmallVector<int32_t>{static_cast<int32_t>(first), static_cast<int32_t>(second)};
  };
  auto roles =
      RolesOp::create(b, pair(warps, fetchingWarps), pair(shares.computing, shares.fetching),
                      pair(warps * lanes, 1), everywhere, 2);
  for (Region &region : roles.getBodies())
    region.emplaceBlock();
  return roles;
}

/// Fails where a marked access cannot be made so.
static LogicalResult specialize(func::FuncOp function) {
  SmallVector<DescriptorLoadOp> loads;
  function.walk([&](DescriptorLoadOp load) {
    if (load->hasAttr(kBlockCopyAttr))
      loads.push_back(load);
  });
  if (loads.empty())
    return success();
  ScalarSlice slice(function);
  for (DescriptorLoadOp load : loads)
    if (Operation *obstacle = slice.add(load)) {
      load.emitError("cannot be fetched by another thread: its place depends on more than numbers")
              .attachNote(obstacle->getLoc())
          << "such as this";
      return failure();
    }
  int64_t warps = getModuleInt(function, kNumWarpsAttr, 1);
  int64_t fetchingWarps = getTarget(function).getFact("role_warps", 1);
  int64_t onChipBytes = getOtherBytes(function);
  SmallVector<Ring> rings = planRings(function, loads, onChipBytes);
  for (const Ring &ring : rings)
    onChipBytes += ring.stages * ring.getStageBytes();

  Block &entry = function.front();
  ImplicitLocOpBuilder b(function.getLoc(), entry.getTerminator());
  bool everywhere = llvm::any_of(rings, [](const Ring &ring) { return ring.isFilledEverywhere(); });
  RolesOp roles = createRoles(function, b, warps, fetchingWarps, onChipBytes, everywhere);
  Block &computing = roles.getBodies()[0].front(), &fetching = roles.getBodies()[1].front();
  computing.getOperations().splice(computing.end(), entry.getOperations(), entry.begin(),
                                   roles->getIterator());
  b.setInsertionPoint(roles);
  allocateRings(b, rings, warps);
  Descriptors descriptors(function);
  descriptors.program.allocate(b, function, descriptors.launch);
  b.setInsertionPointToEnd(&fetching);
  buildFetching(b, computing, slice, rings, descriptors);
  descriptors.program.endFetching(b);
  readRings(computing, rings);
  storeBlocks(computing, descriptors);
  b.setInsertionPointToEnd(&computing);
  descriptors.program.endComputing(b);
  for (DescriptorLoadOp load : loads)
    load.erase();
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
