//===- MatrixLoad.cpp - Blocks that lanes fetch for each other --------------===//
#include "compiler/conversion/TileToGPU/MatrixLoad.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tile;

/// What one row of a collective access holds, in bits.
static constexpr int64_t kRowBits = 128;
/// Rows that one matrix has: lanes below this point at rows of the first one.
static constexpr unsigned kMatrixAddressBits = 3;
/// Most words of 32 bits that one instruction gives a lane.
static constexpr int64_t kMaxWords = 4;

namespace {
struct MatrixRead {
  CollectiveAccess collective;
  AccessMap addresses;
};
} // namespace

/// Whether the first registers and the lanes of `layout`, in its last two
/// dimensions, are those of `fragment`.
static bool startsWithFragment(const LinearLayout &layout, const LinearLayout &fragment) {
  unsigned lead = layout.getRank() - 2;
  for (Dim in : {Dim::Register, Dim::Lane}) {
    unsigned bits = fragment.getTile().getInBits(in);
    if (layout.getTile().getInBits(in) < bits)
      return false;
    for (unsigned bit = 0; bit < bits; ++bit) {
      SmallVector<int64_t> here = layout.apply({{in, uint64_t(1) << bit}});
      SmallVector<int64_t> there = fragment.apply({{in, uint64_t(1) << bit}});
      if (ArrayRef<int64_t>(here).drop_front(lead) != ArrayRef<int64_t>(there))
        return false;
    }
  }
  return true;
}

static bool isUsed(const CollectiveAccess &collective, unsigned registerBit) {
  auto matches = [&](InputBit bit) { return bit.dim == Dim::Register && bit.bit == registerBit; };
  return llvm::any_of(collective.row, matches) || llvm::any_of(collective.address, matches);
}

static SmallVector<unsigned> getRegisterBits(ArrayRef<InputBit> bits) {
  SmallVector<unsigned> registers;
  for (InputBit bit : bits)
    if (bit.dim == Dim::Register)
      registers.push_back(bit.bit);
  return registers;
}

static int64_t countWords(const CollectiveAccess &collective, unsigned elementBits) {
  unsigned bits =
      getRegisterBits(collective.row).size() + getRegisterBits(collective.address).size();
  return (int64_t(1) << bits) * elementBits / 32;
}

/// Fetch neighbouring fragments by the same instruction as long as it has words left.
static void widen(MatrixRead &read, const LinearLayout &layout, const AccessMap &access,
                  unsigned elementBits) {
  for (unsigned bit = 0, end = layout.getTile().getInBits(Dim::Register); bit < end; ++bit) {
    if (countWords(read.collective, elementBits) >= kMaxWords)
      return;
    if (isUsed(read.collective, bit))
      continue;
    CollectiveAccess wider = read.collective;
    wider.address.push_back({Dim::Register, bit});
    if (std::optional<AccessMap> addresses = getCollectiveAddresses(access, wider))
      read = {wider, *addresses};
  }
}

static std::optional<MatrixRead> findRead(TargetAttr target, const LinearLayout &layout,
                                          const AccessMap &access, unsigned elementBits) {
  for (MatmulUnit unit : target.getUnits())
    for (MatmulOperand operand : {MatmulOperand::A, MatmulOperand::B}) {
      if (!startsWithFragment(layout, unit.getFragment(operand)))
        continue;
      for (bool alongK : {true, false}) {
        std::optional<CollectiveAccess> collective = unit.getCollectiveRead(operand, alongK);
        if (!collective || (elementBits << collective->row.size()) != kRowBits)
          continue;
        std::optional<AccessMap> addresses = getCollectiveAddresses(access, *collective);
        if (!addresses)
          continue;
        MatrixRead read{*collective, *addresses};
        widen(read, layout, access, elementBits);
        return read;
      }
    }
  return std::nullopt;
}

/// The bits of `index`, at the places that `bits` name.
static int32_t spread(int32_t index, ArrayRef<unsigned> bits) {
  int32_t result = 0;
  for (auto [i, bit] : llvm::enumerate(bits))
    result |= (index >> i & 1) << bit;
  return result;
}

/// A word's elements.
static SmallVector<Value> splitWord(ImplicitLocOpBuilder &b, Value word, Type element) {
  unsigned count = 32 / getMemoryBits(element);
  auto whole = VectorType::get(1, b.getI32Type());
  auto parts = VectorType::get(count, getMemoryType(element));
  Value vector = vector::BroadcastOp::create(b, whole, word);
  vector = fromMemory(b, vector::BitCastOp::create(b, parts, vector), parts.clone(element));
  SmallVector<Value> elements;
  for (unsigned i = 0; i < count; ++i)
    elements.push_back(vector::ExtractOp::create(b, vector, int64_t(i)));
  return elements;
}

SmallVector<Value> tile::emitMatrixLoads(ThreadLowering &t, const LinearLayout &layout,
                                         const AccessMap &access, Type element, Value base) {
  unsigned elementBits = getMemoryBits(element);
  if (layout.getRank() < 2 || elementBits > 32)
    return {};
  std::optional<MatrixRead> read = findRead(t.target, layout, access, elementBits);
  if (!read)
    return {};
  const CollectiveAccess &collective = read->collective;
  bool transposed = elementBits < 32 && getRegisterBits(collective.row).empty();
  // Registers within a word, and those that count words.
  ArrayRef<InputBit> address = collective.address;
  SmallVector<unsigned> inWord = getRegisterBits(collective.row);
  inWord.append(getRegisterBits(address.take_front(kMatrixAddressBits)));
  SmallVector<unsigned> wordBits = getRegisterBits(address.drop_front(kMatrixAddressBits));
  int32_t used = spread(-1, inWord) | spread(-1, wordBits);
  ThreadOffsets offsets(t.b, t.scope, read->addresses, elementBits / 8, base);
  SmallVector<Value> registers(layout.getInSize(Dim::Register));
  for (int32_t reg = 0, end = registers.size(); reg < end; ++reg) {
    if (reg & used)
      continue;
    SmallVector<Value> words =
        t.hooks.emitMatrixLoad(t.b, t.memory.getAddress(t.b, offsets.get(reg)),
                               unsigned(1) << wordBits.size(), transposed);
    if (words.empty())
      return {};
    for (auto [w, word] : llvm::enumerate(words))
      for (auto [e, value] : llvm::enumerate(splitWord(t.b, word, element)))
        registers[reg | spread(w, wordBits) | spread(e, inWord)] = value;
  }
  return registers;
}
