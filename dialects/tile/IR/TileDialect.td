// The `tile` dialect: what a kernel over blocks of data says, before and while
// the compiler decides how threads carry it out.
#ifndef TILE_DIALECT_TD
#define TILE_DIALECT_TD

include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tile";
  let summary = "Kernels over blocks of data";
  let description = [{
    The dialect adds to upstream's `arith`, `math`, `scf` and `func` on
    `tensor` values what a tile kernel needs besides: program ids, pointers and
    memory access by block, shape changes, matrix products, reductions.

    A kernel is a `func.func` with the unit attribute `tile.kernel`; one call is
    one *program* of the launch grid. Its arguments are scalars, pointers and
    descriptors; `tile.divisibility` on an argument states a power of two that
    divides it (of a descriptor, the last size), `tile.read_only` on a pointer that
    nobody writes the array while the kernel runs.
    The module carries what is fixed for a compilation: `tile.target`,
    `tile.num_warps`, `tile.num_stages`, `tile.num_ctas`.

    Integers are signless: signedness is in the operation (`arith.divsi`,
    `arith.divui`). No operation traps or is undefined on any lane.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
}

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits>;

#endif // TILE_DIALECT_TD
