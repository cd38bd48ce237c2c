// RUN: tile-opt %s --tile-specialize-warps | FileCheck %s

// The fetching thread makes what it copies by, where copies by the last one are complete; the computing
// warps what they store by. Both do so only where the loop behind runs.

#target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32, on_chip_bytes = 131072 : i32, program_registers = 65536 : i32, descriptor_bytes = 128 : i32}>

// Templates describe one block where the kernel's first array is.
// CHECK: module attributes {tile.launch_descriptors = [
// CHECK-SAME: {base = array<i64: 1, 0, 2, 64, 0, 16, 7, 64, 0, 16, 6, 64>, block = array<i64: 64, 64>, element = "f16", rank = 2 : i32, sizes = [array<i64: 0, 64>, array<i64: 0, 64>], strides = [array<i64: 0, 64>], swizzle = 128 : i32}
module attributes {tile.target = #target, tile.num_warps = 4 : i32, tile.num_stages = 2 : i32} {
// CHECK-LABEL: func.func @grouped
// CHECK-SAME: %[[T:[a-z0-9]*]]: !tile.desc<64x64xf16>, %[[U:[a-z0-9]*]]: !tile.desc<64x64xf32>) attributes {tile.kernel}
func.func @grouped(%table: !tile.ptr<i64> {tile.read_only}, %count: i32, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  // CHECK: %[[FULL:.*]] = tile.signal_alloc arrivals 1 : !tile.signals<2>
  // CHECK: %[[PLACES:.*]]:2 = tile.descriptor_alloc %[[T]], %[[U]]
  // CHECK: %[[DONE:.*]] = tile.signal_alloc arrivals 1 : !tile.signals<1>
  // CHECK: tile.roles
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  // CHECK: scf.for
  scf.for %problem = %c0 to %count step %c1 : i32 {
    %row = tile.addptr %table, %problem : !tile.ptr<i64>, i32
    %address = tile.load %row : !tile.ptr<i64>
    %pa = tile.int_to_ptr %address {tile.read_only} : i64 -> !tile.ptr<f16>
    %pc = tile.int_to_ptr %address : i64 -> !tile.ptr<f32>
    %k = arith.trunci %address : i64 to i32
    // CHECK: %[[RUNS:.*]] = arith.cmpi slt, %{{.*}}, %[[K:.*]] : i32
    // CHECK: scf.if %[[RUNS]] {
    // CHECK-NEXT: tile.await_block_stores in_flight 0
    // CHECK: %[[SIZE:.*]] = arith.maxsi %[[K]]
    // CHECK: tile.descriptor_set %[[PLACES]]#1 like %[[U]], %{{.*}} sizes[%[[SIZE]], %{{.*}}] strides[%[[S:.*]]]
    // CHECK: tile.descriptor_publish %[[PLACES]]#1
    // CHECK: }
    %da = tile.make_descriptor %pa sizes[%k, %k] strides[%address] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
    %dc = tile.make_descriptor %pc sizes[%k, %k] strides[%address] {tile.block_copy} : !tile.ptr<f32> -> !tile.desc<64x64xf32>
    // CHECK: scf.for
    scf.for %tile = %c0 to %k step %c64 : i32 {
      %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
        %a = tile.descriptor_load %da[%tile, %i] {tile.block_copy} : !tile.desc<64x64xf16>
        %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
        scf.yield %d : tensor<64x64xf32>
      }
      // Of an array without elements nothing is stored.
      // CHECK: %[[EMPTY:.*]] = arith.ori
      // CHECK: %[[I:.*]] = arith.select %[[EMPTY]]
      // CHECK: tile.block_store %{{.*}}, %[[PLACES]]#1[%[[I]], %{{.*}}]
      tile.descriptor_store %dc[%tile, %c0], %r {tile.block_copy} : !tile.desc<64x64xf32>
    }
  }
  // CHECK: tile.await_block_stores in_flight 0
  // CHECK: tile.acquire %[[DONE]][%{{.*}}] phase
  // CHECK: tile.descriptor_free %[[PLACES]]#0, %[[PLACES]]#1
  // CHECK: }, {
  // CHECK: scf.for {{.*}} iter_args(%[[STAGE:.*]] = %{{.*}}, %[[PHASE:.*]] = %{{.*}})
  // CHECK: tile.load
  // CHECK: scf.if
  // CHECK: %[[BEFORE:.*]] = arith.xori %[[PHASE]]
  // CHECK: %[[FILLED:.*]] = arith.cmpi slt, %[[C0:.*]], %[[STAGE]]
  // CHECK: %[[LAST:.*]] = arith.select %[[FILLED]], %[[PHASE]], %[[BEFORE]]
  // CHECK: tile.acquire %[[FULL]][%[[C0]]] phase %[[LAST]]
  // CHECK: tile.acquire %[[FULL]]
  // CHECK: tile.descriptor_set %[[PLACES]]#0 like %[[T]]
  // CHECK: tile.descriptor_publish %[[PLACES]]#0
  // CHECK: }
  // CHECK: scf.for
  // CHECK: scf.for
  // CHECK: %[[J:.*]] = arith.select
  // CHECK: tile.block_copy %[[PLACES]]#0[%[[J]], %{{.*}}]
  // CHECK: tile.arrive %[[DONE]]
  // CHECK: }
  return
}
}
