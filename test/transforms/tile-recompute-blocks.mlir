// RUN: tile-opt %s -split-input-file --tile-recompute-blocks | FileCheck %s

#m = #tile.layout<[16384]: offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024], [2048], [4096], [8192]]>
#l = #tile.layout<[16384]: register = [[1], [2], [4], [4096], [8192]], lane = [[8], [16], [32], [64], [128]], warp = [[256], [512], [1024], [2048]]>

// 32 registers each for the weight, the sum and two rows, where 96 are there for blocks: the copies are read again.
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32, program_registers = 65536 : i32}>, tile.num_warps = 16 : i32} {
// CHECK-LABEL: func.func @reread
// CHECK: tile.await
// CHECK: tile.buffer_load %{{[^ ]*}} :
// CHECK: tile.buffer_load %{{[^ ]*}} :
// CHECK: tile.reduce
// CHECK: arith.divf
// CHECK: %[[X:.+]] = tile.buffer_load %{{.*}} {reread = 1 : i32}
// CHECK: %[[XF:.+]] = arith.extf %[[X]]
// CHECK: %[[S:.+]] = arith.mulf %[[XF]]
// CHECK: %[[Y:.+]] = tile.buffer_load %{{.*}} {reread = 2 : i32}
// CHECK: %[[YF:.+]] = arith.extf %[[Y]]
// CHECK: arith.mulf %[[S]], %[[YF]]
// What is dear is kept.
// CHECK-NOT: math.exp
func.func @reread(%x: !tile.pending<!tile.buffer<16384xf16, #m>>, %y: !tile.pending<!tile.buffer<16384xf16, #m>>, %w: tensor<16384xf32, #l>, %p: tensor<16384x!tile.ptr<f32>, #l>, %n: i32, %c: f32) -> tensor<16384xf32, #l> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16384xf32, #l>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<16384xf32, #l> : i32 {
    %a, %b = tile.await(%x, %y) in_flight 0 : !tile.pending<!tile.buffer<16384xf16, #m>>, !tile.pending<!tile.buffer<16384xf16, #m>>
    %xn = tile.buffer_load %a : !tile.buffer<16384xf16, #m> -> tensor<16384xf16, #l>
    %xf = arith.extf %xn : tensor<16384xf16, #l> to tensor<16384xf32, #l>
    %xs = arith.mulf %xf, %w : tensor<16384xf32, #l>
    %yn = tile.buffer_load %b : !tile.buffer<16384xf16, #m> -> tensor<16384xf16, #l>
    %yf = arith.extf %yn : tensor<16384xf16, #l> to tensor<16384xf32, #l>
    %e = math.exp %yf : tensor<16384xf32, #l>
    %t = arith.mulf %xs, %yf : tensor<16384xf32, #l>
    %total = tile.reduce(%t) axis 0 {
    ^bb0(%u: f32, %v: f32):
      %z = arith.addf %u, %v : f32
      tile.yield %z : f32
    } : (tensor<16384xf32, #l>) -> f32
    %mean = arith.divf %total, %c : f32
    %means = tile.splat %mean : tensor<16384xf32, #l>
    %product = arith.mulf %xs, %yf : tensor<16384xf32, #l>
    %d = arith.mulf %product, %means : tensor<16384xf32, #l>
    %f = arith.addf %d, %e : tensor<16384xf32, #l>
    tile.store %p, %f : tensor<16384x!tile.ptr<f32>, #l>
    %next = arith.addf %acc, %product : tensor<16384xf32, #l>
    scf.yield %next : tensor<16384xf32, #l>
  }
  return %sum : tensor<16384xf32, #l>
}
}

// -----

#m = #tile.layout<[1024]: offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512]]>
#l = #tile.layout<[1024]: register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [[256], [512]]>

// There is room for eight registers.
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32, program_registers = 65536 : i32}>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @fits
// CHECK-NOT: reread
func.func @fits(%x: !tile.pending<!tile.buffer<1024xf32, #m>>, %p: tensor<1024x!tile.ptr<f32>, #l>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = tile.await(%x) in_flight 0 : !tile.pending<!tile.buffer<1024xf32, #m>>
    %xn = tile.buffer_load %a : !tile.buffer<1024xf32, #m> -> tensor<1024xf32, #l>
    %total = tile.reduce(%xn) axis 0 {
    ^bb0(%u: f32, %v: f32):
      %z = arith.addf %u, %v : f32
      tile.yield %z : f32
    } : (tensor<1024xf32, #l>) -> f32
    %totals = tile.splat %total : tensor<1024xf32, #l>
    %d = arith.mulf %xn, %totals : tensor<1024xf32, #l>
    tile.store %p, %d : tensor<1024x!tile.ptr<f32>, #l>
  }
  return
}
}

// -----

#m = #tile.layout<[16384]: offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024], [2048], [4096], [8192]]>
#l = #tile.layout<[16384]: register = [[1], [2], [4], [4096], [8192]], lane = [[8], [16], [32], [64], [128]], warp = [[256], [512], [1024], [2048]]>

// Offsets, constants and copies of a number take no registers of their own: one row and the weight have room.
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32, program_registers = 65536 : i32}>, tile.num_warps = 16 : i32} {
// CHECK-LABEL: func.func @leaves
// CHECK-NOT: reread
// CHECK: return
func.func @leaves(%x: !tile.pending<!tile.buffer<16384xf16, #m>>, %w: tensor<16384xf32, #l>, %p: !tile.ptr<f32>, %n: i32, %c: f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16384xf32, #l>
  %i = tile.arange 0 : tensor<16384xi32, #l>
  %cs = tile.splat %c : tensor<16384xf32, #l>
  scf.for %k = %c0 to %n step %c1 : i32 {
    %a = tile.await(%x) in_flight 0 : !tile.pending<!tile.buffer<16384xf16, #m>>
    %xn = tile.buffer_load %a : !tile.buffer<16384xf16, #m> -> tensor<16384xf16, #l>
    %xf = arith.extf %xn : tensor<16384xf16, #l> to tensor<16384xf32, #l>
    %total = tile.reduce(%xf) axis 0 {
    ^bb0(%u: f32, %v: f32):
      %z = arith.addf %u, %v : f32
      tile.yield %z : f32
    } : (tensor<16384xf32, #l>) -> f32
    %t = tile.splat %total : tensor<16384xf32, #l>
    %s = arith.subf %xf, %t : tensor<16384xf32, #l>
    %r = arith.mulf %s, %w : tensor<16384xf32, #l>
    %q = arith.addf %r, %cs : tensor<16384xf32, #l>
    %o = arith.maximumf %q, %zero : tensor<16384xf32, #l>
    %ps = tile.splat %p : tensor<16384x!tile.ptr<f32>, #l>
    %at = tile.addptr %ps, %i : tensor<16384x!tile.ptr<f32>, #l>, tensor<16384xi32, #l>
    tile.store %at, %o : tensor<16384x!tile.ptr<f32>, #l>
  }
  return
}
}
