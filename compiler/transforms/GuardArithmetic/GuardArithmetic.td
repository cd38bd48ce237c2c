// Total semantics for integer division and shifts.
#ifndef TILE_GUARD_ARITHMETIC_TD
#define TILE_GUARD_ARITHMETIC_TD

include "mlir/Pass/PassBase.td"

def GuardArithmetic : Pass<"tile-guard-arithmetic"> {
  let summary = "Give integer division and shifts a result for all operands";
  let description = [{
    Before: `arith` divisions and shifts as programs write them, whose result is
    undefined, or which trap, for some operands.
    After: every division and shift is defined on all lanes:

    | operands | result |
    |---|---|
    | `x / 0` | `x` |
    | `x % 0` | `0` |
    | `MIN / -1` (signed) | `MIN` |
    | `MIN % -1` (signed) | `0` |
    | `x << n`, `x >> n` | shifted by `n` modulo the width |

    In the first four cases the divisor is replaced by one. A remainder of what the
    same block of code divides as well is made from the quotient. No guard is written
    where constants or ranges of values make it needless. `arith.ceildivsi`,
    `ceildivui` and `floordivsi` become plain divisions with a correction.
    Division of an `i1` gives the dividend, its remainder zero, a shift of an
    `i1` its value.

    Works on scalars, vectors and tensors, with or without layouts; a second run
    changes nothing. Conversions from float to integer are left to
    `tile-saturate-float-to-int`: no fold of `arith.fptosi` depends on a value that
    is out of range.

    ```mlir
    %q = arith.divui %x, %n : i32
    // becomes
    %zero = arith.cmpi eq, %n, %c0 : i32
    %d = arith.select %zero, %c1, %n : i32
    %q = arith.divui %x, %d : i32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // TILE_GUARD_ARITHMETIC_TD
