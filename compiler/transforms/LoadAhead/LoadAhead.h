//===- LoadAhead.h - Small loads ahead of their iterations ----------------===//
#ifndef TILE_COMPILER_TRANSFORMS_LOADAHEAD_LOADAHEAD_H
#define TILE_COMPILER_TRANSFORMS_LOADAHEAD_LOADAHEAD_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/LoadAhead/LoadAhead.h.inc"

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_LOADAHEAD_LOADAHEAD_H
