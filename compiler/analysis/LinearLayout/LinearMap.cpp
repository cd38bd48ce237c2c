//===- LinearMap.cpp - Linear maps between named index spaces -------------===//
//
// Packing, products and the solving of linear systems.
//
//===----------------------------------------------------------------------===//
#include "compiler/analysis/LinearLayout/LinearMap.h"

#include "compiler/analysis/LinearLayout/F2.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cassert>

namespace tile {

static constexpr llvm::StringLiteral hardwareNames[] = {"register", "lane",   "warp",
                                                        "block",    "offset", "none"};

std::string getDimName(Dim dim) {
  if (isTensorDim(dim))
    return "dim" + std::to_string(tensorIndex(dim));
  return hardwareNames[unsigned(dim)].str();
}

std::optional<Dim> getDimByName(llvm::StringRef name) {
  for (auto [i, known] : llvm::enumerate(hardwareNames))
    if (name == known)
      return Dim(i);
  unsigned index;
  if (name.consume_front("dim") && !name.getAsInteger(10, index) && index < 128)
    return tensorDim(index);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Spaces and packing
//===----------------------------------------------------------------------===//

static unsigned sumBits(llvm::ArrayRef<DimBits> dims) {
  unsigned total = 0;
  for (DimBits dim : dims)
    total += dim.bits;
  assert(total <= 64 && "index spaces are packed into one word");
  return total;
}

static const DimBits *findDim(llvm::ArrayRef<DimBits> dims, Dim dim) {
  for (const DimBits &entry : dims)
    if (entry.dim == dim)
      return &entry;
  return nullptr;
}

static unsigned getBits(llvm::ArrayRef<DimBits> dims, Dim dim) {
  const DimBits *entry = findDim(dims, dim);
  return entry ? entry->bits : 0;
}

static unsigned getShift(llvm::ArrayRef<DimBits> dims, Dim dim) {
  unsigned shift = 0;
  for (const DimBits &entry : dims) {
    if (entry.dim == dim)
      return shift;
    shift += entry.bits;
  }
  return shift;
}

static uint64_t getMask(unsigned bits) {
  return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
}

/// Shifting a 64-bit word by 64 is undefined; only empty spaces sit there.
static uint64_t shiftLeft(uint64_t value, unsigned shift) {
  return shift >= 64 ? 0 : value << shift;
}
static uint64_t shiftRight(uint64_t value, unsigned shift) {
  return shift >= 64 ? 0 : value >> shift;
}

static uint64_t pack(llvm::ArrayRef<DimBits> dims, llvm::ArrayRef<DimIndex> indices) {
  uint64_t packed = 0;
  for (auto [dim, index] : indices) {
    assert((index & ~getMask(getBits(dims, dim))) == 0 && "index out of its space");
    packed |= shiftLeft(index, getShift(dims, dim));
  }
  return packed;
}

LinearMap::LinearMap(llvm::ArrayRef<DimBits> ins, llvm::ArrayRef<DimBits> outs)
    : ins(ins), outs(outs), columns(sumBits(ins), 0) {
  sumBits(outs);
}

LinearMap LinearMap::identity(Dim in, Dim out, unsigned bits) {
  LinearMap map({{in, bits}}, {{out, bits}});
  for (unsigned bit = 0; bit < bits; ++bit)
    map.columns[bit] = uint64_t(1) << bit;
  return map;
}

LinearMap LinearMap::zeros(Dim in, unsigned bits, Dim out) {
  return LinearMap({{in, bits}}, {{out, 0}});
}

unsigned LinearMap::getInBits(Dim dim) const { return getBits(ins, dim); }
unsigned LinearMap::getOutBits(Dim dim) const { return getBits(outs, dim); }
unsigned LinearMap::getTotalOutBits() const { return sumBits(outs); }
unsigned LinearMap::getInShift(Dim dim) const { return getShift(ins, dim); }
unsigned LinearMap::getOutShift(Dim dim) const { return getShift(outs, dim); }

llvm::ArrayRef<uint64_t> LinearMap::getColumns(Dim in) const {
  const DimBits *entry = findDim(ins, in);
  if (!entry)
    return {};
  return llvm::ArrayRef<uint64_t>(columns).slice(getInShift(in), entry->bits);
}

void LinearMap::setColumn(Dim in, unsigned bit, uint64_t packedOut) {
  assert(bit < getInBits(in) && (packedOut & ~getMask(getTotalOutBits())) == 0);
  columns[getInShift(in) + bit] = packedOut;
}

void LinearMap::setColumn(Dim in, unsigned bit, Dim out, uint64_t value) {
  assert(bit < getInBits(in) && (value & ~getMask(getOutBits(out))) == 0);
  uint64_t &column = columns[getInShift(in) + bit];
  column &= ~shiftLeft(getMask(getOutBits(out)), getOutShift(out));
  column |= shiftLeft(value, getOutShift(out));
}

uint64_t LinearMap::getColumn(Dim in, unsigned bit, Dim out) const {
  return unpackOut(columns[getInShift(in) + bit], out);
}

uint64_t LinearMap::packIns(llvm::ArrayRef<DimIndex> indices) const { return pack(ins, indices); }
uint64_t LinearMap::packOuts(llvm::ArrayRef<DimIndex> indices) const { return pack(outs, indices); }

uint64_t LinearMap::unpackIn(uint64_t packed, Dim in) const {
  return shiftRight(packed, getInShift(in)) & getMask(getInBits(in));
}

uint64_t LinearMap::unpackOut(uint64_t packed, Dim out) const {
  return shiftRight(packed, getOutShift(out)) & getMask(getOutBits(out));
}

uint64_t LinearMap::apply(uint64_t packedIn) const { return combine(columns, packedIn); }

uint64_t LinearMap::applyDim(Dim in, uint64_t index) const {
  return combine(getColumns(in), index);
}

bool LinearMap::operator==(const LinearMap &other) const {
  return llvm::ArrayRef(ins) == llvm::ArrayRef(other.ins) &&
         llvm::ArrayRef(outs) == llvm::ArrayRef(other.outs) && columns == other.columns;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

static llvm::SmallVector<DimBits, 4> addBits(llvm::ArrayRef<DimBits> inner,
                                             llvm::ArrayRef<DimBits> outer) {
  llvm::SmallVector<DimBits, 4> sum(inner);
  for (DimBits added : outer) {
    auto *entry = llvm::find_if(sum, [&](DimBits known) { return known.dim == added.dim; });
    if (entry == sum.end())
      sum.push_back(added);
    else
      entry->bits += added.bits;
  }
  return sum;
}

LinearMap LinearMap::operator*(const LinearMap &outer) const {
  LinearMap product(addBits(ins, outer.ins), addBits(outs, outer.outs));
  for (DimBits in : ins)
    for (unsigned bit = 0; bit < in.bits; ++bit)
      for (DimBits out : outs)
        product.setColumn(in.dim, bit, out.dim, getColumn(in.dim, bit, out.dim));
  for (DimBits in : outer.ins)
    for (unsigned bit = 0; bit < in.bits; ++bit)
      for (DimBits out : outer.outs)
        product.setColumn(in.dim, getInBits(in.dim) + bit, out.dim,
                          shiftLeft(outer.getColumn(in.dim, bit, out.dim), getOutBits(out.dim)));
  return product;
}

LinearMap LinearMap::then(const LinearMap &outer) const {
  LinearMap result(ins, outer.outs);
  for (auto [i, column] : llvm::enumerate(columns)) {
    uint64_t packed = 0;
    for (DimBits out : outs) {
      uint64_t value = unpackOut(column, out.dim);
      assert((value & ~getMask(outer.getInBits(out.dim))) == 0 && "composed maps do not fit");
      packed |= shiftLeft(value, outer.getInShift(out.dim));
    }
    result.columns[i] = outer.apply(packed);
  }
  return result;
}

LinearMap LinearMap::sublayout(llvm::ArrayRef<Dim> keptIns, llvm::ArrayRef<Dim> keptOuts) const {
  llvm::SmallVector<DimBits, 4> newIns, newOuts;
  for (Dim in : keptIns)
    newIns.push_back({in, getInBits(in)});
  for (Dim out : keptOuts)
    newOuts.push_back({out, getOutBits(out)});
  LinearMap result(newIns, newOuts);
  for (DimBits in : newIns)
    for (unsigned bit = 0; bit < in.bits; ++bit)
      for (Dim out : keptOuts)
        result.setColumn(in.dim, bit, out, getColumn(in.dim, bit, out));
  return result;
}

//===----------------------------------------------------------------------===//
// Solving
//===----------------------------------------------------------------------===//

unsigned LinearMap::getRank() const { return Subspace(columns).getDim(); }

llvm::SmallVector<uint64_t> LinearMap::getKernel() const { return nullSpace(columns); }

uint64_t LinearMap::getFreeMask() const {
  Subspace range;
  uint64_t mask = 0;
  for (auto [i, column] : llvm::enumerate(columns))
    if (!range.insert(column))
      mask |= uint64_t(1) << i;
  return mask;
}

uint64_t LinearMap::getFreeMask(Dim in) const { return unpackIn(getFreeMask(), in); }

namespace {
/// Solves target(x) == y with the free input bits of `target` at zero.
class Solver {
public:
  explicit Solver(llvm::ArrayRef<uint64_t> columns) {
    for (auto [i, column] : llvm::enumerate(columns))
      if (range.insert(column))
        source.push_back(i);
  }
  std::optional<uint64_t> solve(uint64_t y) const {
    std::optional<uint64_t> sum = range.express(y);
    if (!sum)
      return std::nullopt;
    uint64_t x = 0;
    for (auto [generator, bit] : llvm::enumerate(source))
      if (*sum >> generator & 1)
        x |= uint64_t(1) << bit;
    return x;
  }

private:
  Subspace range;
  llvm::SmallVector<unsigned, 16> source;
};
} // namespace

std::optional<LinearMap> LinearMap::invert() const {
  Solver solver(columns);
  LinearMap inverse(outs, ins);
  for (unsigned i = 0; i < inverse.columns.size(); ++i) {
    std::optional<uint64_t> x = solver.solve(uint64_t(1) << i);
    if (!x)
      return std::nullopt;
    inverse.columns[i] = *x;
  }
  return inverse;
}

std::optional<LinearMap> LinearMap::invertAndCompose(const LinearMap &target) const {
  Solver solver(target.columns);
  LinearMap result(ins, target.ins);
  for (DimBits in : ins) {
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      uint64_t wanted = target.packOuts([&] {
        llvm::SmallVector<DimIndex, 4> parts;
        for (DimBits out : outs)
          parts.push_back({out.dim, getColumn(in.dim, bit, out.dim)});
        return parts;
      }());
      // The same bit of the same space, where it does: replication and equal
      // threads then stay where they are.
      if (bit < target.getInBits(in.dim) && target.getColumns(in.dim)[bit] == wanted) {
        result.setColumn(in.dim, bit, in.dim, uint64_t(1) << bit);
        continue;
      }
      std::optional<uint64_t> x = solver.solve(wanted);
      if (!x)
        return std::nullopt;
      result.setColumn(in.dim, bit, *x);
    }
  }
  return result;
}

/// `divisor * Q == this`: the low bits of every space are the divisor's, and
/// the high bits touch only what lies above the divisor's outputs.
std::optional<LinearMap> LinearMap::divideLeft(const LinearMap &divisor) const {
  auto subtract = [](llvm::ArrayRef<DimBits> whole,
                     llvm::ArrayRef<DimBits> part) -> std::optional<llvm::SmallVector<DimBits, 4>> {
    llvm::SmallVector<DimBits, 4> rest;
    for (DimBits entry : part)
      if (entry.bits > getBits(whole, entry.dim))
        return std::nullopt;
    for (DimBits entry : whole)
      rest.push_back({entry.dim, entry.bits - getBits(part, entry.dim)});
    return rest;
  };
  auto restIns = subtract(ins, divisor.ins);
  auto restOuts = subtract(outs, divisor.outs);
  if (!restIns || !restOuts)
    return std::nullopt;
  LinearMap quotient(*restIns, *restOuts);
  for (DimBits in : ins) {
    unsigned low = divisor.getInBits(in.dim);
    for (unsigned bit = 0; bit < in.bits; ++bit) {
      for (DimBits out : outs) {
        unsigned lowOut = divisor.getOutBits(out.dim);
        uint64_t value = getColumn(in.dim, bit, out.dim);
        if (bit < low) {
          if (value != (lowOut ? divisor.getColumn(in.dim, bit, out.dim) : 0))
            return std::nullopt;
          continue;
        }
        if (value & getMask(lowOut))
          return std::nullopt;
        quotient.setColumn(in.dim, bit - low, out.dim, shiftRight(value, lowOut));
      }
    }
  }
  return quotient;
}

std::string LinearMap::toString() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(
      ins, os,
      [&](DimBits in) {
        os << getDimName(in.dim) << " = [";
        for (unsigned bit = 0; bit < in.bits; ++bit) {
          os << (bit ? ", [" : "[");
          llvm::interleaveComma(outs, os,
                                [&](DimBits out) { os << getColumn(in.dim, bit, out.dim); });
          os << "]";
        }
        os << "]";
      },
      ", ");
  os << " -> ";
  llvm::interleaveComma(outs, os, [&](DimBits out) {
    os << getDimName(out.dim) << ":" << (uint64_t(1) << out.bits);
  });
  return text;
}

} // namespace tile
