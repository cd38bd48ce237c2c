//===- MovePlan.h - How threads move elements to other places ---------------===//
//
// For ops that tie layouts as `Moving`, and for changes of shape that no layout
// describes: the elements of a result come from other places of the operands, in
// whatever threads those are.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_ANALYSIS_THREADEXCHANGE_MOVEPLAN_H
#define TILE_ANALYSIS_THREADEXCHANGE_MOVEPLAN_H

#include "dialects/tile/IR/TileOps.h"

namespace tile {

/// Where an element of a result comes from.
struct ElementSource {
  unsigned operand;
  llvm::SmallVector<int64_t> at;
};

/// The source of the element at `at` of the result of a cat, an extract or a
/// reshape.
ElementSource getElementSource(mlir::Operation *op, llvm::ArrayRef<int64_t> at);

/// Register i of the result of a cat, an extract or a reshape is register plan[i]
/// of the operands, counted through; -1: padding. Nothing where an element comes
/// from another thread.
std::optional<llvm::SmallVector<int32_t>> planLocalMove(mlir::Operation *op);

/// The block that a move reads from on-chip memory, row-major: a gather's
/// source, what a cat joins, an extract's source, with sizes as layouts cover
/// them; what a reshape moves, without padding.
llvm::SmallVector<int64_t> getMoveShape(mlir::Operation *op);

/// Whether no layout of the source gives the one of the result, so that elements
/// change threads.
bool movesElements(ReshapeOp op);

/// Bytes of on-chip memory that a gather, a cat, an extract or a reshape takes.
int64_t getMoveBytes(mlir::Operation *op);

} // namespace tile

#endif // TILE_ANALYSIS_THREADEXCHANGE_MOVEPLAN_H
