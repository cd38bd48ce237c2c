//===- SpecializeWarps.h - A thread that fetches blocks -------------------===//
#ifndef TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_SPECIALIZEWARPS_H
#define TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_SPECIALIZEWARPS_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/SpecializeWarps/SpecializeWarps.h.inc"

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_SPECIALIZEWARPS_SPECIALIZEWARPS_H
