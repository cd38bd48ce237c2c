//===- ThreadLoads.cpp - Loads by pointers that the fetching role makes ---===//
#include "compiler/transforms/SpecializeWarps/ThreadLoads.h"

#include "compiler/analysis/LaunchExpression/LaunchExpression.h"
#include "compiler/analysis/OperandSource/OperandSource.h"
#include "compiler/analysis/SmallLoads/SmallLoads.h"
#include "compiler/analysis/ThreadCopies/ThreadCopies.h"
#include "compiler/transforms/SpecializeWarps/Roles.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile;

//===----------------------------------------------------------------------===//
// Whether there is such a role
//===----------------------------------------------------------------------===//

/// Whether the program's warps can be joined by `warps` others, each of which holds as
/// much of blocks as some of the former together.
static bool canHaveRole(func::FuncOp function, int64_t warps) {
  if (warps == 0 || !function->hasAttr(kKernelAttr))
    return false;
  int64_t programWarps = getModuleInt(function, kNumWarpsAttr, 1);
  return programWarps % warps == 0 && llvm::isPowerOf2_64(programWarps / warps);
}

/// Whether a loop of the program asks for it.
static bool isAskedFor(func::FuncOp function) {
  return function
      .walk([](scf::ForOp loop) {
        return loop->hasAttr(kWarpSpecializeAttr) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool tile::isWorthARole(func::FuncOp function, ArrayRef<RingLoad> copies) {
  return !copies.empty() || isAskedFor(function) ||
         getModuleInt(function, kNumWarpsAttr, 1) > getTarget(function).getFact("role_warps");
}

/// Descriptors that the program makes are one thread's.
bool tile::mayThreadsCopy(func::FuncOp function, ArrayRef<RingLoad> copies) {
  TargetAttr target = getTarget(function);
  int64_t warps = target ? target.getFact("role_warps") : 0;
  bool isMadeByProgram = llvm::any_of(copies, [](const RingLoad &copy) {
    auto desc = cast<DescriptorLoadOp>(copy.op).getDesc().getDefiningOp<MakeDescriptorOp>();
    return desc && !isMadeAtLaunch(desc);
  });
  return canHaveRole(function, warps) && getModuleInt(function, kNumCtasAttr, 1) == 1 &&
         !isMadeByProgram;
}

//===----------------------------------------------------------------------===//
// Which loads it makes
//===----------------------------------------------------------------------===//

/// What one instruction copies at most. Shorter copies would keep the few threads of the
/// role too busy.
static int64_t getWidestCopy(Operation *op) {
  int64_t most = 0;
  for (int64_t bytes : getTarget(op).getAsyncCopyBytes())
    most = std::max(most, bytes);
  return most;
}

/// What comes with operands of dots that the role copies, element by element: it is little.
bool ThreadLoads::isAccompanying(LoadOp load, scf::ForOp loop) const {
  return withOperands.contains(loop) && isSmallLoad(load, loop, LoopWrites(loop)) &&
         isBetterCopied(load, loop);
}

/// What copies of whole blocks can bring to `buffer`. They keep no hints about caches.
std::shared_ptr<const StridedBlock> ThreadLoads::findBlock(LoadOp load, BufferType buffer) const {
  if (load.getEviction() != EvictionPolicy::Normal)
    return nullptr;
  std::optional<StridedBlock> block = findStridedBlock(load, patterns, kBlockAlignment);
  if (!block || !getBlockCopyBox(load, getTransposedBuffer(buffer, block->getOrder())))
    return nullptr;
  return std::make_shared<const StridedBlock>(std::move(*block));
}

std::optional<RingLoad> ThreadLoads::select(LoadOp load) {
  auto type = dyn_cast<RankedTensorType>(load.getType());
  auto loop = dyn_cast<scf::ForOp>(load->getParentOp());
  if (!type || !loop || isa<PtrType>(type.getElementType()) || getOtherThanZero(load))
    return std::nullopt;
  bool isOperand = findFedDot(load).first != nullptr;
  if (!isOperand && !isAccompanying(load, loop))
    return std::nullopt;
  CopyRun run = findCopyRun(load, patterns);
  int64_t bytes = run.width * std::max(8u, type.getElementTypeBitWidth()) / 8;
  if (bytes == 0 || (isOperand && bytes != getWidestCopy(load)) || slice.add(load))
    return std::nullopt;
  RingLoad selected{load, chooseBuffer(load, run)};
  if (isOperand) {
    withOperands.insert(loop);
    selected.strided = findBlock(load, selected.block);
  }
  return selected;
}

/// What `mask` is made of by ops of which `Through` are.
template <typename... Through> static SetVector<Value> collectParts(Value mask) {
  SetVector<Value> all;
  all.insert(mask);
  for (size_t i = 0; i < all.size(); ++i)
    if (Operation *op = all[i].getDefiningOp(); isa_and_nonnull<Through...>(op))
      all.insert_range(op->getOperands());
  all.remove_if([](Value part) { return isa_and_nonnull<Through...>(part.getDefiningOp()); });
  return all;
}

/// Whether integers of 64 bits are compared to make `mask`.
static bool comparesWide(Value mask) {
  auto isWide = [](Value part) {
    auto compare = part.getDefiningOp<arith::CmpIOp>();
    return compare && isa<RankedTensorType>(part.getType()) &&
           getElementType(compare.getLhs().getType()).isInteger(64);
  };
  return llvm::any_of(
      collectParts<arith::AndIOp, arith::OrIOp, BroadcastOp, ExpandDimsOp, ConvertLayoutOp>(mask),
      isWide);
}

/// Registers that the masks of one thread's copies take for each of them: what changes from run to
/// run is compared again for each copy.
static int64_t countMaskWords(Value mask, unsigned runDim, const AccessAnalysis &patterns) {
  int64_t words = 0;
  for (Value part : collectParts<arith::AndIOp, arith::OrIOp>(mask)) {
    ArrayRef<int64_t> shape = getShape(part.getType());
    ValuePattern pattern = patterns.get(part);
    for (unsigned dim = 0; dim < shape.size(); ++dim)
      if (dim != runDim && pattern.constancy[dim] < getPowerOfTwoPart(shape[dim]))
        words = std::max<int64_t>(words, comparesWide(part) ? 2 : 1);
  }
  return words;
}

/// Whether addresses differ by more than 32 bits hold.
static bool hasWideOffsets(Value pointers) {
  Operation *op = pointers.getDefiningOp();
  if (isa_and_nonnull<BroadcastOp, ExpandDimsOp, HintOp, ConvertLayoutOp>(op))
    return hasWideOffsets(op->getOperand(0));
  auto add = dyn_cast_or_null<AddPtrOp>(op);
  if (!add)
    return false;
  bool isWide = getElementType(add.getOffset().getType()).isInteger(64) &&
                !add.getOffset().getDefiningOp<SplatOp>();
  return isWide || hasWideOffsets(add.getPointer());
}

/// Registers of one copy: its address, and what its mask takes. Where what tells addresses apart
/// has 32 bits, it takes one register, and the mask has the other.
static int64_t countWords(LoadOp load, const AccessAnalysis &patterns) {
  constexpr int64_t kWordsOfAddress = 2;
  int64_t ofMask = load.getMask()
                       ? countMaskWords(load.getMask(), findCopyRun(load, patterns).dim, patterns)
                       : 0;
  bool isBeside = ofMask == 1 && !hasWideOffsets(load.getPointer());
  return kWordsOfAddress + (isBeside ? 0 : ofMask);
}

/// An address for each copy of a thread, and what its mask takes. Addresses that were not kept in
/// registers would keep the next copies waiting.
int64_t ThreadLoads::countRegisters(ArrayRef<Ring> rings, int64_t threads) {
  std::optional<AccessAnalysis> patterns;
  int64_t words = 0;
  for (const Ring &ring : rings)
    for (auto [stack, load] : llvm::zip(ring.stacks, ring.sites.front())) {
      if (!stack.byThreads)
        continue;
      if (!patterns)
        patterns.emplace(load.op->getParentOfType<func::FuncOp>());
      int64_t copies = llvm::divideCeil(stack.block.getBytes(), threads * getWidestCopy(load.op));
      words += countWords(cast<LoadOp>(load.op), *patterns) * copies;
    }
  return words;
}
