// RUN: tile-opt %s -split-input-file -amd-lower-to-rocdl -verify-diagnostics | FileCheck %s

module attributes {tile.num_warps = 4 : i32, tile.shared_bytes = 2048 : i32,
    tile.target = #tile.target<"amd", "gfx942", {lanes = 64 : i32, isa = 9 : i32}>} {
// On-chip memory has its size in the module.
// CHECK: llvm.mlir.global internal @memory() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<2048 x i8>
llvm.mlir.global external @memory() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>

// CHECK-LABEL: llvm.func @indices(
// CHECK-SAME: !llvm.ptr<1> {llvm.align = 16 : i64}, %{{.*}}: i32)
// CHECK-SAME: attributes {rocdl.flat_work_group_size = "256,256", rocdl.kernel, rocdl.reqd_work_group_size = array<i32: 256, 1, 1>}
func.func @indices(%p: !llvm.ptr<1> {llvm.align = 16 : i64}, %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  // CHECK: rocdl.workitem.id.x range <i32, 0, 256> : i32
  %t = gpu.thread_id x upper_bound 256
  // CHECK: rocdl.workgroup.id.y : i32
  %b = gpu.block_id y
  // CHECK: llvm.call_intrinsic "llvm.amdgcn.implicitarg.ptr"() : () -> !llvm.ptr<4>
  // CHECK: llvm.getelementptr %{{.*}}[2] : (!llvm.ptr<4>) -> !llvm.ptr<4>, i32
  // CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<4> -> i32
  %g = gpu.grid_dim z
  // CHECK: llvm.inline_asm has_side_effects "", "~{memory}"
  // CHECK-NEXT: llvm.fence syncscope("workgroup") release
  // CHECK-NEXT: rocdl.s.barrier
  // CHECK-NEXT: llvm.fence syncscope("workgroup") acquire
  gpu.barrier
  %s = arith.addi %t, %b : index
  %u = arith.addi %s, %g : index
  %v = arith.index_cast %u : index to i32
  llvm.store %v, %p : i32, !llvm.ptr<1>
  return
}

// CHECK-LABEL: llvm.func @shuffles(
func.func @shuffles(%x: f32, %lane: i32) -> f32 {
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %c8 = arith.constant 8 : i32
  %c16 = arith.constant 16 : i32
  %c32 = arith.constant 32 : i32
  %width = arith.constant 64 : i32
  // CHECK: rocdl.update.dpp %{{.*}}, %{{.*}} with 78, 15, 15, true : i32
  %a, %v0 = gpu.shuffle xor %x, %c2, %width : f32
  // CHECK: rocdl.update.dpp %{{.*}}, %{{.*}} with 27, 15, 15, true : i32
  // CHECK: rocdl.update.dpp %{{.*}}, %{{.*}} with 321, 15, 15, true : i32
  %b, %v1 = gpu.shuffle xor %a, %c4, %width : f32
  // CHECK: rocdl.update.dpp %{{.*}}, %{{.*}} with 296, 15, 15, true : i32
  %c, %v2 = gpu.shuffle xor %b, %c8, %width : f32
  // CHECK: llvm.mlir.constant(16415 : i32)
  // CHECK: rocdl.ds_swizzle
  %d, %v3 = gpu.shuffle xor %c, %c16, %width : f32
  // CHECK: rocdl.mbcnt.hi
  // CHECK: rocdl.ds_bpermute
  %e, %v4 = gpu.shuffle xor %d, %c32, %width : f32
  // CHECK: rocdl.ds_bpermute
  %f, %v5 = gpu.shuffle idx %e, %lane, %width : f32
  return %f : f32
}
}

// -----

module attributes {tile.target = #tile.target<"amd", "gfx1201", {lanes = 32 : i32, isa = 12 : i32}>} {
// CHECK-LABEL: llvm.func @shuffles(
func.func @shuffles(%x: i32) -> i32 {
  %c5 = arith.constant 5 : i32
  %c17 = arith.constant 17 : i32
  %width = arith.constant 32 : i32
  // CHECK: rocdl.update.dpp %{{.*}}, %{{.*}} with 357, 15, 15, true : i32
  %a, %v0 = gpu.shuffle xor %x, %c5, %width : i32
  // CHECK: rocdl.update.dpp %{{.*}}, %{{.*}} with 353, 15, 15, true : i32
  // CHECK: rocdl.permlanex16
  %b, %v1 = gpu.shuffle xor %a, %c17, %width : i32
  return %b : i32
}
}

// -----

module attributes {tile.target = #tile.target<"amd", "gfx942", {lanes = 64 : i32, isa = 9 : i32}>} {
func.func @print(%x: i32) attributes {tile.kernel} {
  // expected-error @below {{printing from a kernel, also by an assertion, is not supported on AMD GPUs}}
  gpu.printf "%d\0A", %x : i32
  return
}
}

// -----

// expected-error @below {{expects the module to state its target}}
module {
}
