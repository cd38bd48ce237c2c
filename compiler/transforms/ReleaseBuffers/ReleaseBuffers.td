// The pass that gives buffers of rings back.
#ifndef TILE_TRANSFORMS_RELEASE_BUFFERS_TD
#define TILE_TRANSFORMS_RELEASE_BUFFERS_TD

include "mlir/Pass/PassBase.td"

def ReleaseBuffers : Pass<"tile-release-buffers", "::mlir::func::FuncOp"> {
  let summary = "Tell who fetches blocks that they have been read";
  let description = [{
    Before: `tile-specialize-warps` has made rings; products are awaited where
    they will be. What `tile.acquire` gives is used in its block of code alone.

    After: in the first region of `tile.roles`, each `tile.acquire` of a ring's
    full signals is followed by a `tile.arrive` at its empty ones, as soon as all
    that reads the buffers is complete: in the next iteration of the loop, and
    behind the loop for the last one, where products are in flight until then.

    ```mlir
    %a, %b = tile.acquire %full[%stage] phase %phase of (%as, %bs)
    %p = tile.async_dot %a, %b, %acc
    %d = tile.await_dots(%p) in_flight 0
    tile.arrive %empty[%stage]
    ```
  }];
  let dependentDialects = ["::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // TILE_TRANSFORMS_RELEASE_BUFFERS_TD
