//===- TileOps.h - Operations of the tile dialect -------------------------===//
#ifndef TILE_DIALECTS_TILE_IR_TILEOPS_H
#define TILE_DIALECTS_TILE_IR_TILEOPS_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "dialects/tile/IR/TileOps.h.inc"

#endif // TILE_DIALECTS_TILE_IR_TILEOPS_H
