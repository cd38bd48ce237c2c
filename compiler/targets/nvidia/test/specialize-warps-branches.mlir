// RUN: tile-opt %s --tile-assign-layouts --tile-select-matmul-units --tile-remove-conversions --cse --tile-specialize-warps | FileCheck %s

#target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, block_copy_box = 256 : i32, lanes = 32 : i32, on_chip_bytes = 232448 : i32, program_registers = 65536 : i32, role_warps = 4 : i32, units = [#nvidia.wgmma<f16>]}>

// Both roles take a branch around a loop; in it the place in the ring goes on.
// CHECK-LABEL: func.func @branch
// CHECK: tile.roles
// CHECK: %[[NEXT:.+]]:2 = scf.if %{{.*}} -> (i32, i32) {
// CHECK: %[[LOOP:.+]]:3 = scf.for
// CHECK: tile.acquire
// CHECK: tile.store
// CHECK: scf.yield %[[LOOP]]#1, %[[LOOP]]#2
// CHECK: } else {
// CHECK-NEXT: scf.yield %c0_i32{{.*}}, %c0_i32
// CHECK: }, {
// CHECK: tile.load
// CHECK: scf.if %{{.*}} -> (i32, i32) {
// CHECK: %[[LOOP:.+]]:2 = scf.for
// CHECK: tile.acquire
// CHECK: tile.arrive_copies
// CHECK: scf.yield %[[LOOP]]#0, %[[LOOP]]#1
// CHECK: } else {
// CHECK-NEXT: scf.yield %c0_i32{{.*}}, %c0_i32
module attributes {tile.target = #target, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
func.func @branch(%table: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}, %out: tensor<128x256x!tile.ptr<f32>>, %runs: i1) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %n = arith.constant 256 : i32
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %none = arith.constant dense<0.0> : tensor<128x64xf16>
  %stride = arith.constant 256 : i64
  %db = tile.make_descriptor %b sizes[%k, %n] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x256xf16>
  %i = tile.arange 0 : tensor<128xi32>
  %t = tile.splat %table : tensor<128x!tile.ptr<i32>>
  %ti = tile.addptr %t, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %row = tile.load %ti : tensor<128x!tile.ptr<i32>>
  %row1 = tile.expand_dims %row axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %ks = tile.splat %k : tensor<128x1xi32>
  %begin = arith.muli %row1, %ks : tensor<128x1xi32>
  %begins = tile.broadcast %begin : tensor<128x1xi32> -> tensor<128x64xi32>
  %j = tile.arange 0 : tensor<64xi32>
  %j1 = tile.expand_dims %j axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tile.broadcast %j1 : tensor<1x64xi32> -> tensor<128x64xi32>
  %offsets = arith.addi %begins, %columns : tensor<128x64xi32>
  %as = tile.splat %a : tensor<128x64x!tile.ptr<f16>>
  %pa = tile.addptr %as, %offsets : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
  scf.if %runs {
    %r = scf.for %at = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) : i32 {
      %ats = tile.splat %at : tensor<128x64xi32>
      %p = tile.addptr %pa, %ats : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
      %left = arith.subi %k, %at : i32
      %lefts = tile.splat %left : tensor<128x64xi32>
      %mask = arith.cmpi slt, %columns, %lefts : tensor<128x64xi32>
      %x = tile.load %p mask %mask other %none : tensor<128x64x!tile.ptr<f16>>
      %y = tile.descriptor_load %db[%at, %c0] {tile.block_copy} : !tile.desc<64x256xf16>
      %d = tile.dot %x, %y, %s : tensor<128x64xf16>, tensor<64x256xf16> -> tensor<128x256xf32>
      scf.yield %d : tensor<128x256xf32>
    }
    tile.store %out, %r : tensor<128x256x!tile.ptr<f32>>
  }
  return
}
}
