//===- LinearMap.h - Linear maps between named index spaces ---------------===//
//
// A map over F2 between products of power-of-two index spaces: an index is its
// bit vector, and map(a ^ b) == map(a) ^ map(b). Used for the tiles of layouts,
// for conversions between them, and for addresses.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_LINEARLAYOUT_LINEARMAP_H
#define TILE_ANALYSIS_LINEARLAYOUT_LINEARMAP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace tile {

/// Names of index spaces. Hardware spaces first, in the order in which they are
/// packed; `tensorDim(i)` names the i-th dimension of a tensor.
enum class Dim : uint8_t { Register, Lane, Warp, Block, Offset, None, FirstTensor = 8 };

inline Dim tensorDim(unsigned i) { return Dim(unsigned(Dim::FirstTensor) + i); }
inline bool isTensorDim(Dim dim) { return dim >= Dim::FirstTensor; }
inline unsigned tensorIndex(Dim dim) { return unsigned(dim) - unsigned(Dim::FirstTensor); }

/// "register", "lane", "warp", "block", "offset"; "dim0", "dim1", ...
std::string getDimName(Dim dim);
std::optional<Dim> getDimByName(llvm::StringRef name);

/// A space of size 2^bits.
struct DimBits {
  Dim dim;
  unsigned bits;
  bool operator==(const DimBits &other) const { return dim == other.dim && bits == other.bits; }
};

/// One bit of an input index.
struct InputBit {
  Dim dim;
  unsigned bit;
};

/// An index into one space.
using DimIndex = std::pair<Dim, uint64_t>;

/// A linear map. Inputs and outputs are *packed* into one word each: the first
/// listed space takes the lowest bits. At most 64 bits a side. A space that is
/// not listed has size 1.
class LinearMap {
public:
  LinearMap() = default;
  /// The zero map.
  LinearMap(llvm::ArrayRef<DimBits> ins, llvm::ArrayRef<DimBits> outs);

  /// `in` counts up along `out`, one to one.
  static LinearMap identity(Dim in, Dim out, unsigned bits);
  /// `in` has 2^bits values that all go to zero.
  static LinearMap zeros(Dim in, unsigned bits, Dim out);

  llvm::ArrayRef<DimBits> getIns() const { return ins; }
  llvm::ArrayRef<DimBits> getOuts() const { return outs; }
  unsigned getInBits(Dim dim) const;
  unsigned getOutBits(Dim dim) const;
  unsigned getTotalInBits() const { return columns.size(); }
  unsigned getTotalOutBits() const;

  /// Images of the packed input bits.
  llvm::ArrayRef<uint64_t> getColumns() const { return columns; }
  /// Images of the bits of one input space (empty when it has size 1).
  llvm::ArrayRef<uint64_t> getColumns(Dim in) const;
  void setColumn(Dim in, unsigned bit, uint64_t packedOut);
  /// Sets the part of a column that lies in `out`.
  void setColumn(Dim in, unsigned bit, Dim out, uint64_t value);
  uint64_t getColumn(Dim in, unsigned bit, Dim out) const;

  uint64_t packIns(llvm::ArrayRef<DimIndex> indices) const;
  uint64_t packOuts(llvm::ArrayRef<DimIndex> indices) const;
  uint64_t unpackIn(uint64_t packed, Dim in) const;
  uint64_t unpackOut(uint64_t packed, Dim out) const;

  /// Image of a packed input.
  uint64_t apply(uint64_t packedIn) const;
  /// Image of named indices (absent ones are 0), packed.
  uint64_t apply(llvm::ArrayRef<DimIndex> indices) const { return apply(packIns(indices)); }
  /// Image of an index of one space, the others at 0, packed.
  uint64_t applyDim(Dim in, uint64_t index) const;

  bool operator==(const LinearMap &other) const;
  bool operator!=(const LinearMap &other) const { return !(*this == other); }

  //===--- Building --------------------------------------------------------===//

  /// Direct product: in every space the bits of `outer` come above those of
  /// this map; spaces of `outer` that are new are appended.
  LinearMap operator*(const LinearMap &outer) const;
  /// The map x -> outer(this(x)). The outputs of this map must be inputs of
  /// `outer`, in any order, and not wider.
  LinearMap then(const LinearMap &outer) const;
  /// Keeps only the given input and output spaces, in the given order.
  LinearMap sublayout(llvm::ArrayRef<Dim> ins, llvm::ArrayRef<Dim> outs) const;

  //===--- Solving ---------------------------------------------------------===//

  unsigned getRank() const;
  bool isInjective() const { return getRank() == getTotalInBits(); }
  bool isSurjective() const { return getRank() == getTotalOutBits(); }
  bool isInvertible() const { return isInjective() && isSurjective(); }
  /// Packed inputs that go to zero: a basis.
  llvm::SmallVector<uint64_t> getKernel() const;
  /// Input bits whose image is a sum of images of lower packed bits. Fixing
  /// them to zero keeps the range and makes the map injective.
  uint64_t getFreeMask() const;
  uint64_t getFreeMask(Dim in) const;

  /// A right inverse, with free input bits at zero; nothing if not surjective.
  std::optional<LinearMap> invert() const;
  /// X with target(X(x)) == this(x): where the output of this map lies in the
  /// inputs of `target`. Free bits of `target` are zero, except that an input
  /// space both maps have keeps its value wherever that is a solution.
  std::optional<LinearMap> invertAndCompose(const LinearMap &target) const;
  /// The quotient Q with `divisor * Q == this`, if there is one.
  std::optional<LinearMap> divideLeft(const LinearMap &divisor) const;

  std::string toString() const;

private:
  unsigned getInShift(Dim dim) const;
  unsigned getOutShift(Dim dim) const;

  llvm::SmallVector<DimBits, 4> ins, outs;
  llvm::SmallVector<uint64_t, 16> columns;
};

} // namespace tile

#endif // TILE_ANALYSIS_LINEARLAYOUT_LINEARMAP_H
