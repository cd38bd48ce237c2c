// The pass that lets products complete while other work goes on.
#ifndef TILE_TRANSFORMS_OVERLAP_DOTS_TD
#define TILE_TRANSFORMS_OVERLAP_DOTS_TD

include "mlir/Pass/PassBase.td"

def OverlapDots : Pass<"tile-overlap-dots", "::mlir::func::FuncOp"> {
  let summary = "Let products complete while other work goes on";
  let description = [{
    Before: each `tile.async_dot` is awaited at once.

    After: each is awaited where its result is first used, or something writes on
    chip, but for blocks that threads store in other buffers than it reads, and
    copies into those of the iteration before; a
    product that adds to what the one before it gives does not wait for that. No
    more are in flight than a thread's registers hold.

    Buffers that a product does not need are read behind its start.

    In loops with `tile.dots_in_flight`, whose products all accumulate on what the
    loop carries and read copies alone, accumulators are carried in flight: an
    iteration waits for the products of the one before, and what follows the loop
    for the last ones. So are those that an iteration ends with where they read
    what threads hold and blocks of rings, of which the next iteration has others,
    and registers suffice: its own first wait is for them too.

    ```mlir
    scf.for ... iter_args(%acc = %zero) {
      %p = tile.async_dot %a, %b, %acc
      %d = tile.await_dots(%p) in_flight 0
      scf.yield %d
    }
    // becomes
    %none = tile.pend %zero
    %last = scf.for ... iter_args(%acc = %none) {
      %p = tile.async_dot %a, %b, %acc
      %q = tile.await_dots(%p) in_flight 1
      scf.yield %q
    }
    %d = tile.await_dots(%last) in_flight 0
    ```
  }];
  let dependentDialects = ["::tile::TileDialect"];
}

#endif // TILE_TRANSFORMS_OVERLAP_DOTS_TD
