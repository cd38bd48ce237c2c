//===- AtomicKinds.h - Atomic operations in LLVM's words --------------------===//
#ifndef TILE_COMPILER_CONVERSION_ATOMICKINDS_H
#define TILE_COMPILER_CONVERSION_ATOMICKINDS_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tile {

/// LLVM's operation of a kind. The kinds of floats that memory lacks have become
/// integers' by then (`tile-expand-atomics`).
mlir::LLVM::AtomicBinOp getLLVMAtomic(AtomicKind kind);

} // namespace tile

#endif // TILE_COMPILER_CONVERSION_ATOMICKINDS_H
