// RUN: tile-opt %s --tile-specialize-warps | FileCheck %s

// What is small comes with what is loaded before it, under one signal; behind a store of a block it has its own.

#target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32, on_chip_bytes = 131072 : i32, program_registers = 65536 : i32}>
module attributes {tile.target = #target, tile.num_warps = 4 : i32, tile.num_stages = 2 : i32} {
// CHECK-LABEL: func.func @small
func.func @small(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f32>, %pc: !tile.ptr<f32>, %k: i32, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %db = tile.make_descriptor %pb sizes[%k] strides[] {tile.block_copy} : !tile.ptr<f32> -> !tile.desc<64xf32>
  %dc = tile.make_descriptor %pc sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  // CHECK: %[[A:.*]] = tile.buffer_alloc : !tile.buffer<2x64x64xf16
  // CHECK: %[[B:.*]] = tile.buffer_alloc : !tile.buffer<2x64xf32
  // CHECK: %[[FULL:.*]] = tile.signal_alloc arrivals 1 : !tile.signals<2>
  // CHECK: %[[C:.*]] = tile.buffer_alloc : !tile.buffer<2x64xf32
  // CHECK: %[[FULL1:.*]] = tile.signal_alloc arrivals 1 : !tile.signals<2>
  // CHECK: scf.for
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    // CHECK: %[[V:.*]]:2 = tile.acquire %[[FULL]][%{{.*}}] phase %{{.*}} of(%[[A]], %[[B]]
    // CHECK: tile.dot
    %a = tile.descriptor_load %da[%c0, %i] {tile.block_copy} : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    // CHECK-NOT: tile.acquire
    // CHECK: tile.buffer_load %[[V]]#1
    %b = tile.descriptor_load %db[%i] {tile.block_copy} : !tile.desc<64xf32>
    // CHECK: tile.block_store
    tile.descriptor_store %dc[%c0, %i], %d {tile.block_copy} : !tile.desc<64x64xf32>
    // CHECK: tile.acquire %[[FULL1]][%{{.*}}] phase %{{.*}} of(%[[C]]
    %c = tile.descriptor_load %db[%i] {tile.block_copy} : !tile.desc<64xf32>
    %bc = arith.addf %b, %c : tensor<64xf32>
    %row = tile.expand_dims %bc axis 0 : tensor<64xf32> -> tensor<1x64xf32>
    %rows = tile.broadcast %row : tensor<1x64xf32> -> tensor<64x64xf32>
    %e = arith.addf %d, %rows : tensor<64x64xf32>
    scf.yield %e : tensor<64x64xf32>
  }
  // CHECK: }, {
  // CHECK: tile.expect %[[FULL]][%{{.*}}] bytes 8448
  // CHECK: tile.expect %[[FULL1]][%{{.*}}] bytes 256
  tile.descriptor_store %dc[%c0, %c0], %r {tile.block_copy} : !tile.desc<64x64xf32>
  return
}
}
