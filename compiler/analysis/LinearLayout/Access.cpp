//===- Access.cpp - Addresses of a register layout in on-chip memory -------===//
//
// Composition of a register layout with the inverse of a memory layout, vectors
// and bank conflicts.
//
//===----------------------------------------------------------------------===//
#include "compiler/analysis/LinearLayout/Access.h"

#include "compiler/analysis/LinearLayout/Runs.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>
#include <map>
#include <set>

namespace tile {

//===----------------------------------------------------------------------===//
// Composition
//===----------------------------------------------------------------------===//

/// Index of the tile, without the digits of repeats above it.
static uint64_t getTileIndex(const LinearMap &tile, Dim in, uint64_t index) {
  return index & ((uint64_t(1) << tile.getInBits(in)) - 1);
}

static uint64_t applyTile(const LinearMap &tile, llvm::ArrayRef<DimIndex> indices) {
  uint64_t image = 0;
  for (auto [in, index] : indices)
    image ^= tile.applyDim(in, getTileIndex(tile, in, index));
  return image;
}

bool AccessMap::Group::dependsOnThread() const {
  for (DimBits in : tile.getIns())
    if (in.dim != Dim::Register &&
        llvm::any_of(tile.getColumns(in.dim), [](uint64_t column) { return column != 0; }))
      return true;
  return llvm::any_of(digits, [](const Digit &digit) { return digit.in != Dim::Register; });
}

int64_t AccessMap::apply(llvm::ArrayRef<DimIndex> indices) const {
  uint64_t exclusive = applyTile(linear, indices);
  int64_t sum = 0;
  for (const Group &group : groups) {
    int64_t value = applyTile(group.tile, indices);
    for (const Digit &digit : group.digits)
      for (auto [in, index] : indices)
        if (in == digit.in)
          value += int64_t(index) / digit.divisor % digit.count * digit.weight;
    for (uint64_t low : group.low) {
      exclusive ^= value & 1 ? low : 0;
      value >>= 1;
    }
    for (const OuterDigit &outer : group.outer) {
      sum += value % outer.count * outer.stride;
      value /= outer.count;
    }
  }
  return int64_t(exclusive) + sum;
}

namespace {
/// Builds an AccessMap dimension by dimension. Of each coordinate, the bits
/// that are linear in both layouts go through the inverse of the memory's tile;
/// the rest becomes a group.
class AccessMapBuilder {
public:
  AccessMapBuilder(const LinearLayout &registers, const LinearLayout &memory)
      : registers(registers), memory(memory), inverse(invertMemory(memory)),
        offsetBits(memory.getTile().getTotalInBits()),
        linear(registers.getTile().getIns(), {{Dim::Offset, offsetBits}}) {}

  AccessMap build() {
    assert(registers.getRank() == memory.getRank() && "layouts of one tensor");
    for (DimBits out : registers.getTile().getOuts()) {
      unsigned shared = std::min(out.bits, memory.getTile().getOutBits(out.dim));
      addLinear(out.dim, shared);
      addGroup(out, shared);
    }
    return AccessMap(linear, groups);
  }

private:
  static LinearMap invertMemory(const LinearLayout &memory) {
    assert(memory.isInjective() && "each offset holds another element");
    return *memory.getTile().invert();
  }

  /// The offset that bit `bit` of coordinate `dim` adds.
  uint64_t getOffset(Dim dim, unsigned bit) const { return inverse.getColumns(dim)[bit]; }

  void addLinear(Dim dim, unsigned shared) {
    const LinearMap &tile = registers.getTile();
    for (DimBits in : tile.getIns())
      for (unsigned bit = 0; bit < in.bits; ++bit) {
        uint64_t coordinate = tile.getColumn(in.dim, bit, dim);
        uint64_t offset = linear.getColumns(in.dim)[bit];
        for (unsigned i = 0; i < shared; ++i)
          offset ^= coordinate >> i & 1 ? getOffset(dim, i) : 0;
        linear.setColumn(in.dim, bit, offset);
      }
  }

  void addGroup(DimBits out, unsigned shared) {
    AccessMap::Group group;
    group.digits = getDigits(out, shared);
    if (out.bits == shared && group.digits.empty())
      return;
    const LinearMap &tile = registers.getTile();
    group.tile = LinearMap(tile.getIns(), {{Dim::Offset, out.bits - shared}});
    for (DimBits in : tile.getIns())
      for (unsigned bit = 0; bit < in.bits; ++bit)
        group.tile.setColumn(in.dim, bit, tile.getColumn(in.dim, bit, out.dim) >> shared);
    for (unsigned bit = shared; bit < memory.getTile().getOutBits(out.dim); ++bit)
      group.low.push_back(getOffset(out.dim, bit));
    int64_t stride = int64_t(1) << offsetBits;
    for (const Repeat &repeat : memory.getRepeats()) {
      if (repeat.out == out.dim)
        group.outer.push_back({repeat.count, stride});
      stride *= repeat.count;
    }
    groups.push_back(std::move(group));
  }

  /// Repeats of `registers` along a dimension, in units of 2^shared.
  llvm::SmallVector<AccessMap::Digit, 2> getDigits(DimBits out, unsigned shared) const {
    llvm::SmallVector<AccessMap::Digit, 2> digits;
    llvm::SmallVector<int64_t, 8> divisors(unsigned(Dim::None), 1);
    for (DimBits in : registers.getTile().getIns())
      divisors[unsigned(in.dim)] <<= in.bits;
    int64_t weight = int64_t(1) << (out.bits - shared);
    for (const Repeat &repeat : registers.getRepeats()) {
      int64_t &divisor = divisors[unsigned(repeat.in)];
      if (repeat.out == out.dim) {
        digits.push_back({repeat.in, divisor, repeat.count, weight});
        weight *= repeat.count;
      }
      divisor *= repeat.count;
    }
    return digits;
  }

  const LinearLayout &registers, &memory;
  LinearMap inverse;
  unsigned offsetBits;
  LinearMap linear;
  llvm::SmallVector<AccessMap::Group, 2> groups;
};
} // namespace

AccessMap AccessMap::get(const LinearLayout &registers, const LinearLayout &memory) {
  return AccessMapBuilder(registers, memory).build();
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

uint64_t AccessMap::getThreadBits() const {
  uint64_t bits = 0;
  for (DimBits in : linear.getIns())
    if (in.dim != Dim::Register)
      for (uint64_t column : linear.getColumns(in.dim))
        bits |= column;
  for (const Group &group : groups)
    if (group.dependsOnThread())
      for (uint64_t low : group.low)
        bits |= low;
  return bits;
}

/// Runs along the lowest offset bits. A register that moves a group's value
/// also moves the offset elsewhere, so values are stacked above the offset.
static RegisterRuns findRuns(const AccessMap &access, int64_t limit) {
  const LinearMap &linear = access.getLinear();
  llvm::SmallVector<uint64_t> columns(linear.getColumns());
  unsigned shift = linear.getTotalOutBits(), usable = llvm::Log2_64(limit);
  for (const AccessMap::Group &group : access.getGroups()) {
    for (auto [column, value] : llvm::zip(columns, group.tile.getColumns()))
      column |= value << shift;
    shift += group.tile.getTotalOutBits();
    assert(shift <= 64 && "offsets and values fit in one word");
    for (uint64_t low : group.low)
      usable = std::min<unsigned>(usable, llvm::countr_zero(low));
    for (const AccessMap::OuterDigit &outer : group.outer)
      usable = std::min<unsigned>(usable, llvm::countr_zero(uint64_t(outer.stride)));
  }
  usable = std::min(usable, linear.getTotalOutBits());
  llvm::SmallVector<uint64_t> units;
  for (unsigned bit = 0; bit < usable; ++bit)
    units.push_back(uint64_t(1) << bit);
  // Registers are packed lowest.
  unsigned registerBits = linear.getInBits(Dim::Register);
  llvm::ArrayRef<uint64_t> all(columns);
  return RegisterRuns(all.take_front(registerBits), all.drop_front(registerBits), units);
}

int64_t AccessMap::getVectorWidth(int64_t limit) const {
  return findRuns(*this, limit).getLength();
}

llvm::SmallVector<VectorAccess> getVectorAccesses(const AccessMap &access, int64_t count,
                                                  int64_t width) {
  auto inTile = findRuns(access, width).getGroups(width);
  llvm::SmallVector<VectorAccess> accesses;
  int64_t tileSize = int64_t(1) << access.getLinear().getInBits(Dim::Register);
  for (int64_t base = 0; base < count; base += tileSize)
    for (const auto &group : inTile) {
      VectorAccess &run = accesses.emplace_back();
      for (int32_t reg : group)
        run.push_back(int32_t(base + reg));
    }
  return accesses;
}

//===----------------------------------------------------------------------===//
// Collective accesses
//===----------------------------------------------------------------------===//

static uint64_t getColumn(const LinearMap &map, InputBit bit) {
  llvm::ArrayRef<uint64_t> columns = map.getColumns(bit.dim);
  return bit.bit < columns.size() ? columns[bit.bit] : 0;
}

static bool hasBit(const LinearMap &map, InputBit bit) { return bit.bit < map.getInBits(bit.dim); }

static bool isListed(llvm::ArrayRef<InputBit> bits, Dim dim, unsigned bit) {
  return llvm::any_of(bits, [&](InputBit known) { return known.dim == dim && known.bit == bit; });
}

/// Rows are contiguous: their bits, and only they, move within a row.
static bool hasContiguousRows(const AccessMap &access, const CollectiveAccess &collective) {
  const LinearMap &linear = access.getLinear();
  unsigned rowBits = collective.row.size();
  uint64_t inRow = (uint64_t(1) << rowBits) - 1;
  for (DimBits in : linear.getIns())
    for (auto [bit, column] : llvm::enumerate(linear.getColumns(in.dim)))
      if (!isListed(collective.row, in.dim, bit) && (column & inRow))
        return false;
  for (auto [i, bit] : llvm::enumerate(collective.row))
    if (!hasBit(linear, bit) || getColumn(linear, bit) != uint64_t(1) << i)
      return false;
  for (const AccessMap::Group &group : access.getGroups()) {
    for (InputBit bit : collective.row)
      if (getColumn(group.tile, bit) != 0)
        return false;
    if (llvm::any_of(group.low, [&](uint64_t low) { return (low & inRow) != 0; }))
      return false;
    for (const AccessMap::OuterDigit &outer : group.outer)
      if (outer.stride & inRow)
        return false;
  }
  return true;
}

std::optional<AccessMap> getCollectiveAddresses(const AccessMap &access,
                                                const CollectiveAccess &collective) {
  const LinearMap &linear = access.getLinear();
  if (!hasContiguousRows(access, collective) ||
      collective.address.size() > linear.getInBits(Dim::Lane))
    return std::nullopt;
  for (InputBit bit : collective.address)
    if (!hasBit(linear, bit))
      return std::nullopt;
  for (unsigned bit = 0; bit < linear.getInBits(Dim::Lane); ++bit)
    if (!isListed(collective.row, Dim::Lane, bit) && !isListed(collective.address, Dim::Lane, bit))
      return std::nullopt;
  // Digits of lanes would need the lane that receives, not the one that points.
  for (const AccessMap::Group &group : access.getGroups())
    for (const AccessMap::Digit &digit : group.digits)
      if (digit.in == Dim::Lane)
        return std::nullopt;
  auto redirect = [&](const LinearMap &map) {
    LinearMap result(map.getIns(), map.getOuts());
    for (DimBits in : map.getIns())
      for (unsigned bit = 0; bit < in.bits; ++bit) {
        InputBit source{in.dim, bit};
        bool consumed =
            isListed(collective.row, in.dim, bit) || isListed(collective.address, in.dim, bit);
        if (in.dim == Dim::Lane && bit < collective.address.size())
          source = collective.address[bit];
        else if (in.dim == Dim::Lane || consumed)
          continue;
        result.setColumn(in.dim, bit, getColumn(map, source));
      }
    return result;
  };
  llvm::SmallVector<AccessMap::Group, 2> groups(access.getGroups());
  for (AccessMap::Group &group : groups)
    group.tile = redirect(group.tile);
  return AccessMap(redirect(linear), groups);
}

//===----------------------------------------------------------------------===//
// Bank conflicts
//===----------------------------------------------------------------------===//

/// One group of lanes that is served together, by the words they ask for.
static void countServed(llvm::ArrayRef<int64_t> addresses, int64_t bytes, const MemoryFacts &facts,
                        BankUse &use) {
  std::map<int64_t, std::set<int64_t>> wordsOfBank;
  std::set<int64_t> words;
  for (int64_t address : addresses)
    for (int64_t word = address / facts.bankBytes; word <= (address + bytes - 1) / facts.bankBytes;
         ++word) {
      wordsOfBank[word % facts.banks].insert(word);
      words.insert(word);
    }
  size_t worst = 0;
  for (const auto &[bank, inBank] : wordsOfBank)
    worst = std::max(worst, inBank.size());
  use.wavefronts += worst;
  use.ideal += llvm::divideCeil(words.size(), facts.banks);
}

unsigned getServedLaneBits(int64_t accessBytes, const MemoryFacts &facts) {
  int64_t line = int64_t(facts.banks) * facts.bankBytes;
  int64_t lanes = line / std::max<int64_t>(accessBytes, facts.bankBytes);
  return llvm::Log2_64(std::clamp<int64_t>(lanes, 1, facts.lanes));
}

BankUse countBankUse(const AccessMap &access, llvm::ArrayRef<VectorAccess> accesses,
                     unsigned elementBits, const MemoryFacts &facts) {
  BankUse use;
  int64_t elementBytes = elementBits / 8;
  // A register's offset, XORed and then added to those of all threads alike,
  // permutes the banks: one access stands for all.
  bool areAlike = llvm::none_of(
      access.getGroups(), [](const AccessMap::Group &group) { return group.dependsOnThread(); });
  size_t counted = areAlike && !accesses.empty() ? 1 : accesses.size();
  for (const VectorAccess &run : accesses.take_front(counted)) {
    int64_t bytes = elementBytes * run.size();
    unsigned together = 1u << getServedLaneBits(bytes, facts);
    for (unsigned first = 0; first < facts.lanes; first += together) {
      llvm::SmallVector<int64_t, 32> addresses;
      for (unsigned lane = first; lane < first + together; ++lane)
        addresses.push_back(elementBytes * access.apply({{Dim::Register, uint64_t(run.front())},
                                                         {Dim::Lane, lane}}));
      countServed(addresses, bytes, facts, use);
    }
  }
  if (counted != 0) {
    use.wavefronts *= accesses.size() / counted;
    use.ideal *= accesses.size() / counted;
  }
  return use;
}

} // namespace tile
