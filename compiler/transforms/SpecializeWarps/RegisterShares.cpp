//===- RegisterShares.cpp - Registers of a thread of each role ------------===//
#include "compiler/transforms/SpecializeWarps/RegisterShares.h"

#include "compiler/analysis/BufferPlan/BufferPlan.h"
#include "compiler/analysis/LayoutInference/LayoutInference.h"
#include "compiler/analysis/OperandSource/OperandSource.h"

#include "mlir/Analysis/Liveness.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tile;

//===----------------------------------------------------------------------===//
// What a program needs
//===----------------------------------------------------------------------===//

/// Registers of a thread that accumulators of one instruction take.
static int64_t getMostAccumulators(func::FuncOp function) {
  int64_t most = 0;
  function.walk([&](DotOp dot) {
    if (MatmulUnit unit = dot.getUnitAttr())
      most = std::max(most, unit.getFragment(MatmulOperand::Acc).getInSize(Dim::Register));
  });
  return most;
}

/// Whether no thread holds the value: units read it on chip, or it is the same
/// everywhere.
static bool isHeldByNobody(Value value) {
  Operation *def = value.getDefiningOp();
  if (!def)
    return false;
  if (matchPattern(value, m_Constant()) || isa<SplatOp>(def))
    return true;
  if (!isa<DescriptorLoadOp, LoadOp>(def) && !isViewOfBlock(def))
    return false;
  return llvm::all_of(def->getUsers(), [&](Operation *user) {
    if (auto dot = dyn_cast<DotOp>(user))
      return dot.getUnitAttr() && dot.getUnitAttr().readsOnChip() && dot.getAcc() != value;
    return isViewOfBlock(user) && isHeldByNobody(user->getResult(0));
  });
}

/// Registers of one of `threads` that hold the value. Bytes are taken apart in pairs.
static int64_t countWords(Value value, int64_t threads) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || isHeldByNobody(value))
    return 0;
  Type element = type.getElementType();
  int64_t bits = isa<PtrType>(element) ? 64 : element.getIntOrFloatBitWidth();
  LayoutAttr layout = getLayout(type);
  int64_t count = layout ? layout.getLayout().getInSize(Dim::Register)
                         : llvm::divideCeil(type.getNumElements(), threads);
  return llvm::divideCeil(count * (bits == 8 ? 16 : bits), 32);
}

/// The most that blocks take at one point of the program.
static int64_t getMostWords(func::FuncOp function, int64_t threads) {
  Liveness liveness(function);
  int64_t most = 0;
  function.walk([&](Block *block) {
    const LivenessBlockInfo *info = liveness.getLiveness(block);
    DenseSet<Value> live(info->out().begin(), info->out().end());
    for (Operation &op : llvm::reverse(*block)) {
      for (Value result : op.getResults())
        live.insert(result);
      int64_t words = 0;
      for (Value value : live)
        words += countWords(value, threads);
      most = std::max(most, words);
      for (Value result : op.getResults())
        live.erase(result);
      op.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (operand.getParentBlock() == block || info->isLiveIn(operand))
            live.insert(operand);
      });
    }
  });
  return most;
}

//===----------------------------------------------------------------------===//
// What it gets
//===----------------------------------------------------------------------===//

namespace {
/// Deals out the machine's registers, in steps; all warps get the same number at
/// first.
struct Dealer {
  static constexpr int64_t kStep = 8, kMost = 240;
  int64_t registers, computingWarps, fetchingWarps, lanes, fetching;

  int64_t getAtFirst(int64_t programs) const {
    int64_t threads = (computingWarps + fetchingWarps) * lanes;
    return std::min(kMost, registers / programs / threads / kStep * kStep);
  }

  int64_t getComputing(int64_t programs) const {
    int64_t all = getAtFirst(programs) * (computingWarps + fetchingWarps);
    return std::min(kMost, (all - fetching * fetchingWarps) / computingWarps / kStep * kStep);
  }
};
} // namespace

/// How many programs share the machine: as many as on-chip memory and registers
/// hold, and two of few warps in any case of the latter.
static int64_t countPrograms(func::FuncOp function, const Dealer &dealer, int64_t onChipBytes) {
  constexpr int64_t kMost = 4;
  int64_t programs = std::clamp<int64_t>(countFittingPrograms(function, onChipBytes), 1, kMost);
  int64_t least = dealer.computingWarps > dealer.fetchingWarps ? 1 : 2;
  if (programs <= least)
    return programs;
  // A quarter more than blocks take, and what numbers and addresses do; all that
  // one instruction takes must be there at first.
  constexpr int64_t kOthers = 40;
  int64_t needed = getMostWords(function, dealer.computingWarps * dealer.lanes) * 5 / 4 + kOthers;
  int64_t first = getMostAccumulators(function) + kOthers;
  auto fits = [&] {
    return dealer.getComputing(programs) >= needed && dealer.getAtFirst(programs) >= first;
  };
  while (programs > least && !fits())
    --programs;
  return programs;
}

RegisterShares tile::shareRegisters(func::FuncOp function, int64_t computingWarps,
                                    int64_t fetchingWarps, int64_t addressWords,
                                    int64_t onChipBytes) {
  // One thread, or all with what else they compute.
  constexpr int64_t kOthers = 32, kOneFetching = 24, kAllFetching = 40;
  TargetAttr target = getTarget(function);
  Dealer dealer{
      target.getFact("program_registers"), computingWarps, fetchingWarps, target.getLanes(),
      addressWords == 0 ? kOneFetching
                        : int64_t(llvm::alignTo(kAllFetching + addressWords, Dealer::kStep))};
  if (dealer.registers == 0)
    return {};
  int64_t programs = countPrograms(function, dealer, onChipBytes);
  // All that one instruction takes must be there at first; and where nothing is
  // gained, threads have what they need anyway.
  if (dealer.getAtFirst(programs) < getMostAccumulators(function) + kOthers ||
      dealer.getComputing(programs) <= dealer.getAtFirst(programs))
    return {};
  return {static_cast<int32_t>(dealer.getComputing(programs)),
          static_cast<int32_t>(dealer.fetching)};
}
