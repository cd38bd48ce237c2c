// RUN: tile-opt %s -convert-tile-to-gpu -canonicalize -cse | FileCheck %s
// RUN: tile-translate %s --target nvidia:sm_80 --num-warps 1 --from scheduled --emit ptx | FileCheck %s --check-prefix=PTX

#layout = #tile.layout<[16, 64]: register = [[0, 1], [0, 2], [0, 4], [4, 0], [8, 0]], lane = [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]]>
#memory = #tile.layout<[16, 64]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0]]>
#row = #tile.layout<[64]: register = [[1], [2], [4], [0], [0]], lane = [[8], [16], [32], [0], [0]]>
#rows = #tile.layout<[1, 64]: register = [[0, 1], [0, 2], [0, 4], [0, 0], [0, 0]], lane = [[0, 8], [0, 16], [0, 32], [0, 0], [0, 0]]>
!buffer = !tile.buffer<16x64xf16, #memory>
!stack = !tile.buffer<3x16x64xf16, #memory>

module attributes {tile.num_warps = 1 : i32, tile.target = #tile.target<"nvidia", "sm_80", {
    lanes = 32 : i32, access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>}>} {

// Sixteen bytes a copy, to swizzled places; the second of three blocks.
// CHECK-LABEL: func.func @copy
// CHECK-COUNT-4: nvvm.cp.async.shared.global {{.*}}, 16, cache = cg, %{{.*}} : !llvm.ptr<3>, !llvm.ptr<1>, i32
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.wait.group 1
// CHECK: nvvm.bar.warp.sync
// CHECK-COUNT-4: llvm.load {{.*}} : !llvm.ptr<3> -> vector<8xf16>
// PTX: cp.async.cg.shared.global [%{{.*}}], [%{{.*}}], 16, %r{{[0-9]+}};
// PTX: cp.async.commit_group
// PTX: cp.async.wait_group 1
// PTX: ld.shared.v4.b32
func.func @copy(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<64xi32, #row>
  %ns = tile.splat %n : tensor<64xi32, #row>
  %m = arith.cmpi slt, %i, %ns : tensor<64xi32, #row>
  %ps = tile.splat %p : tensor<64x!tile.ptr<f16>, #row>
  %q = tile.addptr %ps, %i : tensor<64x!tile.ptr<f16>, #row>, tensor<64xi32, #row>
  %q1 = tile.expand_dims %q axis 0 : tensor<64x!tile.ptr<f16>, #row> -> tensor<1x64x!tile.ptr<f16>, #rows>
  %q2 = tile.broadcast %q1 : tensor<1x64x!tile.ptr<f16>, #rows> -> tensor<16x64x!tile.ptr<f16>, #layout>
  %m1 = tile.expand_dims %m axis 0 : tensor<64xi1, #row> -> tensor<1x64xi1, #rows>
  %m2 = tile.broadcast %m1 : tensor<1x64xi1, #rows> -> tensor<16x64xi1, #layout>
  %one = arith.constant 1 : i32
  %stack = tile.buffer_alloc : !stack
  %block = tile.buffer_view %stack[%one] : !stack
  %c = tile.async_copy %q2, %block mask %m2 : tensor<16x64x!tile.ptr<f16>, #layout> -> !buffer
  %d = tile.commit(%c) : !tile.pending<!buffer>
  %e = tile.await(%d) in_flight 1 : !tile.pending<!buffer>
  tile.barrier
  %x = tile.buffer_load %e : !buffer -> tensor<16x64xf16, #layout>
  tile.store %q2, %x mask %m2 : tensor<16x64x!tile.ptr<f16>, #layout>
  return
}
// A row may end anywhere: a copy reads the elements that are inside, of two bytes each.
// CHECK-LABEL: func.func @last
// CHECK: %[[FIRST:.+]] = arith.select %{{.*}}, %c2_i32, %c0_i32 : i32
// CHECK: %[[SECOND:.+]] = arith.select %{{.*}}, %c2_i32, %c0_i32 : i32
// CHECK: arith.addi %[[FIRST]], %[[SECOND]] : i32
// CHECK-COUNT-6: arith.addi
// CHECK: nvvm.cp.async.shared.global {{.*}}, 16, cache = cg, %{{.*}} : !llvm.ptr<3>, !llvm.ptr<1>, i32
func.func @last(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<64xi32, #row>
  %ns = tile.splat %n : tensor<64xi32, #row>
  %m = arith.cmpi slt, %i, %ns : tensor<64xi32, #row>
  %ps = tile.splat %p : tensor<64x!tile.ptr<f16>, #row>
  %q = tile.addptr %ps, %i : tensor<64x!tile.ptr<f16>, #row>, tensor<64xi32, #row>
  %q1 = tile.expand_dims %q axis 0 : tensor<64x!tile.ptr<f16>, #row> -> tensor<1x64x!tile.ptr<f16>, #rows>
  %q2 = tile.broadcast %q1 : tensor<1x64x!tile.ptr<f16>, #rows> -> tensor<16x64x!tile.ptr<f16>, #layout>
  %m1 = tile.expand_dims %m axis 0 : tensor<64xi1, #row> -> tensor<1x64xi1, #rows>
  %m2 = tile.broadcast %m1 : tensor<1x64xi1, #rows> -> tensor<16x64xi1, #layout>
  %one = arith.constant 1 : i32
  %stack = tile.buffer_alloc : !stack
  %block = tile.buffer_view %stack[%one] : !stack
  %c = tile.async_copy %q2, %block mask %m2 : tensor<16x64x!tile.ptr<f16>, #layout> -> !buffer
  %d = tile.commit(%c) : !tile.pending<!buffer>
  %e = tile.await(%d) in_flight 1 : !tile.pending<!buffer>
  tile.barrier
  return
}
}
