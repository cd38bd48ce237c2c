// RUN: tile-opt %s --tile-expand-descriptors | FileCheck %s

// Copies run beside the program: loads ahead of it, stores behind. What it orders with
// other accesses is made by pointers.

#target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32, on_chip_bytes = 131072 : i32}>
module attributes {tile.target = #target, tile.num_warps = 4 : i32} {

// Read, then written: nothing that is written is read.
// CHECK-LABEL: func.func @residual
func.func @residual(%da: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %dc: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  // CHECK: tile.descriptor_load {{.*}} {tile.block_copy}
  %c = tile.descriptor_load %dc[%c0, %c0] : !tile.desc<64x64xf16>
  %acc = arith.extf %c : tensor<64x64xf16> to tensor<64x64xf32>
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    // CHECK: tile.descriptor_load {{.*}} {tile.block_copy}
    %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %h = arith.truncf %r : tensor<64x64xf32> to tensor<64x64xf16>
  // CHECK: tile.descriptor_store {{.*}} {tile.block_copy}
  tile.descriptor_store %dc[%c0, %c0], %h : !tile.desc<64x64xf16>
  return
}

// Written, then read: by pointers both, whatever reads.
// CHECK-LABEL: func.func @read_back
func.func @read_back(%da: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %dc: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    // CHECK: tile.descriptor_load {{.*}} {tile.block_copy}
    %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %h = arith.truncf %r : tensor<64x64xf32> to tensor<64x64xf16>
  // CHECK: tile.store
  tile.descriptor_store %dc[%c0, %c0], %h : !tile.desc<64x64xf16>
  // CHECK: tile.load
  %c = tile.descriptor_load %dc[%c0, %c64] : !tile.desc<64x64xf16>
  return
}

// Around a loop the read comes behind the store as well.
// CHECK-LABEL: func.func @in_place
func.func @in_place(%da: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %dc: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  // CHECK: scf.for
  scf.for %j = %c0 to %k step %c64 : i32 {
    // CHECK: tile.load
    %c = tile.descriptor_load %dc[%j, %c0] : !tile.desc<64x64xf16>
    // CHECK: scf.for
    %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
      // CHECK: tile.descriptor_load {{.*}} {tile.block_copy}
      %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<64x64xf16>
      %d = tile.dot %a, %c, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %h = arith.truncf %r : tensor<64x64xf32> to tensor<64x64xf16>
    // CHECK: tile.store
    tile.descriptor_store %dc[%j, %c0], %h : !tile.desc<64x64xf16>
  }
  return
}

// Stores of threads and of copies to one array would have no order, nor stores and sums.
// CHECK-LABEL: func.func @stored_in_two_ways
func.func @stored_in_two_ways(%da: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32>, %de: !tile.desc<64x64xf32> {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32},
                              %stride: i64, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %f = arith.constant 0.0 : f32
  %dc = tile.make_descriptor %pc sizes[%k, %k] strides[%stride] : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    // CHECK: tile.descriptor_load {{.*}} {tile.block_copy}
    %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  // CHECK-NOT: tile.descriptor_store
  // CHECK-NOT: tile.descriptor_reduce
  tile.descriptor_store %dc[%c0, %c0], %r : !tile.desc<64x64xf32>
  tile.store %pc, %f : !tile.ptr<f32>
  tile.descriptor_store %de[%c0, %c0], %r : !tile.desc<64x64xf32>
  tile.descriptor_reduce fadd %de[%c0, %c0], %r : !tile.desc<64x64xf32>
  return
}

// A store through a pointer of unknown origin may be to any array.
// CHECK-LABEL: func.func @anywhere
// CHECK-NOT: tile.block_copy
func.func @anywhere(%da: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %address: i64, %k: i32 {tile.divisibility = 16 : i32}, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %f = arith.constant 0.0 : f32
  %p = tile.int_to_ptr %address : i64 -> !tile.ptr<f32>
  tile.store %p, %f : !tile.ptr<f32>
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  return
}

// Who takes a lock reads what others wrote, behind it; who only counts does not.
// CHECK-LABEL: func.func @locked
func.func @locked(%da: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %db: !tile.desc<64x64xf32> {tile.divisibility = 16 : i32}, %lock: !tile.ptr<i32>, %k: i32 {tile.divisibility = 16 : i32}, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %unseen = tile.atomic_rmw add %lock, %c1 : !tile.ptr<i32>
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    // CHECK: tile.descriptor_load {{.*}} {tile.block_copy}
    %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %old = tile.atomic_rmw add %lock, %c1 : !tile.ptr<i32>
  // CHECK: tile.load
  %b = tile.descriptor_load %db[%c0, %c0] : !tile.desc<64x64xf32>
  %t = arith.addf %r, %b : tensor<64x64xf32>
  tile.store %lock, %old : !tile.ptr<i32>
  return
}

// Who tells others that something is there has written it; a relaxed count tells nothing.
// CHECK-LABEL: func.func @told
func.func @told(%da: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %db: !tile.desc<64x64xf32> {tile.divisibility = 16 : i32}, %dc: !tile.desc<64x64xf32> {tile.divisibility = 16 : i32}, %lock: !tile.ptr<i32>, %k: i32 {tile.divisibility = 16 : i32}, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  // CHECK: tile.store
  tile.descriptor_store %db[%c0, %c0], %r : !tile.desc<64x64xf32>
  %old = tile.atomic_rmw add %lock, %c1 : !tile.ptr<i32>
  // CHECK: tile.descriptor_store {{.*}} {tile.block_copy}
  tile.descriptor_store %dc[%c0, %c0], %r : !tile.desc<64x64xf32>
  %relaxed = tile.atomic_rmw add %lock, %c1 {semantic = #tile<semantic relaxed>} : !tile.ptr<i32>
  return
}

// What an instruction does to memory, only the user knows.
// CHECK-LABEL: func.func @instruction
// CHECK-NOT: tile.block_copy
func.func @instruction(%da: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %seen = tile.inline_asm "wait; mov.u32 $0, 0;" constraints "=r,~{memory}" () : () -> i32
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  return
}
}
