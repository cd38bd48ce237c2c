// RUN: tile-opt %s -convert-tile-to-gpu -canonicalize -cse | FileCheck %s
// RUN: tile-translate %s --target nvidia:sm_80 --from scheduled --emit ptx | FileCheck %s --check-prefix=PTX

// Two runs of four elements a thread: 16 bytes a load.
#layout = #tile.layout<[1024]: register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]>

module attributes {tile.num_warps = 4 : i32,
    tile.target = #tile.target<"nvidia", "sm_80", {lanes = 32 : i32, access_bits = 128 : i32}>} {
// CHECK-LABEL: func.func public @add(
// CHECK-SAME: !llvm.ptr<1> {llvm.align = 16 : i64}
// CHECK-SAME: attributes {tile.kernel}
// CHECK: gpu.thread_id x upper_bound 128
// CHECK-COUNT-4: nvidia.load %{{.*}} if %{{.*}} else %{{.*}} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<8xf32>
// CHECK-COUNT-2: nvidia.store %{{.*}}, %{{.*}} if %{{.*}} : vector<4xf32>, !llvm.ptr<1>
// CHECK-NOT: tile.
// PTX: .version 7.0
// PTX: .target sm_80
// PTX: .visible .entry add(
// PTX: .param .u64 .ptr .global .align 16
// PTX: .reqntid 128
// PTX-COUNT-4: ld.global.v4.b32
// PTX-COUNT-2: st.global.v4.b32
func.func public @add(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                      %y: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                      %out: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                      %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %c1024 = arith.constant 1024 : i32
  %pid = tile.program_id 0 : i32
  %start = arith.muli %pid, %c1024 : i32
  %range = tile.arange 0 : tensor<1024xi32, #layout>
  %starts = tile.splat %start : tensor<1024xi32, #layout>
  %i = arith.addi %starts, %range : tensor<1024xi32, #layout>
  %ns = tile.splat %n : tensor<1024xi32, #layout>
  %m = arith.cmpi slt, %i, %ns : tensor<1024xi32, #layout>
  %xs = tile.splat %x : tensor<1024x!tile.ptr<f32>, #layout>
  %px = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>, #layout>, tensor<1024xi32, #layout>
  %ys = tile.splat %y : tensor<1024x!tile.ptr<f32>, #layout>
  %py = tile.addptr %ys, %i : tensor<1024x!tile.ptr<f32>, #layout>, tensor<1024xi32, #layout>
  %a = tile.load %px mask %m : tensor<1024x!tile.ptr<f32>, #layout>
  %b = tile.load %py mask %m : tensor<1024x!tile.ptr<f32>, #layout>
  %sum = arith.addf %a, %b : tensor<1024xf32, #layout>
  %os = tile.splat %out : tensor<1024x!tile.ptr<f32>, #layout>
  %po = tile.addptr %os, %i : tensor<1024x!tile.ptr<f32>, #layout>, tensor<1024xi32, #layout>
  tile.store %po, %sum mask %m : tensor<1024x!tile.ptr<f32>, #layout>
  return
}
}
