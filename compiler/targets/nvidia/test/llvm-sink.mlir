// RUN: tile-translate %s --target nvidia:sm_90a --from scheduled --emit ptx | FileCheck %s

#layout = #tile.layout<[128]: lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>

module attributes {tile.num_warps = 4 : i32,
    tile.target = #tile.target<"nvidia", "sm_90a", {lanes = 32 : i32, access_bits = 128 : i32}>} {

// What only the code behind the loop needs is computed there; what is loaded before a branch is asked for before.
// CHECK-LABEL: .entry behind(
// CHECK-DAG: ld.global.b32
// CHECK-DAG: ld.global.b32 [[FACTOR:%r[0-9]+]]
// CHECK-NOT: mul{{.*}}f32
// CHECK: bra
// CHECK: add{{.*}}.f32
// CHECK-NOT: ld.global
// CHECK: bra
// CHECK: mul{{.*}}.f32 {{.*}}[[FACTOR]], [[FACTOR]]
// CHECK: st.global
func.func @behind(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tile.arange 0 : tensor<128xi32, #layout>
  %ps = tile.splat %p : tensor<128x!tile.ptr<f32>, #layout>
  %pi = tile.addptr %ps, %i : tensor<128x!tile.ptr<f32>, #layout>, tensor<128xi32, #layout>
  %qs = tile.splat %q : tensor<128x!tile.ptr<f32>, #layout>
  %qi = tile.addptr %qs, %i : tensor<128x!tile.ptr<f32>, #layout>, tensor<128xi32, #layout>
  %x = tile.load %pi : tensor<128x!tile.ptr<f32>, #layout>
  %factor = tile.load %qi : tensor<128x!tile.ptr<f32>, #layout>
  %square = arith.mulf %factor, %factor : tensor<128xf32, #layout>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%s = %x) -> tensor<128xf32, #layout> : i32 {
    %next = arith.addf %s, %x : tensor<128xf32, #layout>
    scf.yield %next : tensor<128xf32, #layout>
  }
  %result = arith.addf %sum, %square : tensor<128xf32, #layout>
  tile.store %pi, %result : tensor<128x!tile.ptr<f32>, #layout>
  return
}

// Who has a lock does not compute what it could have before: others wait for that.
// CHECK-LABEL: .entry locked(
// CHECK: ld.global.b32 [[FACTOR:%r[0-9]+]]
// CHECK: mul{{.*}}.f32 {{.*}}[[FACTOR]], [[FACTOR]]
// CHECK: atom{{.*}}cas
// CHECK: st.global
func.func @locked(%p: !tile.ptr<f32>, %lock: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tile.arange 0 : tensor<128xi32, #layout>
  %ps = tile.splat %p : tensor<128x!tile.ptr<f32>, #layout>
  %pi = tile.addptr %ps, %i : tensor<128x!tile.ptr<f32>, #layout>, tensor<128xi32, #layout>
  %factor = tile.load %pi : tensor<128x!tile.ptr<f32>, #layout>
  %square = arith.mulf %factor, %factor : tensor<128xf32, #layout>
  scf.while : () -> () {
    %found = tile.atomic_cas %lock, %c0, %c1 {tile.scratch_offset = 0 : i32} : !tile.ptr<i32>
    %waits = arith.cmpi eq, %found, %c1 : i32
    scf.condition(%waits)
  } do {
    scf.yield
  }
  %isFirst = arith.cmpi eq, %n, %c0 : i32
  %result = scf.if %isFirst -> tensor<128xf32, #layout> {
    scf.yield %square : tensor<128xf32, #layout>
  } else {
    %before = tile.load %pi : tensor<128x!tile.ptr<f32>, #layout>
    %sum = arith.addf %before, %square : tensor<128xf32, #layout>
    scf.yield %sum : tensor<128xf32, #layout>
  }
  tile.store %pi, %result : tensor<128x!tile.ptr<f32>, #layout>
  return
}
}
