// The pass that overlaps copies of later iterations with compute of earlier ones.
#ifndef TILE_TRANSFORMS_PIPELINE_LOOPS_TD
#define TILE_TRANSFORMS_PIPELINE_LOOPS_TD

include "mlir/Pass/PassBase.td"

def PipelineLoops : Pass<"tile-pipeline-loops", "::mlir::func::FuncOp"> {
  let summary = "Copy for later iterations while earlier ones compute";
  let description = [{
    Before: innermost loops load and compute in one body; every block has a
    layout; dots have their units.

    After: loads that feed a dot, through conversions, casts and ops that join, split or reorder
    elements, are asynchronous copies into buffers on chip, `num_stages` of them, which the
    loop goes around. Copies of the first iterations are made before the loop, as early as their
    addresses are known; each step waits for
    its own, starts those of the iteration `num_stages - 1` ahead, masked off
    beyond the last one, and computes. A loop with its own `tile.num_stages`
    has all its loads treated so. The buffers' layout is computed from how the
    copies write and how the dot's unit reads, without bank conflicts.

    ```mlir
    scf.for %i = %lo to %hi step %c1 iter_args(%acc = %zero) {
      %a = tile.load %p : tensor<64x32x!tile.ptr<f16>, #load>
      %x = tile.convert_layout %a : tensor<64x32xf16, #load> -> tensor<64x32xf16, #unit>
      ...
    // becomes, with three stages
    %stack = tile.buffer_alloc : !tile.buffer<3x64x32xf16, #memory>
    %first, %second = ... two copies, each with its commit
    scf.for %i = %lo to %hi step %c1
        iter_args(%acc = %zero, %slot = %c2, %next = %first, %later = %second) {
      %b = tile.await(%next) in_flight 1
      %v = tile.buffer_view %stack[%slot]
      %copy = tile.async_copy %ahead, %v mask %valid
      %new = tile.commit(%copy)
      %x = tile.buffer_load %b : !tile.buffer<64x32xf16, #memory> -> tensor<64x32xf16, #unit>
      ...
    ```

    Where a dot's unit reads the copies itself and adds to what the loop carries, it
    completes later: copies start last in an iteration, and the loop gets
    `tile.dots_in_flight`. Where an iteration needs its own products, copies start
    behind the first of them, which is at work meanwhile. They are
    `tile.previous_block`: the block that they write is not one that their own
    iteration reads.
    Where numbers tell that an iteration exists and that all masks are true, but for
    parts of them that do not change in the loop, its copies branch around the rest
    of the predicates. If copies start behind products that are at work, addresses that
    take more than an addition are then computed for those of the next iteration.
    What threads alone read, before that, needs no more buffers than there are
    copies ahead, if more programs are at work together then: copies go where
    their own iteration has read (`tile.read_block`).

    Where the loop turns what such a dot gives into the operand of another such
    dot, it is rotated: the second dot of an iteration is started together with
    the first one of the next, and what is between them in the program runs
    beside the second.

    A remark says why a load that feeds a dot was left as it is: its loop may write
    what it reads, it is too narrow for the target's `async_copy_bytes`, or its
    address needs what the loop computes. Fewer stages than asked for are used
    where they do not fit on chip, with a remark; where two do not for all loads,
    they are for some: what is multiplied as it is loaded comes first.
  }];
  let dependentDialects = ["::tile::TileDialect", "::mlir::scf::SCFDialect"];
}

#endif // TILE_TRANSFORMS_PIPELINE_LOOPS_TD
