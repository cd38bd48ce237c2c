// From blocks to loops over chunks of lanes, for machines with vector registers.
#ifndef TILE_TILETOLOOPS_TD
#define TILE_TILETOLOOPS_TD

include "mlir/Pass/PassBase.td"

def TileToLoops : Pass<"convert-tile-to-loops", "::mlir::ModuleOp"> {
  let summary = "Turn kernels over blocks into loops over chunks of lanes";
  let description = [{
    Before: kernels of `tile`, `arith`, `math` and `scf` operations on blocks, all calls inlined.
    After: no `tile` operation is left. A kernel is a function of three pointers,

    | argument | holds |
    |---|---|
    | `args` | one 8-byte slot a parameter, the value at the slot's start |
    | `scratch` | `tile.scratch_bytes` bytes (an attribute of the module), aligned to 64, of one thread |
    | `position` | six i32: program ids 0 to 2, extents of the grid 0 to 2 |

    Operations with an effect or a result that must be stored (stores, atomics, reductions, products,
    values carried by loops) are the roots of loop nests; neighbours of one shape share a nest.
    Everything else is computed where a nest needs it, 64 lanes at a time (fewer where the body is
    large and nothing is summed along lanes), or once a row where no lane depends on it. A value that several nests need is stored in `scratch` by the first one, unless it
    is cheap. The number of operations made does not depend on the size of the blocks.

    ```mlir
    tile.store %p, %x mask %m : tensor<1024x!tile.ptr<f32>>
    // becomes
    scf.for %i = %zero to %full step %c64 { ... llvm.store %x64, %q : vector<64xf32>, !llvm.ptr }
    scf.for %i = %full to %end step %c64 { ... llvm.intr.masked.store %x64, %q, %m64 ... }
    ```

    A load is moved down to its uses, never across a write of the same program that may touch its
    memory. Two kernel arguments are taken to point to the same memory lane by lane or not at all as
    far as one nest is concerned. Layouts and operations of the `scheduled` stage are refused.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif // TILE_TILETOLOOPS_TD
