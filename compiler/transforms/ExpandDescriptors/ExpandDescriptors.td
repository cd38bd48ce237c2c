// The pass that turns descriptors of arrays into pointers and masks.
#ifndef TILE_TRANSFORMS_EXPAND_DESCRIPTORS_TD
#define TILE_TRANSFORMS_EXPAND_DESCRIPTORS_TD

include "mlir/Pass/PassBase.td"

def ExpandDescriptors : Pass<"tile-expand-descriptors", "::mlir::ModuleOp"> {
  let summary = "Access arrays by pointers and masks instead of descriptors";
  let description = [{
    Before: functions that take descriptors have been inlined, other than the
    kernels that the host launches.

    After: no value is a descriptor, but those of accesses that the machine shall
    make by copies of whole blocks: where it has such copies and warps in roles, in
    kernels with a loop whose dots read through descriptors that are known at
    launch, or that the program can make before a loop (the fact
    `descriptor_bytes`). These accesses, and their descriptors, are marked. An argument that was one is its parts: the
    base, the sizes (`i32`), the strides of all dimensions but the last (`i64`).
    Loops and branches carry the parts. What was known of a host's descriptor is
    on its parts: base and strides are divisible by 16 bytes. The same is promised
    of those that the program loads, as the language asks for.

    ```mlir
    %x = tile.descriptor_load %d[%i, %j] : !tile.desc<128x64xf16>
    ```
    becomes a `tile.load` of 128x64 pointers, whose rows are contiguous, with a
    mask that is true for indices from zero to the sizes.
  }];
  let dependentDialects = ["::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // TILE_TRANSFORMS_EXPAND_DESCRIPTORS_TD
