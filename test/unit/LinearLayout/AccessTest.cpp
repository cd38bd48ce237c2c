//===- AccessTest.cpp - Offsets, collective accesses and bank conflicts ---===//
//
// Offsets must lead to the element that the register layout names; counts of
// conflicts must agree with a simulation of the banks.
//
//===----------------------------------------------------------------------===//
#include "compiler/analysis/LinearLayout/Constructors.h"
#include "compiler/analysis/LinearLayout/OffsetEmitter.h"
#include "compiler/analysis/LinearLayout/Swizzle.h"
#include "test/unit/LinearLayout/IntegerOps.h"
#include "test/unit/LinearLayout/RandomLayout.h"

#include "llvm/Support/MathExtras.h"
#include <set>

namespace tile::test {

static std::vector<DimIndex> makeIndex(int64_t reg, int64_t lane, int64_t warp) {
  return {{Dim::Register, uint64_t(reg)}, {Dim::Lane, uint64_t(lane)}, {Dim::Warp, uint64_t(warp)}};
}

/// Any way to lay `shape` out in memory.
static LinearLayout randomMemory(Random &random, llvm::ArrayRef<int64_t> shape) {
  std::vector<unsigned> order = randomOrder(random, shape.size());
  int64_t width = shape[order[0]] & -shape[order[0]];
  switch (random.in(0, 2)) {
  case 0:
    return getStridedLayout(shape, order);
  case 1: {
    int64_t vec = std::min<int64_t>(width, int64_t(1) << random.in(0, 2));
    return getXorSwizzledLayout(shape, order, vec, int64_t(1) << random.in(0, 1), width / vec);
  }
  default:
    // Bits in any order, mixed: a random invertible matrix.
    LinearLayout plain = getStridedLayout(shape, order);
    LinearMap tile = plain.getTile();
    unsigned bits = tile.getTotalInBits();
    for (int i = bits < 2 ? 0 : 4; i > 0; --i) {
      unsigned to = random.in(0, bits - 1), from = random.in(0, bits - 1);
      llvm::ArrayRef<uint64_t> columns = tile.getColumns(Dim::Offset);
      if (to != from)
        tile.setColumn(Dim::Offset, to, columns[to] ^ columns[from]);
    }
    return LinearLayout::get(tile, plain.getRepeats());
  }
}

PROPERTY(offsetsLeadToTheElement, 500) {
  Coordinates shape = randomShape(random, 3, 8, 0.4);
  LinearLayout registers = randomLayout(random, shape, randomThreads(random));
  LinearLayout memory = randomMemory(random, shape);
  AccessMap access = AccessMap::get(registers, memory);
  CHECK(access.isLinear() || !registers.isLinear() || !memory.isLinear(), registers.toString());
  forEachIndex(registers, [&](int64_t reg, int64_t lane, int64_t warp) {
    int64_t offset = access.apply(makeIndex(reg, lane, warp));
    CHECK(offset >= 0 && offset < memory.getInSize(Dim::Offset), "offset in range");
    CHECK(memory.apply({{Dim::Offset, uint64_t(offset)}}) == locate(registers, reg, lane, warp),
          registers.toString() + "\n  in " + memory.toString());
  });
  CHECK_SO_FAR();
  for (int64_t warp = 0; warp < registers.getInSize(Dim::Warp); ++warp)
    for (int64_t lane = 0; lane < registers.getInSize(Dim::Lane); ++lane) {
      IntegerOps ops{lane, warp};
      OffsetEmitter<IntegerOps> emitter(access, ops);
      for (int64_t reg = 0; reg < registers.getInSize(Dim::Register); ++reg) {
        auto offset = emitter.getOffset(reg);
        CHECK(int64_t(offset.base) + offset.immediate == access.apply(makeIndex(reg, lane, warp)),
              "emitted arithmetic: " + registers.toString() + "\n  in " + memory.toString());
      }
    }
}

PROPERTY(vectorsAreConsecutiveOffsets, 300) {
  Coordinates shape = randomShape(random, 3, 8, 0.4);
  LinearLayout registers = randomLayout(random, shape, randomThreads(random));
  AccessMap access = AccessMap::get(registers, randomMemory(random, shape));
  int64_t width = access.getVectorWidth(int64_t(1) << random.in(0, 4));
  int64_t count = registers.getInSize(Dim::Register);
  std::set<int32_t> named;
  for (const VectorAccess &run : getVectorAccesses(access, count, width)) {
    CHECK(int64_t(run.size()) == width, "full vectors");
    for (size_t i = 0; i < run.size(); ++i) {
      CHECK(named.insert(run[i]).second && run[i] < count, "each register once");
      for (int64_t warp = 0; warp < registers.getInSize(Dim::Warp); ++warp)
        for (int64_t lane = 0; lane < registers.getInSize(Dim::Lane); ++lane) {
          int64_t first = access.apply(makeIndex(run[0], lane, warp));
          CHECK(first % width == 0, "aligned: " + registers.toString());
          CHECK(access.apply(makeIndex(run[i], lane, warp)) == first + int64_t(i),
                registers.toString());
        }
    }
  }
  CHECK(int64_t(named.size()) == count, "all registers");
}

PROPERTY(knownVectorWidths, 1) {
  // Rows of 64 by 4 elements a lane: 4 in plain rows, 2 when groups of 2 move,
  // none across the rows.
  LinearLayout rows = getBlockedLayout({16, 64}, {{1, 4}, {2, 16}, {1, 1}, {}, {1, 0}});
  auto widthIn = [&](const LinearLayout &memory) {
    return AccessMap::get(rows, memory).getVectorWidth(8);
  };
  CHECK(widthIn(getStridedLayout({16, 64}, {1, 0})) == 4, "plain rows");
  CHECK(widthIn(getXorSwizzledLayout({16, 64}, {1, 0}, 8, 1, 8)) == 4, "groups of 8");
  CHECK(widthIn(getXorSwizzledLayout({16, 64}, {1, 0}, 2, 1, 8)) == 2, "groups of 2");
  CHECK(widthIn(getStridedLayout({16, 64}, {0, 1})) == 1, "columns");
  // Pairs of registers, then copies, then another pair, which memory holds the
  // other way round: 0 1 3 2.
  LinearLayout pairs = LinearLayout::getUnit(1)
                           .repeated(Dim::Register, 0, 2)
                           .replicated(Dim::Register, 3)
                           .repeated(Dim::Register, 0, 2);
  LinearLayout turned = LinearLayout::get({4}, {{Dim::Offset, {{1}, {3}}}});
  CHECK(AccessMap::get(pairs, turned).getVectorWidth(2) == 1, "a pair that is turned");
}

//===----------------------------------------------------------------------===//
// Collective accesses
//===----------------------------------------------------------------------===//

/// 8x8 matrices of rows of 8; each lane receives two neighbours of a row.
static const CollectiveAccess plainMatrices = {
    {{Dim::Register, 0}, {Dim::Lane, 0}, {Dim::Lane, 1}},
    {{Dim::Lane, 2}, {Dim::Lane, 3}, {Dim::Lane, 4}, {Dim::Register, 1}, {Dim::Register, 2}}};
/// The same of a transposed matrix: neighbours of a column.
static const CollectiveAccess transposedMatrices = {
    {{Dim::Lane, 2}, {Dim::Lane, 3}, {Dim::Lane, 4}},
    {{Dim::Register, 0}, {Dim::Lane, 0}, {Dim::Lane, 1}, {Dim::Register, 1}, {Dim::Register, 2}}};

/// Index of the receiver of place `place` in the row that lane `pointer` gives,
/// in the instruction that moves the registers of `base`.
static std::pair<int64_t, int64_t> getReceiver(const CollectiveAccess &collective, int64_t place,
                                               int64_t pointer, int64_t base) {
  int64_t reg = base, lane = 0;
  auto deposit = [&](llvm::ArrayRef<InputBit> bits, int64_t value) {
    for (size_t i = 0; i < bits.size(); ++i)
      (bits[i].dim == Dim::Register ? reg : lane) |= (value >> i & 1) << bits[i].bit;
  };
  deposit(collective.row, place);
  deposit(collective.address, pointer);
  return {reg, lane};
}

PROPERTY(collectiveAddressesServeTheFragment, 40) {
  bool transposed = random.chance(0.5);
  int64_t odd = random.pick(std::vector<int64_t>{1, 3});
  Coordinates shape = {64, 32 * odd};
  // An operand of 16 by 16: rows along lanes, pairs along columns.
  LinearLayout fragment = LinearLayout::getUnit(2)
                              .repeated(Dim::Register, 1, 2)
                              .repeated(Dim::Lane, 1, 4)
                              .repeated(Dim::Lane, 0, 8)
                              .repeated(Dim::Register, 0, 2)
                              .repeated(Dim::Register, 1, 2)
                              .repeated(Dim::Warp, 0, 4)
                              .resizedTo(shape, {1, 0});
  const CollectiveAccess &collective = transposed ? transposedMatrices : plainMatrices;
  std::vector<unsigned> order =
      transposed ? std::vector<unsigned>{0, 1} : std::vector<unsigned>{1, 0};
  LinearLayout memory = getXorSwizzledLayout(shape, order, 8, 1, random.chance(0.5) ? 4 : 1);
  AccessMap access = AccessMap::get(fragment, memory);
  std::optional<AccessMap> addresses = getCollectiveAddresses(access, collective);
  CHECK(addresses.has_value(), memory.toString());
  CHECK(!getCollectiveAddresses(access, transposed ? plainMatrices : transposedMatrices),
        "rows the other way are not contiguous");
  for (int64_t base = 0; base < fragment.getInSize(Dim::Register); base += 8)
    for (int64_t warp = 0; warp < 4; ++warp)
      for (int64_t pointer = 0; pointer < 32; ++pointer) {
        int64_t row = addresses->apply(makeIndex(base, pointer, warp));
        CHECK(row % 8 == 0, "rows are aligned");
        for (int64_t place = 0; place < 8; ++place) {
          auto [reg, lane] = getReceiver(collective, place, pointer, base);
          CHECK(memory.apply({{Dim::Offset, uint64_t(row + place)}}) ==
                    locate(fragment, reg, lane, warp),
                memory.toString());
        }
      }
}

//===----------------------------------------------------------------------===//
// Bank conflicts
//===----------------------------------------------------------------------===//

/// Serves the lanes of one access in order: as many as fill a line at a time,
/// each wavefront one word of every bank.
static BankUse simulate(const AccessMap &access, llvm::ArrayRef<VectorAccess> accesses,
                        unsigned elementBits, const MemoryFacts &facts, int64_t warp) {
  BankUse use;
  int64_t elementBytes = elementBits / 8;
  for (const VectorAccess &run : accesses) {
    int64_t laneBytes = std::max<int64_t>(facts.bankBytes, elementBytes * run.size());
    int64_t together = std::max<int64_t>(1, facts.banks * facts.bankBytes / laneBytes);
    for (int64_t lane = 0; lane < facts.lanes; lane += together) {
      std::set<int64_t> words;
      for (int64_t l = lane; l < std::min<int64_t>(lane + together, facts.lanes); ++l)
        for (int32_t reg : run)
          for (int64_t byte = 0; byte < elementBytes; ++byte)
            words.insert((access.apply(makeIndex(reg, l, warp)) * elementBytes + byte) /
                         facts.bankBytes);
      use.ideal += llvm::divideCeil(words.size(), facts.banks);
      while (!words.empty()) {
        ++use.wavefronts;
        std::set<int64_t> busy;
        for (auto word = words.begin(); word != words.end();)
          word = busy.insert(*word % facts.banks).second ? words.erase(word) : std::next(word);
      }
    }
  }
  return use;
}

static MemoryFacts randomMemoryFacts(Random &random, int64_t lanes) {
  MemoryFacts facts;
  facts.lanes = lanes;
  facts.banks = 1u << random.in(1, 5);
  facts.maxAccessBits = std::min<unsigned>(128, facts.banks * 32);
  return facts;
}

PROPERTY(conflictsAreCountedExactly, 300) {
  Coordinates shape = randomShape(random, 2, 8, 0.2);
  Threads threads = randomThreads(random);
  LinearLayout registers = randomLayout(random, shape, threads);
  AccessMap access = AccessMap::get(registers, randomMemory(random, shape));
  MemoryFacts facts = randomMemoryFacts(random, threads.getLanes());
  unsigned elementBits = 8u << random.in(0, 3);
  int64_t limit = std::max(1u, facts.maxAccessBits / elementBits);
  auto accesses =
      getVectorAccesses(access, registers.getInSize(Dim::Register), access.getVectorWidth(limit));
  BankUse counted = countBankUse(access, accesses, elementBits, facts);
  BankUse expected = simulate(access, accesses, elementBits, facts, 0);
  CHECK(counted.wavefronts == expected.wavefronts && counted.ideal == expected.ideal,
        registers.toString() + " counted " + describe({counted.wavefronts, counted.ideal}) +
            " expected " + describe({expected.wavefronts, expected.ideal}));
}

PROPERTY(knownConflicts, 1) {
  // 32 lanes down a column of 32 words: each in the same bank, unless swizzled.
  LinearLayout columns = getBlockedLayout({32, 32}, {{1, 1}, {32, 1}, {1, 1}, {}, {0, 1}});
  MemoryFacts facts;
  auto countIn = [&](const LinearLayout &memory) {
    AccessMap access = AccessMap::get(columns, memory);
    return countBankUse(access, getVectorAccesses(access, 32, 1), 32, facts);
  };
  BankUse plain = countIn(getStridedLayout({32, 32}, {1, 0}));
  CHECK(plain.wavefronts == 32 * 32 && plain.ideal == 32, std::to_string(plain.wavefronts));
  CHECK(countIn(getXorSwizzledLayout({32, 32}, {1, 0}, 1, 1, 32)).isConflictFree(), "swizzled");
}

//===----------------------------------------------------------------------===//
// Chosen layouts
//===----------------------------------------------------------------------===//

static bool isConflictFree(const LinearLayout &registers, const LinearLayout &memory,
                           unsigned vectorBits, unsigned elementBits, const MemoryFacts &facts) {
  AccessMap access = AccessMap::get(registers, memory);
  int64_t width = int64_t(1) << vectorBits;
  if (access.getVectorWidth(width) != width)
    return false;
  auto accesses = getVectorAccesses(access, registers.getInSize(Dim::Register), width);
  for (int64_t warp = 0; warp < registers.getInSize(Dim::Warp); ++warp)
    if (!simulate(access, accesses, elementBits, facts, warp).isConflictFree())
      return false;
  return true;
}

PROPERTY(scalarAccessesNeverConflict, 400) {
  // Any two layouts at all, one element at a time.
  Coordinates shape = randomShape(random, 3, 9, 0);
  Threads threads = randomThreads(random);
  LinearLayout a = randomLayout(random, shape, threads), b = randomLayout(random, shape, threads);
  MemoryFacts facts = randomMemoryFacts(random, threads.getLanes());
  unsigned elementBits = 8u << random.in(0, 3);
  AccessPattern patterns[] = {getRegisterPattern(a, shape, 1, elementBits, facts),
                              getRegisterPattern(b, shape, 1, elementBits, facts)};
  auto memory = chooseMemoryLayout(shape, shape, patterns, elementBits, facts);
  CHECK(memory && memory->isInjective() && memory->getShape() == shape, "a layout of the shape");
  for (const LinearLayout &layout : {a, b})
    CHECK(isConflictFree(layout, *memory, 0, elementBits, facts),
          a.toString() + "\n  and " + b.toString() + "\n  in " + memory->toString());
}

PROPERTY(vectorsOfOnePatternNeverConflict, 300) {
  Coordinates shape = randomShape(random, 3, 9, 0);
  Threads threads = randomThreads(random);
  LinearLayout a = randomLayout(random, shape, threads);
  MemoryFacts facts = randomMemoryFacts(random, threads.getLanes());
  unsigned elementBits = 8u << random.in(0, 3);
  int64_t limit = std::max(1u, facts.maxAccessBits / elementBits);
  AccessPattern pattern = getRegisterPattern(a, shape, limit, elementBits, facts);
  auto memory = chooseMemoryLayout(shape, shape, pattern, elementBits, facts);
  CHECK(memory && isConflictFree(a, *memory, pattern.vector.size(), elementBits, facts),
        a.toString() + "\n  in " + memory->toString());
}

PROPERTY(matrixLoadsAndRowWritesNeverConflict, 30) {
  // Rows written 16 bytes a lane and read as matrices: the classic swizzle,
  // found by the algebra for any width of the tile.
  int64_t rows = int64_t(16) << random.in(0, 3), columns = int64_t(16) << random.in(0, 3);
  Coordinates shape = {rows, columns};
  LinearLayout written = getDefaultLayout(shape, {1, 0}, 8, 32, 4);
  LinearLayout read = LinearLayout::getUnit(2)
                          .repeated(Dim::Register, 1, 2)
                          .repeated(Dim::Lane, 1, 4)
                          .repeated(Dim::Lane, 0, 8)
                          .repeated(Dim::Register, 0, 2)
                          .repeated(Dim::Register, 1, 2)
                          .repeated(Dim::Warp, 0, std::min<int64_t>(4, rows / 16))
                          .resizedTo(shape, {1, 0});
  MemoryFacts facts;
  AccessPattern patterns[] = {getRegisterPattern(written, shape, 8, 16, facts),
                              getCollectivePattern(read, shape, plainMatrices, 16, facts)};
  auto memory = chooseMemoryLayout(shape, shape, patterns, 16, facts);
  CHECK(memory && isConflictFree(written, *memory, 3, 16, facts), "writes");
  auto addresses = getCollectiveAddresses(AccessMap::get(read, *memory), plainMatrices);
  CHECK(addresses.has_value(), "rows are contiguous: " + memory->toString());
  // 8 lanes at a time point at rows of 16 bytes.
  for (int64_t first = 0; first < 32; first += 8) {
    std::set<int64_t> groups;
    for (int64_t lane = first; lane < first + 8; ++lane)
      groups.insert(addresses->apply(makeIndex(0, lane, 0)) / 8 % 8);
    CHECK(groups.size() == 8, "eight rows in eight groups of banks: " + memory->toString());
  }
}

PROPERTY(nestedVectorsAreRequired, 1) {
  MemoryFacts facts;
  AccessPattern a{{1, 2}, {4}, {4}}, b{{2, 1}, {4}, {4}}, c{{1}, {8}, {8}};
  CHECK(!chooseMemoryLayout({16}, {16}, {a, b}, 32, facts), "another order of a vector");
  CHECK(chooseMemoryLayout({16}, {16}, {a, c}, 32, facts), "a shorter vector");
}

} // namespace tile::test
