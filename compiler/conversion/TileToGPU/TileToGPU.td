// From blocks with layouts to code for one thread.
#ifndef TILE_TILETOGPU_TD
#define TILE_TILETOGPU_TD

include "mlir/Pass/PassBase.td"

def TileToGPU : Pass<"convert-tile-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Lower stage `scheduled` to the code of one thread, stage `gpu`";
  let description = [{
    Before: functions over blocks, every block with a layout; the module states
    its target, which names the hardware hooks.
    After: no `tile` op is left. A block is a `vector` of rank 1 of what one
    thread holds, indexed by constants alone; pointers are LLVM's, with 64-bit
    offsets; buffers are 32-bit offsets into the program's on-chip memory.
    Kernels stay `func.func`s with `tile.kernel`, so that the stage is plain
    text that can be stopped at and resumed.

    Threads that hold copies of an element act once where acting twice would be
    seen: stores, atomics, printing. `tile.shared_bytes` states the on-chip
    memory of the module's kernel.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect"
  ];
}

#endif // TILE_TILETOGPU_TD
