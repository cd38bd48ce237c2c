//===- GuardArithmetic.h - Total semantics for division and shifts --------===//
#ifndef TILE_COMPILER_TRANSFORMS_GUARDARITHMETIC_H
#define TILE_COMPILER_TRANSFORMS_GUARDARITHMETIC_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"

namespace tile {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/GuardArithmetic/GuardArithmetic.h.inc"
} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_GUARDARITHMETIC_H
