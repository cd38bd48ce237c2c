//===- MemoryRules.h - Rules that accesses to memory share ----------------===//
#ifndef TILE_DIALECTS_TILE_IR_MEMORYRULES_H
#define TILE_DIALECTS_TILE_IR_MEMORYRULES_H

#include "dialects/tile/IR/TileDialect.h"

namespace tile {

/// The mask of an access, where there is one, is a boolean of the pointer's shape.
mlir::LogicalResult verifyMask(mlir::Operation *op, mlir::Type pointer, mlir::Value mask);

/// A kind of atomic operation suits the element.
mlir::LogicalResult verifyAtomicKind(mlir::Operation *op, AtomicKind kind, mlir::Type element);

} // namespace tile

#endif // TILE_DIALECTS_TILE_IR_MEMORYRULES_H
