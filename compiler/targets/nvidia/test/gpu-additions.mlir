// RUN: tile-opt %s -convert-tile-to-gpu -canonicalize -cse | FileCheck %s
// RUN: tile-translate %s --target nvidia:sm_90a --from scheduled --emit ptx | FileCheck %s --check-prefix=PTX

// Atomic additions that nobody asks for what was there go in runs, as far as pointers are
// consecutive and share a mask.

#quads = #tile.layout<[512]: register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]>
#octets = #tile.layout<[1024]: register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [[256], [512]]>
#pairs = #tile.layout<[256]: register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]]>
#copies = #tile.layout<[128]: register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[0], [0]]>

module attributes {tile.num_warps = 4 : i32, tile.target = #tile.target<"nvidia", "sm_90a",
    {lanes = 32 : i32, access_bits = 128 : i32, atomic_add_bits = 128 : i32}>} {
// CHECK-LABEL: func.func @f32
// CHECK: llvm.fence syncscope("device") release
// CHECK-NOT: llvm.atomicrmw
// CHECK: nvidia.add %{{.*}}, %{{.*}} if %{{.*}} scope gpu : vector<4xf32>, !llvm.ptr<1>
// CHECK-NOT: llvm.fence
// PTX: .version 8.{{[1-9]}}
// PTX-LABEL: .entry f32(
// PTX: @%p{{.*}} red.relaxed.gpu.global.add.v4.f32 [%rd{{.*}}], {%r{{.*}}, %r{{.*}}, %r{{.*}}, %r{{.*}}};
func.func @f32(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32},
               %s: f32) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<512xi32, #quads>
  %ns = tile.splat %n : tensor<512xi32, #quads>
  %m = arith.cmpi slt, %i, %ns : tensor<512xi32, #quads>
  %p0 = tile.splat %p : tensor<512x!tile.ptr<f32>, #quads>
  %ps = tile.addptr %p0, %i : tensor<512x!tile.ptr<f32>, #quads>, tensor<512xi32, #quads>
  %x = tile.splat %s : tensor<512xf32, #quads>
  %old = tile.atomic_rmw fadd %ps, %x mask %m : tensor<512x!tile.ptr<f32>, #quads>
  return
}

// CHECK-LABEL: func.func @f16
// CHECK-NOT: llvm.fence
// CHECK: nvidia.add %{{.*}}, %{{[^ ]*}} scope sys : vector<8xf16>, !llvm.ptr<1>
// PTX-LABEL: .entry f16(
// PTX: red.relaxed.sys.global.add.noftz.v4.f16x2 [%rd{{.*}}], {%r
func.func @f16(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %s: f16) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<1024xi32, #octets>
  %p0 = tile.splat %p : tensor<1024x!tile.ptr<f16>, #octets>
  %ps = tile.addptr %p0, %i : tensor<1024x!tile.ptr<f16>, #octets>, tensor<1024xi32, #octets>
  %x = tile.splat %s : tensor<1024xf16, #octets>
  %old = tile.atomic_rmw fadd %ps, %x {scope = #tile<scope sys>, semantic = #tile<semantic relaxed>} : tensor<1024x!tile.ptr<f16>, #octets>
  return
}

// As wide as addresses are aligned.
// CHECK-LABEL: func.func @bf16
// CHECK: nvidia.add %{{.*}} : vector<2xbf16>, !llvm.ptr<1>
// PTX-LABEL: .entry bf16(
// PTX: red.relaxed.gpu.global.add.noftz.bf16x2 [%rd{{.*}}], %r
func.func @bf16(%p: !tile.ptr<bf16> {tile.divisibility = 4 : i32}, %s: bf16) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<256xi32, #pairs>
  %p0 = tile.splat %p : tensor<256x!tile.ptr<bf16>, #pairs>
  %ps = tile.addptr %p0, %i : tensor<256x!tile.ptr<bf16>, #pairs>, tensor<256xi32, #pairs>
  %x = tile.splat %s : tensor<256xbf16, #pairs>
  %old = tile.atomic_rmw fadd %ps, %x {semantic = #tile<semantic relaxed>} : tensor<256x!tile.ptr<bf16>, #pairs>
  return
}

// Of several warps that hold the same elements one adds.
// CHECK-LABEL: func.func @owned
// CHECK: %[[FIRST:.*]] = arith.cmpi eq
// CHECK: nvidia.add %{{.*}}, %{{.*}} if %[[FIRST]] scope gpu
func.func @owned(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %s: f32) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<128xi32, #copies>
  %p0 = tile.splat %p : tensor<128x!tile.ptr<f32>, #copies>
  %ps = tile.addptr %p0, %i : tensor<128x!tile.ptr<f32>, #copies>, tensor<128xi32, #copies>
  %x = tile.splat %s : tensor<128xf32, #copies>
  %old = tile.atomic_rmw fadd %ps, %x {semantic = #tile<semantic relaxed>} : tensor<128x!tile.ptr<f32>, #copies>
  return
}

// What was there is asked for; integers; places that may be anywhere: one by one.
// CHECK-LABEL: func.func @singly
// CHECK-NOT: nvidia.add
// CHECK: return
func.func @singly(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<i32> {tile.divisibility = 16 : i32},
                  %r: !tile.ptr<f32>, %s: f32) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<512xi32, #quads>
  %p0 = tile.splat %p : tensor<512x!tile.ptr<f32>, #quads>
  %ps = tile.addptr %p0, %i : tensor<512x!tile.ptr<f32>, #quads>, tensor<512xi32, #quads>
  %q0 = tile.splat %q : tensor<512x!tile.ptr<i32>, #quads>
  %qs = tile.addptr %q0, %i : tensor<512x!tile.ptr<i32>, #quads>, tensor<512xi32, #quads>
  %r0 = tile.splat %r : tensor<512x!tile.ptr<f32>, #quads>
  %rs = tile.addptr %r0, %i : tensor<512x!tile.ptr<f32>, #quads>, tensor<512xi32, #quads>
  %x = tile.splat %s : tensor<512xf32, #quads>
  %old = tile.atomic_rmw fadd %ps, %x : tensor<512x!tile.ptr<f32>, #quads>
  tile.store %ps, %old : tensor<512x!tile.ptr<f32>, #quads>
  %a = tile.atomic_rmw add %qs, %i : tensor<512x!tile.ptr<i32>, #quads>
  %b = tile.atomic_rmw fadd %rs, %x : tensor<512x!tile.ptr<f32>, #quads>
  return
}
}
