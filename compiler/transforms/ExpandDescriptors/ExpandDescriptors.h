//===- ExpandDescriptors.h - Descriptors of arrays become pointers and masks ---===//
#ifndef TILE_COMPILER_TRANSFORMS_EXPANDDESCRIPTORS_EXPANDDESCRIPTORS_H
#define TILE_COMPILER_TRANSFORMS_EXPANDDESCRIPTORS_EXPANDDESCRIPTORS_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

namespace tile {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/ExpandDescriptors/ExpandDescriptors.h.inc"

/// f(d)  ->  f(base, sizes, strides) { d = make_descriptor ... }
void splitDescriptorArguments(mlir::func::FuncOp function);

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_EXPANDDESCRIPTORS_EXPANDDESCRIPTORS_H
