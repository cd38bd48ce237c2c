// RUN: tile-opt %s -split-input-file -verify-diagnostics --tile-verify-scheduled

module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>} {
func.func @scheduled_1() {
  // expected-error @+1 {{expects blocks with layouts, got 'tensor<32xi32>'}}
  %a = tile.arange 0 : tensor<32xi32>
  return
}
}

// -----

#l = #tile.layout<[32]: lane = [[1], [2], [4], [8], [16]]>
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>, tile.num_warps = 2 : i32} {
func.func @scheduled_1() {
  // expected-error @+1 {{expects layouts of 32 lanes and 2 warps, got 32 and 1}}
  %a = tile.arange 0 : tensor<32xi32, #l>
  return
}
}

// -----

#l = #tile.layout<[32]: lane = [[1], [2], [4], [8], [16]]>
#k = #tile.layout<[32]: lane = [[2], [1], [4], [8], [16]]>
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>} {
func.func @scheduled_2(%p: tensor<32x!tile.ptr<f32>, #l>, %i: tensor<32xi32, #k>) {
  // expected-error @+1 {{expects operand 1 in the layout that its result's demands}}
  %q = tile.addptr %p, %i : tensor<32x!tile.ptr<f32>, #l>, tensor<32xi32, #k>
  return
}
}

// -----

#l = #tile.layout<[4, 8]: register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4]]>
#k = #tile.layout<[4]: lane = [[1], [2], [0]]>
module attributes {tile.target = #tile.target<"any", "first", {lanes = 8 : i32}>} {
func.func @scheduled_2(%x: tensor<4x8xf32, #l>) {
  // expected-error @+1 {{expects results of layout #tile.layout<[4]: register}}
  %s = tile.reduce (%x) axis 1 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<4x8xf32, #l>) -> tensor<4xf32, #k>
  return
}
}

// -----

#l = #tile.layout<[32]: lane = [[1], [2], [4], [8], [16]]>
#m = #tile.layout<[32]: offset = [[1], [2], [4], [8], [16]]>
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>} {
func.func @scheduled_3(%p: tensor<32x!tile.ptr<f32>, #l>, %b: !tile.buffer<32xf32, #m>) {
  %0 = tile.async_copy %p, %b : tensor<32x!tile.ptr<f32>, #l> -> !tile.buffer<32xf32, #m>
  // expected-error @+1 {{expects a copy in flight to be awaited}}
  %1 = tile.commit(%0) : !tile.pending<!tile.buffer<32xf32, #m>>
  return
}
}

// -----

#l = #tile.layout<[8, 4]: register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0]]>
#r = #tile.layout<[4, 4]: register = [[0, 1], [0, 2], [1, 0], [2, 0]], lane = [[0, 0], [0, 0], [0, 0]]>
#x = #tile.layout<[4, 4]: register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [0, 0]]>
module attributes {tile.target = #tile.target<"any", "first", {lanes = 8 : i32}>} {
func.func @scheduled_4(%a: tensor<8x4xf32, #l>, %b: tensor<4x4xf32, #r>, %x: tensor<4x4xf32, #x>) {
  // expected-error @+1 {{expects operands of which each thread holds what it multiplies}}
  %d = tile.dot %a, %x, %a : tensor<8x4xf32, #l>, tensor<4x4xf32, #x> -> tensor<8x4xf32, #l>
  return
}
}

// -----

// A scalar that comes of a block is every thread's.
#l = #tile.layout<[2]: lane = [[1]]>
module attributes {tile.target = #tile.target<"any", "first", {lanes = 2 : i32}>} {
func.func @scheduled_2(%x: tensor<2xf32, #l>) {
  // expected-error @+1 {{expects operand 0 in the layout that its result's demands}}
  %a, %b = tile.split %x : tensor<2xf32, #l> -> f32
  return
}
}

// -----

#l = #tile.layout<[32]: lane = [[1], [2], [4], [8], [16]]>
#m = #tile.layout<[32]: offset = [[1], [2], [4], [8], [16]]>
!pending = !tile.pending<!tile.buffer<32xf32, #m>>
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>} {
func.func @scheduled_5(%p: tensor<32x!tile.ptr<f32>, #l>, %b: !tile.buffer<32xf32, #m>) {
  %0 = tile.async_copy %p, %b : tensor<32x!tile.ptr<f32>, #l> -> !tile.buffer<32xf32, #m>
  %1 = tile.commit(%0) : !pending
  tile.commit()
  %2 = tile.await(%1) in_flight 1 : !pending
  // expected-error @+1 {{expects at most 1 groups in flight, since as many are newer than its operands', got 2}}
  %3 = tile.await(%1) in_flight 2 : !pending
  return
}
}

// -----

// Two steps behind: one group is newer at the beginning of a step.
#l = #tile.layout<[32]: lane = [[1], [2], [4], [8], [16]]>
#m = #tile.layout<[32]: offset = [[1], [2], [4], [8], [16]]>
!pending = !tile.pending<!tile.buffer<32xf32, #m>>
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>} {
func.func @scheduled_5(%p: tensor<32x!tile.ptr<f32>, #l>, %b: !tile.buffer<32xf32, #m>, %q: !pending, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%next = %q, %later = %q) -> (!pending, !pending) : i32 {
    %v = tile.await(%next) in_flight 1 : !pending
    %0 = tile.async_copy %p, %b : tensor<32x!tile.ptr<f32>, #l> -> !tile.buffer<32xf32, #m>
    %1 = tile.commit(%0) : !pending
    // expected-error @+1 {{expects at most 2 groups in flight, since as many are newer than its operands', got 3}}
    %w = tile.await(%next) in_flight 3 : !pending
    scf.yield %later, %1 : !pending, !pending
  }
  %x:2 = tile.await(%r#0, %r#1) in_flight 0 : !pending, !pending
  return
}
}

// -----

// Each role holds blocks in its own warps.
#two = #tile.layout<[64]: lane = [[1], [2], [4], [8], [16]], warp = [[32]]>
#one = #tile.layout<[64]: register = [[32]], lane = [[1], [2], [4], [8], [16]]>
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>, tile.num_warps = 2 : i32} {
func.func @roles() {
  %constant = arith.constant dense<0> : tensor<64xi32, #one>
  tile.roles warps [2, 1] registers [0, 0] threads [64, 32] {
    %a = tile.arange 0 : tensor<64xi32, #two>
  }, {
    %a = tile.arange 0 : tensor<64xi32, #one>
    // expected-error @+1 {{expects layouts of 32 lanes and 1 warps, got 32 and 2}}
    %b = tile.arange 0 : tensor<64xi32, #two>
  }
  return
}
}
