//===- PrintAccessPatterns.h - Say what is known about runs ----------------===//
#ifndef TILE_COMPILER_TRANSFORMS_PRINTACCESSPATTERNS_PRINTACCESSPATTERNS_H
#define TILE_COMPILER_TRANSFORMS_PRINTACCESSPATTERNS_PRINTACCESSPATTERNS_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/PrintAccessPatterns/PrintAccessPatterns.h.inc"

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_PRINTACCESSPATTERNS_PRINTACCESSPATTERNS_H
