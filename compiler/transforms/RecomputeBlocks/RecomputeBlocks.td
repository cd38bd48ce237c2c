// The pass that frees registers across reductions.
#ifndef TILE_TRANSFORMS_RECOMPUTE_BLOCKS_TD
#define TILE_TRANSFORMS_RECOMPUTE_BLOCKS_TD

include "mlir/Pass/PassBase.td"

def RecomputeBlocks : Pass<"tile-recompute-blocks", "::mlir::func::FuncOp"> {
  let summary = "Compute blocks again behind a reduction rather than keep them in registers";
  let description = [{
    Before: a loop's body reads awaited copies once. What is computed from them
    stays in registers until its last use.

    After: where more lives across a reduction than a thread's share of the
    target's `program_registers` holds, blocks that elementwise ops compute from awaited
    copies are read from there and computed again behind it.

    ```mlir
    %x = tile.buffer_load %copy
    %e = arith.extf %x
    %sum = tile.reduce (%e) axis 0 ...
    %s = tile.splat %sum
    %y = arith.mulf %e, %s
    // becomes
    %x = tile.buffer_load %copy
    %e = arith.extf %x
    %sum = tile.reduce (%e) axis 0 ...
    %s = tile.splat %sum
    %again = tile.buffer_load %copy {reread = 1 : i32}
    %f = arith.extf %again
    %y = arith.mulf %f, %s
    ```

    `reread` keeps CSE from undoing it; that the reduction's barrier is between the
    two reads keeps what follows from it.
  }];
  let dependentDialects = ["::tile::TileDialect"];
}

#endif // TILE_TRANSFORMS_RECOMPUTE_BLOCKS_TD
