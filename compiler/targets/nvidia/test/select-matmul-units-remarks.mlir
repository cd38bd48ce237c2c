// RUN: tile-opt %s -verify-diagnostics --tile-assign-layouts --tile-select-matmul-units

module attributes {tile.target = #tile.target<"nvidia", "sm_89", {lanes = 32 : i32, units = [#nvidia.mma_sync<f8>]}>, tile.num_warps = 4 : i32} {
func.func @imprecise(%a: tensor<64x64xf8E4M3FN>, %b: tensor<64x64xf8E4M3FN>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  // expected-remark @+1 {{max_num_imprecise_acc has no effect: the matrix unit keeps the whole sum}}
  %d = tile.dot %a, %b, %c {maxImpreciseAcc = 32 : i32} : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN> -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}
}
