// RUN: tile-opt %s --tile-release-buffers | FileCheck %s

// Each acquired stage goes back as soon as what reads it is complete, and not before.

#memory = #tile.layout<[64, 64]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]>
#turned = #tile.layout<[64, 64]: offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [8, 1], [16, 2], [32, 4], [0, 8], [0, 16], [0, 32]]>
#acc = #tile.layout<[64, 64]: register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#unit = #nvidia.wgmma<f16, n = 64>
#target = #tile.target<"nvidia", "sm_90a", {lanes = 32 : i32, block_copy_box = 256 : i32}>
!block = !tile.buffer<64x64xf16, #memory>
!stack = !tile.buffer<3x64x64xf16, #memory>

module attributes {tile.target = #target, tile.num_warps = 4 : i32} {
// Products read until they are awaited, through views too.
// CHECK-LABEL: func.func @products
func.func @products(%d: !tile.desc<64x64xf16>, %i: i32, %p: i32, %zero: tensor<64x64xf32, #acc>) {
  %stack = tile.buffer_alloc : !stack
  %other = tile.buffer_alloc : !stack
  %full = tile.signal_alloc arrivals 1 : !tile.signals<3>
  // CHECK: %[[EMPTY:.*]] = tile.signal_alloc arrivals 4
  %empty = tile.signal_alloc arrivals 4 : !tile.signals<3>
  tile.roles warps [4, 4] registers [0, 0] threads [128, 1] {
    %v:2 = tile.acquire %full[%i] phase %p of (%stack, %other : !stack, !stack) : !tile.signals<3>
    %t = tile.buffer_transpose %v#1 order [1, 0] : !block -> !tile.buffer<64x64xf16, #turned>
    // CHECK: %[[A:.*]] = tile.async_dot
    %a = tile.async_dot %v#0, %v#0, %zero unit(#unit) : !block, !block, tensor<64x64xf32, #acc> -> !tile.pending<tensor<64x64xf32, #acc>>
    // CHECK-NEXT: %[[B:.*]] = tile.async_dot
    %b = tile.async_dot %v#0, %t, %zero unit(#unit) : !block, !tile.buffer<64x64xf16, #turned>, tensor<64x64xf32, #acc> -> !tile.pending<tensor<64x64xf32, #acc>>
    // CHECK-NEXT: tile.await_dots{{.*}} in_flight 1
    %x:2 = tile.await_dots(%a, %b) in_flight 1 : !tile.pending<tensor<64x64xf32, #acc>>, !tile.pending<tensor<64x64xf32, #acc>> -> tensor<64x64xf32, #acc>, !tile.pending<tensor<64x64xf32, #acc>>
    // CHECK-NEXT: tile.await_dots{{.*}} in_flight 0
    // CHECK-NEXT: tile.arrive %[[EMPTY]][%{{.*}}] together
    %y = tile.await_dots(%x#1) in_flight 0 : !tile.pending<tensor<64x64xf32, #acc>> -> tensor<64x64xf32, #acc>
    // CHECK-NEXT: arith.addf
    %z = arith.addf %y, %y : tensor<64x64xf32, #acc>
  }, {
    %w:2 = tile.acquire %empty[%i] phase %p of (%stack, %other : !stack, !stack) : !tile.signals<3>
    tile.expect %full[%i] bytes 16384 : !tile.signals<3>
    tile.block_copy %d[%i, %i], %w#0 signal %full[%i] : !tile.desc<64x64xf16>, !block, !tile.signals<3>
    tile.block_copy %d[%i, %i], %w#1 signal %full[%i] : !tile.desc<64x64xf16>, !block, !tile.signals<3>
  }
  return
}

// What a product in flight reads into the next iteration goes back there, if there was an iteration
// before, and the last one's behind the loop, if there was any.
// CHECK-LABEL: func.func @later
func.func @later(%d: !tile.desc<64x64xf16>, %i: i32, %n: i32, %p: i32, %x: tensor<64x64xf16, #acc>, %zero: tensor<64x64xf32, #acc>) {
  %c1 = arith.constant 1 : i32
  %stack = tile.buffer_alloc : !stack
  %full = tile.signal_alloc arrivals 1 : !tile.signals<3>
  // CHECK: %[[EMPTY:.*]] = tile.signal_alloc arrivals 4
  %empty = tile.signal_alloc arrivals 4 : !tile.signals<3>
  tile.roles warps [4, 4] registers [0, 0] threads [128, 1] {
    %none = tile.pend %zero : tensor<64x64xf32, #acc>
    // CHECK: %[[LOOP:.*]]:2 = scf.for %[[I:.*]] = %[[FROM:.*]] to %[[TO:.*]] step %{{.*}} iter_args(%{{.*}} = %{{.*}}, %[[AT:.*]] = %
    %r:2 = scf.for %j = %i to %n step %c1 iter_args(%acc = %none, %at = %i) -> (!tile.pending<tensor<64x64xf32, #acc>>, i32) : i32 {
      %v = tile.acquire %full[%at] phase %p of (%stack : !stack) : !tile.signals<3>
      %a = tile.async_dot %v, %v, %zero unit(#unit) : !block, !block, tensor<64x64xf32, #acc> -> !tile.pending<tensor<64x64xf32, #acc>>
      // CHECK: tile.await_dots{{.*}} in_flight 1
      // CHECK-NEXT: %[[LATER:.*]] = arith.cmpi ne, %[[I]], %[[FROM]]
      // CHECK-NEXT: scf.if %[[LATER]] {
      // CHECK: %[[WRAPS:.*]] = arith.cmpi eq, %[[AT]],
      // CHECK: %[[LESS:.*]] = arith.subi %[[AT]],
      // CHECK: %[[LAST:.*]] = arith.constant 2
      // CHECK-NEXT: %[[BEFORE:.*]] = arith.select %[[WRAPS]], %[[LAST]], %[[LESS]]
      // CHECK-NEXT: tile.arrive %[[EMPTY]][%[[BEFORE]]] together
      // CHECK-NEXT: }
      // CHECK-NOT: tile.arrive
      // CHECK: scf.yield
      %w:2 = tile.await_dots(%a, %acc) in_flight 1 : !tile.pending<tensor<64x64xf32, #acc>>, !tile.pending<tensor<64x64xf32, #acc>> -> !tile.pending<tensor<64x64xf32, #acc>>, !tile.pending<tensor<64x64xf32, #acc>>
      %b = tile.async_dot %x, %v, %w#1 unit(#unit) : tensor<64x64xf16, #acc>, !block, !tile.pending<tensor<64x64xf32, #acc>> -> !tile.pending<tensor<64x64xf32, #acc>>
      %y:2 = tile.await_dots(%w#0, %b) in_flight 1 : !tile.pending<tensor<64x64xf32, #acc>>, !tile.pending<tensor<64x64xf32, #acc>> -> tensor<64x64xf32, #acc>, !tile.pending<tensor<64x64xf32, #acc>>
      %next = arith.addi %at, %c1 : i32
      scf.yield %b, %next : !tile.pending<tensor<64x64xf32, #acc>>, i32
    }
    // CHECK: tile.await_dots(%[[LOOP]]#0) in_flight 0
    // CHECK-NEXT: %[[ENTERED:.*]] = arith.cmpi slt, %[[FROM]], %[[TO]]
    // CHECK-NEXT: scf.if %[[ENTERED]] {
    // CHECK: arith.cmpi eq, %[[LOOP]]#1,
    // CHECK: tile.arrive %[[EMPTY]][%{{.*}}] together
    // CHECK-NEXT: }
    // CHECK-NOT: tile.arrive
    // CHECK: }, {
    %z = tile.await_dots(%r#0) in_flight 0 : !tile.pending<tensor<64x64xf32, #acc>> -> tensor<64x64xf32, #acc>
  }, {
    %w = tile.acquire %empty[%i] phase %p of (%stack : !stack) : !tile.signals<3>
  }
  return
}

// Threads that read are done when they have read; a block that a loop reads, when it ends;
// what nobody reads, at once. Each ring has signals of its own.
// CHECK-LABEL: func.func @threads
func.func @threads(%d: !tile.desc<64x64xf16>, %i: i32, %n: i32, %p: i32) {
  %c1 = arith.constant 1 : i32
  %s0 = tile.buffer_alloc : !stack
  %s1 = tile.buffer_alloc : !stack
  %s2 = tile.buffer_alloc : !stack
  %full0 = tile.signal_alloc arrivals 1 : !tile.signals<3>
  // CHECK: %[[EMPTY0:.*]] = tile.signal_alloc arrivals 4
  %empty0 = tile.signal_alloc arrivals 4 : !tile.signals<3>
  %full1 = tile.signal_alloc arrivals 1 : !tile.signals<3>
  // CHECK: %[[EMPTY1:.*]] = tile.signal_alloc arrivals 4
  %empty1 = tile.signal_alloc arrivals 4 : !tile.signals<3>
  %full2 = tile.signal_alloc arrivals 1 : !tile.signals<3>
  // CHECK: %[[EMPTY2:.*]] = tile.signal_alloc arrivals 4
  %empty2 = tile.signal_alloc arrivals 4 : !tile.signals<3>
  tile.roles warps [4, 4] registers [0, 0] threads [128, 1] {
    // CHECK: tile.acquire
    %v = tile.acquire %full0[%i] phase %p of (%s0 : !stack) : !tile.signals<3>
    // CHECK-NEXT: tile.buffer_load
    // CHECK-NEXT: tile.arrive %[[EMPTY0]][%{{.*}}] :
    %x = tile.buffer_load %v : !block -> tensor<64x64xf16, #acc>
    // CHECK-NEXT: tile.acquire
    %w = tile.acquire %full1[%i] phase %p of (%s1 : !stack) : !tile.signals<3>
    // CHECK-NEXT: scf.for
    scf.for %j = %i to %n step %c1 : i32 {
      // CHECK-NEXT: tile.buffer_load
      %y = tile.buffer_load %w : !block -> tensor<64x64xf16, #acc>
      // CHECK-NEXT: }
      // CHECK-NEXT: tile.arrive %[[EMPTY1]]
    }
    // CHECK-NEXT: tile.acquire
    // CHECK-NEXT: tile.arrive %[[EMPTY2]]
    %u = tile.acquire %full2[%i] phase %p of (%s2 : !stack) : !tile.signals<3>
  }, {
    %v = tile.acquire %empty0[%i] phase %p of (%s0 : !stack) : !tile.signals<3>
    %w = tile.acquire %empty1[%i] phase %p of (%s1 : !stack) : !tile.signals<3>
    %u = tile.acquire %empty2[%i] phase %p of (%s2 : !stack) : !tile.signals<3>
  }
  return
}

// A view in a loop within is read until that ends.
// CHECK-LABEL: func.func @within
func.func @within(%d: !tile.desc<64x64xf16>, %i: i32, %n: i32, %p: i32, %x: tensor<64x64xf16, #acc>, %zero: tensor<64x64xf32, #acc>) {
  %c1 = arith.constant 1 : i32
  %stack = tile.buffer_alloc : !stack
  %full = tile.signal_alloc arrivals 1 : !tile.signals<3>
  // CHECK: %[[EMPTY:.*]] = tile.signal_alloc arrivals 4
  %empty = tile.signal_alloc arrivals 4 : !tile.signals<3>
  tile.roles warps [4, 4] registers [0, 0] threads [128, 1] {
    %v = tile.acquire %full[%i] phase %p of (%stack : !stack) : !tile.signals<3>
    // CHECK: scf.for
    scf.for %j = %i to %n step %c1 : i32 {
      %t = tile.buffer_transpose %v order [1, 0] : !block -> !tile.buffer<64x64xf16, #turned>
      %a = tile.async_dot %x, %t, %zero unit(#unit) : tensor<64x64xf16, #acc>, !tile.buffer<64x64xf16, #turned>, tensor<64x64xf32, #acc> -> !tile.pending<tensor<64x64xf32, #acc>>
      // CHECK: tile.await_dots
      %y = tile.await_dots(%a) in_flight 0 : !tile.pending<tensor<64x64xf32, #acc>> -> tensor<64x64xf32, #acc>
      // CHECK-NEXT: }
      // CHECK-NEXT: tile.arrive %[[EMPTY]][%{{.*}}]
    }
  }, {
    %v = tile.acquire %empty[%i] phase %p of (%stack : !stack) : !tile.signals<3>
  }
  return
}

// What copies of whole blocks fill, they may see read late: threads that read say that they have,
// beside products too.
// CHECK-LABEL: func.func @copied
func.func @copied(%d: !tile.desc<64x64xf16>, %i: i32, %p: i32, %zero: tensor<64x64xf32, #acc>) {
  %stack = tile.buffer_alloc : !stack
  %other = tile.buffer_alloc : !stack
  %full = tile.signal_alloc arrivals 1 : !tile.signals<3>
  // CHECK: %[[EMPTY:.*]] = tile.signal_alloc arrivals 4
  %empty = tile.signal_alloc arrivals 4 : !tile.signals<3>
  %filled = tile.signal_alloc arrivals 1 : !tile.signals<3>
  // CHECK: %[[DRAINED:.*]] = tile.signal_alloc arrivals 4
  %drained = tile.signal_alloc arrivals 4 : !tile.signals<3>
  tile.roles warps [4, 4] registers [0, 0] threads [128, 1] {
    %v = tile.acquire %full[%i] phase %p of (%stack : !stack) : !tile.signals<3>
    // CHECK: tile.buffer_load
    // CHECK-NEXT: tile.arrive %[[EMPTY]][%{{.*}}] publish :
    %x = tile.buffer_load %v : !block -> tensor<64x64xf16, #acc>
    %w = tile.acquire %filled[%i] phase %p of (%other : !stack) : !tile.signals<3>
    %y = tile.buffer_load %w : !block -> tensor<64x64xf16, #acc>
    %a = tile.async_dot %x, %w, %zero unit(#unit) : tensor<64x64xf16, #acc>, !block, tensor<64x64xf32, #acc> -> !tile.pending<tensor<64x64xf32, #acc>>
    // CHECK: tile.await_dots
    // CHECK-NEXT: tile.arrive %[[DRAINED]][%{{.*}}] publish :
    %z = tile.await_dots(%a) in_flight 0 : !tile.pending<tensor<64x64xf32, #acc>> -> tensor<64x64xf32, #acc>
  }, {
    %v = tile.acquire %empty[%i] phase %p of (%stack : !stack) : !tile.signals<3>
    tile.block_copy %d[%i, %i], %v signal %full[%i] : !tile.desc<64x64xf16>, !block, !tile.signals<3>
    %w = tile.acquire %drained[%i] phase %p of (%other : !stack) : !tile.signals<3>
    tile.block_copy %d[%i, %i], %w signal %filled[%i] : !tile.desc<64x64xf16>, !block, !tile.signals<3>
  }
  return
}

// A ring that several thread blocks fill is theirs again when the warps of all have read.
// CHECK-LABEL: func.func @everywhere
func.func @everywhere(%d: !tile.desc<64x64xf16>, %i: i32, %p: i32) {
  %stack = tile.buffer_alloc : !stack
  %full = tile.signal_alloc arrivals 1 : !tile.signals<3>
  // CHECK: %[[EMPTY:.*]] = tile.signal_alloc arrivals 4
  %empty = tile.signal_alloc arrivals 4 : !tile.signals<3>
  tile.roles warps [4, 4] registers [0, 0] threads [128, 1] everywhere {
    %v = tile.acquire %full[%i] phase %p of (%stack : !stack) : !tile.signals<3>
    // CHECK: tile.arrive %[[EMPTY]][%{{.*}}] everywhere
  }, {
    %w = tile.acquire %empty[%i] phase %p of (%stack : !stack) : !tile.signals<3>
    tile.block_copy %d[%i, %i], %w signal %full[%i] everywhere : !tile.desc<64x64xf16>, !block, !tile.signals<3>
  }
  return
}
}
