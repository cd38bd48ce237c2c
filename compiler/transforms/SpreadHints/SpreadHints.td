// The pass that lets a promise hold wherever it has been made.
#ifndef TILE_TRANSFORMS_SPREAD_HINTS_TD
#define TILE_TRANSFORMS_SPREAD_HINTS_TD

include "mlir/Pass/PassBase.td"

def SpreadHints : Pass<"tile-spread-hints"> {
  let summary = "What is promised of a value holds of it from there on";
  let description = [{
    Before: a promise holds of the result of `tile.hint` alone, which programs
    need not use: `tl.multiple_of(p, [16, 16])` is a statement as well.

    After: what stands behind the promise in its block, or in blocks in there,
    uses the result. It has to run before what removes unused values.

    ```mlir
    %q = tile.hint %p divisibility [16] : tensor<128x!tile.ptr<f16>>
    %x = tile.load %p : tensor<128x!tile.ptr<f16>>
    // becomes
    %q = tile.hint %p divisibility [16] : tensor<128x!tile.ptr<f16>>
    %x = tile.load %q : tensor<128x!tile.ptr<f16>>
    ```
  }];
  let dependentDialects = ["::tile::TileDialect"];
}

#endif // TILE_TRANSFORMS_SPREAD_HINTS_TD
