//===- RemoveConversions.h - Few conversions between layouts --------------===//
#ifndef TILE_COMPILER_TRANSFORMS_REMOVECONVERSIONS_REMOVECONVERSIONS_H
#define TILE_COMPILER_TRANSFORMS_REMOVECONVERSIONS_REMOVECONVERSIONS_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/RemoveConversions/RemoveConversions.h.inc"

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_REMOVECONVERSIONS_REMOVECONVERSIONS_H
