//===- DescriptorMakers.h - Who makes descriptors of block copies ---------===//
#ifndef TILE_COMPILER_TRANSFORMS_EXPANDDESCRIPTORS_DESCRIPTORMAKERS_H
#define TILE_COMPILER_TRANSFORMS_EXPANDDESCRIPTORS_DESCRIPTORMAKERS_H

#include "compiler/analysis/AccessPattern/AccessPattern.h"
#include "dialects/tile/IR/TileOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tile {

/// Who can make a descriptor as copies of whole blocks take it.
enum class DescriptorMaker {
  None,
  Host,      ///< before the launch, from the arguments
  Program,   ///< where the program comes by, for the loop that follows
  Unaligned, ///< the program, were base and strides known to be multiples of 16 bytes
};

class DescriptorMakers {
public:
  explicit DescriptorMakers(mlir::func::FuncOp function) : function(function) {}
  /// Of the descriptor that `access` uses.
  DescriptorMaker find(mlir::Operation *access);
  /// Whether the rows of the descriptor that `access` uses are known to be multiples
  /// of 16 bytes: copies write to the end of the last such piece.
  bool hasWholeRows(mlir::Operation *access);

private:
  bool isAligned(MakeDescriptorOp desc);
  bool divides(mlir::Value value, int64_t unit);

  mlir::func::FuncOp function;
  /// Made when it is asked for: most kernels do not need it.
  std::optional<AccessAnalysis> patterns;
};

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_EXPANDDESCRIPTORS_DESCRIPTORMAKERS_H
