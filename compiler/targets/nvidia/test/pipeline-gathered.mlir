// RUN: tile-opt %s --split-input-file --tile-assign-layouts --tile-select-matmul-units --tile-remove-conversions --tile-pipeline-loops --tile-place-operands --tile-overlap-dots --canonicalize --tile-plan-buffers --tile-insert-barriers --tile-verify-scheduled | FileCheck %s

module attributes {tile.num_stages = 4 : i32, tile.num_warps = 8 : i32,
    tile.target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, lanes = 32 : i32, on_chip_bytes = 232448 : i32, units = [#nvidia.wgmma<f16>, #nvidia.mma_sync<f16>]}>} {
// Rows that a table names, some of them none, and a bound of the columns: one number tells that all columns are inside.
// Then copies are masked by the rows alone, which are the same in all iterations. Addresses that differ by a number
// are added up where the copies are, also where something is promised of them.
// CHECK-LABEL: func.func @gathered
// CHECK: %[[INSIDE:.+]] = arith.cmpi slt, {{.*}} : tensor<128xi32
// CHECK: scf.for
// CHECK: tile.async_dot
// CHECK: %[[WHOLE:.+]] = arith.andi {{.*}} : i1
// CHECK: tile.await_dots
// CHECK: scf.if %[[WHOLE]]
// CHECK: tile.addptr
// CHECK-NOT: arith.cmpi
// CHECK: tile.async_copy %{{.*}} mask %[[ROWS:.+]] :
// CHECK: } else {
// CHECK: tile.async_copy %{{.*}} mask
func.func @gathered(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %table: !tile.ptr<i32>, %count: i32, %n: i32 {tile.divisibility = 16 : i32}) -> tensor<128x256xf32> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %none = arith.constant dense<0.0> : tensor<128x64xf16>
  %i0 = tile.arange 0 : tensor<128xi32>
  %ts = tile.splat %table : tensor<128x!tile.ptr<i32>>
  %tp = tile.addptr %ts, %i0 : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %rows = tile.load %tp : tensor<128x!tile.ptr<i32>>
  %counts = tile.splat %count : tensor<128xi32>
  %inside = arith.cmpi slt, %rows, %counts : tensor<128xi32>
  %i1 = tile.expand_dims %rows axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %inside1 = tile.expand_dims %inside axis 1 : tensor<128xi1> -> tensor<128x1xi1>
  %inside2 = tile.broadcast %inside1 : tensor<128x1xi1> -> tensor<128x64xi1>
  %stride = arith.constant dense<4096> : tensor<128x1xi32>
  %i2 = arith.muli %i1, %stride : tensor<128x1xi32>
  %i3 = tile.broadcast %i2 : tensor<128x1xi32> -> tensor<128x64xi32>
  %k0 = tile.arange 0 : tensor<64xi32>
  %k1 = tile.expand_dims %k0 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %k2 = tile.broadcast %k1 : tensor<1x64xi32> -> tensor<128x64xi32>
  %oa = arith.addi %i3, %k2 : tensor<128x64xi32>
  %r1 = tile.expand_dims %k0 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %stride2 = arith.constant dense<4096> : tensor<64x1xi32>
  %r2 = arith.muli %r1, %stride2 : tensor<64x1xi32>
  %r3 = tile.broadcast %r2 : tensor<64x1xi32> -> tensor<64x256xi32>
  %j0 = tile.arange 0 : tensor<256xi32>
  %j1 = tile.expand_dims %j0 axis 0 : tensor<256xi32> -> tensor<1x256xi32>
  %j2 = tile.broadcast %j1 : tensor<1x256xi32> -> tensor<64x256xi32>
  %ob = arith.addi %r3, %j2 : tensor<64x256xi32>
  %sa = tile.splat %a : tensor<128x64x!tile.ptr<f16>>
  %pa0 = tile.addptr %sa, %oa : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
  %sb = tile.splat %b : tensor<64x256x!tile.ptr<f16>>
  %pb = tile.addptr %sb, %ob : tensor<64x256x!tile.ptr<f16>>, tensor<64x256xi32>
  %d = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %zero) -> tensor<128x256xf32> : i32 {
    %ks = tile.splat %k : tensor<128x64xi32>
    %sum = tile.addptr %pa0, %ks : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
    %pa = tile.hint %sum divisibility [16, 16] : tensor<128x64x!tile.ptr<f16>>
    %left = arith.subi %n, %k : i32
    %lefts = tile.splat %left : tensor<1x64xi32>
    %columns = arith.cmpi slt, %k1, %lefts : tensor<1x64xi32>
    %columns2 = tile.broadcast %columns : tensor<1x64xi1> -> tensor<128x64xi1>
    %mask = arith.andi %inside2, %columns2 : tensor<128x64xi1>
    %x = tile.load %pa mask %mask other %none : tensor<128x64x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<64x256x!tile.ptr<f16>>
    %s = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x256xf16> -> tensor<128x256xf32>
    scf.yield %s : tensor<128x256xf32>
  }
  return %d : tensor<128x256xf32>
}
}
