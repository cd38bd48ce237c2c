// RUN: tile-opt %s --tile-insert-barriers | FileCheck %s

#m = #tile.layout<[64]: offset = [[1], [2], [4], [8], [16], [32]]>
#memory = #tile.layout<[64, 64]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]>
#acc = #tile.layout<[64, 64]: register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#other = #tile.layout<[64, 64]: register = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [16, 0], [32, 0]], warp = [[1, 0], [2, 0]]>
#unit = #nvidia.wgmma<f16, n = 64>
!block = !tile.buffer<64x64xf16, #memory>
#l = #tile.layout<[64]: lane = [[1], [2], [4], [8], [16]], warp = [[32], [0]]>
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32}>, tile.num_warps = 4 : i32} {

// What stores of blocks read has been written by all threads, for other units to see; a
// buffer is written again once the thread that stores knows that it was read, and has told.
// CHECK-LABEL: func.func @stores
func.func @stores(%d: !tile.desc<64xf16>, %i: i32, %n: i32, %x: tensor<64xf16, #l>) {
  %c1 = arith.constant 1 : i32
  %b = tile.buffer_alloc offset 0 : !tile.buffer<64xf16, #m>
  // CHECK: scf.for
  scf.for %j = %i to %n step %c1 : i32 {
    // CHECK-NEXT: tile.await_block_stores in_flight 0
    // CHECK-NEXT: tile.barrier{{$}}
    // CHECK-NEXT: tile.buffer_store
    // CHECK-NEXT: tile.barrier publish
    // CHECK-NEXT: tile.block_store
    // CHECK-NEXT: }
    tile.await_block_stores in_flight 0
    tile.buffer_store %x, %b : tensor<64xf16, #l> -> !tile.buffer<64xf16, #m>
    tile.block_store %b, %d[%j] : !tile.buffer<64xf16, #m>, !tile.desc<64xf16>
  }
  // CHECK-NEXT: tile.await_block_stores in_flight 0
  // CHECK-NEXT: return
  tile.await_block_stores in_flight 0
  return
}

// Two buffers, stored one after the other, meet but once each.
// CHECK-LABEL: func.func @two
func.func @two(%d: !tile.desc<64xf16>, %i: i32, %x: tensor<64xf16, #l>) {
  %b = tile.buffer_alloc offset 0 : !tile.buffer<64xf16, #m>
  %c = tile.buffer_alloc offset 128 : !tile.buffer<64xf16, #m>
  // CHECK: tile.buffer_store
  // CHECK-NEXT: tile.buffer_store
  // CHECK-NEXT: tile.barrier publish
  // CHECK-NEXT: tile.block_store
  // CHECK-NEXT: tile.block_store
  tile.buffer_store %x, %b : tensor<64xf16, #l> -> !tile.buffer<64xf16, #m>
  tile.buffer_store %x, %c : tensor<64xf16, #l> -> !tile.buffer<64xf16, #m>
  tile.block_store %b, %d[%i] : !tile.buffer<64xf16, #m>, !tile.desc<64xf16>
  tile.block_store %c, %d[%i] : !tile.buffer<64xf16, #m>, !tile.desc<64xf16>
  // CHECK-NEXT: tile.await_block_stores
  // CHECK-NEXT: tile.barrier{{$}}
  // CHECK-NEXT: tile.buffer_store
  tile.await_block_stores in_flight 0
  tile.buffer_store %x, %c : tensor<64xf16, #l> -> !tile.buffer<64xf16, #m>
  return
}

// Where warps write the parts that they store, none waits for another.
// CHECK-LABEL: func.func @parts
func.func @parts(%d: !tile.desc<64x64xf16>, %i: i32, %n: i32, %x: tensor<64x64xf16, #acc>) {
  %c1 = arith.constant 1 : i32
  %b = tile.buffer_alloc offset 0 : !block
  // CHECK: scf.for
  scf.for %j = %i to %n step %c1 : i32 {
    // CHECK-NEXT: tile.await_block_stores in_flight 0 by_warps
    // CHECK-NEXT: tile.buffer_store
    // CHECK-NEXT: tile.block_store
    // CHECK-NEXT: }
    tile.await_block_stores in_flight 0 by_warps
    tile.buffer_store %x, %b : tensor<64x64xf16, #acc> -> !block
    tile.block_store %b, %d[%j, %j] parts(#acc) : !block, !tile.desc<64x64xf16>
  }
  tile.await_block_stores in_flight 0 by_warps
  return
}

// They do where others write what they store.
// CHECK-LABEL: func.func @parts_of_others
func.func @parts_of_others(%d: !tile.desc<64x64xf16>, %i: i32, %n: i32, %x: tensor<64x64xf16, #other>) {
  %c1 = arith.constant 1 : i32
  %b = tile.buffer_alloc offset 0 : !block
  // CHECK: scf.for
  scf.for %j = %i to %n step %c1 : i32 {
    // CHECK-NEXT: tile.await_block_stores in_flight 0 by_warps
    // CHECK-NEXT: tile.barrier{{$}}
    // CHECK-NEXT: tile.buffer_store
    // CHECK-NEXT: tile.barrier publish
    // CHECK-NEXT: tile.block_store
    tile.await_block_stores in_flight 0 by_warps
    tile.buffer_store %x, %b : tensor<64x64xf16, #other> -> !block
    tile.block_store %b, %d[%j, %j] parts(#acc) : !block, !tile.desc<64x64xf16>
  }
  tile.await_block_stores in_flight 0 by_warps
  return
}

// The thread that waits for stores tells the others where all meet in any case: before a product
// of what threads store.
// CHECK-LABEL: func.func @meeting
func.func @meeting(%d: !tile.desc<64xf16>, %i: i32, %n: i32, %x: tensor<64xf16, #l>, %h: tensor<64x64xf16, #acc>, %zero: tensor<64x64xf32, #acc>) {
  %c1 = arith.constant 1 : i32
  %b = tile.buffer_alloc offset 0 : !tile.buffer<64xf16, #m>
  %o = tile.buffer_alloc offset 1024 : !block
  %w = tile.buffer_alloc offset 16384 : !block
  // CHECK: scf.for
  scf.for %j = %i to %n step %c1 : i32 {
    // CHECK-NEXT: tile.buffer_store
    // CHECK-NEXT: tile.await_block_stores in_flight 0
    // CHECK-NEXT: tile.barrier publish
    // CHECK-NEXT: tile.async_dot
    // CHECK-NEXT: tile.async_dot
    // CHECK-NEXT: tile.await_dots
    // CHECK-NEXT: tile.buffer_store
    // CHECK-NEXT: tile.barrier publish
    // CHECK-NEXT: tile.block_store
    // CHECK-NEXT: }
    tile.buffer_store %h, %o : tensor<64x64xf16, #acc> -> !block
    %p = tile.async_dot %o, %w, %zero unit(#unit) : !block, !block, tensor<64x64xf32, #acc> -> !tile.pending<tensor<64x64xf32, #acc>>
    %q = tile.async_dot %h, %w, %zero unit(#unit) : tensor<64x64xf16, #acc>, !block, tensor<64x64xf32, #acc> -> !tile.pending<tensor<64x64xf32, #acc>>
    tile.await_block_stores in_flight 0
    %s:2 = tile.await_dots(%p, %q) in_flight 0 : !tile.pending<tensor<64x64xf32, #acc>>, !tile.pending<tensor<64x64xf32, #acc>> -> tensor<64x64xf32, #acc>, tensor<64x64xf32, #acc>
    tile.buffer_store %x, %b : tensor<64xf16, #l> -> !tile.buffer<64xf16, #m>
    tile.block_store %b, %d[%j] : !tile.buffer<64xf16, #m>, !tile.desc<64xf16>
  }
  return
}

// Signals order roles, barriers the threads of one: reading what copies brought takes none,
// nor does what another role did.
// CHECK-LABEL: func.func @roles
func.func @roles(%d: !tile.desc<64xf16>, %i: i32, %p: i32, %x: tensor<64xf16, #l>) {
  %stack = tile.buffer_alloc offset 0 : !tile.buffer<2x64xf16, #m>
  %own = tile.buffer_alloc offset 256 : !tile.buffer<64xf16, #m>
  %full = tile.signal_alloc arrivals 1 offset 512 : !tile.signals<2>
  %empty = tile.signal_alloc arrivals 4 offset 640 : !tile.signals<2>
  // CHECK: tile.roles
  tile.roles warps [4, 4] registers [0, 0] threads [128, 1] {
    // CHECK-NEXT: tile.acquire
    // CHECK-NEXT: tile.buffer_load
    // CHECK-NEXT: tile.arrive
    %v = tile.acquire %full[%i] phase %p of (%stack : !tile.buffer<2x64xf16, #m>) : !tile.signals<2>
    %y = tile.buffer_load %v : !tile.buffer<64xf16, #m> -> tensor<64xf16, #l>
    tile.arrive %empty[%i] : !tile.signals<2>
    // CHECK-NEXT: tile.buffer_store
    // CHECK-NEXT: tile.barrier
    // CHECK-NEXT: tile.buffer_load
    tile.buffer_store %y, %own : tensor<64xf16, #l> -> !tile.buffer<64xf16, #m>
    %z = tile.buffer_load %own : !tile.buffer<64xf16, #m> -> tensor<64xf16, #l>
  }, {
    // CHECK: }, {
    // CHECK-NEXT: tile.acquire
    // CHECK-NEXT: tile.expect
    // CHECK-NEXT: tile.block_copy
    // CHECK-NEXT: }
    %v = tile.acquire %empty[%i] phase %p of (%stack : !tile.buffer<2x64xf16, #m>) : !tile.signals<2>
    tile.expect %full[%i] bytes 128 : !tile.signals<2>
    tile.block_copy %d[%i], %v signal %full[%i] : !tile.desc<64xf16>, !tile.buffer<64xf16, #m>, !tile.signals<2>
  }
  return
}
}
