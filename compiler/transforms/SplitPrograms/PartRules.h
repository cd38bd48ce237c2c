//===- PartRules.h - How ops tie the parts of their blocks ----------------===//
#ifndef TILE_COMPILER_TRANSFORMS_SPLITPROGRAMS_PARTRULES_H
#define TILE_COMPILER_TRANSFORMS_SPLITPROGRAMS_PARTRULES_H

#include "dialects/tile/IR/TileOps.h"

namespace tile {

/// How the thread blocks of a program hold a value: each a part along this dimension,
/// in their order, or each all of it.
using Split = int;
inline constexpr Split kWhole = -1;

/// Blocks, and descriptors by the blocks that they give, can be split.
bool canBeSplit(mlir::Type type);
/// The part's type.
mlir::Type getPartType(mlir::Type type, Split split, int64_t parts);

/// How `op` needs its operands to compute results that are split so; nothing where it
/// needs more than a part of some. Control flow is not asked for.
std::optional<llvm::SmallVector<Split>> getOperandSplits(mlir::Operation *op, Split split,
                                                         int64_t parts);

/// The same for an op that does something to the outside in parts.
std::optional<llvm::SmallVector<Split>> getEffectOperandSplits(mlir::Operation *op, Split split);

/// How the results of `op` come from an operand that is split so.
Split getResultSplit(mlir::Operation *op, unsigned operand, Split split, int64_t parts);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_SPLITPROGRAMS_PARTRULES_H
