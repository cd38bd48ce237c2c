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
///   sent[r]   = source[r ^ send(lane)]                 (selects)
///   got[r]    = sent[r'] of lane (from(lane) ^ xor)    (one round each)
///   result[r] = got[r ^ receive(lane)]                 (selects)
/// `send` and `receive` move only registers within one group of rounds: see
/// Round. Register numbers are full numbers, repeats included.
struct ShufflePlan {
  LinearMap send;    // lane -> register of the source's tile
  LinearMap from;    // lane -> lane
  LinearMap receive; // lane -> register of the result's tile
  /// sent[sources[k]] of the other lane becomes got[results[k]], for all k,
  /// packed into one shuffle.
  struct Round {
    llvm::SmallVector<int32_t, 4> sources, results;
    uint64_t laneXor;
  };
  llvm::SmallVector<Round> rounds;
  /// After `receive`: result register `first` is a copy of `second`.
  llvm::SmallVector<std::pair<int32_t, int32_t>> copies;
  int64_t sourceRegisters, resultRegisters;
};

/// Through memory: each pass writes, synchronises, reads; between two passes
/// one more synchronisation. Registers that no write names hold copies.
struct MemoryPlan {
  LinearLayout memory; // Dim::Offset in elements -> coordinates
  AccessMap write, read;
  int64_t writeWidth = 1, readWidth = 1; // elements a vector
  struct Pass {
    llvm::SmallVector<VectorAccess> writes, reads;
    /// Subtract from the offsets of this pass.
    int64_t base = 0;
  };
  llvm::SmallVector<Pass, 1> passes;
  /// Result register `first` is a copy of `second`.
  llvm::SmallVector<std::pair<int32_t, int32_t>> copies;
  int64_t scratchBytes = 0;
  BankUse writeUse, readUse;
  /// Source lanes, warps and blocks that hold copies need not write
  /// (LinearLayout::isOwner); they may, as they write the same values.
  /// No element crosses warps: synchronising each warp with itself is enough.
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

/// One level each; nothing if that level can not do it. (Every conversion has a
/// memory plan unless elements cross blocks.)
std::optional<RegisterPlan> planRegisters(const LinearLayout &source, const LinearLayout &result,
                                          llvm::ArrayRef<int64_t> shape);
std::optional<ShufflePlan> planShuffles(const LinearLayout &source, const LinearLayout &result,
                                        const ConversionFacts &facts);
std::optional<MemoryPlan> planMemory(const LinearLayout &source, const LinearLayout &result,
                                     llvm::ArrayRef<int64_t> shape, const ConversionFacts &facts);

} // namespace tile

#endif // TILE_ANALYSIS_LINEARLAYOUT_CONVERSION_H
