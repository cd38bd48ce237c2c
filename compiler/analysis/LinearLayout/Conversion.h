//===- Conversion.h - Plans to move a tensor between register layouts ------===//
//
// From cheap to dear: nothing, renamed registers, shuffles within a warp,
// on-chip memory. A plan is data: lowering walks it and emits.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_LINEARLAYOUT_CONVERSION_H
#define TILE_ANALYSIS_LINEARLAYOUT_CONVERSION_H

#include "compiler/analysis/LinearLayout/Swizzle.h"
#include <variant>

namespace tile {

struct ConversionFacts {
  unsigned elementBits = 32; // 8, 16, 32 or 64
  unsigned shuffleBits = 32; // what one shuffle moves per lane
  MemoryFacts memory;
  /// Rough costs in issue slots; a barrier separates writes from reads.
  unsigned shuffleCost = 2, selectCost = 1, memoryCost = 2, barrierCost = 30;
  /// Scratch memory a conversion may use; more is split into passes where the
  /// layouts allow it. 0: no limit.
  int64_t maxScratchBytes = 0;
};

/// Register i of the result is register source[i]; -1: padding, anything.
struct RegisterPlan {
  llvm::SmallVector<int32_t> source;
};

/// Data moves in three steps, of which the first and last may be trivial:
///   sent[r]   = source[r ^ send(thread)]                     (selects)
///   got[r]    = sent[p] of lane (from(thread) ^ laneXor)     (see Round)
///   result[r] = got[r ^ receive(thread)]                     (selects)
/// where `thread` is the (lane, warp, block) at hand and p, laneXor are
/// constants of the round. `send` and `receive` are below the tile's number of
/// registers, so XOR leaves the digits of repeats alone.
struct ShufflePlan {
  LinearMap send, from, receive; // lane, warp, block -> Register | Lane | Register
  /// got[results[k]] = sent[sources[k]] of the other lane, for all k: values
  /// that fit in one shuffle together.
  struct Round {
    llvm::SmallVector<int32_t, 4> sources, results;
    uint64_t laneXor;
  };
  llvm::SmallVector<Round> rounds;
  /// In the end: result register `first` is a copy of `second`.
  llvm::SmallVector<std::pair<int32_t, int32_t>> copies;
  int64_t sourceRegisters = 0, resultRegisters = 0;

  /// Every value comes from the lane itself: no shuffle is needed, only the
  /// selects.
  bool staysInLane() const;
};

/// Through memory: each pass writes, synchronises, reads; between two passes
/// one more synchronisation. `write` and `read` take the layouts' own register
/// numbers. Every access is within the scratch, padding included.
struct MemoryPlan {
  LinearLayout memory; // Dim::Offset in elements -> coordinates
  AccessMap write, read;
  int64_t writeWidth = 1, readWidth = 1; // elements a vector
  struct Pass {
    llvm::SmallVector<VectorAccess> writes, reads;
    /// To be subtracted from the offsets of this pass.
    int64_t base = 0;
  };
  llvm::SmallVector<Pass, 1> passes;
  /// In the end: result register `first` is a copy of `second`.
  llvm::SmallVector<std::pair<int32_t, int32_t>> copies;
  int64_t scratchBytes = 0;
  /// Of all passes.
  BankUse writeUse, readUse;
  /// Warps read what they wrote themselves and each offset is one warp's: if
  /// nothing else uses the scratch meanwhile, warps need not wait for others.
  /// (Threads that hold copies write the same values to the same offsets.)
  bool isWithinWarps = false;
};

/// Why the layouts can not be converted by one program's threads.
struct UnsupportedPlan {
  std::string reason;
};

struct IdentityPlan {};

struct ConversionPlan {
  std::variant<IdentityPlan, RegisterPlan, ShufflePlan, MemoryPlan, UnsupportedPlan> steps;
  unsigned cost = 0;

  bool isIdentity() const { return std::holds_alternative<IdentityPlan>(steps); }
  bool needsMemory() const { return std::holds_alternative<MemoryPlan>(steps); }
  int64_t getScratchBytes() const {
    auto *memory = std::get_if<MemoryPlan>(&steps);
    return memory ? memory->scratchBytes : 0;
  }
};

/// The cheapest plan. Both layouts must cover `shape`; elements outside it may
/// end up as anything.
ConversionPlan planConversion(const LinearLayout &source, const LinearLayout &result,
                              llvm::ArrayRef<int64_t> shape, const ConversionFacts &facts);

/// One level each; nothing if that level can not do it. Every conversion that
/// does not cross blocks has a memory plan.
std::optional<RegisterPlan> planRegisters(const LinearLayout &source, const LinearLayout &result,
                                          llvm::ArrayRef<int64_t> shape);
std::optional<ShufflePlan> planShuffles(const LinearLayout &source, const LinearLayout &result,
                                        const ConversionFacts &facts);
std::optional<MemoryPlan> planMemory(const LinearLayout &source, const LinearLayout &result,
                                     llvm::ArrayRef<int64_t> shape, const ConversionFacts &facts);

} // namespace tile

#endif // TILE_ANALYSIS_LINEARLAYOUT_CONVERSION_H
