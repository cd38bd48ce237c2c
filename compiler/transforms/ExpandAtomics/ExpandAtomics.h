//===- ExpandAtomics.h - Atomic kinds that memory lacks ---===//
#ifndef TILE_COMPILER_TRANSFORMS_EXPANDATOMICS_EXPANDATOMICS_H
#define TILE_COMPILER_TRANSFORMS_EXPANDATOMICS_EXPANDATOMICS_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

namespace tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/ExpandAtomics/ExpandAtomics.h.inc"

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_EXPANDATOMICS_EXPANDATOMICS_H
