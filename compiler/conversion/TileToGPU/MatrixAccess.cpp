//===- MatrixAccess.cpp - Blocks that lanes fetch and store for each other --===//
#include "compiler/conversion/TileToGPU/MatrixAccess.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tile;

/// Rows that one matrix has: lanes below this point at rows of the first one.
static constexpr unsigned kMatrixAddressBits = 3;
/// Most words of 32 bits that one instruction gives a lane.
static constexpr int64_t kMaxWords = 4;

namespace {
struct MatrixAccess {
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
static void widen(MatrixAccess &read, const LinearLayout &layout, const AccessMap &access,
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

/// The target's units, and their forms.
static SmallVector<MatmulUnit> getUnitForms(TargetAttr target) {
  SmallVector<MatmulUnit> forms = target.getUnits();
  for (MatmulUnit unit : target.getUnits())
    if (MatmulUnit paired = unit.getPaired())
      forms.push_back(paired);
  return forms;
}

static std::optional<MatrixAccess> findAccess(TargetAttr target, const LinearLayout &layout,
                                              const AccessMap &access, unsigned elementBits) {
  for (MatmulUnit unit : getUnitForms(target))
    for (MatmulOperand operand : {MatmulOperand::A, MatmulOperand::B}) {
      if (!startsWithFragment(layout, unit.getFragment(operand)))
        continue;
      for (bool alongK : {true, false}) {
        std::optional<CollectiveAccess> collective = unit.getCollectiveRead(operand, alongK);
        if (!collective || !collective->moves(elementBits))
          continue;
        std::optional<AccessMap> addresses = getCollectiveAddresses(access, *collective);
        if (!addresses)
          continue;
        MatrixAccess read{*collective, *addresses};
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

/// One word of 32 bits.
static Value joinWord(ImplicitLocOpBuilder &b, ArrayRef<Value> elements) {
  auto parts = VectorType::get(elements.size(), elements.front().getType());
  Value vector = toMemory(b, vector::FromElementsOp::create(b, parts, elements));
  vector = vector::BitCastOp::create(b, VectorType::get(1, b.getI32Type()), vector);
  return vector::ExtractOp::create(b, vector, int64_t(0));
}

namespace {
/// How registers make up the words of an access.
struct WordPlan {
  explicit WordPlan(const CollectiveAccess &collective, unsigned elementBits) {
    ArrayRef<InputBit> address = collective.address;
    inWord = getRegisterBits(collective.row);
    transposed = elementBits < 32 && inWord.empty();
    inWord.append(getRegisterBits(address.take_front(kMatrixAddressBits)));
    wordBits = getRegisterBits(address.drop_front(kMatrixAddressBits));
  }
  unsigned getNumWords() const { return 1u << wordBits.size(); }
  unsigned getWordSize() const { return 1u << inWord.size(); }
  /// Element `e` of word `w` of the access that begins at register `first`.
  int32_t getRegister(int32_t first, int32_t w, int32_t e) const {
    return first | spread(w, wordBits) | spread(e, inWord);
  }
  bool isFirst(int32_t reg) const { return (reg & getRegister(0, -1, -1)) == 0; }

  /// Registers within a word, and those that count words.
  SmallVector<unsigned> inWord, wordBits;
  bool transposed;
};
} // namespace

SmallVector<Value> tile::emitMatrixLoads(ThreadLowering &t, const LinearLayout &layout,
                                         const AccessMap &access, Type element, Value base) {
  unsigned elementBits = getMemoryBits(element);
  if (layout.getRank() < 2 || elementBits > 32)
    return {};
  std::optional<MatrixAccess> read = findAccess(t.target, layout, access, elementBits);
  if (!read)
    return {};
  WordPlan plan(read->collective, elementBits);
  ThreadOffsets offsets(t.b, t.scope, read->addresses, elementBits / 8, base);
  SmallVector<Value> registers(layout.getInSize(Dim::Register));
  for (int32_t reg = 0, end = registers.size(); reg < end; ++reg) {
    if (!plan.isFirst(reg))
      continue;
    SmallVector<Value> words = t.hooks.emitMatrixLoad(
        t.b, t.memory.getAddress(t.b, offsets.get(reg)), plan.getNumWords(), plan.transposed);
    if (words.empty())
      return {};
    for (auto [w, word] : llvm::enumerate(words))
      for (auto [e, value] : llvm::enumerate(splitWord(t.b, word, element)))
        registers[plan.getRegister(reg, w, e)] = value;
  }
  return registers;
}

bool tile::emitMatrixStores(ThreadLowering &t, const LinearLayout &layout, const AccessMap &access,
                            Type element, Value base, Value vector) {
  constexpr unsigned kHalf = 16; // of which the instruction's words are pairs
  if (layout.getRank() < 2 || getMemoryBits(element) != kHalf || !t.target.getFact("matrix_stores"))
    return false;
  std::optional<MatrixAccess> write = findAccess(t.target, layout, access, kHalf);
  if (!write)
    return false;
  WordPlan plan(write->collective, kHalf);
  ThreadOffsets offsets(t.b, t.scope, write->addresses, kHalf / 8, base);
  SmallVector<Value> registers = t.unpack(vector);
  for (int32_t reg = 0, end = registers.size(); reg < end; ++reg) {
    if (!plan.isFirst(reg))
      continue;
    SmallVector<Value> words;
    for (unsigned w = 0; w < plan.getNumWords(); ++w) {
      SmallVector<Value> elements;
      for (unsigned e = 0; e < plan.getWordSize(); ++e)
        elements.push_back(registers[plan.getRegister(reg, w, e)]);
      words.push_back(joinWord(t.b, elements));
    }
    t.hooks.emitMatrixStore(t.b, t.memory.getAddress(t.b, offsets.get(reg)), words,
                            plan.transposed);
  }
  return true;
}
