//===- LayoutText.cpp - Layouts as parts and as text -----------------------===//
//
// Verification of untrusted parts, printing and parsing.
//
//===----------------------------------------------------------------------===//
#include "compiler/analysis/LinearLayout/LinearLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace tile {

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static bool isHardwareDim(Dim dim) { return dim <= Dim::Offset; }

static std::string verifyBases(llvm::ArrayRef<int64_t> tileShape,
                               const LinearLayout::Bases &bases) {
  size_t columnCount = 0;
  for (auto [i, entry] : llvm::enumerate(bases)) {
    const auto &[in, columns] = entry;
    std::string name = getDimName(in);
    columnCount += columns.size();
    if (!isHardwareDim(in))
      return "expects register, lane, warp, block or offset as an input, got " + name;
    for (const auto &[other, unused] : llvm::ArrayRef(bases).take_front(i))
      if (other == in)
        return "expects each input once, got " + name + " twice";
    for (const LinearLayout::Basis &column : columns) {
      if (column.size() != tileShape.size())
        return "expects " + std::to_string(tileShape.size()) + " coordinates in each basis of " +
               name + ", got " + std::to_string(column.size());
      for (auto [dim, value] : llvm::enumerate(column))
        if (value < 0 || value >= tileShape[dim])
          return "expects coordinates of " + name + " below the tile size " +
                 std::to_string(tileShape[dim]) + ", got " + std::to_string(value);
    }
  }
  if (columnCount > 64)
    return "expects at most 64 bases, got " + std::to_string(columnCount);
  return "";
}

std::string LinearLayout::verify(llvm::ArrayRef<int64_t> tileShape, const Bases &bases,
                                 llvm::ArrayRef<Repeat> repeats) {
  unsigned bits = 0;
  for (int64_t size : tileShape) {
    if (size < 1 || !llvm::isPowerOf2_64(size))
      return "expects tile sizes that are powers of two, got " + std::to_string(size);
    bits += llvm::Log2_64(size);
  }
  if (bits > 48)
    return "expects a tile of at most 2^48 elements";
  if (std::string error = verifyBases(tileShape, bases); !error.empty())
    return error;
  // Sizes are products; a bound keeps them far from overflow.
  unsigned repeatBits = 0;
  for (const Repeat &repeat : repeats) {
    if (!isHardwareDim(repeat.in))
      return "expects repeats by register, lane, warp, block or offset, got " +
             getDimName(repeat.in);
    if (repeat.out != Dim::None &&
        (!isTensorDim(repeat.out) || tensorIndex(repeat.out) >= tileShape.size()))
      return "expects repeats along a dimension below " + std::to_string(tileShape.size()) +
             ", got " + getDimName(repeat.out);
    if (repeat.count < 1 || repeat.count > int64_t(1) << 31)
      return "expects repeat counts from 1 to 2^31, got " + std::to_string(repeat.count);
    repeatBits += llvm::Log2_64_Ceil(repeat.count);
  }
  if (bits + repeatBits > 62)
    return "expects a layout of at most 2^62 elements";
  return "";
}

LinearLayout::Bases LinearLayout::getBases() const {
  Bases bases;
  for (DimBits in : tile.getIns()) {
    auto &columns = bases.emplace_back(in.dim, llvm::SmallVector<Basis, 8>()).second;
    for (unsigned bit = 0; bit < in.bits; ++bit)
      columns.push_back(llvm::map_to_vector<4>(tile.getOuts(), [&](DimBits out) {
        return int64_t(tile.getColumn(in.dim, bit, out.dim));
      }));
  }
  return bases;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

void LinearLayout::print(llvm::raw_ostream &os) const {
  os << "[";
  llvm::interleaveComma(getTileShape(), os);
  os << "]";
  llvm::StringRef separator = ": ";
  for (const auto &[in, columns] : getBases()) {
    os << separator << getDimName(in) << " = [";
    llvm::interleaveComma(columns, os, [&](const Basis &column) {
      os << "[";
      llvm::interleaveComma(column, os);
      os << "]";
    });
    os << "]";
    separator = ", ";
  }
  if (repeats.empty())
    return;
  os << separator << "repeat = [";
  llvm::interleaveComma(repeats, os, [&](const Repeat &repeat) {
    os << getDimName(repeat.in) << " x " << repeat.count;
    if (repeat.out != Dim::None)
      os << " -> " << getDimName(repeat.out);
  });
  os << "]";
}

std::string LinearLayout::toString() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
/// Recursive descent; every method returns false once `error` is set.
class LayoutParser {
public:
  LayoutParser(llvm::StringRef text, std::string &error) : whole(text), rest(text), error(error) {}

  std::optional<LinearLayout> parse() {
    if (!parseIntegers(tileShape))
      return std::nullopt;
    if (consume(":"))
      do {
        if (!parseEntry())
          return std::nullopt;
      } while (consume(","));
    if (!rest.ltrim().empty()) {
      fail("the end");
      return std::nullopt;
    }
    error = LinearLayout::verify(tileShape, bases, repeats);
    if (!error.empty())
      return std::nullopt;
    return LinearLayout::get(tileShape, bases, repeats);
  }

private:
  bool fail(const llvm::Twine &expected) {
    size_t position = whole.size() - rest.size();
    error = ("expected " + expected + " at character " + llvm::Twine(position)).str();
    return false;
  }
  bool consume(llvm::StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  bool expect(llvm::StringRef token) { return consume(token) || fail("'" + token + "'"); }

  bool parseInteger(int64_t &value) {
    rest = rest.ltrim();
    return !rest.consumeInteger(10, value) || fail("an integer");
  }
  bool parseDim(Dim &dim) {
    rest = rest.ltrim();
    llvm::StringRef name = rest.take_while([](char c) { return llvm::isAlnum(c); });
    std::optional<Dim> known = getDimByName(name);
    if (!known)
      return fail("the name of an index space");
    rest = rest.drop_front(name.size());
    dim = *known;
    return true;
  }
  bool parseList(llvm::function_ref<bool()> parseElement) {
    if (!expect("["))
      return false;
    if (consume("]"))
      return true;
    do {
      if (!parseElement())
        return false;
    } while (consume(","));
    return expect("]");
  }
  template <typename Vector> bool parseIntegers(Vector &values) {
    return parseList([&] {
      values.push_back(0);
      return parseInteger(values.back());
    });
  }
  bool parseRepeat() {
    Repeat repeat{Dim::None, Dim::None, 1};
    if (!parseDim(repeat.in) || !expect("x") || !parseInteger(repeat.count))
      return false;
    if (consume("->") && !parseDim(repeat.out))
      return false;
    repeats.push_back(repeat);
    return true;
  }
  bool parseEntry() {
    if (consume("repeat"))
      return expect("=") && parseList([&] { return parseRepeat(); });
    Dim in;
    if (!parseDim(in) || !expect("="))
      return false;
    auto &columns = bases.emplace_back(in, llvm::SmallVector<LinearLayout::Basis, 8>()).second;
    return parseList([&] {
      columns.emplace_back();
      return parseIntegers(columns.back());
    });
  }

  llvm::StringRef whole, rest;
  std::string &error;
  llvm::SmallVector<int64_t> tileShape;
  LinearLayout::Bases bases;
  llvm::SmallVector<Repeat, 2> repeats;
};
} // namespace

std::optional<LinearLayout> LinearLayout::parse(llvm::StringRef text, std::string &error) {
  return LayoutParser(text, error).parse();
}

} // namespace tile
