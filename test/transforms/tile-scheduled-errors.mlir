// RUN: tile-opt %s -verify-diagnostics -split-input-file --pass-pipeline='builtin.module(func.func(tile-remove-conversions))'
// RUN: tile-opt %s -verify-diagnostics -split-input-file --pass-pipeline='builtin.module(func.func(tile-pipeline-loops))'

module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>, tile.num_stages = 2 : i32} {
func.func @no_layouts(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @+1 {{expects blocks with layouts}}
    %a = tile.arange 0 : tensor<32xi32>
  }
  return
}
}

// -----

// expected-error @+1 {{expects a module with a 'tile.target'}}
func.func @no_target() { return }
