// RUN: tile-opt %s -split-input-file --tile-insert-barriers | FileCheck %s

#m = #tile.layout<[1024]: offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512]]>
#l = #tile.layout<[1024]: register = [[128], [256], [512]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
#k = #tile.layout<[1024]: register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [[256], [512]]>
#copies = #tile.layout<[64]: lane = [[1], [2], [4], [8], [16]], warp = [[32], [0]]>
#from = #tile.layout<[64, 256]: register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#to = #tile.layout<[64, 256]: register = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], warp = [[16, 0], [32, 0]]>
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>, tile.num_warps = 4 : i32} {

// One barrier between writing and reading; none for reading twice.
// CHECK-LABEL: func.func @write_read
func.func @write_read(%x: tensor<1024xf32, #l>) {
  %a = tile.buffer_alloc offset 0 : !tile.buffer<1024xf32, #m>
  // CHECK: tile.buffer_store
  tile.buffer_store %x, %a : tensor<1024xf32, #l> -> !tile.buffer<1024xf32, #m>
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.buffer_load
  %y = tile.buffer_load %a : !tile.buffer<1024xf32, #m> -> tensor<1024xf32, #k>
  // CHECK-NEXT: tile.buffer_load
  %z = tile.buffer_load %a : !tile.buffer<1024xf32, #m> -> tensor<1024xf32, #k>
  return
}

// No barrier where each thread reads what it wrote; one where others use the memory.
// CHECK-LABEL: func.func @own
func.func @own(%x: tensor<1024xf32, #l>) {
  %a = tile.buffer_alloc offset 0 : !tile.buffer<1024xf32, #m>
  %b = tile.buffer_alloc offset 0 : !tile.buffer<1024xf32, #m>
  // CHECK: tile.buffer_store
  tile.buffer_store %x, %a : tensor<1024xf32, #l> -> !tile.buffer<1024xf32, #m>
  // CHECK-NEXT: tile.buffer_load
  %y = tile.buffer_load %a : !tile.buffer<1024xf32, #m> -> tensor<1024xf32, #l>
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.buffer_store
  tile.buffer_store %x, %b : tensor<1024xf32, #l> -> !tile.buffer<1024xf32, #m>
  return
}

// Memory apart needs no order; memory shared does, whatever the buffer.
// CHECK-LABEL: func.func @apart
func.func @apart(%x: tensor<1024xf32, #l>) {
  %a = tile.buffer_alloc offset 0 : !tile.buffer<1024xf32, #m>
  %b = tile.buffer_alloc offset 4096 : !tile.buffer<1024xf32, #m>
  %c = tile.buffer_alloc offset 4000 : !tile.buffer<1024xf32, #m>
  // CHECK: tile.buffer_store
  tile.buffer_store %x, %a : tensor<1024xf32, #l> -> !tile.buffer<1024xf32, #m>
  // CHECK-NEXT: tile.buffer_store
  tile.buffer_store %x, %b : tensor<1024xf32, #l> -> !tile.buffer<1024xf32, #m>
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.buffer_store
  tile.buffer_store %x, %c : tensor<1024xf32, #l> -> !tile.buffer<1024xf32, #m>
  return
}

// What a step reads, the next one overwrites.
// CHECK-LABEL: func.func @around
func.func @around(%x: tensor<1024xf32, #l>, %n: i32) {
  %a = tile.buffer_alloc offset 0 : !tile.buffer<1024xf32, #m>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 : i32 {
    // CHECK-NEXT: tile.barrier
    // CHECK-NEXT: tile.buffer_store
    tile.buffer_store %x, %a : tensor<1024xf32, #l> -> !tile.buffer<1024xf32, #m>
    // CHECK-NEXT: tile.barrier
    // CHECK-NEXT: tile.buffer_load
    %y = tile.buffer_load %a : !tile.buffer<1024xf32, #m> -> tensor<1024xf32, #k>
    // CHECK-NEXT: }
  }
  return
}

// One arm writes: reading afterwards waits.
// CHECK-LABEL: func.func @branch
func.func @branch(%x: tensor<1024xf32, #l>, %flag: i1) {
  %a = tile.buffer_alloc offset 0 : !tile.buffer<1024xf32, #m>
  scf.if %flag {
    tile.buffer_store %x, %a : tensor<1024xf32, #l> -> !tile.buffer<1024xf32, #m>
  }
  // CHECK: }
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.buffer_load
  %y = tile.buffer_load %a : !tile.buffer<1024xf32, #m> -> tensor<1024xf32, #k>
  return
}

// A copy is a write where it is awaited.
// CHECK-LABEL: func.func @copy
func.func @copy(%p: tensor<1024x!tile.ptr<f32>, #l>) {
  %a = tile.buffer_alloc offset 0 : !tile.buffer<1024xf32, #m>
  %0 = tile.async_copy %p, %a : tensor<1024x!tile.ptr<f32>, #l> -> !tile.buffer<1024xf32, #m>
  // CHECK: tile.commit
  %1 = tile.commit(%0) : !tile.pending<!tile.buffer<1024xf32, #m>>
  // CHECK-NEXT: tile.await
  %2 = tile.await(%1) in_flight 0 : !tile.pending<!tile.buffer<1024xf32, #m>>
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.buffer_load
  %3 = tile.buffer_load %2 : !tile.buffer<1024xf32, #m> -> tensor<1024xf32, #k>
  return
}

// A copy to what the iteration before accessed waits for those accesses, not for those of its own iteration.
// CHECK-LABEL: func.func @previous
func.func @previous(%p: tensor<1024x!tile.ptr<f32>, #l>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = tile.buffer_alloc offset 0 : !tile.buffer<2x1024xf32, #m>
  %v = tile.buffer_view %a[%c0] : !tile.buffer<2x1024xf32, #m>
  // CHECK: scf.for
  // CHECK-NEXT: tile.buffer_load
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.async_copy
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tile.buffer_load %v : !tile.buffer<1024xf32, #m> -> tensor<1024xf32, #k>
    %c = tile.async_copy %p, %v {tile.previous_block} : tensor<1024x!tile.ptr<f32>, #l> -> !tile.buffer<1024xf32, #m>
  }
  // A loop's accesses are older than what follows begins.
  // CHECK: scf.for
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.buffer_load
  // CHECK-NEXT: tile.async_copy
  scf.for %i = %c0 to %n step %c1 : i32 {
    tile.barrier
    %x = tile.buffer_load %v : !tile.buffer<1024xf32, #m> -> tensor<1024xf32, #k>
    %c = tile.async_copy %p, %v {tile.previous_block} : tensor<1024x!tile.ptr<f32>, #l> -> !tile.buffer<1024xf32, #m>
  }
  return
}

// Reductions that lie apart: all threads meet in each, so that the next one, or the next step, needs no barrier before.
// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<1024xf32, #l>, %p: !tile.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // CHECK: {scratch_is_free, tile.scratch_offset = 0 : i32}
    %0 = tile.reduce(%x) axis 0 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    } {tile.scratch_offset = 0 : i32} : (tensor<1024xf32, #l>) -> f32
    // CHECK: {scratch_is_free, tile.scratch_offset = 128 : i32}
    %1 = tile.reduce(%x) axis 0 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.maxnumf %a, %b : f32
      tile.yield %c : f32
    } {tile.scratch_offset = 128 : i32} : (tensor<1024xf32, #l>) -> f32
    %2 = arith.addf %0, %1 : f32
    tile.store %p, %2 : !tile.ptr<f32>
  }
  // Each step reads what the one before may still be reading.
  scf.for %i = %c0 to %n step %c1 : i32 {
    // CHECK: {tile.scratch_offset = 0 : i32}
    %0 = tile.reduce(%x) axis 0 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    } {tile.scratch_offset = 0 : i32} : (tensor<1024xf32, #l>) -> f32
    tile.store %p, %0 : !tile.ptr<f32>
  }
  return
}

// What one thread stores another may load, unless the very pointers are the same.
// CHECK-LABEL: func.func @global
func.func @global(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %i: tensor<1024xi32, #l>, %v: tensor<1024xf32, #l>) {
  %xs = tile.splat %x : tensor<1024x!tile.ptr<f32>, #l>
  %ys = tile.splat %y : tensor<1024x!tile.ptr<f32>, #l>
  %p = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>, #l>, tensor<1024xi32, #l>
  %q = tile.addptr %p, %i : tensor<1024x!tile.ptr<f32>, #l>, tensor<1024xi32, #l>
  // CHECK: tile.store
  tile.store %p, %v : tensor<1024x!tile.ptr<f32>, #l>
  // CHECK-NEXT: tile.load
  %a = tile.load %p : tensor<1024x!tile.ptr<f32>, #l>
  // CHECK-NEXT: tile.load
  %b = tile.load %ys : tensor<1024x!tile.ptr<f32>, #l>
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.load
  %c = tile.load %q : tensor<1024x!tile.ptr<f32>, #l>
  return
}

// All threads load through a single pointer, and the first one stores.
// CHECK-LABEL: func.func @global_number
func.func @global_number(%x: !tile.ptr<f32>, %v: f32) -> (f32, f32) {
  // CHECK: tile.store
  tile.store %x, %v : !tile.ptr<f32>
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.load
  %a = tile.load %x : !tile.ptr<f32>
  // CHECK-NEXT: tile.load
  %b = tile.load %x : !tile.ptr<f32>
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.store
  tile.store %x, %b : !tile.ptr<f32>
  return %a, %b : f32, f32
}

// Two warps hold each element: one stores, and both load.
// CHECK-LABEL: func.func @global_copies
func.func @global_copies(%x: !tile.ptr<f32>, %v: tensor<64xf32, #copies>) {
  %xs = tile.splat %x : tensor<64x!tile.ptr<f32>, #copies>
  // CHECK: tile.store
  tile.store %xs, %v : tensor<64x!tile.ptr<f32>, #copies>
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.load
  %a = tile.load %xs : tensor<64x!tile.ptr<f32>, #copies>
  return
}

// What one thread loads another may store to, unless the very pointers are the same.
// CHECK-LABEL: func.func @global_in_place
func.func @global_in_place(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %i: tensor<1024xi32, #l>) {
  %xs = tile.splat %x : tensor<1024x!tile.ptr<f32>, #l>
  %ys = tile.splat %y : tensor<1024x!tile.ptr<f32>, #l>
  %p = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>, #l>, tensor<1024xi32, #l>
  // CHECK: tile.load
  %a = tile.load %xs : tensor<1024x!tile.ptr<f32>, #l>
  // CHECK-NEXT: tile.store
  tile.store %ys, %a : tensor<1024x!tile.ptr<f32>, #l>
  // CHECK-NEXT: tile.store
  tile.store %xs, %a : tensor<1024x!tile.ptr<f32>, #l>
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.store
  tile.store %p, %a : tensor<1024x!tile.ptr<f32>, #l>
  return
}

// The same pointers are others in the next step.
// CHECK-LABEL: func.func @global_around
func.func @global_around(%x: !tile.ptr<f32>, %i: tensor<1024xi32, #l>, %n: i32) {
  %xs = tile.splat %x : tensor<1024x!tile.ptr<f32>, #l>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: scf.for
  scf.for %k = %c0 to %n step %c1 iter_args(%p = %xs) -> (tensor<1024x!tile.ptr<f32>, #l>) : i32 {
    %q = tile.addptr %p, %i : tensor<1024x!tile.ptr<f32>, #l>, tensor<1024xi32, #l>
    // CHECK: tile.barrier
    // CHECK-NEXT: tile.load
    %a = tile.load %q : tensor<1024x!tile.ptr<f32>, #l>
    // CHECK-NEXT: tile.store
    tile.store %q, %a : tensor<1024x!tile.ptr<f32>, #l>
    scf.yield %q : tensor<1024x!tile.ptr<f32>, #l>
  }
  return
}

// What others read has been read before the number that keeps others away is changed; sums of blocks keep nobody away.
// CHECK-LABEL: func.func @unlock
func.func @unlock(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %lock: !tile.ptr<i32>, %one: i32) -> tensor<1024xf32, #l> {
  %xs = tile.splat %x : tensor<1024x!tile.ptr<f32>, #l>
  %ys = tile.splat %y : tensor<1024x!tile.ptr<f32>, #l>
  // CHECK: tile.load
  // CHECK-NEXT: tile.atomic_rmw fadd
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.atomic_rmw exchange
  %v = tile.load %xs : tensor<1024x!tile.ptr<f32>, #l>
  %a = tile.atomic_rmw fadd %ys, %v {semantic = #tile<semantic release>} : tensor<1024x!tile.ptr<f32>, #l>
  %b = tile.atomic_rmw exchange %lock, %one {semantic = #tile<semantic release>} : !tile.ptr<i32>
  return %v : tensor<1024xf32, #l>
}

// A release comes after what it releases, a load after what it acquires.
// CHECK-LABEL: func.func @lock
func.func @lock(%x: !tile.ptr<f32>, %lock: !tile.ptr<i32>, %v: tensor<1024xf32, #l>, %one: i32) {
  %xs = tile.splat %x : tensor<1024x!tile.ptr<f32>, #l>
  // CHECK: tile.store
  tile.store %xs, %v : tensor<1024x!tile.ptr<f32>, #l>
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.atomic_rmw
  %a = tile.atomic_rmw add %lock, %one : !tile.ptr<i32>
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.load
  %b = tile.load %xs : tensor<1024x!tile.ptr<f32>, #l>
  return
}

// Threads meet to learn what an atomic operation found, which is after it has released: not once more before they are
// told, unless some may still read there.
// CHECK-LABEL: func.func @count
func.func @count(%x: !tile.ptr<f32>, %counter: !tile.ptr<i32>, %v: tensor<1024xf32, #l>, %one: i32) -> i32 {
  %xs = tile.splat %x : tensor<1024x!tile.ptr<f32>, #l>
  // CHECK: tile.store
  tile.store %xs, %v : tensor<1024x!tile.ptr<f32>, #l>
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.atomic_rmw {{.*}}{scratch_is_free,
  %a = tile.atomic_rmw add %counter, %one {tile.scratch_offset = 0 : i32} : !tile.ptr<i32>
  // CHECK-NOT: tile.barrier
  // CHECK: tile.load
  %b = tile.load %xs : tensor<1024x!tile.ptr<f32>, #l>
  // CHECK: tile.atomic_rmw
  // CHECK-NOT: scratch_is_free
  // CHECK-SAME: tile.scratch_offset = 0
  %c = tile.atomic_rmw add %counter, %a {tile.scratch_offset = 0 : i32, semantic = #tile<semantic relaxed>} : !tile.ptr<i32>
  // CHECK: return
  return %c : i32
}

// Where data moves within warps, a warp waits for no other, in the next iteration neither.
// CHECK-LABEL: func.func @within_warps
func.func @within_warps(%x: tensor<64x256xf16, #from>, %p: tensor<64x256x!tile.ptr<f16>, #to>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %k = %c0 to %n step %c1 : i32 {
    // CHECK: tile.convert_layout %{{.*}} {scratch_is_free, tile.scratch_offset = 0 : i32}
    %y = tile.convert_layout %x {tile.scratch_offset = 0 : i32} : tensor<64x256xf16, #from> -> tensor<64x256xf16, #to>
    // CHECK-NOT: tile.barrier
    tile.store %p, %y : tensor<64x256x!tile.ptr<f16>, #to>
  }
  return
}

// Another warp may still read what one of two conversions left there.
// CHECK-LABEL: func.func @within_warps_twice
func.func @within_warps_twice(%x: tensor<64x256xf16, #from>, %p: tensor<64x256x!tile.ptr<f16>, #to>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %k = %c0 to %n step %c1 : i32 {
    // CHECK: tile.convert_layout %{{[a-z0-9]+}} {tile.scratch_offset = 0 : i32}
    %y = tile.convert_layout %x {tile.scratch_offset = 0 : i32} : tensor<64x256xf16, #from> -> tensor<64x256xf16, #to>
    // CHECK: tile.convert_layout %{{[a-z0-9]+}} {tile.scratch_offset = 1024 : i32}
    %z = tile.convert_layout %x {tile.scratch_offset = 1024 : i32} : tensor<64x256xf16, #from> -> tensor<64x256xf16, #to>
    tile.store %p, %y : tensor<64x256x!tile.ptr<f16>, #to>
    tile.store %p, %z : tensor<64x256x!tile.ptr<f16>, #to>
  }
  return
}
// A loop ends behind its condition, whatever its body does then: what that read, others may still read.
// CHECK-LABEL: func.func @behind_a_condition
func.func @behind_a_condition(%x: !tile.ptr<f32>, %queue: !tile.ptr<i32>, %v: f32, %n: i32) -> i32 {
  %one = arith.constant 1 : i32
  // CHECK: tile.atomic_rmw {{.*}}%arg1
  // CHECK: scf.condition
  scf.while : () -> () {
    %next = tile.atomic_rmw add %queue, %one {tile.scratch_offset = 0 : i32, semantic = #tile<semantic relaxed>} : !tile.ptr<i32>
    %w = tile.load %x : !tile.ptr<f32>
    %goes_on = arith.cmpi slt, %next, %n : i32
    scf.condition(%goes_on)
  } do {
    tile.barrier
    scf.yield
  }
  // CHECK: tile.atomic_rmw
  // CHECK-NOT: scratch_is_free
  // CHECK-SAME: tile.scratch_offset = 0
  %last = tile.atomic_rmw add %queue, %one {tile.scratch_offset = 0 : i32, semantic = #tile<semantic relaxed>} : !tile.ptr<i32>
  return %last : i32
}

// CHECK-LABEL: func.func @store_behind_a_condition
func.func @store_behind_a_condition(%x: !tile.ptr<f32>, %v: f32) {
  // CHECK: scf.while
  // CHECK: tile.load
  scf.while : () -> () {
    %w = tile.load %x : !tile.ptr<f32>
    %goes_on = arith.cmpf olt, %w, %v : f32
    scf.condition(%goes_on)
  } do {
    tile.barrier
    scf.yield
  }
  // CHECK: scf.yield
  // CHECK-NEXT: }
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.store
  tile.store %x, %v : !tile.ptr<f32>
  return
}

// What others have still to read is not changed, in whatever order that is seen elsewhere.
// CHECK-LABEL: func.func @exchange_behind_a_load
func.func @exchange_behind_a_load(%x: !tile.ptr<i32>, %n: i32) -> i32 {
  // CHECK: tile.load
  // CHECK-NEXT: tile.barrier
  // CHECK-NEXT: tile.atomic_rmw
  %before = tile.load %x : !tile.ptr<i32>
  %old = tile.atomic_rmw exchange %x, %n {semantic = #tile<semantic relaxed>} : !tile.ptr<i32>
  return %before : i32
}
}
