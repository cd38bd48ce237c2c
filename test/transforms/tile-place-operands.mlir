// RUN: tile-opt %s --tile-place-operands | FileCheck %s

// CHECK: #[[MEMORY:memory[0-9]*]] = #tile.layout<[64, 64]: offset = {{\[\[}}0, 1]
#memory = #tile.layout<[64, 64]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]>
#acc = #tile.layout<[64, 64]: register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#rows = #tile.layout<[64, 64]: register = [[0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]>
#deep = #tile.layout<[1, 64, 1, 64]: offset = [[0, 0, 0, 1], [0, 0, 0, 2], [0, 0, 0, 4], [0, 0, 0, 8], [0, 0, 0, 16], [0, 0, 0, 32], [0, 1, 0, 8], [0, 2, 0, 16], [0, 4, 0, 32], [0, 8, 0, 0], [0, 16, 0, 0], [0, 32, 0, 0]]>
#loaded = #tile.layout<[1, 64, 1, 64]: register = [[0, 0, 0, 1], [0, 0, 0, 2], [0, 0, 0, 4], [0, 16, 0, 0], [0, 32, 0, 0]], lane = [[0, 0, 0, 8], [0, 0, 0, 16], [0, 0, 0, 32], [0, 1, 0, 0], [0, 2, 0, 0]], warp = [[0, 4, 0, 0], [0, 8, 0, 0]]>
#unit = #nvidia.wgmma<f16, n = 64>
#target = #tile.target<"nvidia", "sm_90a", {lanes = 32 : i32, block_copy_box = 256 : i32}>
!block = !tile.buffer<64x64xf16, #memory>
!stack = !tile.buffer<1x64x64xf16, #memory>
!half = tensor<64x64xf16, #acc>
!sum = tensor<64x64xf32, #acc>

module attributes {tile.target = #target, tile.num_warps = 4 : i32} {
// Threads hold the operand that the loop does not change, where they store on chip in the loop.
// CHECK-LABEL: func.func @held
func.func @held(%i: i32, %n: i32, %zero: !sum, %x: !half, %out: !block) {
  %one = arith.constant 1 : i32
  %stack = tile.buffer_alloc : !stack
  %full = tile.signal_alloc arrivals 1 : !tile.signals<1>
  // CHECK: %[[V:.+]] = tile.acquire
  // CHECK: %[[A:.+]] = tile.buffer_load %[[V]] : {{.*}} -> tensor<64x64xf16, #layout>
  %v = tile.acquire %full[%i] phase %i of (%stack : !stack) : !tile.signals<1>
  %a = tile.buffer_load %v : !block -> !half
  // CHECK: scf.for
  scf.for %j = %i to %n step %one : i32 {
    // CHECK: tile.async_dot %[[A]], %[[V]]
    %d = tile.dot %a, %a, %zero {unit = #unit} : tensor<64x64xf16, #acc>, tensor<64x64xf16, #acc> -> tensor<64x64xf32, #acc>
    %h = arith.truncf %d : !sum to !half
    tile.buffer_store %h, %out : !half -> !block
  }
  return
}

// All loads are on their way before the first one is awaited.
// CHECK-LABEL: func.func @loaded
func.func @loaded(%pa: tensor<64x64x!tile.ptr<f16>, #rows>, %pb: tensor<64x64x!tile.ptr<f16>, #rows>, %zero: !sum) -> !sum {
  // CHECK-NEXT: %[[A:.+]] = tile.load
  // CHECK-NEXT: %[[B:.+]] = tile.load
  // CHECK: tile.buffer_store %[[A]]
  // CHECK: tile.buffer_store %[[B]]
  // CHECK-NEXT: tile.async_dot
  %a = tile.load %pa : tensor<64x64x!tile.ptr<f16>, #rows>
  %b = tile.load %pb : tensor<64x64x!tile.ptr<f16>, #rows>
  %d = tile.dot %a, %b, %zero {unit = #unit} : tensor<64x64xf16, #rows>, tensor<64x64xf16, #rows> -> tensor<64x64xf32, #acc>
  return %d : !sum
}

// A block with sides of 1 more than the unit takes is read where it is, and not loaded.
// CHECK-LABEL: func.func @dropped
func.func @dropped(%i: i32, %zero: !sum, %x: !half) -> !sum {
  %stack = tile.buffer_alloc : !tile.buffer<1x1x64x1x64xf16, #deep>
  %full = tile.signal_alloc arrivals 1 : !tile.signals<1>
  // CHECK: %[[V:.+]] = tile.acquire
  %v = tile.acquire %full[%i] phase %i of (%stack : !tile.buffer<1x1x64x1x64xf16, #deep>) : !tile.signals<1>
  // CHECK-NEXT: %[[T:.+]] = tile.buffer_transpose %[[V]] order [1, 3] : !tile.buffer<1x64x1x64xf16, #{{.+}}> -> !tile.buffer<64x64xf16, #[[MEMORY]]>
  // CHECK-NEXT: tile.async_dot %{{.+}}, %[[T]]
  %a = tile.buffer_load %v : !tile.buffer<1x64x1x64xf16, #deep> -> tensor<1x64x1x64xf16, #loaded>
  %b = tile.reshape %a : tensor<1x64x1x64xf16, #loaded> -> tensor<64x64xf16, #rows>
  %d = tile.dot %x, %b, %zero {unit = #unit} : tensor<64x64xf16, #acc>, tensor<64x64xf16, #rows> -> tensor<64x64xf32, #acc>
  return %d : !sum
}

// Nothing is stored: the unit has the memory for itself.
// CHECK-LABEL: func.func @alone
func.func @alone(%i: i32, %n: i32, %zero: !sum) -> !sum {
  %one = arith.constant 1 : i32
  %stack = tile.buffer_alloc : !stack
  %full = tile.signal_alloc arrivals 1 : !tile.signals<1>
  // CHECK: %[[V:.+]] = tile.acquire
  %v = tile.acquire %full[%i] phase %i of (%stack : !stack) : !tile.signals<1>
  %a = tile.buffer_load %v : !block -> !half
  %r = scf.for %j = %i to %n step %one iter_args(%s = %zero) -> !sum : i32 {
    // CHECK: tile.async_dot %[[V]], %[[V]]
    %d = tile.dot %a, %a, %s {unit = #unit} : tensor<64x64xf16, #acc>, tensor<64x64xf16, #acc> -> tensor<64x64xf32, #acc>
    scf.yield %d : !sum
  }
  return %r : !sum
}

// Not as the unit takes it from registers.
// CHECK-LABEL: func.func @other_layout
func.func @other_layout(%i: i32, %n: i32, %zero: !sum, %x: !half, %out: !block) {
  %one = arith.constant 1 : i32
  %stack = tile.buffer_alloc : !stack
  %full = tile.signal_alloc arrivals 1 : !tile.signals<1>
  // CHECK: %[[V:.+]] = tile.acquire
  %v = tile.acquire %full[%i] phase %i of (%stack : !stack) : !tile.signals<1>
  %a = tile.buffer_load %v : !block -> tensor<64x64xf16, #rows>
  scf.for %j = %i to %n step %one : i32 {
    // CHECK: tile.async_dot %[[V]], %[[V]]
    %d = tile.dot %a, %a, %zero {unit = #unit} : tensor<64x64xf16, #rows>, tensor<64x64xf16, #rows> -> tensor<64x64xf32, #acc>
    %h = arith.truncf %d : !sum to !half
    tile.buffer_store %h, %out : !half -> !block
  }
  return
}
}
