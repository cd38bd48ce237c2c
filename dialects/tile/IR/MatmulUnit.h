//===- MatmulUnit.h - Instructions that multiply matrices -----------------===//
//
// The interface between the passes that choose an instruction for a dot, the
// lowering that emits it, and the attributes of targets that describe one.
//
//===----------------------------------------------------------------------===//
#ifndef TILE_DIALECTS_TILE_IR_MATMULUNIT_H
#define TILE_DIALECTS_TILE_IR_MATMULUNIT_H

#include "compiler/analysis/LinearLayout/Access.h"

#include "mlir/IR/Builders.h"

#include <array>

namespace tile {

enum class InputPrecision : uint32_t;

enum class MatmulOperand { A, B, Acc };

/// One product of blocks, as far as a unit cares.
struct MatmulProblem {
  mlir::Type a, b, acc; // element types
  InputPrecision precision;
  bool isUnsigned = false;
  int64_t m = 1, n = 1, k = 1;
  int64_t numWarps = 1;
};

/// A fragment of an operand in on-chip memory.
struct OnChipFragment {
  mlir::Value address; // of its first element
  /// How the whole operand lies there, in elements.
  const LinearLayout *memory = nullptr;
  unsigned elementBits = 0;
};

/// Operands of one instruction of a unit that reads on-chip memory.
struct AsyncProduct {
  /// Operand A, where it is in registers: one fragment, packed.
  mlir::ValueRange registersA;
  OnChipFragment a, b;
  mlir::ValueRange acc;
  /// The sum begins with this product: what the accumulators hold is no part of it.
  bool isFirst = false;
  /// The loop around it needs registers more than time: what says where the
  /// operands are shall be computed in each of its iterations.
  bool savesRegisters = false;
};

} // namespace tile

#include "dialects/tile/IR/TileAttrInterfaces.h.inc"

#endif // TILE_DIALECTS_TILE_IR_MATMULUNIT_H
