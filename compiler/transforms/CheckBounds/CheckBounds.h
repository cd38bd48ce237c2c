//===- CheckBounds.h - Accesses inside of the arrays they are meant for ---===//
#ifndef TILE_COMPILER_TRANSFORMS_CHECKBOUNDS_CHECKBOUNDS_H
#define TILE_COMPILER_TRANSFORMS_CHECKBOUNDS_CHECKBOUNDS_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

namespace tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/CheckBounds/CheckBounds.h.inc"

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_CHECKBOUNDS_CHECKBOUNDS_H
