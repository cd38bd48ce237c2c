//===- Fragments.h - Registers by the elements that they hold ---------------===//
#ifndef TILE_CONVERSION_TILETOGPU_FRAGMENTS_H
#define TILE_CONVERSION_TILETOGPU_FRAGMENTS_H

#include "dialects/tile/IR/TileDialect.h"

#include <map>

namespace tile {

using Coordinates = llvm::SmallVector<int64_t>;

/// Registers of a thread by the coordinates that they have in the first thread.
class RegisterTable {
public:
  explicit RegisterTable(const LinearLayout &layout);
  /// The register at `place`, or -1.
  int32_t find(const Coordinates &place) const;
  llvm::ArrayRef<Coordinates> getPlaces() const { return places; }

private:
  llvm::SmallVector<Coordinates> places;
  std::map<Coordinates, int32_t> registers;
};

/// One operand of a dot, as fragments of a unit.
class Fragments {
public:
  /// The block's last two dimensions are the fragment's.
  Fragments(MatmulUnit unit, MatmulOperand which, mlir::Type block);

  /// The registers of the fragment at `origin`; empty if it is not all there. A
  /// block smaller than the fragment is held in copies.
  llvm::SmallVector<int32_t> find(const Coordinates &origin) const;

  /// Whether lanes, and the warps that act together, spread the block as the
  /// fragment says.
  bool hasThreadsOfFragment() const;

  /// Coordinates of the first register of each fragment.
  llvm::SmallVector<Coordinates> getOrigins() const;

private:
  const LinearLayout &layout;
  LinearLayout fragment;
  RegisterTable table, inside;
};

/// Operand coordinates of an element (or of a fragment at) `acc`, at depth `k`.
Coordinates getPlaceInA(Coordinates acc, int64_t k);
Coordinates getPlaceInB(Coordinates acc, int64_t k);

/// The values at `indices`.
llvm::SmallVector<mlir::Value> pick(llvm::ArrayRef<mlir::Value> values,
                                    llvm::ArrayRef<int32_t> indices);

} // namespace tile

#endif // TILE_CONVERSION_TILETOGPU_FRAGMENTS_H
