// Conversions from float to integer that saturate.
#ifndef TILE_SATURATE_FLOAT_TO_INT_TD
#define TILE_SATURATE_FLOAT_TO_INT_TD

include "mlir/Pass/PassBase.td"

def SaturateFloatToInt : Pass<"tile-saturate-float-to-int"> {
  let summary = "Lower conversions from float to integer to LLVM's saturating ones";
  let description = [{
    Before: `arith.fptosi` and `arith.fptoui` on scalars and vectors of rank one,
    undefined for NaN and out of range.
    After: LLVM's saturating intrinsics, which are defined for all: NaN gives
    zero, what is out of range the nearest integer of the type. Targets have an
    instruction for it, or LLVM adds the bounds. 16-bit floats are extended to
    f32 first.

    Runs before the conversion to the LLVM dialect, which would otherwise pick
    the undefined form.

    ```mlir
    %i = arith.fptosi %x : vector<8xf32> to vector<8xi32>
    // becomes
    %i = llvm.call_intrinsic "llvm.fptosi.sat"(%x) : (vector<8xf32>) -> vector<8xi32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect"];
}

#endif // TILE_SATURATE_FLOAT_TO_INT_TD
