//===- LinearLayout.cpp - Where the elements of a tensor live --------------===//
//
// The canonical form, evaluation, growth and redundancy.
//
//===----------------------------------------------------------------------===//
#include "compiler/analysis/LinearLayout/LinearLayout.h"

#include "compiler/analysis/LinearLayout/Runs.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cassert>
#include <tuple>

namespace tile {

//===----------------------------------------------------------------------===//
// Canonical form
//===----------------------------------------------------------------------===//

/// Inputs in the order of Dim without those of size 1; outputs dim0, dim1, ...
static LinearMap normalizeTile(const LinearMap &tile) {
  llvm::SmallVector<Dim, 4> ins, outs;
  for (DimBits in : tile.getIns())
    if (in.bits != 0)
      ins.push_back(in.dim);
  llvm::sort(ins);
  for (DimBits out : tile.getOuts()) {
    assert(isTensorDim(out.dim) && "a layout goes to tensor coordinates");
    outs.push_back(out.dim);
  }
  llvm::sort(outs);
  assert((outs.empty() || tensorIndex(outs.back()) + 1 == outs.size()) &&
         "expects dim0, dim1, ... each once");
  return tile.sublayout(ins, outs);
}

/// Two repeats can not change places if they move the same index.
static bool areOrdered(const Repeat &a, const Repeat &b) {
  return a.in == b.in || (a.out == b.out && a.out != Dim::None);
}

/// Of all orders that mean the same, the one that is smallest at each step.
void LinearLayout::sortRepeats() {
  llvm::SmallVector<Repeat, 2> sorted;
  while (!repeats.empty()) {
    auto *best = repeats.end();
    for (auto *it = repeats.begin(); it != repeats.end(); ++it) {
      auto blocks = [&](const Repeat &earlier) { return areOrdered(earlier, *it); };
      if (std::any_of(repeats.begin(), it, blocks))
        continue;
      if (best == repeats.end() || std::tie(it->in, it->out) < std::tie(best->in, best->out))
        best = it;
    }
    sorted.push_back(*best);
    repeats.erase(best);
  }
  repeats = std::move(sorted);
}

/// Adds an outermost repeat. Counts along one pair of spaces merge, and the
/// powers of two of what directly follows the tile move into the tile.
void LinearLayout::append(Repeat added) {
  assert(added.count >= 1 && "a repeat counts from 1");
  Repeat *last = nullptr;
  for (Repeat &known : repeats)
    if (areOrdered(known, added))
      last = &known;
  if (last && last->in == added.in && last->out == added.out) {
    added.count *= last->count;
    repeats.erase(last);
  }
  bool followsTile =
      llvm::none_of(repeats, [&](const Repeat &known) { return areOrdered(known, added); });
  if (followsTile) {
    unsigned bits = llvm::countr_zero(uint64_t(added.count));
    LinearMap step = added.out == Dim::None ? LinearMap({{added.in, bits}}, {})
                                            : LinearMap::identity(added.in, added.out, bits);
    tile = normalizeTile(tile * step);
    added.count >>= bits;
  }
  if (added.count > 1)
    repeats.push_back(added);
  sortRepeats();
}

LinearLayout::LinearLayout(LinearMap initialTile, llvm::ArrayRef<Repeat> outer)
    : tile(normalizeTile(initialTile)) {
  for (const Repeat &repeat : outer)
    append(repeat);
}

LinearLayout LinearLayout::getUnit(unsigned rank) {
  llvm::SmallVector<DimBits, 4> outs;
  for (unsigned dim = 0; dim < rank; ++dim)
    outs.push_back({tensorDim(dim), 0});
  return LinearLayout(LinearMap({}, outs), {});
}

LinearLayout LinearLayout::get(const LinearMap &tile, llvm::ArrayRef<Repeat> repeats) {
  return LinearLayout(tile, repeats);
}

LinearLayout LinearLayout::get(llvm::ArrayRef<int64_t> tileShape, const Bases &bases,
                               llvm::ArrayRef<Repeat> repeats) {
  assert(verify(tileShape, bases, repeats).empty() && "malformed layout");
  llvm::SmallVector<DimBits, 4> ins, outs;
  for (auto [dim, size] : llvm::enumerate(tileShape))
    outs.push_back({tensorDim(dim), llvm::Log2_64(size)});
  for (const auto &[in, columns] : bases)
    ins.push_back({in, unsigned(columns.size())});
  LinearMap tile(ins, outs);
  for (const auto &[in, columns] : bases)
    for (auto [bit, column] : llvm::enumerate(columns))
      for (auto [dim, value] : llvm::enumerate(column))
        tile.setColumn(in, bit, tensorDim(dim), value);
  return LinearLayout(tile, repeats);
}

bool LinearLayout::operator==(const LinearLayout &other) const {
  return tile == other.tile && llvm::ArrayRef(repeats) == llvm::ArrayRef(other.repeats);
}

llvm::hash_code hash_value(const LinearLayout &layout) {
  llvm::hash_code hash = llvm::hash_combine_range(layout.tile.getColumns());
  for (llvm::ArrayRef<DimBits> dims : {layout.tile.getIns(), layout.tile.getOuts()})
    for (DimBits dim : dims)
      hash = llvm::hash_combine(hash, unsigned(dim.dim), dim.bits);
  for (const Repeat &repeat : layout.repeats)
    hash = llvm::hash_combine(hash, unsigned(repeat.in), unsigned(repeat.out), repeat.count);
  return hash;
}

//===----------------------------------------------------------------------===//
// Sizes and evaluation
//===----------------------------------------------------------------------===//

llvm::SmallVector<int64_t> LinearLayout::getTileShape() const {
  return llvm::map_to_vector(tile.getOuts(), [](DimBits out) { return int64_t(1) << out.bits; });
}

llvm::SmallVector<int64_t> LinearLayout::getShape() const {
  llvm::SmallVector<int64_t> shape = getTileShape();
  for (const Repeat &repeat : repeats)
    if (repeat.out != Dim::None)
      shape[tensorIndex(repeat.out)] *= repeat.count;
  return shape;
}

int64_t LinearLayout::getDimSize(unsigned dim) const {
  int64_t size = int64_t(1) << tile.getOutBits(tensorDim(dim));
  for (const Repeat &repeat : repeats)
    if (repeat.out == tensorDim(dim))
      size *= repeat.count;
  return size;
}

int64_t LinearLayout::getInSize(Dim in) const {
  int64_t size = int64_t(1) << tile.getInBits(in);
  for (const Repeat &repeat : repeats)
    if (repeat.in == in)
      size *= repeat.count;
  return size;
}

llvm::SmallVector<int64_t> LinearLayout::apply(llvm::ArrayRef<DimIndex> indices) const {
  llvm::SmallVector<DimIndex, 4> inTile, digits;
  for (auto [in, index] : indices) {
    assert(int64_t(index) < getInSize(in) && "index out of its space");
    inTile.push_back({in, index & ((uint64_t(1) << tile.getInBits(in)) - 1)});
    digits.push_back({in, index >> tile.getInBits(in)});
  }
  uint64_t packed = tile.apply(inTile);
  llvm::SmallVector<int64_t> coordinates, covered = getTileShape();
  for (DimBits out : tile.getOuts())
    coordinates.push_back(tile.unpackOut(packed, out.dim));
  for (const Repeat &repeat : repeats) {
    int64_t digit = 0;
    for (auto &[in, rest] : digits) {
      if (in != repeat.in)
        continue;
      digit = rest % repeat.count;
      rest /= repeat.count;
    }
    if (repeat.out == Dim::None)
      continue;
    unsigned dim = tensorIndex(repeat.out);
    coordinates[dim] += digit * covered[dim];
    covered[dim] *= repeat.count;
  }
  return coordinates;
}

//===----------------------------------------------------------------------===//
// Growing
//===----------------------------------------------------------------------===//

LinearLayout LinearLayout::repeated(Dim in, unsigned dim, int64_t count) const {
  assert(dim < getRank() && "no such dimension");
  LinearLayout result = *this;
  result.append({in, tensorDim(dim), count});
  return result;
}

LinearLayout LinearLayout::replicated(Dim in, int64_t count) const {
  LinearLayout result = *this;
  result.append({in, Dim::None, count});
  return result;
}

LinearLayout LinearLayout::foldedToRegisters(Dim in, int64_t size) const {
  unsigned kept = llvm::Log2_64(size), held = tile.getInBits(Dim::Register);
  assert(kept <= tile.getInBits(in) && "a tile of so many");
  unsigned moved = tile.getInBits(in) - kept;
  llvm::SmallVector<DimBits, 4> ins(tile.getIns());
  llvm::erase_if(ins, [&](DimBits space) { return space.dim == Dim::Register || space.dim == in; });
  if (held + moved != 0)
    ins.push_back({Dim::Register, held + moved});
  if (kept != 0)
    ins.push_back({in, kept});
  llvm::sort(ins, [](DimBits a, DimBits b) { return a.dim < b.dim; });
  LinearMap folded(ins, tile.getOuts());
  for (DimBits space : tile.getIns())
    for (unsigned bit = 0; bit < space.bits; ++bit) {
      bool moves = space.dim == in && bit >= kept;
      for (DimBits out : tile.getOuts())
        folded.setColumn(moves ? Dim::Register : space.dim, moves ? held + bit - kept : bit,
                         out.dim, tile.getColumn(space.dim, bit, out.dim));
    }
  llvm::SmallVector<Repeat, 2> others(repeats);
  for (Repeat &repeat : others)
    if (repeat.in == in)
      repeat.in = Dim::Register;
  return get(folded, others);
}

/// Coordinates of `dim` modulo a smaller power of two: what was beyond it now
/// holds copies.
static LinearLayout wrapDim(const LinearLayout &layout, unsigned dim, int64_t size) {
  const LinearMap &tile = layout.getTile();
  llvm::SmallVector<DimBits, 4> outs(tile.getOuts());
  outs[dim].bits = llvm::Log2_64(size);
  LinearMap wrapped(tile.getIns(), outs);
  for (DimBits in : tile.getIns())
    for (unsigned bit = 0; bit < in.bits; ++bit)
      for (DimBits out : outs) {
        uint64_t value = tile.getColumn(in.dim, bit, out.dim);
        wrapped.setColumn(in.dim, bit, out.dim, value & ((uint64_t(1) << out.bits) - 1));
      }
  llvm::SmallVector<Repeat, 2> repeats(layout.getRepeats());
  for (Repeat &repeat : repeats)
    if (repeat.out == tensorDim(dim))
      repeat.out = Dim::None;
  return LinearLayout::get(wrapped, repeats);
}

LinearLayout LinearLayout::resizedTo(llvm::ArrayRef<int64_t> shape,
                                     llvm::ArrayRef<unsigned> order) const {
  assert(shape.size() == getRank() && order.size() == getRank());
  LinearLayout result = *this;
  bool wrapped = false;
  llvm::SmallVector<int64_t> odd(getRank(), 1);
  for (unsigned dim : order) {
    int64_t covered = result.getDimSize(dim);
    bool fits = (int64_t(1) << result.tile.getOutBits(tensorDim(dim))) >= shape[dim];
    if (covered < shape[dim]) {
      int64_t count = llvm::divideCeil(shape[dim], covered);
      int64_t power = int64_t(1) << llvm::countr_zero(uint64_t(count));
      result = result.repeated(Dim::Register, dim, power);
      odd[dim] = count / power;
    } else if (covered > shape[dim] && llvm::isPowerOf2_64(shape[dim]) && fits) {
      result = wrapDim(result, dim, shape[dim]);
      wrapped = true;
    }
  }
  // Last, so that all powers of two are in the tile.
  for (unsigned dim : order)
    result = result.repeated(Dim::Register, dim, odd[dim]);
  return wrapped ? result.withoutRedundantRegisters() : result;
}

//===----------------------------------------------------------------------===//
// Redundancy
//===----------------------------------------------------------------------===//

bool LinearLayout::isOwner(Dim in, int64_t index) const {
  uint64_t inTile = index & ((int64_t(1) << tile.getInBits(in)) - 1);
  if (inTile & tile.getFreeMask(in))
    return false;
  int64_t rest = index >> tile.getInBits(in);
  for (const Repeat &repeat : repeats) {
    if (repeat.in != in)
      continue;
    if (repeat.out == Dim::None && rest % repeat.count != 0)
      return false;
    rest /= repeat.count;
  }
  return true;
}

bool LinearLayout::isInjective() const {
  return tile.isInjective() &&
         llvm::none_of(repeats, [](const Repeat &repeat) { return repeat.out == Dim::None; });
}

LinearLayout LinearLayout::withoutRedundantRegisters(llvm::SmallVectorImpl<int32_t> *kept) const {
  if (kept) {
    kept->clear();
    for (int64_t reg = 0; reg < getInSize(Dim::Register); ++reg)
      if (isOwner(Dim::Register, reg))
        kept->push_back(reg);
  }
  uint64_t redundant = tile.getFreeMask(Dim::Register);
  llvm::SmallVector<DimBits, 4> ins(tile.getIns());
  for (DimBits &in : ins)
    if (in.dim == Dim::Register)
      in.bits -= llvm::popcount(redundant);
  LinearMap smaller(ins, tile.getOuts());
  for (DimBits in : tile.getIns()) {
    unsigned place = 0;
    for (auto [bit, column] : llvm::enumerate(tile.getColumns(in.dim)))
      if (in.dim != Dim::Register || !(redundant >> bit & 1))
        smaller.setColumn(in.dim, place++, column);
  }
  llvm::SmallVector<Repeat, 2> rest(repeats);
  llvm::erase_if(rest, [](const Repeat &repeat) {
    return repeat.in == Dim::Register && repeat.out == Dim::None;
  });
  return get(smaller, rest);
}

//===----------------------------------------------------------------------===//
// Contiguity
//===----------------------------------------------------------------------===//

static RegisterRuns findRuns(const LinearMap &tile, unsigned dim, int64_t limit) {
  llvm::SmallVector<uint64_t> others, units;
  for (DimBits in : tile.getIns())
    if (in.dim != Dim::Register)
      llvm::append_range(others, tile.getColumns(in.dim));
  for (unsigned bit = 0; bit < tile.getOutBits(tensorDim(dim)); ++bit)
    if (int64_t(1) << (bit + 1) <= limit)
      units.push_back(tile.packOuts({{tensorDim(dim), uint64_t(1) << bit}}));
  return RegisterRuns(tile.getColumns(Dim::Register), others, units);
}

int64_t LinearLayout::getContiguity(unsigned dim, int64_t limit) const {
  return findRuns(tile, dim, limit).getLength();
}

llvm::SmallVector<llvm::SmallVector<int32_t>> LinearLayout::getRuns(unsigned dim,
                                                                    int64_t length) const {
  auto inTile = findRuns(tile, dim, length).getGroups(length);
  llvm::SmallVector<llvm::SmallVector<int32_t>> runs;
  int64_t tileSize = int64_t(1) << tile.getInBits(Dim::Register);
  for (int64_t base = 0; base < getInSize(Dim::Register); base += tileSize)
    for (const auto &group : inTile)
      runs.push_back(llvm::map_to_vector(group, [&](int32_t reg) { return int32_t(reg + base); }));
  return runs;
}

} // namespace tile
