// The check of what stage `scheduled` promises.
#ifndef TILE_TRANSFORMS_VERIFY_SCHEDULED_TD
#define TILE_TRANSFORMS_VERIFY_SCHEDULED_TD

include "mlir/Pass/PassBase.td"

def VerifyScheduled : Pass<"tile-verify-scheduled", "::mlir::func::FuncOp"> {
  let summary = "Check what stage `scheduled` promises";
  let description = [{
    Changes nothing. Reports the first op that breaks a rule:

    - scheduled.1: every block has a layout, of as many lanes and warps as there are.
    - scheduled.2: ops have the layouts that `analysis/LayoutInference` admits.
    - scheduled.3: every copy in flight reaches a `tile.await`.
    - scheduled.4: a dot without a unit has operands of which each thread holds
      the rows and columns that its accumulators need.
    - scheduled.5: no more groups of copies stay in flight while a `tile.await`
      waits than were closed after its operands' own, around a loop too.
  }];
  let dependentDialects = ["::tile::TileDialect"];
}

#endif // TILE_TRANSFORMS_VERIFY_SCHEDULED_TD
