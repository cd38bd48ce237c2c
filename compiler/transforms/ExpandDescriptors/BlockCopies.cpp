//===- BlockCopies.cpp - Which accesses are left to copies of blocks ------===//
#include "compiler/transforms/ExpandDescriptors/BlockCopies.h"

#include "compiler/analysis/AddressSlice/AddressSlice.h"
#include "compiler/analysis/ArrayUses/ArrayUses.h"
#include "compiler/analysis/LoopSlice/LoopSlice.h"
#include "compiler/analysis/OperandSource/OperandSource.h"
#include "compiler/transforms/ExpandDescriptors/DescriptorMakers.h"
#include "dialects/tile/IR/BlockCopy.h"

using namespace mlir;
using namespace tile;

namespace {
class BlockCopySelector {
public:
  explicit BlockCopySelector(func::FuncOp function)
      : function(function), slice(function), uses(function), makers(function) {}
  void run();

private:
  bool canFetch(DescriptorLoadOp load);
  bool canWrite(Operation *store);
  bool canMake(Operation *access);
  bool staysInside(Operation *store);
  void collectStores();
  void select();
  int64_t getLoadBytes() const;
  int64_t getStoreBytes() const;
  int64_t getExchangedBytes() const;
  bool fitsOnChip() const;

  func::FuncOp function;
  AddressSlice slice;
  ArrayUses uses;
  DescriptorMakers makers;
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

/// Whether somebody can make the descriptor of an access that is fit for a copy.
bool BlockCopySelector::canMake(Operation *access) {
  DescriptorMaker maker = makers.find(access);
  if (maker == DescriptorMaker::Unaligned)
    access->emitRemark(
        "this access is made by pointers: copies of whole blocks need a base and strides that "
        "are known to be multiples of 16 bytes");
  return maker == DescriptorMaker::Host || maker == DescriptorMaker::Program;
}

bool BlockCopySelector::canFetch(DescriptorLoadOp load) {
  DescType type = load.getDesc().getType();
  return chooseBlockCopyLayout(load, type.getShape(), type.getElementType()) &&
         uses.mayFetchAhead(load, load.getDesc()) && canMake(load) && !slice.add(load);
}

/// What one instruction adds up.
static bool canReduce(DescriptorReduceOp op) {
  Type element = op.getDesc().getType().getElementType();
  return op.getKind() == AtomicKind::FAdd &&
         (element.isF32() || element.isF16() || element.isBF16());
}

/// Whether a copy writes what is inside of the array alone. What it adds behind a
/// row is zero.
bool BlockCopySelector::staysInside(Operation *store) {
  if (isa<DescriptorReduceOp>(store) || makers.hasWholeRows(store))
    return true;
  store->emitRemark("this store is made by pointers: a copy of the whole block would write on to "
                    "the next multiple of 16 bytes behind rows that are not known to be one");
  return false;
}

/// Nothing tells when the array has been written: only when the buffer has been read.
bool BlockCopySelector::canWrite(Operation *store) {
  auto type = cast<DescType>(getDesc(store).getType());
  auto reduce = dyn_cast<DescriptorReduceOp>(store);
  return (!reduce || canReduce(reduce)) &&
         chooseBlockCopyLayout(store, type.getShape(), type.getElementType()) &&
         uses.mayStoreLate(store, getDesc(store)) && canMake(store) && staysInside(store);
}

static int64_t getBytes(Type type) {
  Type element = getElementType(type);
  int64_t bits = isa<PtrType>(element) ? 64 : std::max(8u, element.getIntOrFloatBitWidth());
  return ShapedType::getNumElements(getShape(type)) * bits / 8;
}

static int64_t getBlockBytes(Value desc) {
  auto type = cast<DescType>(desc.getType());
  return ShapedType::getNumElements(type.getShape()) *
         type.getElementType().getIntOrFloatBitWidth() / 8;
}

/// Two buffers for each load of a loop, which loops of the same blocks share, and one for
/// each other load. In loops around others, operands of dots have one at least; what is
/// computed with otherwise is exchanged among threads perhaps, in as much memory.
int64_t BlockCopySelector::getLoadBytes() const {
  constexpr int64_t kBuffers = 2;
  llvm::MapVector<Operation *, SmallVector<std::pair<Type, int64_t>>> byLoop;
  int64_t bytes = 0;
  for (DescriptorLoadOp load : loads) {
    auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
    if (loop)
      byLoop[loop].push_back(
          {load.getType(), isInnermost(loop) || !isMultiplied(load.getResult()) ? kBuffers : 1});
    else
      bytes += getBlockBytes(load.getDesc());
  }
  SmallVector<SmallVector<std::pair<Type, int64_t>>> kinds;
  for (auto &[loop, buffers] : byLoop) {
    if (llvm::is_contained(kinds, buffers))
      continue;
    kinds.push_back(buffers);
    for (auto [type, count] : buffers)
      bytes += count * getBytes(type);
  }
  return bytes;
}

/// One buffer for all stores of a kind of block.
int64_t BlockCopySelector::getStoreBytes() const {
  DenseSet<Type> kinds;
  int64_t bytes = 0;
  for (Operation *store : stores)
    if (kinds.insert(getDesc(store).getType()).second)
      bytes += getBlockBytes(getDesc(store));
  return bytes;
}

/// What threads may have to exchange: blocks that pointers store, and operands that
/// are computed and that units read on chip.
int64_t BlockCopySelector::getExchangedBytes() const {
  constexpr int64_t kLeast = 8 * 1024;
  int64_t stored = kLeast, operands = 0;
  func::FuncOp(function).walk([&](Operation *op) {
    if (auto store = dyn_cast<StoreOp>(op))
      stored = std::max(stored, getBytes(store.getValue().getType()));
    else if (isStore(op) && !llvm::is_contained(stores, op))
      stored = std::max(stored, getBlockBytes(getDesc(op)));
    else if (std::optional<AtomicAccess> atomic = getAtomicAccess(op);
             atomic && !atomic->values.empty())
      stored = std::max(stored, getBytes(atomic->values.back().getType()));
    else if (auto dot = dyn_cast<DotOp>(op))
      if (Value b = traceOperand(dot.getB()).block; !b.getDefiningOp<DescriptorLoadOp>())
        operands += getBytes(b.getType());
  });
  return stored + operands;
}

bool BlockCopySelector::fitsOnChip() const {
  return getLoadBytes() + getStoreBytes() + getExchangedBytes() <=
         getTarget(function).getFact("on_chip_bytes", 48 * 1024);
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

/// All stores to an array are made alike, and do the same to it: nothing orders
/// copies with what threads write, nor sums with what they are added to.
void BlockCopySelector::collectStores() {
  function.walk([&](Operation *op) {
    if (isStore(op) && canWrite(op))
      stores.push_back(op);
  });
  SmallVector<Operation *> candidates = stores;
  llvm::erase_if(stores, [&](Operation *store) {
    return !llvm::all_of(uses.getWriters(getArray(getDesc(store))), [&](Operation *writer) {
      return llvm::is_contained(candidates, writer) && writer->getName() == store->getName();
    });
  });
}

void BlockCopySelector::run() {
  if (!hasRoles(function) || !llvm::hasSingleElement(function.getBody()))
    return;
  function.walk([&](DescriptorLoadOp load) {
    if (canFetch(load))
      loads.push_back(load);
  });
  if (llvm::none_of(loads, [](DescriptorLoadOp load) {
        return isa<scf::ForOp>(load->getParentOp()) && isMultiplied(load.getResult());
      }))
    return;
  collectStores();
  if (!fitsOnChip())
    stores.clear();
  if (fitsOnChip())
    select();
}

void tile::selectBlockCopies(func::FuncOp function) { BlockCopySelector(function).run(); }
