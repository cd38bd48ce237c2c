// RUN: tile-opt %s -split-input-file --tile-specialize-warps | FileCheck %s

#target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32, on_chip_bytes = 131072 : i32, program_registers = 65536 : i32}>

// One thread runs the loop again, to copy what the program's warps read. Both loads of a dot are
// awaited together, the descriptors come behind the other arguments.

// CHECK: module attributes {tile.launch_descriptors = [
// CHECK-SAME: {base = array<i64: 1, 0, 2, 64>, block = array<i64: 64, 64>, element = "f16", rank = 2 : i32, sizes = [array<i64: 1, 2, 2, 32>, array<i64: 1, 3, 2, 32>], strides = [array<i64: 1, 3, 2, 32>], swizzle = 128 : i32}
// CHECK-SAME: {base = array<i64: 1, 1, 2, 64>, block = array<i64: 64, 64>, element = "f16", nan_padding, rank = 2 : i32
// CHECK-SAME: tile.launch_warps = 8 : i32
module attributes {tile.target = #target, tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
// CHECK-LABEL: func.func @product
// CHECK-SAME: %[[A:[a-z0-9]*]]: !tile.desc<64x64xf16>, %[[B:[a-z0-9]*]]: !tile.desc<64x64xf16, nan>) attributes {tile.kernel}
func.func @product(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %m: i32, %k: i32, %acc: tensor<64x64xf32>, %out: tensor<64x64x!tile.ptr<f32>>) attributes {tile.kernel} {
  // CHECK: %[[SA:.*]] = tile.buffer_alloc : !tile.buffer<3x64x64xf16
  // CHECK: %[[SB:.*]] = tile.buffer_alloc : !tile.buffer<3x64x64xf16
  // CHECK: %[[FULL:.*]] = tile.signal_alloc arrivals 1 : !tile.signals<3>
  // CHECK: %[[EMPTY:.*]] = tile.signal_alloc arrivals 4 : !tile.signals<3>
  // Two programs of so few warps share the machine's registers.
  // CHECK: tile.roles warps [4, 4] registers [232, 24] threads [128, 1] {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%m, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %db = tile.make_descriptor %pb sizes[%k, %m] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x64xf16, nan>
  // CHECK: scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[STAGE:.*]] = %{{.*}}, %[[PHASE:.*]] = %{{.*}}) -> (tensor<64x64xf32>, i32, i32)
  // CHECK-NEXT: %[[V:.*]]:2 = tile.acquire %[[FULL]][%[[STAGE]]] phase %[[PHASE]] of(%[[SA]], %[[SB]]
  // CHECK-NEXT: tile.buffer_load %[[V]]#0
  // CHECK-NEXT: tile.buffer_load %[[V]]#1
  // CHECK-NEXT: tile.dot
  // CHECK: %[[TURN:.*]] = arith.xori %[[PHASE]]
  // CHECK: %[[NEXT:.*]] = arith.addi %[[STAGE]]
  // CHECK: %[[WRAPS:.*]] = arith.cmpi eq, %[[NEXT]]
  // CHECK: %[[S1:.*]] = arith.select %[[WRAPS]], %{{.*}}, %[[NEXT]]
  // CHECK: %[[P1:.*]] = arith.select %[[WRAPS]], %[[TURN]], %[[PHASE]]
  // CHECK: scf.yield %{{.*}}, %[[S1]], %[[P1]]
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] {tile.block_copy} : !tile.desc<64x64xf16>
    %b = tile.descriptor_load %db[%i, %c0] {tile.block_copy} : !tile.desc<64x64xf16, nan>
    %d = tile.dot %a, %b, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %out, %r : tensor<64x64x!tile.ptr<f32>>
  // CHECK: }, {
  // CHECK-NOT: tensor
  // CHECK: scf.for %[[I:.*]] = %{{.*}} iter_args(%[[STAGE:.*]] = %{{.*}}, %[[PHASE:.*]] = %{{.*}}) -> (i32, i32)
  // CHECK: %[[OTHER:.*]] = arith.xori %[[PHASE]]
  // CHECK: %[[W:.*]]:2 = tile.acquire %[[EMPTY]][%[[STAGE]]] phase %[[OTHER]] of(%[[SA]], %[[SB]]
  // CHECK: tile.expect %[[FULL]][%[[STAGE]]] bytes 16384
  // CHECK: tile.block_copy %[[A]][%{{.*}}, %[[I]]], %[[W]]#0 signal %[[FULL]][%[[STAGE]]]
  // CHECK: tile.block_copy %[[B]][%[[I]], %{{.*}}], %[[W]]#1 signal %[[FULL]][%[[STAGE]]]
  // CHECK: scf.yield
  // CHECK-NOT: tensor
  // CHECK: return
  return
}
}

// -----

// More programs share the machine where what they compute and their rings are small.

#target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32, on_chip_bytes = 131072 : i32, program_registers = 65536 : i32}>
module attributes {tile.target = #target, tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
// CHECK-LABEL: func.func @small
func.func @small(%pa: !tile.ptr<i8>, %k: i32, %acc: tensor<64x16xi8>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<i8> -> !tile.desc<64x16xi8>
  // CHECK: tile.roles warps [4, 4] registers [104, 24] threads [128, 1] {
  %r = scf.for %i = %c0 to %k step %c16 iter_args(%s = %acc) -> (tensor<64x16xi8>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] {tile.block_copy} : !tile.desc<64x16xi8>
    %d = arith.addi %a, %s : tensor<64x16xi8>
    scf.yield %d : tensor<64x16xi8>
  }
  tile.descriptor_store %da[%c0, %c0], %r {tile.block_copy} : !tile.desc<64x16xi8>
  return
}
}

// -----

// A persistent program: the place in the ring goes on from one tile to the next. What is
// read outside of the inner loop has a ring of one stage, in the order of the program.
// Numbers that the loops carry are carried again where the place of a load needs them.

#target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32, on_chip_bytes = 131072 : i32, program_registers = 65536 : i32}>
module attributes {tile.target = #target, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
// CHECK: tile.launch_warps = 12 : i32
// CHECK-LABEL: func.func @persistent
func.func @persistent(%pa: !tile.ptr<f16>, %m: i32, %k: i32, %acc: tensor<64x64xf32>, %out: tensor<64x64x!tile.ptr<f32>>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%m, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  // Registers that the fetching warps leave go to the others.
  // What the outer loop reads has two buffers, however many its inner loop asks for.
  // CHECK-DAG: %[[FULL1:.*]] = tile.signal_alloc arrivals 1 : !tile.signals<2>
  // CHECK-DAG: %[[EMPTY1:.*]] = tile.signal_alloc arrivals 8 : !tile.signals<2>
  // CHECK-DAG: %[[FULL2:.*]] = tile.signal_alloc arrivals 1 : !tile.signals<3>
  // CHECK-DAG: %[[EMPTY2:.*]] = tile.signal_alloc arrivals 8 : !tile.signals<3>
  // CHECK: tile.roles warps [8, 4] registers [240, 24] threads [256, 1] {
  // CHECK: scf.for {{.*}} -> (tensor<64x64xf32>, i32, i32, i32, i32, i32, i32)
  // CHECK: tile.acquire %[[FULL1]]
  // CHECK: scf.for {{.*}} -> (tensor<64x64xf32>, i32, i32)
  // CHECK: tile.acquire %[[FULL2]]
  // CHECK: tile.store
  %r:3 = scf.for %t = %c0 to %m step %c1 iter_args(%keep = %acc, %row = %c0, %count = %c0) -> (tensor<64x64xf32>, i32, i32) : i32 {
    %q = tile.descriptor_load %da[%row, %c0] {tile.block_copy} : !tile.desc<64x64xf16>
    %s = scf.for %i = %c0 to %k step %c64 iter_args(%s = %keep) -> (tensor<64x64xf32>) : i32 {
      %a = tile.descriptor_load %da[%row, %i] {tile.block_copy} : !tile.desc<64x64xf16>
      %d = tile.dot %q, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %out, %s : tensor<64x64x!tile.ptr<f32>>
    %next = arith.addi %row, %c64 : i32
    %counted = arith.addi %count, %c1 : i32
    scf.yield %s, %next, %counted : tensor<64x64xf32>, i32, i32
  }
  // CHECK: }, {
  // CHECK: scf.for {{.*}} -> (i32, i32, i32, i32, i32)
  // CHECK: tile.acquire %[[EMPTY1]]
  // CHECK: scf.for {{.*}} -> (i32, i32)
  // CHECK: tile.acquire %[[EMPTY2]]
  // CHECK-NOT: tile.store
  // CHECK: return
  return
}
}

// -----

#target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32, on_chip_bytes = 40960 : i32, program_registers = 65536 : i32}>
module attributes {tile.target = #target, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
// What the outer loop reads gives its second buffer back before its inner loop loses one.
// CHECK-LABEL: func.func @persistent_in_little_memory
// CHECK: tile.buffer_alloc : !tile.buffer<1x64x64xf16
// CHECK: tile.buffer_alloc : !tile.buffer<3x64x64xf16
func.func @persistent_in_little_memory(%pa: !tile.ptr<f16>, %m: i32, %k: i32, %acc: tensor<64x64xf32>, %out: tensor<64x64x!tile.ptr<f32>>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%m, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %r:3 = scf.for %t = %c0 to %m step %c1 iter_args(%keep = %acc, %row = %c0, %count = %c0) -> (tensor<64x64xf32>, i32, i32) : i32 {
    %q = tile.descriptor_load %da[%row, %c0] {tile.block_copy} : !tile.desc<64x64xf16>
    %s = scf.for %i = %c0 to %k step %c64 iter_args(%s = %keep) -> (tensor<64x64xf32>) : i32 {
      %a = tile.descriptor_load %da[%row, %i] {tile.block_copy} : !tile.desc<64x64xf16>
      %d = tile.dot %q, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    tile.store %out, %s : tensor<64x64x!tile.ptr<f32>>
    %next = arith.addi %row, %c64 : i32
    %counted = arith.addi %count, %c1 : i32
    scf.yield %s, %next, %counted : tensor<64x64xf32>, i32, i32
  }
  return
}
}

// -----

#target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32, on_chip_bytes = 131072 : i32}>
module attributes {tile.target = #target, tile.num_warps = 4 : i32, tile.num_stages = 2 : i32} {
// Loops that follow each other share a ring and go on in it; one of other blocks, and
// one that asks for other stages, have their own.
// CHECK-LABEL: func.func @loops
func.func @loops(%pa: !tile.ptr<f16>, %k: i32, %acc: tensor<64x64xf32>, %out: tensor<64x64x!tile.ptr<f32>>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %stride = arith.extsi %k : i32 to i64
  // CHECK-COUNT-1: tile.buffer_alloc : !tile.buffer<2x64x64xf16
  // CHECK: %[[FULL:.*]] = tile.signal_alloc arrivals 1 : !tile.signals<2>
  // CHECK: tile.buffer_alloc : !tile.buffer<4x64x64xf16
  // CHECK: %[[FULL4:.*]] = tile.signal_alloc arrivals 1 : !tile.signals<4>
  // CHECK-NOT: tile.buffer_alloc
  // CHECK: tile.roles
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  // CHECK: %[[FIRST:.*]]:3 = scf.for
  // CHECK: tile.acquire %[[FULL]]
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] {tile.block_copy} : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  // CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[FIRST]]#0, %{{.*}} = %[[FIRST]]#1, %{{.*}} = %[[FIRST]]#2)
  // CHECK: tile.acquire %[[FULL]]
  %t = scf.for %i = %c0 to %k step %c64 iter_args(%s = %r) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%i, %c0] {tile.block_copy} : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  // CHECK: tile.acquire %[[FULL4]]
  %u = scf.for %i = %c0 to %k step %c64 iter_args(%s = %t) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%i, %i] {tile.block_copy} : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  } {tile.num_stages = 4 : i32}
  // CHECK: {tile.num_stages = 4 : i32}
  tile.store %out, %u : tensor<64x64x!tile.ptr<f32>>
  return
}

// Loads of two dots are two rings that go around together. Loads of one dot on both sides of
// a loop are awaited by themselves: the copies of the loop come between them.
// CHECK-LABEL: func.func @around
func.func @around(%pa: !tile.ptr<f16>, %k: i32, %acc: tensor<64x64xf32>, %out: tensor<64x64x!tile.ptr<f32>>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  // CHECK-COUNT-4: tile.signal_alloc arrivals 1
  // CHECK: tile.roles
  // CHECK: tile.acquire {{.*}} !tile.signals<1>
  %q = tile.descriptor_load %da[%c0, %c0] {tile.block_copy} : !tile.desc<64x64xf16>
  // CHECK: scf.for {{.*}} -> (tensor<64x64xf32>, tensor<64x64xf32>, i32, i32)
  // CHECK: tile.acquire %{{.*}}[%[[S:.*]]] phase %[[P:.*]] of({{.*}}) : !tile.signals<2>
  // CHECK: tile.acquire %{{.*}}[%[[S]]] phase %[[P]] of({{.*}}) : !tile.signals<2>
  %r:2 = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc, %t = %acc) -> (tensor<64x64xf32>, tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] {tile.block_copy} : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %b = tile.descriptor_load %da[%i, %c0] {tile.block_copy} : !tile.desc<64x64xf16>
    %e = tile.dot %b, %b, %t : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d, %e : tensor<64x64xf32>, tensor<64x64xf32>
  }
  // CHECK: tile.acquire {{.*}} !tile.signals<1>
  %o = tile.descriptor_load %da[%c64, %c0] {tile.block_copy} : !tile.desc<64x64xf16>
  %d = tile.dot %q, %o, %r#0 : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  tile.store %out, %d : tensor<64x64x!tile.ptr<f32>>
  tile.store %out, %r#1 : tensor<64x64x!tile.ptr<f32>>
  return
}

// Stores go through a buffer, which those of one kind of block share; it is free again before
// it is written, and at the end.
// CHECK-LABEL: func.func @stores
func.func @stores(%pa: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %pd: !tile.ptr<f32>, %k: i32, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %stride = arith.extsi %k : i32 to i64
  // CHECK: tile.roles
  // CHECK: %[[BUFFER:.*]] = tile.buffer_alloc : !tile.buffer<64x64xf32
  // CHECK-NOT: tile.buffer_alloc
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %dc = tile.make_descriptor %pc sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %dd = tile.make_descriptor %pd sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] {tile.block_copy} : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  // CHECK: tile.await_block_stores in_flight 0
  // CHECK-NEXT: tile.buffer_store %{{.*}}, %[[BUFFER]]
  // CHECK-NEXT: tile.block_store %[[BUFFER]], %[[C:.*]][%{{.*}}, %{{.*}}] :
  tile.descriptor_store %dc[%c0, %c0], %r {tile.block_copy} : !tile.desc<64x64xf32>
  // CHECK-NEXT: tile.await_block_stores in_flight 0
  // CHECK-NEXT: tile.buffer_store %{{.*}}, %[[BUFFER]]
  // CHECK-NEXT: tile.block_store %[[BUFFER]], %[[D:.*]][%{{.*}}, %{{.*}}] kind fadd :
  // CHECK-NEXT: tile.await_block_stores in_flight 0
  // CHECK-NEXT: }, {
  tile.descriptor_reduce fadd %dd[%c0, %c64], %r {tile.block_copy} : !tile.desc<64x64xf32>
  return
}

// Nothing is marked: nothing changes.
// CHECK-LABEL: func.func @nothing
// CHECK-NOT: tile.roles
// CHECK: return
func.func @nothing(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %f = arith.constant 0.0 : f32
  tile.store %p, %f : !tile.ptr<f32>
  return
}
}

// -----

// Blocks that all thread blocks of a program load are copied in shares, to the buffers of
// all: these are empty when the warps of all have read them.

#target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32, on_chip_bytes = 131072 : i32, program_blocks = 8 : i32}>
// CHECK: tile.launch_descriptors = [{{.*}}block = array<i64: 64, 64>{{.*}}block = array<i64: 32, 64>
module attributes {tile.target = #target, tile.num_warps = 4 : i32, tile.num_stages = 2 : i32, tile.num_ctas = 2 : i32} {
// CHECK-LABEL: func.func @shares
func.func @shares(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %m: i32, %k: i32, %acc: tensor<64x64xf32>, %out: tensor<64x64x!tile.ptr<f32>>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%m, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %db = tile.make_descriptor %pb sizes[%k, %m] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  // CHECK: %[[FULL:.*]] = tile.signal_alloc arrivals 1 : !tile.signals<2>
  // CHECK: %[[EMPTY:.*]] = tile.signal_alloc arrivals 8 : !tile.signals<2>
  // CHECK: tile.roles {{.*}} everywhere {
  %s = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] {tile.block_copy} : !tile.desc<64x64xf16>
    %b = tile.descriptor_load %db[%i, %c0] {tile.block_copy, tile.same_everywhere} : !tile.desc<64x64xf16>
    %d = tile.dot %a, %b, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %out, %s : tensor<64x64x!tile.ptr<f32>>
  // CHECK: }, {
  // CHECK: tile.expect %[[FULL]][%{{.*}}] bytes 16384
  // CHECK: tile.block_copy %{{.*}} signal %[[FULL]][%{{.*}}] :
  // CHECK: tile.block_copy %{{.*}} signal %[[FULL]][%{{.*}}] everywhere :
  return
}
}
