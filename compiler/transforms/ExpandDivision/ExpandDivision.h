//===- ExpandDivision.h - Division of vectors without scalar code ---------===//
#ifndef TILE_COMPILER_TRANSFORMS_EXPANDDIVISION_H
#define TILE_COMPILER_TRANSFORMS_EXPANDDIVISION_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

namespace tile {
#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/ExpandDivision/ExpandDivision.h.inc"
} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_EXPANDDIVISION_H
