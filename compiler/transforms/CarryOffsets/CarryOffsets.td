// The pass that lets loops carry one number instead of a block of pointers.
#ifndef TILE_TRANSFORMS_CARRY_OFFSETS_TD
#define TILE_TRANSFORMS_CARRY_OFFSETS_TD

include "mlir/Pass/PassBase.td"

def CarryOffsets : Pass<"tile-carry-offsets", "::mlir::func::FuncOp"> {
  let summary = "Let loops carry an offset instead of a block that it is added to";
  let description = [{
    Before: a loop carries a block of pointers, or of integers, to which each
    step adds the same number for all elements.

    After: it carries the sum of those numbers, one scalar, and adds that to the
    block from before the loop. A thread then keeps the block in registers that
    never change, and only those elements of it that it needs. Numbers that do
    not change within the loop leave it, unless it has `tile.disable_licm`. What
    the body promises of the block by `tile.hint` it goes on to promise.

    ```mlir
    scf.for %i = %lo to %hi step %c1 iter_args(%p = %p0) -> (tensor<128x!tile.ptr<f32>>) {
      %x = tile.load %p : tensor<128x!tile.ptr<f32>>
      %q = tile.addptr %p, %steps : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
      scf.yield %q : tensor<128x!tile.ptr<f32>>
    }
    // becomes, where %steps is a splat of %s
    scf.for %i = %lo to %hi step %c1 iter_args(%o = %zero) -> (i64) {
      %os = tile.splat %o : tensor<128xi64>
      %p = tile.addptr %p0, %os : tensor<128x!tile.ptr<f32>>, tensor<128xi64>
      %x = tile.load %p : tensor<128x!tile.ptr<f32>>
      %s64 = arith.extsi %s : i32 to i64
      %n = arith.addi %o, %s64 : i64
      scf.yield %n : i64
    }
    ```
  }];
  let dependentDialects = ["::tile::TileDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect"];
}

#endif // TILE_TRANSFORMS_CARRY_OFFSETS_TD
