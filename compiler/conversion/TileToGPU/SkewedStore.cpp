//===- SkewedStore.cpp - Lanes that store in different orders ---------------===//
#include "compiler/conversion/TileToGPU/SkewedStore.h"

#include "compiler/conversion/TileToGPU/IntegerMath.h"

using namespace mlir;
using namespace tile;

namespace {
/// Lanes with bit `lane` store register `r` in place of `r ^ (1 << reg)`.
struct Swap {
  unsigned lane, reg;
};

class SwapFinder {
public:
  SwapFinder(const LinearLayout &registers, const LinearLayout &memory, int64_t width,
             unsigned bits)
      : layout(registers), memory(memory), width(width), bits(bits),
        wavefronts(count(registers)) {}

  /// The swap that saves most, done in `layout`; nothing where none does.
  std::optional<Swap> next() {
    std::optional<Swap> best;
    LinearLayout swapped;
    const LinearMap &tile = layout.getTile();
    for (unsigned lane = 0, lanes = tile.getInBits(Dim::Lane); lane < lanes; ++lane)
      for (unsigned reg = llvm::Log2_64(width); reg < tile.getInBits(Dim::Register); ++reg) {
        LinearLayout candidate = apply({lane, reg});
        if (int64_t found = count(candidate); found < wavefronts) {
          wavefronts = found;
          best = {lane, reg};
          swapped = candidate;
        }
      }
    if (best)
      layout = swapped;
    return best;
  }

  const LinearLayout &getLayout() const { return layout; }

private:
  LinearLayout apply(Swap swap) const {
    LinearMap tile = layout.getTile();
    tile.setColumn(Dim::Lane, swap.lane,
                   tile.getColumns(Dim::Lane)[swap.lane] ^ tile.getColumns(Dim::Register)[swap.reg]);
    return LinearLayout::get(tile);
  }
  int64_t count(const LinearLayout &registers) const {
    AccessMap access = AccessMap::get(registers, memory);
    auto accesses = getVectorAccesses(access, registers.getInSize(Dim::Register), width);
    return countBankUse(access, accesses, bits, MemoryFacts()).wavefronts;
  }

  LinearLayout layout;
  const LinearLayout &memory;
  int64_t width;
  unsigned bits;
  int64_t wavefronts;
};
} // namespace

/// Each element in one register of one lane, at a linear offset.
static bool isPlain(const LinearLayout &registers, const LinearLayout &memory) {
  const LinearMap &tile = registers.getTile();
  return registers.isLinear() && AccessMap::get(registers, memory).isLinear() &&
         tile.getFreeMask(Dim::Register) == 0 && tile.getFreeMask(Dim::Lane) == 0;
}

static Value swap(ThreadLowering &t, Value vector, Swap swap) {
  int64_t size = cast<VectorType>(vector.getType()).getNumElements();
  SmallVector<int32_t> order;
  for (int32_t reg = 0; reg < size; ++reg)
    order.push_back(reg ^ (1 << swap.reg));
  Value isSame = createEquals(t.b, createAnd(t.b, t.scope.getLane(), int64_t(1) << swap.lane), 0);
  return arith::SelectOp::create(t.b, isSame, vector, t.shuffle(vector, order));
}

void tile::skewStore(ThreadLowering &t, LinearLayout &registers, Value &vector,
                     const LinearLayout &memory, int64_t width, unsigned bits) {
  if (!isPlain(registers, memory))
    return;
  SwapFinder finder(registers, memory, width, bits);
  while (std::optional<Swap> found = finder.next())
    vector = swap(t, vector, *found);
  registers = finder.getLayout();
}
