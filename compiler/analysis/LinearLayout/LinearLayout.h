//===- LinearLayout.h - Where the elements of a tensor live ----------------===//
//
// A layout is a linear tile times plain integer repeat counts. It says which
// tensor element a (register, lane, warp, block), or an offset of on-chip
// memory, holds.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_LINEARLAYOUT_LINEARLAYOUT_H
#define TILE_ANALYSIS_LINEARLAYOUT_LINEARLAYOUT_H

#include "compiler/analysis/LinearLayout/LinearMap.h"

namespace llvm {
class raw_ostream;
class hash_code;
} // namespace llvm

namespace tile {

/// `in` counts `count` times outside everything before it, moving along `out`
/// by what was covered so far; with `out == Dim::None` it holds copies.
struct Repeat {
  Dim in;
  Dim out;
  int64_t count;
  bool operator==(const Repeat &other) const {
    return in == other.in && out == other.out && count == other.count;
  }
};

/// Immutable value; cheap to copy. The form is canonical, so that equal
/// functions with equal tiles compare equal:
/// - tile inputs are listed in the order of `Dim`, spaces of size 1 left out;
/// - tile outputs are dim0 .. dim(rank-1), all listed;
/// - powers of two are in the tile wherever they can be;
/// - repeats that do not touch the same space are sorted.
///
/// Index of a space = tile index + tile size * (mixed radix of its repeats,
/// first repeat fastest); a coordinate of a tensor dimension likewise.
///
/// Register layouts cover at least the tensor's logical shape: elements beyond
/// it are padding. Zero columns and `None` repeats are replication.
class LinearLayout {
public:
  LinearLayout() = default;
  /// One element, of `rank` dimensions of size 1.
  static LinearLayout getUnit(unsigned rank);
  /// From its parts: columns of each input space as coordinate vectors.
  /// `tileShape` are powers of two that hold all coordinates. Asserts on
  /// malformed parts; `verify` them first when they come from text.
  using Basis = llvm::SmallVector<int64_t, 4>;
  using Bases = llvm::SmallVector<std::pair<Dim, llvm::SmallVector<Basis, 8>>, 4>;
  static LinearLayout get(llvm::ArrayRef<int64_t> tileShape, const Bases &bases,
                          llvm::ArrayRef<Repeat> repeats = {});
  static LinearLayout get(const LinearMap &tile, llvm::ArrayRef<Repeat> repeats = {});
  /// Empty when the parts make a layout, else one sentence on what is wrong.
  static std::string verify(llvm::ArrayRef<int64_t> tileShape, const Bases &bases,
                            llvm::ArrayRef<Repeat> repeats);

  const LinearMap &getTile() const { return tile; }
  llvm::ArrayRef<Repeat> getRepeats() const { return repeats; }
  Bases getBases() const;
  unsigned getRank() const { return tile.getOuts().size(); }
  llvm::SmallVector<int64_t> getTileShape() const;
  /// The covered shape, at least the logical one.
  llvm::SmallVector<int64_t> getShape() const;
  int64_t getDimSize(unsigned dim) const;
  /// Number of registers, lanes, ... (1 for a space that is not listed).
  int64_t getInSize(Dim in) const;
  bool isLinear() const { return repeats.empty(); }

  /// Coordinates of the element at the given hardware indices.
  llvm::SmallVector<int64_t> apply(llvm::ArrayRef<DimIndex> indices) const;

  bool operator==(const LinearLayout &other) const;
  bool operator!=(const LinearLayout &other) const { return !(*this == other); }
  friend llvm::hash_code hash_value(const LinearLayout &layout);

  /// `[64, 32]: register = [[0, 1]], lane = [[0, 2]], repeat = [register x 3 -> dim1]`:
  /// shape of the tile, columns, repeats from the inside out.
  void print(llvm::raw_ostream &os) const;
  std::string toString() const;
  /// Parses what `print` writes. On failure returns nothing and sets `error`.
  static std::optional<LinearLayout> parse(llvm::StringRef text, std::string &error);

  //===--- Growing ----------------------------------------------------------===//

  /// `in` counts `count` times more, outermost, along dimension `dim`.
  LinearLayout repeated(Dim in, unsigned dim, int64_t count) const;
  /// `in` gets `count` times more values, which hold copies.
  LinearLayout replicated(Dim in, int64_t count) const;
  /// `in` counts to `size`, which the tile's size of it is a multiple of; what the others held,
  /// registers hold. Unless repeats count `in`, layouts that shapes tie to each other stay tied.
  LinearLayout foldedToRegisters(Dim in, int64_t size) const;
  /// Grows by registers, dimensions in `order` (fastest first; powers of two of
  /// all of them before any odd factor), until `shape` is covered; pads where the covered size does
  /// not divide it. Where more than a power-of-two `shape` is covered, the excess becomes copies
  /// and excess registers are dropped.
  LinearLayout resizedTo(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order) const;

  //===--- Shape changes ----------------------------------------------------===//

  /// Dimension i of the result is dimension order[i] of this layout.
  LinearLayout transposed(llvm::ArrayRef<unsigned> order) const;
  /// The same row-major elements under another shape, with no data movement.
  /// Nothing if padded (`getShape()` and `shape` differ in size) or if digits
  /// of odd repeats do not fall on the new dimensions.
  std::optional<LinearLayout> reshaped(llvm::ArrayRef<int64_t> shape) const;
  /// Inserts a dimension of size 1 before `axis`.
  LinearLayout expanded(unsigned axis) const;
  /// Collapses `axis` to size 1; what moved along it now holds copies. The
  /// layout of a value that is to be broadcast to this one.
  LinearLayout collapsed(unsigned axis) const;
  /// Removes `axis`: the layout of a reduction's result. Registers are kept;
  /// see `withoutRedundantRegisters`.
  LinearLayout sliced(unsigned axis) const { return collapsed(axis).squeezed(axis); }
  /// Removes `axis`, which must have size 1.
  LinearLayout squeezed(unsigned axis) const;
  /// A new last dimension of size 2, carried by the lowest register bit.
  LinearLayout joined() const;
  /// Undoes `joined`: nothing unless some register bit, and only it, moves
  /// along the last dimension of size 2. The halves are the registers r with
  /// coordinate 0 and 1, in order (`splitRegisters`).
  std::optional<LinearLayout> split() const;
  /// The registers of this layout that hold half `half` of `split()`.
  llvm::SmallVector<int32_t> splitRegisters(unsigned half) const;

  //===--- Redundancy ---------------------------------------------------------===//

  /// Bits of the *tile* index of `in` that only select copies. An index owns
  /// its element iff (index % tile size) & mask == 0 and all its `None` repeat
  /// digits are 0 (`isOwner`): every element then has exactly one owner.
  uint64_t getFreeMask(Dim in) const { return tile.getFreeMask(in); }
  bool isOwner(Dim in, int64_t index) const;
  /// No element is held by two lanes or two warps.
  bool hasOneOwner() const {
    return isOwner(Dim::Lane, getInSize(Dim::Lane) - 1) &&
           isOwner(Dim::Warp, getInSize(Dim::Warp) - 1);
  }
  /// No element is held twice.
  bool isInjective() const;
  /// Every covered element is held. Holds for all layouts the constructors make.
  bool isSurjective() const { return tile.isSurjective(); }
  /// Drops registers that hold copies of other registers of the same thread.
  /// `kept`, if given, is set to the old number of each new register.
  LinearLayout withoutRedundantRegisters(llvm::SmallVectorImpl<int32_t> *kept = nullptr) const;

  //===--- Contiguity ---------------------------------------------------------===//

  /// The longest run, up to `limit` elements and a power of two, that each
  /// thread holds along dimension `dim`, aligned to its length.
  int64_t getContiguity(unsigned dim, int64_t limit) const;
  /// Registers grouped in such runs: groups of `length` registers whose
  /// coordinates along `dim` are consecutive, first one aligned, in every
  /// lane and warp. `length` must be at most `getContiguity(dim, length)`.
  llvm::SmallVector<llvm::SmallVector<int32_t>> getRuns(unsigned dim, int64_t length) const;

private:
  LinearLayout(LinearMap tile, llvm::ArrayRef<Repeat> repeats);
  void append(Repeat repeat);
  void sortRepeats();

  LinearMap tile;
  llvm::SmallVector<Repeat, 2> repeats;
};

} // namespace tile

#endif // TILE_ANALYSIS_LINEARLAYOUT_LINEARLAYOUT_H
