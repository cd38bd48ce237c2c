// The pass that gives every sort one order: integers without a sign, ascending.
#ifndef TILE_TRANSFORMS_EXPAND_SORTS_TD
#define TILE_TRANSFORMS_EXPAND_SORTS_TD

include "mlir/Pass/PassBase.td"

def ExpandSorts : Pass<"tile-expand-sorts", "::mlir::func::FuncOp"> {
  let summary = "Sort keys, unsigned and ascending, in place of elements of any kind";
  let description = [{
    Before: `tile.sort` of integers with or without a sign and of floats, in
    either direction.

    After: every `tile.sort` is of unsigned integers of 8 bits or more, in
    ascending order. Elementwise operations make keys of the elements before it,
    and elements of the keys after it. A float's key is its bits, the sign
    flipped, and all others too where it is negative; NaN has the largest key. A
    descending order complements the keys.

    ```mlir
    %y = tile.sort %x descending : tensor<128xi32> -> tensor<16xi32>
    // becomes, where %c is the largest signed integer
    %k = arith.xori %x, %c : tensor<128xi32>
    %s = tile.sort %k unsigned : tensor<128xi32> -> tensor<16xi32>
    %y = arith.xori %s, %d : tensor<16xi32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // TILE_TRANSFORMS_EXPAND_SORTS_TD
