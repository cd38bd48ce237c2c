// The printer of access patterns, for tests and for curious people.
#ifndef TILE_TRANSFORMS_PRINT_ACCESS_PATTERNS_TD
#define TILE_TRANSFORMS_PRINT_ACCESS_PATTERNS_TD

include "mlir/Pass/PassBase.td"

def PrintAccessPatterns : Pass<"test-tile-access-pattern", "::mlir::func::FuncOp"> {
  let summary = "Say in a remark what is known about runs of each integer, mask and pointer";
  let description = [{
    Changes nothing. Each op with one result that is an integer, a pointer or a
    block of either gets a remark with what `analysis/AccessPattern` knows of it.
  }];
  let dependentDialects = ["::tile::TileDialect"];
}

#endif // TILE_TRANSFORMS_PRINT_ACCESS_PATTERNS_TD
