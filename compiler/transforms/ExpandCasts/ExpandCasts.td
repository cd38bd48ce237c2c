// Conversions between float types, and arithmetic on narrow floats.
#ifndef TILE_EXPAND_CASTS_TD
#define TILE_EXPAND_CASTS_TD

include "mlir/Pass/PassBase.td"

def ExpandCasts : Pass<"tile-expand-casts"> {
  let summary = "Expand conversions of floats, and arithmetic on narrow ones, that the target lacks";
  let description = [{
    Before: `tile.cast`, `arith.extf` and `arith.truncf` between any two of f64,
    f32, f16, bf16, f8E5M2, f8E4M3FN, f8E5M2FNUZ and f8E4M3FNUZ; `arith` and
    `math.fma` on f16 and bf16.
    After: of these conversions only f32 to f64 and back (to nearest), and those
    that the target states; arithmetic on f16 and bf16 only where the target
    states it, else in f32 with one rounding to the narrow type after each
    operation, which gives the same bits; a fused product and sum (`math.fma`) is
    computed in f64, rounded to odd. Integers convert to a narrow type with
    one rounding, too.

    Facts of `#tile.target`, each a list of strings:
    - `native_casts`: `from:to`, rounded to nearest even, or `from:to:rtz`;
    - `native_arithmetic`: narrow types with arithmetic;
    and a number: `dear_int_casts`, where arithmetic takes less time than to convert
    integers. Bytes, and integers that masks or sums show to be as small, become f16 or bf16
    by their bits and one subtraction then; other words become f16 by way of f32, which
    rounds no more than that.

    ```mlir
    #tile.target<"name", "arch", {lanes = 32 : i32,
        native_casts = ["f16:f32", "f32:f16", "f32:f8E4M3FN"], native_arithmetic = ["f16"]}>
    ```

    A native conversion that involves no 8-bit float becomes `arith.extf` or
    `arith.truncf` (with `toward_zero` where it truncates). A native one that
    does stays a `tile.cast`, with its saturation, for the target to lower. Where
    a conversion is not native but its steps through f32 or f16 are, those are
    used. All others become integer arithmetic on the bits, exact for all inputs
    and the same on all targets.

    8-bit floats are values of their types until memory and registers are
    assigned: an expansion ends (starts) with `arith.bitcast` from (to) i8. A
    conversion whose output has no 8-bit floats maps their element types to i8,
    in constants too, and drops these casts, which then change nothing. So the
    pass may run on tensors before that conversion, or after it on vectors,
    where only casts of 16-bit floats are left.

    ```mlir
    %y = tile.cast %x : tensor<8xf32> -> tensor<8xf8E5M2>
    // becomes integer operations on arith.bitcast %x, and
    %y = arith.bitcast %code : tensor<8xi8> to tensor<8xf8E5M2>
    ```

    Reports `arith.truncf` to an 8-bit type (it has no saturating form; use
    `tile.cast`) and rounding modes other than the two of `tile.cast`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

#endif // TILE_EXPAND_CASTS_TD
