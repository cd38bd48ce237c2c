// The pass that repeats the bodies of loops that ask for it.
#ifndef TILE_TRANSFORMS_UNROLL_LOOPS_TD
#define TILE_TRANSFORMS_UNROLL_LOOPS_TD

include "mlir/Pass/PassBase.td"

def UnrollLoops : Pass<"tile-unroll-loops", "::mlir::func::FuncOp"> {
  let summary = "Repeat the bodies of loops that ask for it";
  let description = [{
    Before: a loop may have `tile.loop_unroll_factor`.

    After: none has; the body of such a loop stands as often as that said, and a
    second loop makes the iterations that are left over.

    ```mlir
    scf.for %i = %lo to %hi step %c1 { ... } {tile.loop_unroll_factor = 4 : i32}
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

#endif // TILE_TRANSFORMS_UNROLL_LOOPS_TD
