// The pass that moves layouts so that few conversions remain.
#ifndef TILE_TRANSFORMS_REMOVE_CONVERSIONS_TD
#define TILE_TRANSFORMS_REMOVE_CONVERSIONS_TD

include "mlir/Pass/PassBase.td"

def RemoveConversions : Pass<"tile-remove-conversions", "::mlir::func::FuncOp"> {
  let summary = "Choose layouts so that values need not move between threads";
  let description = [{
    Before: every block has a layout; `tile.convert_layout` stands wherever a
    value is wanted in another.

    After: the same, with few conversions. Ops whose layouts were chosen for a
    reason (memory access, dot) keep them. From their results layouts flow
    forward, through shape changes, reductions, branches and around loops; where
    two meet, that of a dot wins over that of a load; behind the code that
    multiplies the load's wins, unless it is of a copy in on-chip memory, which any
    layout reads alike. Values that nothing reached take the layout that most of
    their users want. What is cheap to compute twice, such as offsets and masks, is
    computed in each layout that is wanted; loads of at most two elements for each
    thread count as cheap, but in loops whose operands of dots are copied ahead, where
    they can be copies too, which any layout reads alike. What becomes an operand
    through joins, as packed words do, is unpacked as it was loaded, once. A conversion
    between a load and a dot moves up to the load, through casts.

    ```mlir
    %1 = tile.load %0 : tensor<1024x!tile.ptr<f32>, #coalesced>
    %2 = tile.convert_layout %1 : tensor<1024xf32, #coalesced> -> tensor<1024xf32, #plain>
    %3 = math.exp %2 : tensor<1024xf32, #plain>
    // becomes
    %1 = tile.load %0 : tensor<1024x!tile.ptr<f32>, #coalesced>
    %3 = math.exp %1 : tensor<1024xf32, #coalesced>
    ```

    It does not change the layout of a dot. An access to a block of the shape of
    the function's products, which is none of their operands, takes a layout in
    which each warp has the elements that it has of a product, where that moves as
    many bytes in a row: data then goes between the two without a barrier.
  }];
  let dependentDialects = ["::tile::TileDialect"];
}

#endif // TILE_TRANSFORMS_REMOVE_CONVERSIONS_TD
