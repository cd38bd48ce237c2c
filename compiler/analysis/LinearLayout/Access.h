//===- Access.h - Addresses of a register layout in on-chip memory ---------===//
//
// Given where elements are in registers and where they are in memory: the
// offset of each, how to group registers into vectors, and what bank conflicts
// that costs.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_LINEARLAYOUT_ACCESS_H
#define TILE_ANALYSIS_LINEARLAYOUT_ACCESS_H

#include "compiler/analysis/LinearLayout/LinearLayout.h"

namespace tile {

/// Facts of an on-chip memory.
struct MemoryFacts {
  unsigned banks = 32;
  unsigned bankBytes = 4;
  unsigned maxAccessBits = 128; // widest vector a lane moves
  unsigned lanes = 32;
};

/// Hardware index -> element offset:
///   offset = XOR of `linear` and of each group's `low` bits
///          + sum over each group's `outer` digits.
/// A group is a coordinate above what both layouts agree on being linear; there
/// are none for shapes of powers of two, whose offsets are plainly linear.
/// OffsetEmitter writes this down as arithmetic.
class AccessMap {
public:
  /// ((index / divisor) % count) * weight of an input space.
  struct Digit {
    Dim in;
    int64_t divisor, count, weight;
  };
  struct OuterDigit {
    int64_t count, stride;
  };
  /// value = tile(index) + sum of digits. Bit i of it, while there are `low`
  /// ones, XORs low[i]; what is above counts through `outer`, first fastest.
  struct Group {
    LinearMap tile; // -> Dim::Offset, the value
    llvm::SmallVector<Digit, 2> digits;
    llvm::SmallVector<uint64_t, 4> low;
    llvm::SmallVector<OuterDigit, 2> outer;
    bool dependsOnThread() const;
  };

  AccessMap() = default;
  AccessMap(LinearMap linear, llvm::ArrayRef<Group> groups) : linear(linear), groups(groups) {}

  /// Offsets of the elements of `registers` in `memory`, an injective layout
  /// over Dim::Offset. Elements that `memory` does not cover get offsets of no
  /// meaning: callers mask them.
  static AccessMap get(const LinearLayout &registers, const LinearLayout &memory);

  int64_t apply(llvm::ArrayRef<DimIndex> indices) const;
  bool isLinear() const { return groups.empty(); }
  const LinearMap &getLinear() const { return linear; }
  llvm::ArrayRef<Group> getGroups() const { return groups; }

  /// Offset bits that XOR of some lane, warp or block moves: a register's
  /// offset may be added to a thread's where it has none of them.
  uint64_t getThreadBits() const;

  /// Most registers, up to `limit`, that lie at consecutive offsets, aligned,
  /// in every thread.
  int64_t getVectorWidth(int64_t limit) const;

private:
  LinearMap linear;
  llvm::SmallVector<Group, 2> groups;
};

/// One access of each thread: registers at consecutive offsets, the first one
/// aligned.
using VectorAccess = llvm::SmallVector<int32_t, 8>;

/// Groups registers 0 to `count` - 1, `width` at a time; `width` must be at most
/// getVectorWidth(width). See LinearLayout::withoutRedundantRegisters for not
/// storing copies.
llvm::SmallVector<VectorAccess> getVectorAccesses(const AccessMap &access, int64_t count,
                                                  int64_t width);

/// Instructions in which lanes supply the addresses of rows that other lanes
/// receive parts of (matrix loads and stores). Says which bits of the
/// fragment's index run along a row, and whose row each lane points at.
struct CollectiveAccess {
  llvm::SmallVector<InputBit> row;     // contiguous bits, fastest first
  llvm::SmallVector<InputBit> address; // address[i]: what bit i of the lane selects

  /// Whether rows are of elements of so many bits: they have 16 bytes.
  bool moves(unsigned elementBits) const { return elementBits << row.size() == 128; }
};

/// The map from (lane, warp, block, remaining registers) to the offset of the
/// row that a lane must point at. Nothing if rows are not contiguous in memory
/// under `access`. Registers in `row` and `address` go to zero in the result.
std::optional<AccessMap> getCollectiveAddresses(const AccessMap &access,
                                                const CollectiveAccess &collective);

/// log2 of the number of lanes that are served together.
unsigned getServedLaneBits(int64_t accessBytes, const MemoryFacts &facts);

/// Memory transactions, and how many would do without conflicts.
struct BankUse {
  int64_t wavefronts = 0;
  int64_t ideal = 0;
  bool isConflictFree() const { return wavefronts == ideal; }
};

/// Counts, for warp 0 (all warps are alike when `access` is linear), the
/// wavefronts of the given accesses. A warp is served in groups of consecutive
/// lanes that together ask for one line of the banks, each for at least a word;
/// equal words are served once.
BankUse countBankUse(const AccessMap &access, llvm::ArrayRef<VectorAccess> accesses,
                     unsigned elementBits, const MemoryFacts &facts);

} // namespace tile

#endif // TILE_ANALYSIS_LINEARLAYOUT_ACCESS_H
