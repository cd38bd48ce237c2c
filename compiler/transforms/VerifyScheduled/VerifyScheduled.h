//===- VerifyScheduled.h - Check what stage `scheduled` promises -----------===//
#ifndef TILE_COMPILER_TRANSFORMS_VERIFYSCHEDULED_VERIFYSCHEDULED_H
#define TILE_COMPILER_TRANSFORMS_VERIFYSCHEDULED_VERIFYSCHEDULED_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/VerifyScheduled/VerifyScheduled.h.inc"

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_VERIFYSCHEDULED_VERIFYSCHEDULED_H
