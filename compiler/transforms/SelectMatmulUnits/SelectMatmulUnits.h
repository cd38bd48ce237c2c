//===- SelectMatmulUnits.h - Choose an instruction for each dot -----------===//
#ifndef TILE_COMPILER_TRANSFORMS_SELECTMATMULUNITS_SELECTMATMULUNITS_H
#define TILE_COMPILER_TRANSFORMS_SELECTMATMULUNITS_SELECTMATMULUNITS_H

#include "dialects/tile/IR/TileDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace tile {

/// Warps along the batch, the rows and the columns of a product; each such grid is
/// there `copies` times, and computes the same.
struct WarpGrid {
  int64_t batch = 1, rows = 1, columns = 1, copies = 1;
};

/// The layout of a block of `shape` (with a batch first, if of rank three) that
/// is an operand of `unit`, for `warps`.
LinearLayout getUnitLayout(MatmulUnit unit, MatmulOperand operand, llvm::ArrayRef<int64_t> shape,
                           const WarpGrid &warps);

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "compiler/transforms/SelectMatmulUnits/SelectMatmulUnits.h.inc"

} // namespace tile

#endif // TILE_COMPILER_TRANSFORMS_SELECTMATMULUNITS_SELECTMATMULUNITS_H
