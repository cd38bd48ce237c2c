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
///   offset = XOR of `linear` and of each group's low bits
///          + sum over groups of (value >> low.size()) * stride
/// where a group's value is an integer, `tile`(index) plus its digits. Shapes
/// of powers of two have no groups: the offset is then plainly linear.
class AccessMap {
public:
  /// ((index / divisor) % count) * weight of an input space.
  struct Digit {
    Dim in;
    int64_t divisor, count, weight;
  };
  /// A coordinate above what both layouts agree on being linear.
  struct Group {
    LinearMap tile; // -> Dim::Offset, the value in question
    llvm::SmallVector<Digit, 2> digits;
    llvm::SmallVector<uint64_t, 4> low; // offsets of the value's low bits
    int64_t stride;
    int64_t getValue(llvm::ArrayRef<DimIndex> indices) const;
  };

  /// Offsets of the elements of `registers` in `memory` (an injective layout
  /// over Dim::Offset). What lies outside `memory` gets an offset of no
  /// meaning: callers mask it.
  static AccessMap get(const LinearLayout &registers, const LinearLayout &memory);

  int64_t apply(llvm::ArrayRef<DimIndex> indices) const;
  bool isLinear() const { return groups.empty(); }
  const LinearMap &getLinear() const { return linear; }
  llvm::ArrayRef<Group> getGroups() const { return groups; }
  int64_t getInSize(Dim in) const;

  /// Offset bits that some lane, warp or block moves. Bits of a register's
  /// offset outside may be added as an immediate, those inside must be XORed.
  uint64_t getThreadBits() const;

  /// Most registers, up to `limit`, that lie at consecutive offsets, aligned,
  /// in every thread.
  int64_t getVectorWidth(int64_t limit) const;

private:
  LinearMap linear;
  llvm::SmallVector<Group, 2> groups;
  llvm::SmallVector<DimIndex, 4> inSizes;
  friend class AccessMapBuilder;
};

/// One access of each thread: registers at consecutive offsets.
struct VectorAccess {
  llvm::SmallVector<int32_t> registers;
  /// Offset of registers[0] in lane 0 of warp 0: XOR (linear part) with the
  /// thread's, see AccessMap::getThreadBits.
  int64_t offset;
};

/// Covers all registers of `access`, `width` at a time; `width` must be at
/// most getVectorWidth(width). Registers whose bit is set in `skip` (copies:
/// LinearLayout::getFreeMask) are left out.
llvm::SmallVector<VectorAccess> getVectorAccesses(const AccessMap &access, int64_t width,
                                                  uint64_t skip = 0);

/// Instructions in which lanes supply the addresses of rows that other lanes
/// receive parts of (matrix loads and stores). Says which bits of the
/// fragment's index run along a row, and whose row each lane points at.
struct CollectiveAccess {
  llvm::SmallVector<InputBit> row;     // contiguous bits, fastest first
  llvm::SmallVector<InputBit> address; // address[i]: what bit i of the lane selects
};

/// The map from (lane, warp, block, remaining registers) to the offset of the
/// row that a lane must point at. Nothing if rows are not contiguous in memory
/// under `access`. Registers in `row` and `address` go to zero in the result.
std::optional<AccessMap> getCollectiveAddresses(const AccessMap &access,
                                                const CollectiveAccess &collective);

/// Memory transactions, and how many would do without conflicts.
struct BankUse {
  int64_t wavefronts = 0;
  int64_t ideal = 0;
  bool isConflictFree() const { return wavefronts == ideal; }
};

/// Counts, for warp 0 (all warps are alike when `access` is linear), the
/// wavefronts of the given accesses. A warp is served in groups of consecutive
/// lanes that together ask for one bank line; equal words are served once.
BankUse countBankUse(const AccessMap &access, llvm::ArrayRef<VectorAccess> accesses,
                     unsigned elementBits, const MemoryFacts &facts);

} // namespace tile

#endif // TILE_ANALYSIS_LINEARLAYOUT_ACCESS_H
