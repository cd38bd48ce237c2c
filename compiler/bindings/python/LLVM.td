// The llvm dialect's ops and intrinsics in one file, for generated op classes.
include "mlir/Dialect/LLVMIR/LLVMOps.td"
include "mlir/Dialect/LLVMIR/LLVMIntrinsicOps.td"
