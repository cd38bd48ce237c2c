// The pass that gives loads warps of their own.
#ifndef TILE_TRANSFORMS_SPECIALIZE_WARPS_TD
#define TILE_TRANSFORMS_SPECIALIZE_WARPS_TD

include "mlir/Pass/PassBase.td"

def SpecializeWarps : Pass<"tile-specialize-warps", "::mlir::ModuleOp"> {
  let summary = "Fetch blocks by warps of their own while the program computes";
  let description = [{
    Before: `tile-expand-descriptors` has marked accesses for copies of whole
    blocks; blocks have layouts.

    After: where there are such accesses the body is a `tile.roles`: the
    program's warps, and one thread that runs the loops again to copy what they
    read to stacks of buffers, as many iterations ahead as `tile.num_stages` says
    (one in a loop around others) and on-chip memory holds. Each stack (a ring) has
    two sets of signals: the copies are there (full), the program has read them
    (empty). `tile-release-buffers` places the arrivals at the latter. Blocks are stored
    through a buffer: by each warp the part that it has, where all stores are behind
    the code that multiplies and parts are boxes; else by one thread. Where blocks
    that one program stores may meet in parts of different warps, these take turns,
    by signals; those that branches hold, or several stores, one thread stores.
    Descriptors are arguments of the kernel, behind all others;
    `tile.launch_descriptors` says how the host makes them. What the host cannot
    know, the role that copies describes in a place of `tile.descriptor_alloc`,
    before the loop that uses it, like a template among these arguments.
    Of a block that all thread blocks of a program read (`tile.same_everywhere`)
    each copies a share to all of them; a buffer so filled is empty when all have
    read theirs.
    Loads by pointers that feed dots, in runs as long as the machine's longest
    asynchronous copy, all threads of the fetching role copy instead
    (`tile.async_copy`, `tile.arrive_copies`): beside copies of whole blocks, else
    in programs of several groups of warps, where an iteration's product is large, threads
    compute with it or the loop is in another one, or where a loop has `tile.warp_specialize`.
    Where pointers are those of a block of an array (`analysis/StridedBlock`), one thread copies it
    as a whole, in a loop of its own that ends with the first iteration in which they are not: the
    threads' begins there.
    Branches, and loops with a condition, around these loops both roles have; where a ring is
    passes through them.

    ```mlir
    scf.for ... {
      %a = tile.descriptor_load %da[%i, %k] {tile.block_copy}
      ...
    }
    // becomes
    tile.roles warps [8, 4] ... {
      scf.for ... iter_args(%stage, %phase) {
        %v = tile.acquire %full[%stage] phase %phase of (%stack)
        %a = tile.buffer_load %v
        ...
      }
    }, {
      scf.for ... iter_args(%stage, %phase) {
        %v = tile.acquire %empty[%stage] phase %other of (%stack)
        tile.expect %full[%stage] bytes ...
        tile.block_copy %da[%i, %k], %v signal %full[%stage]
      }
    }
    ```
  }];
  let dependentDialects = ["::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // TILE_TRANSFORMS_SPECIALIZE_WARPS_TD
