// The pass that orders accesses of different threads to the same memory.
#ifndef TILE_TRANSFORMS_INSERT_BARRIERS_TD
#define TILE_TRANSFORMS_INSERT_BARRIERS_TD

include "mlir/Pass/PassBase.td"

def InsertBarriers : Pass<"tile-insert-barriers", "::mlir::func::FuncOp"> {
  let summary = "Order accesses of different threads to the same memory";
  let description = [{
    Before: buffers have their places; nothing orders the threads of a program.

    After: a `tile.barrier` stands between any two accesses of overlapping bytes
    on chip of which one writes, on every path, around loops too, and no more
    than needed: one barrier orders all that came before. A copy counts as a
    write where it is awaited: until then nobody has it. One with
    `tile.previous_block` meets only what came before its iteration. Conversions through
    on-chip memory order themselves.

    Products in flight (`tile.async_dot`) read until they are awaited. What they
    read is published: the barrier between the write and the product says so.
    Waits for stores of blocks, of which one thread tells the others, go up to such
    a barrier where there is one.

    In global memory a barrier stands between a store and a later load, and
    between a load and a later store, that may meet through the same pointer
    argument, unless both use the very pointers and each of these is one thread's
    (what an atomic operation changes is stored as well); before an atomic operation that releases earlier writes, or, on a number, reads; and between one that
    acquires and a later load.
    Different pointer arguments are taken to point to different memory.
  }];
  let dependentDialects = ["::tile::TileDialect"];
}

#endif // TILE_TRANSFORMS_INSERT_BARRIERS_TD
