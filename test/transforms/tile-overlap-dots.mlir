// RUN: tile-opt %s --allow-unregistered-dialect --tile-overlap-dots | FileCheck %s

#memory = #tile.layout<[64, 64]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]>
#acc = #tile.layout<[64, 64]: register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#wide_memory = #tile.layout<[64, 256]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0], [0, 64], [0, 128]]>
#wide_acc = #tile.layout<[64, 256]: register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#wide_unit = #nvidia.wgmma<f16, n = 256>
#unit = #nvidia.wgmma<f16, n = 64>
#target = #tile.target<"nvidia", "sm_90a", {lanes = 32 : i32, block_copy_box = 256 : i32}>
!block = !tile.buffer<64x64xf16, #memory>
!stack = !tile.buffer<2x64x64xf16, #memory>
!half = tensor<64x64xf16, #acc>
!sum = tensor<64x64xf32, #acc>
!wide = tensor<64x256xf32, #wide_acc>
!pending = !tile.pending<tensor<64x64xf32, #acc>>

module attributes {tile.target = #target, tile.num_warps = 4 : i32} {
// Blocks are stored beside products that read others: each is awaited where its sum is used,
// the last ones stay in flight until the end of the iteration.
// CHECK-LABEL: func.func @others
func.func @others(%i: i32, %n: i32, %p: i32, %x: !half, %zero: !sum) -> (!sum, !sum) {
  %one = arith.constant 1 : i32
  %stack = tile.buffer_alloc : !stack
  %full = tile.signal_alloc arrivals 1 : !tile.signals<2>
  // CHECK: scf.for
  %r:2 = scf.for %j = %i to %n step %one iter_args(%acc = %zero, %acc1 = %zero) -> (!sum, !sum) : i32 {
    %v = tile.acquire %full[%i] phase %p of (%stack : !stack) : !tile.signals<2>
    // CHECK: %[[A:.+]] = tile.async_dot
    %a = tile.async_dot %x, %v, %acc unit(#unit) : !half, !block, !sum -> !pending
    %a1 = tile.await_dots(%a) in_flight 0 : !pending -> !sum
    // CHECK-NEXT: %[[OWN:.+]] = tile.buffer_alloc
    // CHECK-NEXT: tile.buffer_store %{{.*}}, %[[OWN]]
    %own = tile.buffer_alloc : !block
    tile.buffer_store %x, %own : !half -> !block
    // CHECK-NEXT: %[[B:.+]] = tile.async_dot
    %b = tile.async_dot %own, %v, %zero unit(#unit) : !block, !block, !sum -> !pending
    %b1 = tile.await_dots(%b) in_flight 0 : !pending -> !sum
    // CHECK-NEXT: %[[C:.+]] = tile.async_dot
    %c = tile.async_dot %x, %v, %acc1 unit(#unit) : !half, !block, !sum -> !pending
    %c1 = tile.await_dots(%c) in_flight 0 : !pending -> !sum
    // CHECK-NEXT: %[[STAGED:.+]] = tile.buffer_alloc
    // CHECK-NEXT: %[[SUM:.+]] = tile.await_dots(%[[B]]) in_flight 1
    // CHECK-NEXT: tile.buffer_store %[[SUM]], %[[STAGED]]
    %staged = tile.buffer_alloc : !tile.buffer<64x64xf32, #memory>
    tile.buffer_store %b1, %staged : !sum -> !tile.buffer<64x64xf32, #memory>
    // CHECK-NEXT: %[[LAST:.+]]:2 = tile.await_dots(%[[C]], %[[A]]) in_flight 0
    // CHECK-NEXT: scf.yield %[[LAST]]#1, %[[LAST]]#0
    scf.yield %a1, %c1 : !sum, !sum
  }
  return %r#0, %r#1 : !sum, !sum
}

// A block is stored over what a product reads, or where that may be, once it is complete.
// CHECK-LABEL: func.func @same
func.func @same(%x: !half, %zero: !sum, %given: !block) -> (!sum, !sum) {
  %own = tile.buffer_alloc : !block
  %other = tile.buffer_alloc : !block
  // CHECK: %[[A:.+]] = tile.async_dot
  // CHECK-NEXT: %[[SUM:.+]] = tile.await_dots(%[[A]]) in_flight 0
  // CHECK-NEXT: tile.buffer_store
  %a = tile.async_dot %x, %own, %zero unit(#unit) : !half, !block, !sum -> !pending
  %a1 = tile.await_dots(%a) in_flight 0 : !pending -> !sum
  tile.buffer_store %x, %own : !half -> !block
  // CHECK-NEXT: %[[B:.+]] = tile.async_dot
  // CHECK-NEXT: %[[SUM1:.+]] = tile.await_dots(%[[B]]) in_flight 0
  // CHECK-NEXT: tile.buffer_store
  %b = tile.async_dot %x, %given, %zero unit(#unit) : !half, !block, !sum -> !pending
  %b1 = tile.await_dots(%b) in_flight 0 : !pending -> !sum
  tile.buffer_store %x, %other : !half -> !block
  // CHECK-NEXT: return %[[SUM]], %[[SUM1]]
  return %a1, %b1 : !sum, !sum
}

// What an iteration ends with goes on beside the first products of the next one: these read other
// blocks of the ring.
// CHECK-LABEL: func.func @next
func.func @next(%i: i32, %n: i32, %p: i32, %zero: !sum) -> !sum {
  %one = arith.constant 1 : i32
  %stack = tile.buffer_alloc : !stack
  %full = tile.signal_alloc arrivals 1 : !tile.signals<2>
  // CHECK: %[[NONE:.+]] = tile.pend %
  // CHECK: %[[LOOP:.+]]:2 = scf.for {{.*}} iter_args(%[[ACC:.+]] = %[[NONE]], %{{.*}} =
  %r:2 = scf.for %j = %i to %n step %one iter_args(%acc = %zero, %at = %i) -> (!sum, i32) : i32 {
    %v = tile.acquire %full[%at] phase %p of (%stack : !stack) : !tile.signals<2>
    // CHECK: %[[A:.+]] = tile.async_dot
    // CHECK-NEXT: %[[C:.+]] = tile.async_dot
    // CHECK-NEXT: %[[BOTH:.+]]:2 = tile.await_dots(%[[A]], %[[ACC]]) in_flight 1 : {{.*}} -> tensor<{{.*}}>, !tile.pending
    %a = tile.async_dot %v, %v, %zero unit(#unit) : !block, !block, !sum -> !pending
    %a1 = tile.await_dots(%a) in_flight 0 : !pending -> !sum
    %c = tile.async_dot %v, %v, %zero unit(#unit) : !block, !block, !sum -> !pending
    %c1 = tile.await_dots(%c) in_flight 0 : !pending -> !sum
    %s = arith.addf %a1, %a1 : !sum
    %m = arith.mulf %s, %c1 : !sum
    %h = arith.truncf %m : !sum to !half
    // CHECK: tile.await_dots(%[[C]]) in_flight 0
    // CHECK: %[[B:.+]] = tile.async_dot %{{.*}}, %{{.*}}, %[[BOTH]]#1 unit
    // CHECK-NOT: tile.await_dots
    // CHECK: scf.yield %[[B]],
    %b = tile.async_dot %h, %v, %acc unit(#unit) : !half, !block, !sum -> !pending
    %b1 = tile.await_dots(%b) in_flight 0 : !pending -> !sum
    %next = arith.xori %at, %one : i32
    scf.yield %b1, %next : !sum, i32
  }
  // CHECK: %[[SUM:.+]] = tile.await_dots(%[[LOOP]]#0) in_flight 0
  // CHECK: return %[[SUM]]
  return %r#0 : !sum
}

// A ring of one block has no other, and registers hold no more.
// CHECK-LABEL: func.func @one_block
// CHECK-NOT: = tile.pend %
func.func @one_block(%i: i32, %n: i32, %p: i32, %zero: !sum) -> !sum {
  %one = arith.constant 1 : i32
  %stack = tile.buffer_alloc : !tile.buffer<1x64x64xf16, #memory>
  %full = tile.signal_alloc arrivals 1 : !tile.signals<1>
  %r:2 = scf.for %j = %i to %n step %one iter_args(%acc = %zero, %at = %i) -> (!sum, i32) : i32 {
    %v = tile.acquire %full[%at] phase %p of (%stack : !tile.buffer<1x64x64xf16, #memory>) : !tile.signals<1>
    %a = tile.async_dot %v, %v, %zero unit(#unit) : !block, !block, !sum -> !pending
    %a1 = tile.await_dots(%a) in_flight 0 : !pending -> !sum
    %c = tile.async_dot %v, %v, %zero unit(#unit) : !block, !block, !sum -> !pending
    %c1 = tile.await_dots(%c) in_flight 0 : !pending -> !sum
    %s = arith.addf %a1, %a1 : !sum
    %m = arith.mulf %s, %c1 : !sum
    %h = arith.truncf %m : !sum to !half
    %b = tile.async_dot %h, %v, %acc unit(#unit) : !half, !block, !sum -> !pending
    %b1 = tile.await_dots(%b) in_flight 0 : !pending -> !sum
    scf.yield %b1, %at : !sum, i32
  }
  return %r#0 : !sum
}

// CHECK-LABEL: func.func @registers
// CHECK-NOT: = tile.pend %
// CHECK: %[[A:.+]] = tile.async_dot
// CHECK-NEXT: tile.await_dots(%[[A]]) in_flight 0
// CHECK-NEXT: tile.async_dot
// CHECK-NOT: = tile.pend %
func.func @registers(%i: i32, %n: i32, %p: i32, %x: !half, %zero: !sum, %many: !wide) -> !wide {
  %one = arith.constant 1 : i32
  %stack = tile.buffer_alloc : !tile.buffer<2x64x256xf16, #wide_memory>
  %full = tile.signal_alloc arrivals 1 : !tile.signals<2>
  %r:2 = scf.for %j = %i to %n step %one iter_args(%acc = %many, %at = %i) -> (!wide, i32) : i32 {
    %v = tile.acquire %full[%at] phase %p of (%stack : !tile.buffer<2x64x256xf16, #wide_memory>) : !tile.signals<2>
    %a = tile.async_dot %x, %v, %many unit(#wide_unit) : !half, !tile.buffer<64x256xf16, #wide_memory>, !wide -> !tile.pending<!wide>
    %a1 = tile.await_dots(%a) in_flight 0 : !tile.pending<!wide> -> !wide
    %c = tile.async_dot %x, %v, %many unit(#wide_unit) : !half, !tile.buffer<64x256xf16, #wide_memory>, !wide -> !tile.pending<!wide>
    %c1 = tile.await_dots(%c) in_flight 0 : !tile.pending<!wide> -> !wide
    "test.use"(%a1) : (!wide) -> ()
    "test.use"(%c1) : (!wide) -> ()
    %b = tile.async_dot %x, %v, %acc unit(#wide_unit) : !half, !tile.buffer<64x256xf16, #wide_memory>, !wide -> !tile.pending<!wide>
    %b1 = tile.await_dots(%b) in_flight 0 : !tile.pending<!wide> -> !wide
    %next = arith.xori %at, %one : i32
    scf.yield %b1, %next : !wide, i32
  }
  return %r#0 : !wide
}

// A loop's last products are awaited before its last copies, however late they are used.
// CHECK-LABEL: func.func @before_copies
func.func @before_copies(%i: i32, %n: i32, %x: !half, %zero: !sum, %first: !tile.pending<!block>) -> !sum {
  %one = arith.constant 1 : i32
  // CHECK: %[[R:.+]]:2 = scf.for
  %r:2 = scf.for %j = %i to %n step %one iter_args(%s = %zero, %next = %first) -> (!sum, !tile.pending<!block>) : i32 {
    %v = tile.await(%next) in_flight 0 : !tile.pending<!block>
    %a = tile.async_dot %v, %v, %s unit(#unit) : !block, !block, !sum -> !pending
    %sum = tile.await_dots(%a) in_flight 0 : !pending -> !sum
    %more = "test.copy"() : () -> !tile.pending<!block>
    scf.yield %sum, %more : !sum, !tile.pending<!block>
  } {tile.dots_in_flight = 1 : i32}
  // CHECK: tile.await_dots(%[[R]]#0) in_flight 0
  // CHECK-NEXT: tile.await(%[[R]]#1) in_flight 0
  %end = tile.await(%r#1) in_flight 0 : !tile.pending<!block>
  "test.other"() : () -> ()
  return %r#0 : !sum
}
}
