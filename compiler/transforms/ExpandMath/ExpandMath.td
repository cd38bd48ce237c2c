// Math functions as polynomials on lanes.
#ifndef TILE_EXPAND_MATH_TD
#define TILE_EXPAND_MATH_TD

include "mlir/Pass/PassBase.td"

def ExpandMath : Pass<"tile-expand-math"> {
  let summary = "Expand math functions into arithmetic on lanes";
  let description = [{
    Before: `math` operations, and `arith.remf`, on scalars, vectors or tensors,
    with or without layouts.
    After: of the `math` dialect only what every target computes exactly in a
    few instructions (`sqrt`, `fma`, `floor`, `absf`, ...; marked KEPT in the
    table) and what this target states to have.

    `MathTable.def` has one row for each function and type: the largest error of
    the expansion in units in the last place, and the largest error with which a
    target's own instruction is used in its place. Expansions are branch-free,
    correct for infinities, NaN, zeros and subnormal numbers, have no fast-math
    flags and contract nothing but explicit `math.fma`, so that all targets that
    use an expansion give the same bits. 16-bit floats are computed in f32.

    What a target has is the fact `native_math` of `#tile.target`: for each
    function and type the largest error in units in the last place.

    ```mlir
    #tile.target<"name", "arch", {lanes = 32 : i32, native_math = {exp2.f32 = 2.0 : f32}}>
    ```

    An operation that is native with an error within the table's is left alone;
    with the flag `fastmath<afn>` any native one is. The target lowers it. `exp`,
    and `tanh` of f32, are expanded into a native `exp2` where there is one; quotients
    with the flags `afn` and `arcp` then stand for approximate inverses, of numbers
    from 1 on: those whose inverse is not normal may give 0. Where all that becomes
    of it is rounded to 16-bit floats, `exp` of f32 is that `exp2` of a product
    alone (its error grows with its argument, to 90 units). `ldexp` (on scalars and
    vectors only) is no operation but serves expansions: LLVM's intrinsic then
    stands where two products would scale by a power of two, to the same bits.

    A function without a row for its type is reported as an error.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // TILE_EXPAND_MATH_TD
