//===- SharedLoads.h - Small loads whose elements many threads need -------===//
#ifndef TILE_COMPILER_TRANSFORMS_REMOVECONVERSIONS_SHAREDLOADS_H
#define TILE_COMPILER_TRANSFORMS_REMOVECONVERSIONS_SHAREDLOADS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tile {

/// Small loads of loops that copy operands of dots ahead, and which threads want in many
/// registers: each element is loaded by few threads, and converted. The loads can then be
/// copies too, and threads need no address for each register. Returns them.
llvm::DenseSet<mlir::Operation *> shareSmallLoads(mlir::func::FuncOp function);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_REMOVECONVERSIONS_SHAREDLOADS_H
