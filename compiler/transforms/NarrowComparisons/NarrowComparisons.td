// The pass that compares small numbers with what is left of a bound.
#ifndef TILE_TRANSFORMS_NARROW_COMPARISONS_TD
#define TILE_TRANSFORMS_NARROW_COMPARISONS_TD

include "mlir/Pass/PassBase.td"

def NarrowComparisons : Pass<"tile-narrow-comparisons", "::mlir::func::FuncOp"> {
  let summary = "Compare small numbers in 32 bits where offsets have 64";
  let description = [{
    Before: masks compare blocks of 64 bits, each a small number of 32 bits, such as
    of `tile.arange`, plus a scalar, with another scalar.

    After: they compare the small numbers, in 32 bits, with the difference of the
    scalars, which is cut off where it exceeds all of them. A thread keeps half the
    registers for what it compares, and compares once where it did so twice.

    Scalars must be known to be so small that neither sum nor difference wraps:
    numbers of 32 bits, and products of such with constants.

    ```mlir
    %wide = arith.extsi %r : tensor<128xi32> to tensor<128xi64>   // %r = tile.arange 0
    %sum = arith.addi %base, %wide : tensor<128xi64>              // a splat of %b
    %mask = arith.cmpi slt, %sum, %bound : tensor<128xi64>        // a splat of %n
    // becomes
    %left = arith.subi %n, %b : i64
    %low = arith.maxsi %left, %c-1073741824 : i64
    %cut = arith.minsi %low, %c1073741824 : i64
    %narrow = arith.trunci %cut : i64 to i32
    %bound = tile.splat %narrow : tensor<128xi32>
    %mask = arith.cmpi slt, %r, %bound : tensor<128xi32>
    ```
  }];
  let dependentDialects = ["::tile::TileDialect", "::mlir::arith::ArithDialect"];
}

#endif // TILE_TRANSFORMS_NARROW_COMPARISONS_TD
