// RUN: tile-translate %s --target amd:gfx1100 --from scheduled --emit amdgcn | FileCheck %s --check-prefixes=CHECK,GFX11
// RUN: tile-translate %s --target amd:gfx1200 --from scheduled --emit amdgcn | FileCheck %s --check-prefixes=CHECK,GFX12
// RUN: tile-translate %s --target amd:gfx1201 --from scheduled --emit amdgcn | FileCheck %s --check-prefixes=CHECK,GFX12
// RUN: tile-translate %s --target amd:gfx1100 --from scheduled --emit hsaco -o %t && llvm-readobj-22 -h -l %t | FileCheck %s --check-prefix=ELF -DMACH=GFX1100
// RUN: tile-translate %s --target amd:gfx1200 --from scheduled --emit hsaco -o %t && llvm-readobj-22 -h -l %t | FileCheck %s --check-prefix=ELF -DMACH=GFX1200
// RUN: tile-translate %s --target amd:gfx1201 --from scheduled --emit hsaco -o %t && llvm-readobj-22 -h -l %t | FileCheck %s --check-prefix=ELF -DMACH=GFX1201

#layout = #tile.layout<[512]: register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]>

// ELF: EF_AMDGPU_MACH_AMDGCN_[[MACH]]
// ELF: PT_DYNAMIC
module attributes {tile.num_warps = 4 : i32,
    tile.target = #tile.target<"amd", "gfx1100", {lanes = 32 : i32, isa = 11 : i32, access_bits = 128 : i32}>} {

// CHECK-LABEL: sum:
// CHECK: global_load_b128
// CHECK-DAG: row_xmask:1
// CHECK-DAG: row_xmask:2
// CHECK-DAG: row_xmask:4
// CHECK-DAG: row_xmask:8
// CHECK-DAG: v_permlanex16_b32
// GFX11: s_barrier
// GFX12: s_barrier_signal -1
// GFX12: s_barrier_wait
// CHECK: .group_segment_fixed_size: 16
// CHECK: .max_flat_workgroup_size: 128
// CHECK: .wavefront_size: 32
func.func @sum(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<512xi32, #layout>
  %ps = tile.splat %p : tensor<512x!tile.ptr<f32>, #layout>
  %q = tile.addptr %ps, %i : tensor<512x!tile.ptr<f32>, #layout>, tensor<512xi32, #layout>
  %x = tile.load %q : tensor<512x!tile.ptr<f32>, #layout>
  %sum = tile.reduce (%x) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<512xf32, #layout>) -> f32
  tile.store %p, %sum : !tile.ptr<f32>
  return
}
}
