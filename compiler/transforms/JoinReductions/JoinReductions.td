// The pass that lets warps wait for each other once for several reductions.
#ifndef TILE_TRANSFORMS_JOIN_REDUCTIONS_TD
#define TILE_TRANSFORMS_JOIN_REDUCTIONS_TD

include "mlir/Pass/PassBase.td"

def JoinReductions : Pass<"tile-join-reductions", "::mlir::func::FuncOp"> {
  let summary = "Make reductions across warps that do not need each other one";
  let description = [{
    Before: reductions of blocks with the same layout, along the same axis, whose
    results have the same layout; several warps have parts of each result.

    After: a reduction joins the first one before it that it does not depend on, if
    what it reduces can be computed there. Warps exchange parts of all results
    between the same barriers, and registers need not hold a block from one
    reduction to the next.

    ```mlir
    %s = tile.reduce(%x) axis 0 { addf } : (tensor<4096xf32, #l>) -> f32
    %y = arith.mulf %x, %x
    %q = tile.reduce(%y) axis 0 { addf } : (tensor<4096xf32, #l>) -> f32
    // becomes
    %y = arith.mulf %x, %x
    %s, %q = tile.reduce(%x, %y) axis 0 { addf, addf }
    ```
  }];
  let dependentDialects = ["::tile::TileDialect"];
}

#endif // TILE_TRANSFORMS_JOIN_REDUCTIONS_TD
