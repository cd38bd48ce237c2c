// Division of vectors without scalar code.
#ifndef TILE_EXPAND_DIVISION_TD
#define TILE_EXPAND_DIVISION_TD

include "mlir/Pass/PassBase.td"

def ExpandDivision : Pass<"tile-expand-division"> {
  let summary = "Divide vectors of integers by floats, or in a loop over lanes";
  let description = [{
    Before: integer divisions and remainders, `arith.remf`, and products of two
    parts (`arith.mulsi_extended`), on vectors of rank one. Divisors are neither zero nor minus one below the smallest number
    (`tile-guard-arithmetic`).
    After: none that a machine would unroll into one scalar instruction a lane:

    | elements | becomes |
    |---|---|
    | integers of up to 16 bits | a division of f32, truncated |
    | integers of up to 32 bits | a division of f64, truncated |
    | wider integers, floats | a loop over lanes, operands and results in memory |

    Products of two parts of up to 32 bits stay; others become the same loop.

    The first two are exact: a quotient that is not an integer is further from
    one than a float's rounding error. Divisions by a power of two stay, those by
    other constants too where the machine can multiply by an inverse.

    Runs after `tile-saturate-float-to-int`: the quotients are within range.

    ```mlir
    %q = arith.divsi %a, %b : vector<64xi32>
    // becomes
    %x = arith.sitofp %a : vector<64xi32> to vector<64xf64>
    %y = arith.sitofp %b : vector<64xi32> to vector<64xf64>
    %z = arith.divf %x, %y : vector<64xf64>
    %q = arith.fptosi %z : vector<64xf64> to vector<64xi32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // TILE_EXPAND_DIVISION_TD
