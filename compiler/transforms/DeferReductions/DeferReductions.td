// The pass that lets threads keep their parts of what a loop sums up.
#ifndef TILE_TRANSFORMS_DEFER_REDUCTIONS_TD
#define TILE_TRANSFORMS_DEFER_REDUCTIONS_TD

include "mlir/Pass/PassBase.td"

def DeferReductions : Pass<"tile-defer-reductions", "::mlir::func::FuncOp"> {
  let summary = "Combine what a loop reduces across threads once, behind the loop";
  let description = [{
    Before: a loop carries a value that nothing but its own update reads, and each
    step combines with it what `tile.reduce` makes of a block, by the operation
    that combines elements there. A sum may be scaled before. Blocks have layouts.

    After: each thread carries its own part, of what its registers hold; parts are
    combined behind the loop. A sum that begins with another value than zero gives
    each thread an equal share of it.

    ```mlir
    scf.for ... iter_args(%sum = %init) -> (tensor<128xf32>) {
      %s = arith.mulf %sum, %alpha
      %r = tile.reduce(%p) axis 1 { addf } : (tensor<128x64xf32>) -> tensor<128xf32>
      %n = arith.addf %s, %r
    }
    // becomes, where four lanes share a row
    %last = scf.for ... iter_args(%sum = %shares) -> (tensor<128x4xf32>) {
      %s = arith.mulf %sum, %alphas
      %q = tile.reshape %p : tensor<128x64xf32> -> tensor<128x8x4x2xf32>
      ... reduce axes 3 and 1: registers alone
      %n = arith.addf %s, %r : tensor<128x4xf32>
    }
    %sum = tile.reduce(%last) axis 1 { addf }
    ```
  }];
  let dependentDialects = ["::tile::TileDialect", "::mlir::arith::ArithDialect"];
}

#endif // TILE_TRANSFORMS_DEFER_REDUCTIONS_TD
