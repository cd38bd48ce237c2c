// The pass that loads small things ahead of the iterations that use them.
#ifndef TILE_TRANSFORMS_LOAD_AHEAD_TD
#define TILE_TRANSFORMS_LOAD_AHEAD_TD

include "mlir/Pass/PassBase.td"

def LoadAhead : Pass<"tile-load-ahead", "::mlir::func::FuncOp"> {
  let summary = "Load numbers and small blocks ahead of the iterations that use them";
  let description = [{
    Before: blocks have layouts; loops that are pipelined have their copies.

    After: in such a loop, what takes few registers, is not written there, and
    lies where the iteration's number alone says is loaded up to three iterations
    ahead and carried in registers: the loop no longer waits for it.

    ```mlir
    scf.for %i = %lo to %hi step %c1 {
      %v = tile.acquire ...
      %s = tile.load %p[%i]
    // becomes
    %s0 = tile.load %p[%lo] mask %entered
    scf.for %i = %lo to %hi step %c1 iter_args(%s = %s0) {
      %next = tile.load %p[%i + 1] mask %exists
      %v = tile.acquire ...
    ```
  }];
  let dependentDialects = ["::tile::TileDialect", "::mlir::arith::ArithDialect"];
}

#endif // TILE_TRANSFORMS_LOAD_AHEAD_TD
