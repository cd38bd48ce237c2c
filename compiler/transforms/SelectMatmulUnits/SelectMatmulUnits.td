// The pass that chooses an instruction for each matrix product.
#ifndef TILE_TRANSFORMS_SELECT_MATMUL_UNITS_TD
#define TILE_TRANSFORMS_SELECT_MATMUL_UNITS_TD

include "mlir/Pass/PassBase.td"

def SelectMatmulUnits : Pass<"tile-select-matmul-units", "::mlir::func::FuncOp"> {
  let summary = "Choose matmul units and the layouts that they work on";
  let description = [{
    Before: every block has a layout; dots have no unit.

    After: each dot names the first of the target's `units` that accepts it, and
    its operands and result have the layouts of that unit's fragments, with
    conversions around it. A dot that no unit accepts has none: its products are
    formed one by one, by threads that own squares of the result.

    A unit that reads on-chip memory leaves operand B, and A where it is loaded
    as it is, in any layout: `tile-place-operands` puts them where it reads them.

    A unit in registers takes its `paired` form where an operand is made of elements of at
    most half its width that lie along k in memory: lanes then read words of these, of
    which a product's other operand has its k in the same order. Products of what another
    dot gives keep the plain form, in which that is.

    A dot onto zero whose result is added to something accumulates onto that.

    Warps are arranged so that they read the least from on-chip memory. Where
    one dot's result becomes operand A of another, all warps are arranged along
    the rows of both: each then holds what it needs.

    ```mlir
    %d = tile.dot %a, %b, %c : tensor<64x32xf16, #a>, tensor<32x64xf16, #b> -> tensor<64x64xf32, #c>
    // becomes, with conversions of %a, %b, %c and the result
    %1 = tile.dot %0, %b0, %c0 unit #some.unit<...> : tensor<64x32xf16, #ua>, tensor<32x64xf16, #ub> -> tensor<64x64xf32, #uc>
    ```
  }];
  let dependentDialects = ["::tile::TileDialect"];
}

#endif // TILE_TRANSFORMS_SELECT_MATMUL_UNITS_TD
