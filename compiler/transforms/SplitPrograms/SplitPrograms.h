//===- SplitPrograms.h - Programs of several thread blocks ---------===//
#ifndef TILE_COMPILER_TRANSFORMS_SPLITPROGRAMS_SPLITPROGRAMS_H
#define TILE_COMPILER_TRANSFORMS_SPLITPROGRAMS_SPLITPROGRAMS_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/SplitPrograms/SplitPrograms.h.inc"

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_SPLITPROGRAMS_SPLITPROGRAMS_H
