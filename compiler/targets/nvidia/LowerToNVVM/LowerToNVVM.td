// From per-thread code to the LLVM dialect with NVVM's operations.
#ifndef NVIDIA_LOWERTONVVM_TD
#define NVIDIA_LOWERTONVVM_TD

include "mlir/Pass/PassBase.td"

def LowerToNVVM : Pass<"nvidia-lower-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "Lower stage `gpu`, without structured control flow, to stage `llvm`";
  let description = [{
    Before: functions of arith, math, vector, cf, gpu, llvm, nvvm and nvidia ops.
    After: the LLVM dialect and NVVM's operations; kernels carry `nvvm.kernel`
    and the number of their threads. Indices have 64 bits.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif // NVIDIA_LOWERTONVVM_TD
