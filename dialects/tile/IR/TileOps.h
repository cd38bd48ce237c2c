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

namespace tile {

/// What atomic accesses to global memory have in common.
struct AtomicAccess {
  mlir::Value pointer;
  mlir::ValueRange values; ///< what goes to memory: none, a value, or expected and desired
  mlir::Value mask;        ///< null: every lane acts
  MemorySemantic semantic;
  MemoryScope scope;

  bool releases() const {
    return semantic == MemorySemantic::Release || semantic == MemorySemantic::AcquireRelease;
  }
  bool acquires() const {
    return semantic == MemorySemantic::Acquire || semantic == MemorySemantic::AcquireRelease;
  }
};

/// Whether `op` accesses global memory atomically, element by element.
bool isAtomic(mlir::Operation *op);
/// What `op` does, where it is atomic.
std::optional<AtomicAccess> getAtomicAccess(mlir::Operation *op);

/// What the promises that `value` is the result of are made about; `value` where it is of none.
mlir::Value skipHints(mlir::Value value);

} // namespace tile

#endif // TILE_DIALECTS_TILE_IR_TILEOPS_H
