// The pass that gives buffers their places in on-chip memory.
#ifndef TILE_TRANSFORMS_PLAN_BUFFERS_TD
#define TILE_TRANSFORMS_PLAN_BUFFERS_TD

include "mlir/Pass/PassBase.td"

def PlanBuffers : Pass<"tile-plan-buffers", "::mlir::ModuleOp"> {
  let summary = "Give buffers and scratch memory their places on chip";
  let description = [{
    Before: buffers are allocated, without a place.

    After: each `tile.buffer_alloc` has its `offset`, each conversion of layouts
    that goes through on-chip memory its `tile.scratch_offset` (and how many
    `scratch_passes` its block takes, if several), and the module says in
    `tile.shared_bytes` how much that takes. What is never in use at the
    same time shares bytes. More than the target's `on_chip_bytes` is an error.
  }];
  let dependentDialects = ["::tile::TileDialect"];
}

#endif // TILE_TRANSFORMS_PLAN_BUFFERS_TD
