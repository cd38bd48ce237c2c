//===- BlockCopies.cpp - Which accesses are left to copies of blocks ------===//
#include "compiler/transforms/ExpandDescriptors/BlockCopies.h"

#include "compiler/analysis/LaunchExpression/LaunchExpression.h"
#include "compiler/analysis/PointerBase/PointerBase.h"
#include "compiler/analysis/ScalarSlice/ScalarSlice.h"
#include "dialects/tile/IR/BlockCopy.h"

using namespace mlir;
using namespace tile;

namespace {
class BlockCopySelector {
public:
  explicit BlockCopySelector(func::FuncOp function) : function(function), slice(function) {}
  void run();

private:
  void collectWritten();
  void collectRead();
  bool isMadeAtLaunch(Value desc) const;
  bool canFetch(DescriptorLoadOp load);
  bool canWrite(Operation *store) const;
  void select();
  bool fitsOnChip() const;

  func::FuncOp function;
  ScalarSlice slice;
  /// Arguments whose arrays the kernel writes.
  DenseSet<Value> written;
  bool writesAnywhere = false;
  /// Arguments whose arrays the kernel reads by threads or in copies.
  DenseSet<Value> read;
  bool readsAnywhere = false;
  SmallVector<DescriptorLoadOp> loads;
  SmallVector<Operation *> stores;
};
} // namespace

static Value getDesc(Operation *access) { return access->getOperand(0); }

static bool isStore(Operation *op) { return isa<DescriptorStoreOp, DescriptorReduceOp>(op); }

/// What the machine's warps can be divided into.
static bool hasRoles(func::FuncOp function) {
  TargetAttr target = getTarget(function);
  if (!target || target.getFact("block_copy_box") == 0 || !function->hasAttr(kKernelAttr))
    return false;
  int64_t step = target.getFact("role_warps");
  return step != 0 && getModuleInt(function, kNumWarpsAttr, 1) % step == 0;
}

/// Whether a dot of the same block of code multiplies what `value` becomes.
static bool feedsDot(Value value) {
  SmallVector<Value> worklist{value};
  DenseSet<Value> seen;
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    for (OpOperand &use : next.getUses()) {
      Operation *op = use.getOwner();
      if (isa<DotOp>(op) && use.getOperandNumber() < 2)
        return true;
      bool passesOn = op->getNumRegions() == 0 && op->getNumResults() == 1 &&
                      op->getBlock() == value.getParentBlock() && !isa<DotOp>(op);
      if (passesOn && seen.insert(op->getResult(0)).second)
        worklist.push_back(op->getResult(0));
    }
  }
  return false;
}

void BlockCopySelector::collectWritten() {
  auto write = [&](Value base) {
    if (base)
      written.insert(base);
    else
      writesAnywhere = true;
  };
  function.walk([&](Operation *op) {
    if (auto store = dyn_cast<StoreOp>(op)) {
      write(getPointerBase(store.getPointer()));
    } else if (std::optional<AtomicAccess> atomic = getAtomicAccess(op)) {
      write(getPointerBase(atomic->pointer));
    } else if (isStore(op) || isa<DescriptorScatterOp>(op)) {
      auto desc = getDesc(op).getDefiningOp<MakeDescriptorOp>();
      write(desc ? getPointerBase(desc.getBase()) : Value());
    } else if (isa<AtomicPollOp>(op)) {
      writesAnywhere = true; // what others write is waited for
    }
  });
}

void BlockCopySelector::collectRead() {
  auto readThrough = [&](Value base) {
    if (base)
      read.insert(base);
    else
      readsAnywhere = true;
  };
  function.walk([&](Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op)) {
      readThrough(getPointerBase(load.getPointer()));
    } else if (isa<DescriptorLoadOp, DescriptorGatherOp>(op)) {
      auto desc = getDesc(op).getDefiningOp<MakeDescriptorOp>();
      readThrough(desc ? getPointerBase(desc.getBase()) : Value());
    } else if (isa<AtomicPollOp, AtomicCASOp, AtomicLoadOp>(op)) {
      readsAnywhere = true; // programs that wait for others read what these wrote
    } else if (std::optional<AtomicAccess> atomic = getAtomicAccess(op)) {
      readThrough(getPointerBase(atomic->pointer));
    }
  });
}

bool BlockCopySelector::isMadeAtLaunch(Value value) const {
  auto desc = value.getDefiningOp<MakeDescriptorOp>();
  // Copies move 8-bit floats as bytes, and pad these with zeros alone.
  if (desc && desc.getType().getNanPadding() &&
      desc.getType().getElementType().getIntOrFloatBitWidth() == 8)
    return false;
  return desc && llvm::all_of(desc->getOperands(),
                              [](Value part) { return getLaunchExpression(part).has_value(); });
}

/// What the kernel also writes may not be fetched ahead.
bool BlockCopySelector::canFetch(DescriptorLoadOp load) {
  Value desc = load.getDesc();
  DescType type = load.getDesc().getType();
  if (!isMadeAtLaunch(desc) || !chooseBlockCopyLayout(load, type.getShape(), type.getElementType()))
    return false;
  Value base = getPointerBase(desc.getDefiningOp<MakeDescriptorOp>().getBase());
  return base && !writesAnywhere && !written.contains(base) && !slice.add(load, load.getIndices());
}

/// What one instruction adds up.
static bool canReduce(DescriptorReduceOp op) {
  Type element = op.getDesc().getType().getElementType();
  return op.getKind() == AtomicKind::FAdd &&
         (element.isF32() || element.isF16() || element.isBF16());
}

/// Nothing tells when the array has been written: only when the buffer has been read.
bool BlockCopySelector::canWrite(Operation *store) const {
  auto type = cast<DescType>(getDesc(store).getType());
  auto reduce = dyn_cast<DescriptorReduceOp>(store);
  if (!isMadeAtLaunch(getDesc(store)))
    return false;
  Value base = getPointerBase(getDesc(store).getDefiningOp<MakeDescriptorOp>().getBase());
  return base && !readsAnywhere && !read.contains(base) && (!reduce || canReduce(reduce)) &&
         chooseBlockCopyLayout(store, type.getShape(), type.getElementType());
}

static int64_t getBlockBytes(Value desc) {
  auto type = cast<DescType>(desc.getType());
  return ShapedType::getNumElements(type.getShape()) *
         type.getElementType().getIntOrFloatBitWidth() / 8;
}

/// Two buffers for each load of a loop, which other loops may share, and one for
/// each other access, beside what the program exchanges between threads.
bool BlockCopySelector::fitsOnChip() const {
  constexpr int64_t kScratch = 8 * 1024, kBuffers = 2;
  DenseMap<Operation *, int64_t> byLoop;
  int64_t bytes = kScratch, ofLoops = 0, ofStores = 0;
  for (DescriptorLoadOp load : loads) {
    if (auto loop = dyn_cast<scf::ForOp>(load->getParentOp()))
      byLoop[loop] += kBuffers * getBlockBytes(load.getDesc());
    else
      bytes += getBlockBytes(load.getDesc());
  }
  for (auto [loop, ofLoop] : byLoop)
    ofLoops = std::max(ofLoops, ofLoop);
  for (Operation *store : stores)
    ofStores = std::max(ofStores, getBlockBytes(getDesc(store)));
  return bytes + ofLoops + ofStores <= getTarget(function).getFact("on_chip_bytes", 48 * 1024);
}

void BlockCopySelector::select() {
  DenseMap<Value, Value> made;
  auto select = [&](Operation *access) {
    Value &own = made[getDesc(access)];
    auto desc = getDesc(access).getDefiningOp<MakeDescriptorOp>();
    if (!own) {
      OpBuilder b(desc);
      Operation *copy = b.clone(*desc);
      copy->setAttr(kBlockCopyAttr, b.getUnitAttr());
      own = copy->getResult(0);
    }
    access->setOperand(0, own);
    access->setAttr(kBlockCopyAttr, UnitAttr::get(access->getContext()));
  };
  llvm::for_each(loads, select);
  llvm::for_each(stores, select);
}

void BlockCopySelector::run() {
  if (!hasRoles(function) || !llvm::hasSingleElement(function.getBody()))
    return;
  collectWritten();
  collectRead();
  bool isWorthIt = false;
  function.walk([&](Operation *op) {
    if (auto load = dyn_cast<DescriptorLoadOp>(op); load && canFetch(load)) {
      loads.push_back(load);
      isWorthIt |= isa<scf::ForOp>(load->getParentOp()) && feedsDot(load.getResult());
    } else if (isStore(op) && canWrite(op)) {
      stores.push_back(op);
    }
  });
  if (!isWorthIt)
    return;
  if (!fitsOnChip())
    stores.clear();
  if (fitsOnChip())
    select();
}

void tile::selectBlockCopies(func::FuncOp function) { BlockCopySelector(function).run(); }
