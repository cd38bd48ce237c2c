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

} // namespace tile

#include "dialects/tile/IR/TileAttrInterfaces.h.inc"

#endif // TILE_DIALECTS_TILE_IR_MATMULUNIT_H
