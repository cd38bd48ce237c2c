// RUN: tile-opt %s --tile-pipeline-loops | FileCheck %s

// Loops that read rings have no copies of their own to run ahead of: two products, of which one feeds the other, are
// rotated as they are, and what they acquire with them. The first product of the next iteration is at work beside
// the second one of this.

#memory = #tile.layout<[64, 64]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]>
#acc = #tile.layout<[64, 64]: register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#unit = #nvidia.wgmma<f16, n = 64>
!stack = !tile.buffer<2x64x64xf16, #memory>
!block = !tile.buffer<64x64xf16, #memory>
!sum = tensor<64x64xf32, #acc>
!half = tensor<64x64xf16, #acc>

module attributes {tile.num_warps = 4 : i32, tile.num_stages = 2 : i32,
    tile.target = #tile.target<"nvidia", "sm_90a", {lanes = 32 : i32, block_copy_box = 256 : i32, on_chip_bytes = 131072 : i32, async_copy_bytes = array<i64: 4, 8, 16>, units = [#nvidia.wgmma<f16>]}>} {
// CHECK-LABEL: func.func @chained
// The first product of the first iteration comes before the loop,
// CHECK: tile.roles
// CHECK: scf.if
// CHECK: tile.acquire %[[KEYS:[a-z0-9]+]]
// CHECK: tile.dot
// in the loop that of the next one, with its block, before the second one of this,
// CHECK: scf.for
// CHECK: tile.acquire %[[KEYS]]
// CHECK: tile.dot
// CHECK: tile.acquire %[[VALUES:[a-z0-9]+]]
// CHECK: tile.dot
// CHECK: scf.yield
// and the second one of the last iteration behind it.
// CHECK: tile.acquire %[[VALUES]]
// CHECK: tile.dot
// CHECK-NOT: tile.dot
// CHECK: return
func.func @chained(%q: !half, %zero: !sum, %n: i32, %out: tensor<64x64x!tile.ptr<f32>, #acc>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %keys = tile.buffer_alloc : !stack
  %kfull = tile.signal_alloc arrivals 1 : !tile.signals<2>
  %values = tile.buffer_alloc : !stack
  %vfull = tile.signal_alloc arrivals 1 : !tile.signals<2>
  tile.roles warps [4, 4] registers [0, 0] threads [128, 1] {
    %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %zero, %stage = %c0, %phase = %c0) -> (!sum, i32, i32) : i32 {
      %kv = tile.acquire %kfull[%stage] phase %phase of (%keys : !stack) : !tile.signals<2>
      %k = tile.buffer_load %kv : !block -> !half
      %s = tile.dot %q, %k, %zero {unit = #unit} : !half, !half -> !sum
      %e = math.exp2 %s : !sum
      %w = arith.truncf %e : !sum to !half
      %vv = tile.acquire %vfull[%stage] phase %phase of (%values : !stack) : !tile.signals<2>
      %v = tile.buffer_load %vv : !block -> !half
      %o = tile.dot %w, %v, %sum {unit = #unit} : !half, !half -> !sum
      %next = arith.xori %stage, %c1 : i32
      %turn = arith.xori %phase, %stage : i32
      scf.yield %o, %next, %turn : !sum, i32, i32
    }
    tile.store %out, %r#0 : tensor<64x64x!tile.ptr<f32>, #acc>
  }, {
    tile.expect %kfull[%c0] bytes 8192 : !tile.signals<2>
  }
  return
}
}
