// RUN: tile-opt %s -split-input-file --tile-specialize-warps | FileCheck %s

// Copies complete in any order. Where a program may store to one place again, what it has stored before is written first.

// -----

#target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32, on_chip_bytes = 131072 : i32, program_registers = 65536 : i32}>

// Blocks at one index and 64 behind it are apart.
// CHECK-LABEL: func.func @side_by_side
module attributes {tile.target = #target, tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
func.func @side_by_side(%pa: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %k: i32, %n: i32, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c63 = arith.constant 63 : i32
  %c64 = arith.constant 64 : i32
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %dc = tile.make_descriptor %pc sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] {tile.block_copy} : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  // CHECK: tile.await_block_stores in_flight 0{{$}}
  // CHECK: tile.block_store
  tile.descriptor_store %dc[%n, %c0], %r {tile.block_copy} : !tile.desc<64x64xf32>
  %m = arith.addi %n, %c64 : i32
  // CHECK: tile.await_block_stores in_flight 0{{$}}
  // CHECK: tile.block_store
  tile.descriptor_store %dc[%m, %c0], %r {tile.block_copy} : !tile.desc<64x64xf32>
  return
}
}

// -----

#target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32, on_chip_bytes = 131072 : i32, program_registers = 65536 : i32}>

// 63 rows behind, they are not.
// CHECK-LABEL: func.func @overlap
module attributes {tile.target = #target, tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
func.func @overlap(%pa: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %k: i32, %n: i32, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c63 = arith.constant 63 : i32
  %c64 = arith.constant 64 : i32
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %dc = tile.make_descriptor %pc sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] {tile.block_copy} : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  // CHECK: tile.await_block_stores in_flight 0{{$}}
  // CHECK: tile.block_store
  tile.descriptor_store %dc[%n, %c0], %r {tile.block_copy} : !tile.desc<64x64xf32>
  %m = arith.addi %n, %c63 : i32
  // CHECK: tile.await_block_stores in_flight 0 written
  // CHECK: tile.block_store
  tile.descriptor_store %dc[%m, %c0], %r {tile.block_copy} : !tile.desc<64x64xf32>
  return
}
}

// -----

#target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32, on_chip_bytes = 131072 : i32, program_registers = 65536 : i32}>

// Each iteration of both loops stores to a place of its own.
// CHECK-LABEL: func.func @moves_on
module attributes {tile.target = #target, tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
func.func @moves_on(%pa: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %k: i32, %n: i32, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c63 = arith.constant 63 : i32
  %c64 = arith.constant 64 : i32
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %dc = tile.make_descriptor %pc sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] {tile.block_copy} : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  scf.for %j = %c0 to %n step %c1 : i32 {
    %p = arith.muli %j, %c64 : i32
    %q = arith.addi %p, %k : i32
    scf.for %l = %c0 to %n step %c64 : i32 {
      // CHECK: tile.await_block_stores in_flight 0{{$}}
      // CHECK: tile.block_store
      tile.descriptor_store %dc[%q, %l], %r {tile.block_copy} : !tile.desc<64x64xf32>
    }
  }
  return
}
}

// -----

#target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32, on_chip_bytes = 131072 : i32, program_registers = 65536 : i32}>

// Iterations of the outer loop store to the same places.
// CHECK-LABEL: func.func @stays
module attributes {tile.target = #target, tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
func.func @stays(%pa: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %k: i32, %n: i32, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c63 = arith.constant 63 : i32
  %c64 = arith.constant 64 : i32
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %dc = tile.make_descriptor %pc sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] {tile.block_copy} : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  scf.for %j = %c0 to %n step %c64 : i32 {
    scf.for %l = %c0 to %n step %c64 : i32 {
      // CHECK: tile.await_block_stores in_flight 0 written
      // CHECK: tile.block_store
      tile.descriptor_store %dc[%c0, %l], %r {tile.block_copy} : !tile.desc<64x64xf32>
    }
  }
  return
}
}

// -----

#target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32, on_chip_bytes = 131072 : i32, program_registers = 65536 : i32}>

// The second store is beside the first, which has waited for those of all earlier iterations; the third is at its place.
// CHECK-LABEL: func.func @anywhere
module attributes {tile.target = #target, tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
func.func @anywhere(%pa: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %k: i32, %n: i32, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c63 = arith.constant 63 : i32
  %c64 = arith.constant 64 : i32
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %dc = tile.make_descriptor %pc sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] {tile.block_copy} : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  scf.for %j = %c0 to %n step %c1 : i32 {
    %p = arith.divsi %j, %k : i32
    %q = arith.muli %p, %c64 : i32
    %m = arith.addi %q, %c64 : i32
    // CHECK: tile.await_block_stores in_flight 0 written
    // CHECK: tile.block_store
    tile.descriptor_store %dc[%q, %c0], %r {tile.block_copy} : !tile.desc<64x64xf32>
    // CHECK: tile.await_block_stores in_flight 0{{$}}
    // CHECK: tile.block_store
    tile.descriptor_store %dc[%m, %c0], %r {tile.block_copy} : !tile.desc<64x64xf32>
    // CHECK: tile.await_block_stores in_flight 0 written
    // CHECK: tile.block_store
    tile.descriptor_store %dc[%q, %c0], %r {tile.block_copy} : !tile.desc<64x64xf32>
  }
  return
}
}

// -----

#target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32, on_chip_bytes = 131072 : i32, program_registers = 65536 : i32}>

// The array begins elsewhere each time: indices alone do not tell.
// CHECK-LABEL: func.func @elsewhere
module attributes {tile.target = #target, tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
func.func @elsewhere(%pa: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %k: i32, %n: i32, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c63 = arith.constant 63 : i32
  %c64 = arith.constant 64 : i32
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %dc = tile.make_descriptor %pc sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] {tile.block_copy} : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  scf.for %j = %c0 to %n step %c64 : i32 {
    %pe = tile.addptr %pc, %j : !tile.ptr<f32>, i32
    %de = tile.make_descriptor %pe sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f32> -> !tile.desc<64x64xf32>
    // CHECK: tile.await_block_stores in_flight 0 written
    // CHECK: tile.block_store
    tile.descriptor_store %de[%j, %c0], %r {tile.block_copy} : !tile.desc<64x64xf32>
  }
  return
}
}

// -----

#target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32, on_chip_bytes = 131072 : i32, program_registers = 65536 : i32}>

// Sums come in any order.
// CHECK-LABEL: func.func @sums
module attributes {tile.target = #target, tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
func.func @sums(%pa: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %k: i32, %n: i32, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c63 = arith.constant 63 : i32
  %c64 = arith.constant 64 : i32
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %dc = tile.make_descriptor %pc sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] {tile.block_copy} : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  scf.for %j = %c0 to %n step %c1 : i32 {
    // CHECK: tile.await_block_stores in_flight 0{{$}}
    // CHECK: tile.block_store
    tile.descriptor_reduce fadd %dc[%c0, %c0], %r {tile.block_copy} : !tile.desc<64x64xf32>
  }
  return
}
}
