// RUN: tile-opt %s --tile-release-buffers -verify-diagnostics

#memory = #tile.layout<[64, 64]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]>
#acc = #tile.layout<[64, 64]: register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#target = #tile.target<"nvidia", "sm_90a", {lanes = 32 : i32, block_copy_box = 256 : i32}>
!block = !tile.buffer<64x64xf16, #memory>
!stack = !tile.buffer<3x64x64xf16, #memory>

module attributes {tile.target = #target, tile.num_warps = 4 : i32} {
// A product that nobody awaits reads for ever.
func.func @never_complete(%i: i32, %p: i32, %zero: tensor<64x64xf32, #acc>) {
  %stack = tile.buffer_alloc : !stack
  %full = tile.signal_alloc arrivals 1 : !tile.signals<3>
  %empty = tile.signal_alloc arrivals 4 : !tile.signals<3>
  tile.roles warps [4, 4] registers [0, 0] threads [128, 1] {
    // expected-error @+1 {{expects what reads its buffers to be complete in its block}}
    %v = tile.acquire %full[%i] phase %p of (%stack : !stack) : !tile.signals<3>
    %a = tile.async_dot %v, %v, %zero unit(#nvidia.wgmma<f16, n = 64>) : !block, !block, tensor<64x64xf32, #acc> -> !tile.pending<tensor<64x64xf32, #acc>>
  }, {
    %w = tile.acquire %empty[%i] phase %p of (%stack : !stack) : !tile.signals<3>
  }
  return
}
}
