// The pass that checks accesses against the arrays that a kernel was given.
#ifndef TILE_TRANSFORMS_CHECK_BOUNDS_TD
#define TILE_TRANSFORMS_CHECK_BOUNDS_TD

include "mlir/Pass/PassBase.td"

def CheckBounds : Pass<"tile-check-bounds", "::mlir::ModuleOp"> {
  let summary = "Check accesses against the arrays that the kernel was given";
  let description = [{
    Before: the module has `tile.check_bounds` where checks are asked for, else
    nothing is done. Descriptors are expanded.

    After: each kernel has two more arguments (`i64`) for each pointer it takes,
    in their order: where the memory of that array begins and where it ends.
    Before an access through a pointer that follows from an argument stands an
    assertion that all lanes are inside; lanes outside make no access.

    Pointers that come from memory, from integers, or from several arguments are
    not checked.
  }];
  let dependentDialects = ["::tile::TileDialect", "::mlir::arith::ArithDialect"];
}

#endif // TILE_TRANSFORMS_CHECK_BOUNDS_TD
