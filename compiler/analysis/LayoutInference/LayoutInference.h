//===- LayoutInference.h - How ops tie the layouts of their blocks --------===//
//
// The one statement of which layouts an op admits: passes that choose layouts,
// the verifier of the scheduled stage and the lowering to threads all ask here.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_COMPILER_ANALYSIS_LAYOUTINFERENCE_LAYOUTINFERENCE_H
#define TILE_COMPILER_ANALYSIS_LAYOUTINFERENCE_LAYOUTINFERENCE_H

#include "dialects/tile/IR/TileOps.h"

namespace tile {

enum class LayoutTie {
  /// All blocks among operands and results have one layout.
  Same,
  /// The result's layout determines the operands': shape changes. A reshape for
  /// which it determines none takes any, and moves elements between threads.
  Shape,
  /// The operands' layout determines the results': reductions.
  Reduction,
  /// Any layout will do for the result, and there is no block among the
  /// operands: constants, arange, splat.
  Leaf,
  /// Takes a block in any layout and has no block as a result.
  Sink,
  /// Any layout will do for the result and for the operands that elements are
  /// taken from: the op moves elements between threads itself. Operands that
  /// `getOperandLayout` gives a layout for have that one.
  Moving,
  /// The layouts are fixed when they are chosen: memory access, dot.
  Anchor,
};

/// How `op`, which has a block among its operands or results, ties layouts.
/// Ops with regions of control flow are not asked for.
LayoutTie getLayoutTie(mlir::Operation *op);

/// The layout that operand `index` must have so that the results have the
/// layout `result`; null where no layout gives it, or, for `Moving`, where any
/// will do. For `Same`, `Shape` and `Moving`.
LayoutAttr getOperandLayout(mlir::Operation *op, unsigned index, LayoutAttr result);

/// The layout that the results have where operand `index` has the layout
/// `operand`; null where that does not determine it. For all but `Anchor`.
LayoutAttr getResultLayout(mlir::Operation *op, unsigned index, LayoutAttr operand);

/// Reports the first block below `root` that has no layout.
mlir::LogicalResult verifyHasLayouts(mlir::Operation *root);

/// The layout of operand A or B of a dot without a matmul unit: each thread
/// holds the whole rows, or columns, that its accumulators need. `shape` is the
/// operand's.
LinearLayout getScalarDotLayout(const LinearLayout &acc, MatmulOperand operand,
                                llvm::ArrayRef<int64_t> shape);

} // namespace tile

#endif // TILE_COMPILER_ANALYSIS_LAYOUTINFERENCE_LAYOUTINFERENCE_H
