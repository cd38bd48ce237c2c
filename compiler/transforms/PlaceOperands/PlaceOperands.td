// The pass that puts operands of dots on chip, where their units read them.
#ifndef TILE_TRANSFORMS_PLACE_OPERANDS_TD
#define TILE_TRANSFORMS_PLACE_OPERANDS_TD

include "mlir/Pass/PassBase.td"

def PlaceOperands : Pass<"tile-place-operands", "::mlir::func::FuncOp"> {
  let summary = "Put operands of dots on chip, where their units read them";
  let description = [{
    Before: dots have units; loads that run ahead are copies into buffers.

    After: each dot by a unit that reads on-chip memory is a `tile.async_dot`,
    awaited at once. Its operands are the very buffers that they were copied to,
    or buffers that they are stored to where they are defined. A is in registers
    where it is computed, and where a ring gave it before a loop whose threads
    store on chip too: narrow instructions would take all the memory's time to
    read it again and again. It is so as far as registers suffice.

    ```mlir
    %b = tile.buffer_load %v : !tile.buffer<64x256xf16, #memory> -> tensor<64x256xf16, #load>
    %d = tile.dot %a, %b, %c {unit = #some.unit}
    // becomes
    tile.buffer_store %a, %buffer
    %p = tile.async_dot %buffer, %v, %c unit(#some.unit)
    %d = tile.await_dots(%p) in_flight 0
    ```
  }];
  let dependentDialects = ["::tile::TileDialect"];
}

#endif // TILE_TRANSFORMS_PLACE_OPERANDS_TD
