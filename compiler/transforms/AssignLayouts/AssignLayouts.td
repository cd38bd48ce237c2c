// The pass that gives every block a layout.
#ifndef TILE_TRANSFORMS_ASSIGN_LAYOUTS_TD
#define TILE_TRANSFORMS_ASSIGN_LAYOUTS_TD

include "mlir/Pass/PassBase.td"

def AssignLayouts : Pass<"tile-assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "Decide which thread holds each element of each block";
  let description = [{
    Before: blocks have no layouts; the module states `tile.target` and
    `tile.num_warps`.

    After: every block has a layout. Memory accesses have one in which each
    thread moves as many consecutive elements at a time as alignment and mask
    admit, up to the target's `access_bits`, and neighbouring lanes neighbouring
    vectors. Accesses of one shape share the widest of their vectors, but no wider than
    what is written or copied in one, and operands of dots apart from the rest. Of loads
    that are to become copies for a dot the mask may leave out the last elements of a
    vector. Where no elements are known to be consecutive, lanes go
    along a dimension whose elements are not multiples of a number apart. Everything
    else has the plain layout of its shape; conversions
    stand wherever the two meet. `tile-remove-conversions` then moves layouts
    so that few of them remain.

    ```mlir
    %x = tile.load %p : tensor<1024x!tile.ptr<f32>>
    // becomes
    %0 = tile.convert_layout %p : tensor<1024x!tile.ptr<f32>, #plain> -> tensor<1024x!tile.ptr<f32>, #coalesced>
    %1 = tile.load %0 : tensor<1024x!tile.ptr<f32>, #coalesced>
    %x = tile.convert_layout %1 : tensor<1024xf32, #coalesced> -> tensor<1024xf32, #plain>
    ```
  }];
  let dependentDialects = ["::tile::TileDialect"];
}

#endif // TILE_TRANSFORMS_ASSIGN_LAYOUTS_TD
