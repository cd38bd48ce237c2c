//===- BlockAccess.h - Pointers and mask of a block of an array -----------===//
#ifndef TILE_COMPILER_TRANSFORMS_EXPANDDESCRIPTORS_BLOCKACCESS_H
#define TILE_COMPILER_TRANSFORMS_EXPANDDESCRIPTORS_BLOCKACCESS_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tile {

/// What a descriptor is made of, in the order in which its parts are passed.
struct DescriptorParts {
  mlir::Value base;
  mlir::ValueRange sizes, strides;

  /// Taken from the values that a descriptor of `rank` dimensions has become.
  static DescriptorParts get(mlir::ValueRange values);
  static llvm::SmallVector<mlir::Type> getTypes(DescType type);
};

/// A block of pointers, and where they are inside of the array.
struct BlockAccess {
  mlir::Value pointers, mask;
};

/// The block of `shape` at `indices`: for each dimension the i32 index of its
/// first element, or a one-dimensional block of the indices of all of them.
BlockAccess createBlockAccess(mlir::ImplicitLocOpBuilder &b, const DescriptorParts &parts,
                              llvm::ArrayRef<int64_t> shape, mlir::ValueRange indices);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_EXPANDDESCRIPTORS_BLOCKACCESS_H
