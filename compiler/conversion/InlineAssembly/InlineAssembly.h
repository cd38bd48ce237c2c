//===- InlineAssembly.h - Assembly on scalars -------------------------------===//
#ifndef TILE_COMPILER_CONVERSION_INLINEASSEMBLY_H
#define TILE_COMPILER_CONVERSION_INLINEASSEMBLY_H

#include "dialects/tile/IR/TileOps.h"

#include "mlir/IR/Builders.h"

namespace tile {

/// One run of the assembly of `op` on scalars of the converted types: `pack`
/// elements of each operand in turn. Gives as many of each result. Narrow
/// elements travel together in registers, as the op says.
llvm::SmallVector<mlir::Value> emitInlineAssembly(mlir::OpBuilder &builder, InlineAsmOp op,
                                                  llvm::ArrayRef<mlir::Value> elements);

} // namespace tile

#endif // TILE_COMPILER_CONVERSION_INLINEASSEMBLY_H
