// The pass that makes extrema of floats from those of integers.
#ifndef TILE_TRANSFORMS_EXPAND_ATOMICS_TD
#define TILE_TRANSFORMS_EXPAND_ATOMICS_TD

include "mlir/Pass/PassBase.td"

def ExpandAtomics : Pass<"tile-expand-atomics", "::mlir::func::FuncOp"> {
  let summary = "Make atomic extrema of floats from those of integers";
  let description = [{
    Before: `tile.atomic_rmw` may be of kind `fmax` or `fmin`.

    After: none is. The bits of positive floats order as signed integers, those
    of negative ones in reverse as unsigned integers: each lane does the one that
    the sign of its value asks for. Memory may hold either sign: the maximum with
    a positive value replaces all negative ones, which are below zero as signed
    integers; the maximum with a negative value, an unsigned minimum, keeps all
    positive ones, whose first bit is not set.
  }];
  let dependentDialects = ["::tile::TileDialect", "::mlir::arith::ArithDialect"];
}

#endif // TILE_TRANSFORMS_EXPAND_ATOMICS_TD
