// RUN: tile-opt %s -verify-diagnostics --tile-plan-buffers

#m = #tile.layout<[1024]: offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512]]>
#l = #tile.layout<[1024]: register = [[128], [256], [512]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32, on_chip_bytes = 4095 : i32}>, tile.num_warps = 4 : i32} {
// expected-error @+1 {{needs 4096 bytes of on-chip memory; the target has 4095}}
func.func @too_much(%x: tensor<1024xf32, #l>) {
  %a = tile.buffer_alloc : !tile.buffer<1024xf32, #m>
  tile.buffer_store %x, %a : tensor<1024xf32, #l> -> !tile.buffer<1024xf32, #m>
  return
}
}
