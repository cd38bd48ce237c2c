//===- NvidiaDialect.h - The nvidia dialect ---------------------------------===//
#ifndef TILE_TARGETS_NVIDIA_IR_NVIDIADIALECT_H
#define TILE_TARGETS_NVIDIA_IR_NVIDIADIALECT_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "compiler/targets/nvidia/IR/NvidiaDialect.h.inc"

#include "compiler/targets/nvidia/IR/NvidiaEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "compiler/targets/nvidia/IR/NvidiaAttributes.h.inc"

#define GET_OP_CLASSES
#include "compiler/targets/nvidia/IR/NvidiaOps.h.inc"

namespace tile::nvidia {

/// Bits of a scalar or vector as registers hold it; pointers have 64.
unsigned getBits(mlir::Type type);

} // namespace tile::nvidia

#endif // TILE_TARGETS_NVIDIA_IR_NVIDIADIALECT_H
