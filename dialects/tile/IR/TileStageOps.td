// Ops that the compiler makes while it schedules a kernel; no user writes them.
#ifndef TILE_STAGE_OPS_TD
#define TILE_STAGE_OPS_TD

include "TileTypes.td"
include "TileAttributes.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Tile_ConvertLayoutOp : Tile_Op<"convert_layout", [Pure, Elementwise,
                                                      SameOperandsAndResultShape,
                                                      SameOperandsAndResultElementType]> {
  let summary = "The same block, held by other threads";
  let description = [{
    ```mlir
    %b = tile.convert_layout %a : tensor<128xf32, #a> -> tensor<128xf32, #b>
    ```
  }];
  let arguments = (ins Tile_Block:$source);
  let results = (outs Tile_Block:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
}

#endif // TILE_STAGE_OPS_TD
