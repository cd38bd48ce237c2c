// RUN: tile-opt %s -convert-tile-to-gpu -canonicalize -cse | FileCheck %s
// RUN: tile-translate %s --target nvidia:sm_80 --from scheduled --emit ptx | FileCheck %s --check-prefix=PTX

// 32 elements, one a lane: the other warps hold copies.
#layout = #tile.layout<[32]: lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]]>

module attributes {tile.num_warps = 4 : i32,
    tile.target = #tile.target<"nvidia", "sm_80", {lanes = 32 : i32, access_bits = 128 : i32}>} {
// Copies do not act; who holds one learns the result through memory.
// CHECK-LABEL: func.func @block
// CHECK: llvm.fence syncscope("device") release
// CHECK: %[[WARP:.*]] = arith.cmpi eq
// CHECK: scf.if
// CHECK: llvm.atomicrmw fadd {{.*}} syncscope("device") monotonic
// CHECK: llvm.fence syncscope("device") acquire
// CHECK: nvidia.store
// PTX-LABEL: .entry block(
// PTX: atom{{.*}}.add.f32
func.func @block(%p: !tile.ptr<f32>, %s: f32) attributes {tile.kernel} {
  %ps = tile.splat %p : tensor<32x!tile.ptr<f32>, #layout>
  %x = tile.splat %s : tensor<32xf32, #layout>
  %old = tile.atomic_rmw fadd %ps, %x : tensor<32x!tile.ptr<f32>, #layout>
  tile.store %ps, %old : tensor<32x!tile.ptr<f32>, #layout>
  return
}

// One thread acts for the program; relaxed operations need no fence.
// CHECK-LABEL: func.func @scalar
// CHECK-NOT: llvm.fence
// CHECK: scf.if
// CHECK: llvm.atomicrmw umax {{.*}} syncscope("block") monotonic
// CHECK: gpu.barrier
// CHECK: llvm.store {{.*}} : i32, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> i32
// CHECK: llvm.cmpxchg
func.func @scalar(%p: !tile.ptr<i32>, %x: i32) -> i32 {
  %old = tile.atomic_rmw umax %p, %x {semantic = #tile<semantic relaxed>, scope = #tile<scope cta>} : !tile.ptr<i32>
  %now = tile.atomic_cas %p, %old, %x {semantic = #tile<semantic relaxed>} : !tile.ptr<i32>
  return %now : i32
}

// Who acts tells the others at once where nobody reads there.
// CHECK-LABEL: func.func @told_at_once
// CHECK: llvm.atomicrmw
// CHECK-NOT: gpu.barrier
// CHECK: llvm.store {{.*}} : i32, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @told_at_once(%p: !tile.ptr<i32>, %x: i32) -> i32 {
  %old = tile.atomic_rmw add %p, %x {scratch_is_free, semantic = #tile<semantic relaxed>} : !tile.ptr<i32>
  return %old : i32
}

// The thread that acts fences for all, which meet before and behind it.
// CHECK-LABEL: func.func @ordered
// CHECK: scf.if
// CHECK: llvm.fence syncscope("device") release
// CHECK: llvm.cmpxchg {{.*}} monotonic monotonic
// CHECK: llvm.fence syncscope("device") acquire
// CHECK: scf.yield
// CHECK-NOT: llvm.fence
// CHECK: return
func.func @ordered(%p: !tile.ptr<i32>, %x: i32) -> i32 {
  %old = tile.atomic_cas %p, %x, %x : !tile.ptr<i32>
  return %old : i32
}
}
