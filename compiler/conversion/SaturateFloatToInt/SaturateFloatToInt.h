//===- SaturateFloatToInt.h - Conversions to integer that saturate --------===//
#ifndef TILE_COMPILER_CONVERSION_SATURATEFLOATTOINT_H
#define TILE_COMPILER_CONVERSION_SATURATEFLOATTOINT_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace tile {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/conversion/SaturateFloatToInt/SaturateFloatToInt.h.inc"
} // namespace tile

#endif // TILE_COMPILER_CONVERSION_SATURATEFLOATTOINT_H
