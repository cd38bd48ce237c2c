// From per-thread code to the LLVM dialect with ROCDL's operations.
#ifndef AMD_LOWERTOROCDL_TD
#define AMD_LOWERTOROCDL_TD

include "mlir/Pass/PassBase.td"

def LowerToROCDL : Pass<"amd-lower-to-rocdl", "::mlir::ModuleOp"> {
  let summary = "Lower stage `gpu`, without structured control flow, to stage `llvm`";
  let description = [{
    Before: functions of arith, math, vector, cf, gpu, llvm and rocdl ops.
    After: the LLVM dialect and ROCDL's operations; kernels carry `rocdl.kernel`
    and the number of their threads. Indices have 64 bits. On-chip memory has
    the size that `tile.shared_bytes` states. The extents of the grid are read
    from the hidden arguments of code object version 5.

    Printing is reported as an error: the hardware's runtime has no function
    for it that a kernel could call without a library.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::ROCDL::ROCDLDialect"];
}

#endif // AMD_LOWERTOROCDL_TD
