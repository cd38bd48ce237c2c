//===- LayoutShape.cpp - Layouts under shape operations --------------------===//
//
// What transpose, reshape, expand, reduce, join and split do to a layout when
// no data moves.
//
//===----------------------------------------------------------------------===//
#include "compiler/analysis/LinearLayout/LinearLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>
#include <numeric>

namespace tile {

using DimMap = llvm::function_ref<Dim(Dim)>;

/// Renames outputs; those sent to Dim::None are dropped.
static LinearLayout renameDims(const LinearLayout &layout, DimMap rename,
                               llvm::ArrayRef<DimBits> extraOuts = {}) {
  const LinearMap &tile = layout.getTile();
  llvm::SmallVector<DimBits, 4> outs(extraOuts);
  for (DimBits out : tile.getOuts())
    if (rename(out.dim) != Dim::None)
      outs.push_back({rename(out.dim), out.bits});
  LinearMap renamed(tile.getIns(), outs);
  for (DimBits in : tile.getIns())
    for (unsigned bit = 0; bit < in.bits; ++bit)
      for (DimBits out : tile.getOuts())
        if (rename(out.dim) != Dim::None)
          renamed.setColumn(in.dim, bit, rename(out.dim), tile.getColumn(in.dim, bit, out.dim));
  llvm::SmallVector<Repeat, 2> repeats(layout.getRepeats());
  for (Repeat &repeat : repeats)
    if (repeat.out != Dim::None)
      repeat.out = rename(repeat.out);
  return LinearLayout::get(renamed, repeats);
}

LinearLayout LinearLayout::transposed(llvm::ArrayRef<unsigned> order) const {
  assert(order.size() == getRank() && "expects a permutation of the dimensions");
  return renameDims(*this, [&](Dim dim) {
    return tensorDim(llvm::find(order, tensorIndex(dim)) - order.begin());
  });
}

LinearLayout LinearLayout::expanded(unsigned axis) const {
  assert(axis <= getRank() && "no such place for a dimension");
  return renameDims(
      *this,
      [&](Dim dim) { return tensorIndex(dim) < axis ? dim : tensorDim(tensorIndex(dim) + 1); },
      DimBits{tensorDim(axis), 0});
}

LinearLayout LinearLayout::collapsed(unsigned axis) const {
  assert(axis < getRank() && "no such dimension");
  return renameDims(
      *this, [&](Dim dim) { return tensorIndex(dim) == axis ? Dim::None : dim; },
      DimBits{tensorDim(axis), 0});
}

LinearLayout LinearLayout::squeezed(unsigned axis) const {
  assert(axis < getRank() && getDimSize(axis) == 1 && "only a side of 1 can be removed");
  return renameDims(*this, [&](Dim dim) {
    if (tensorIndex(dim) == axis)
      return Dim::None;
    return tensorIndex(dim) < axis ? dim : tensorDim(tensorIndex(dim) - 1);
  });
}

//===----------------------------------------------------------------------===//
// Join and split
//===----------------------------------------------------------------------===//

LinearLayout LinearLayout::joined() const {
  LinearMap pair = LinearMap::identity(Dim::Register, tensorDim(getRank()), 1);
  return get(pair * tile, repeats);
}

/// The register bit that alone moves along the last dimension of size 2.
static std::optional<unsigned> findPairBit(const LinearLayout &layout) {
  const LinearMap &tile = layout.getTile();
  if (layout.getRank() == 0 || tile.getOuts().back().bits != 1 ||
      layout.getDimSize(layout.getRank() - 1) != 2)
    return std::nullopt;
  Dim last = tile.getOuts().back().dim;
  std::optional<unsigned> found;
  for (DimBits in : tile.getIns()) {
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      if (tile.getColumn(in.dim, bit, last) == 0)
        continue;
      bool pure = tile.getColumns(in.dim)[bit] == tile.packOuts({{last, 1}});
      if (found || in.dim != Dim::Register || !pure)
        return std::nullopt;
      found = bit;
    }
  }
  return found;
}

std::optional<LinearLayout> LinearLayout::split() const {
  std::optional<unsigned> pairBit = findPairBit(*this);
  if (!pairBit)
    return std::nullopt;
  llvm::SmallVector<DimBits, 4> ins(tile.getIns());
  for (DimBits &in : ins)
    in.bits -= in.dim == Dim::Register;
  LinearMap half(ins, tile.getOuts());
  for (DimBits in : tile.getIns()) {
    unsigned place = 0;
    for (auto [bit, column] : llvm::enumerate(tile.getColumns(in.dim)))
      if (in.dim != Dim::Register || bit != *pairBit)
        half.setColumn(in.dim, place++, column);
  }
  return get(half, repeats).collapsed(getRank() - 1).squeezed(getRank() - 1);
}

llvm::SmallVector<int32_t> LinearLayout::splitRegisters(unsigned half) const {
  std::optional<unsigned> pairBit = findPairBit(*this);
  assert(pairBit && "the layout does not split");
  llvm::SmallVector<int32_t> registers;
  for (int64_t reg = 0; reg < getInSize(Dim::Register); ++reg)
    if ((reg >> *pairBit & 1) == half)
      registers.push_back(reg);
  return registers;
}

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

namespace {
/// Regroups the digits of the row-major index. From the minor end they are, for
/// each dimension, the bits of its tile and then its repeats; a repeat may be
/// cut in two factors, a bit may not be moved above a repeat.
class Reshaper {
public:
  explicit Reshaper(const LinearLayout &layout) : layout(layout) {
    llvm::ArrayRef<Repeat> repeats = layout.getRepeats();
    parts.resize(repeats.size());
    for (unsigned dim = layout.getRank(); dim-- > 0;) {
      unsigned bits = layout.getTile().getOutBits(tensorDim(dim));
      for (unsigned bit = 0; bit < bits; ++bit)
        digits.push_back({2, tensorDim(dim), bit, -1});
      for (auto [i, repeat] : llvm::enumerate(repeats))
        if (repeat.out == tensorDim(dim))
          digits.push_back({repeat.count, repeat.out, 0, int(i)});
    }
  }

  std::optional<LinearLayout> build(llvm::ArrayRef<int64_t> shape) {
    newBits.assign(shape.size(), 0);
    for (unsigned dim = shape.size(); dim-- > 0;)
      if (!fillDim(dim, shape[dim]))
        return std::nullopt;
    std::optional<llvm::SmallVector<Repeat, 2>> repeats = orderRepeats();
    if (next != digits.size() || !repeats)
      return std::nullopt;
    return LinearLayout::get(buildTile(), *repeats);
  }

private:
  struct Digit {
    int64_t radix;
    Dim dim; // where it was: this bit of the tile, or this repeat
    unsigned bit;
    int repeat; // -1: a bit
  };
  struct Part {
    Dim dim;
    int64_t count;
    unsigned serial; // place among all parts, minor first
  };
  struct Move {
    Dim from;
    unsigned fromBit;
    Dim to;
    unsigned toBit;
  };

  bool fillDim(unsigned dim, int64_t size) {
    bool sawRepeat = false;
    while (size > 1) {
      if (next == digits.size())
        return false;
      Digit &digit = digits[next];
      if (digit.repeat < 0) {
        if (sawRepeat || size % 2 != 0)
          return false;
        moves.push_back({digit.dim, digit.bit, tensorDim(dim), newBits[dim]++});
        size /= 2;
        ++next;
        continue;
      }
      int64_t taken = std::gcd(size, digit.radix);
      // Either the digit ends here or the dimension does.
      if (taken != size && taken != digit.radix)
        return false;
      parts[digit.repeat].push_back({tensorDim(dim), taken, serial++});
      sawRepeat = true;
      size /= taken;
      digit.radix /= taken;
      if (digit.radix == 1)
        ++next;
    }
    return true;
  }

  LinearMap buildTile() const {
    const LinearMap &tile = layout.getTile();
    llvm::SmallVector<DimBits, 4> outs;
    for (auto [dim, bits] : llvm::enumerate(newBits))
      outs.push_back({tensorDim(dim), bits});
    LinearMap reshaped(tile.getIns(), outs);
    for (DimBits in : tile.getIns())
      for (unsigned bit = 0; bit < in.bits; ++bit)
        for (const Move &move : moves) {
          uint64_t value = tile.getColumn(in.dim, bit, move.from) >> move.fromBit & 1;
          uint64_t known = reshaped.getColumn(in.dim, bit, move.to);
          reshaped.setColumn(in.dim, bit, move.to, known | value << move.toBit);
        }
    return reshaped;
  }

  /// A list whose order is right both for each carrier (the order of the old
  /// list) and for each new dimension (minor first); nothing if they disagree.
  std::optional<llvm::SmallVector<Repeat, 2>> orderRepeats() const {
    struct Entry {
      Repeat repeat;
      unsigned serial; // within the new dimension
    };
    llvm::SmallVector<Entry> pending;
    for (auto [old, pieces] : llvm::zip(layout.getRepeats(), parts)) {
      if (old.out == Dim::None)
        pending.push_back({old, 0});
      for (const Part &piece : pieces)
        pending.push_back({{old.in, piece.dim, piece.count}, piece.serial});
    }
    llvm::SmallVector<Repeat, 2> ordered;
    while (!pending.empty()) {
      auto *ready = llvm::find_if(pending, [&](const Entry &entry) {
        return llvm::none_of(pending, [&](const Entry &other) {
          bool sameCarrier = other.repeat.in == entry.repeat.in && &other < &entry;
          bool sameDim = other.repeat.out == entry.repeat.out && entry.repeat.out != Dim::None &&
                         other.serial < entry.serial;
          return sameCarrier || sameDim;
        });
      });
      if (ready == pending.end())
        return std::nullopt;
      ordered.push_back(ready->repeat);
      pending.erase(ready);
    }
    return ordered;
  }

  const LinearLayout &layout;
  llvm::SmallVector<Digit> digits;
  llvm::SmallVector<llvm::SmallVector<Part, 2>> parts;
  llvm::SmallVector<Move> moves;
  llvm::SmallVector<unsigned> newBits;
  size_t next = 0;
  unsigned serial = 0;
};
} // namespace

std::optional<LinearLayout> LinearLayout::reshaped(llvm::ArrayRef<int64_t> shape) const {
  return Reshaper(*this).build(shape);
}

} // namespace tile
