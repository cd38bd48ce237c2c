//===- OperandSource.h - Where a dot's operand comes from -----------------===//
#ifndef TILE_COMPILER_ANALYSIS_OPERANDSOURCE_OPERANDSOURCE_H
#define TILE_COMPILER_ANALYSIS_OPERANDSOURCE_OPERANDSOURCE_H

#include "dialects/tile/IR/TileOps.h"

namespace tile {

/// The block that an operand is, in another layout or with its dimensions in
/// another order, or without some of size 1.
struct OperandSource {
  mlir::Value block;
  /// Dimension i of the operand is dimension order[i] of the block.
  llvm::SmallVector<int32_t> order;

  /// Whether its dimensions are the block's.
  bool isAsBlock() const;
  /// The dimension of the operand that is dimension `dim` of the block, which is not of size 1.
  unsigned getOperandDim(unsigned dim) const;
  /// `layout`, of the operand, as one of the block.
  LinearLayout getBlockLayout(const LinearLayout &layout) const;
};

/// Whether the op gives its operand with another layout, other order of dimensions, or without
/// some of size 1: units read the same on-chip bytes as either.
bool isViewOfBlock(mlir::Operation *op);

/// Looks through such views.
OperandSource traceOperand(mlir::Value operand);

/// Whether a unit that reads on-chip memory fetches `operand` of `dot` there:
/// B always, A where it is as it was loaded. What is computed is in registers.
bool isReadOnChip(DotOp dot, MatmulOperand operand);

/// Whether the unit of `dot` can read `operand`, which `source` is the origin of,
/// in a buffer that holds the origin.
bool canReadIn(DotOp dot, MatmulOperand operand, const OperandSource &source, BufferType buffer);

/// The dot that a block feeds through conversions and ops that change each
/// element for itself, and as which operand; null if there is none in its block
/// of code.
std::pair<DotOp, MatmulOperand> findFedDot(mlir::Value block);
/// Whether a dot multiplies what a block becomes in its block of code, by ops that change, join,
/// split or reorder elements. What is repeated, as scales are, is less than an operand.
bool becomesOperand(mlir::Value block);
/// Whether a dot, there or in code within, multiplies what `value` becomes in its block of code.
bool isMultiplied(mlir::Value value);

/// The dimension along which threads hold the longest runs of elements.
unsigned getFastestDim(const LinearLayout &layout, int64_t limit);

} // namespace tile

#endif // TILE_COMPILER_ANALYSIS_OPERANDSOURCE_OPERANDSOURCE_H
