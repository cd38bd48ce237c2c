// The pass that shares programs out to thread blocks.
#ifndef TILE_TRANSFORMS_SPLIT_PROGRAMS_TD
#define TILE_TRANSFORMS_SPLIT_PROGRAMS_TD

include "mlir/Pass/PassBase.td"

def SplitPrograms : Pass<"tile-split-programs", "::mlir::ModuleOp"> {
  let summary = "Let each thread block of a program compute a part of its blocks";
  let description = [{
    Before: calls are inlined; `tile.num_ctas` says how many thread blocks share a
    program. With one nothing changes.

    After: the kernel is what each of them runs; `tile.part_id` tells them apart.
    Results of dots are split along their rows or their columns, whichever lets a
    thread block read less, and so is all that is computed from them and all that
    they are computed from. What is split is a block of the part's size; everything
    else, all numbers among it, is the same in each thread block. Loads by
    descriptors that all of them make are marked `tile.same_everywhere`. Stores of
    what is not split, prints and assertions happen in the first one alone. In a
    kernel without dots, what is stored is split along the first dimension.

    ```mlir
    %a = tile.descriptor_load %da[%i, %k] : !tile.desc<128x64xf16>
    %b = tile.descriptor_load %db[%k, %j] : !tile.desc<64x128xf16>
    %d = tile.dot %a, %b, %c : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    // becomes, with two thread blocks
    %part = tile.part_id : i32
    %row = arith.muli %part, %c64 : i32
    %ip = arith.addi %i, %row : i32
    %a = tile.descriptor_load %dp[%ip, %k] : !tile.desc<64x64xf16>
    %b = tile.descriptor_load %db[%k, %j] {tile.same_everywhere} : !tile.desc<64x128xf16>
    %d = tile.dot %a, %b, %c : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
    ```

    Thread blocks exchange nothing but what they load alike. What would need more is
    an error: a reduction along what is split, a product of which each would need
    all, atomic operations whose results are used, an array that is read and
    written.
  }];
  let dependentDialects = ["::tile::TileDialect", "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // TILE_TRANSFORMS_SPLIT_PROGRAMS_TD
