// RUN: tile-translate %s --target amd:gfx942 --from scheduled --emit amdgcn | FileCheck %s --check-prefixes=CHECK,GFX9
// RUN: tile-translate %s --target amd:gfx950 --from scheduled --emit amdgcn | FileCheck %s --check-prefixes=CHECK,GFX9
// RUN: tile-translate %s --target amd:gfx942 --from scheduled --emit llvmir | FileCheck %s --check-prefix=IR
// RUN: tile-translate %s --target amd:gfx942 --from scheduled --emit hsaco -o %t && llvm-readobj-22 -h -l %t | FileCheck %s --check-prefix=ELF -DMACH=GFX942
// RUN: tile-translate %s --target amd:gfx950 --from scheduled --emit hsaco -o %t && llvm-readobj-22 -h -l %t | FileCheck %s --check-prefix=ELF -DMACH=GFX950

#layout = #tile.layout<[1024]: register = [[1], [2]], lane = [[4], [8], [16], [32], [64], [128]], warp = [[256], [512]]>

// ELF: EF_AMDGPU_MACH_AMDGCN_[[MACH]]
// ELF: PT_DYNAMIC
module attributes {tile.num_warps = 4 : i32,
    tile.target = #tile.target<"amd", "gfx942", {lanes = 64 : i32, isa = 9 : i32, access_bits = 128 : i32}>} {

// 16 bytes a load, lanes by DPP, then one wave's sums through memory on chip.
// IR: @tile_on_chip_memory = internal addrspace(3) global [16 x i8]
// IR: define amdgpu_kernel void @sum(
// CHECK-LABEL: sum:
// GFX9: global_load_dwordx4
// GFX9-DAG: quad_perm:[1,0,3,2]
// GFX9-DAG: quad_perm:[2,3,0,1]
// GFX9-DAG: row_half_mirror
// GFX9-DAG: row_ror:8
// GFX9-DAG: ds_swizzle_b32 {{.*}} offset:swizzle(SWAP,16)
// GFX9-DAG: ds_bpermute_b32
// CHECK: s_barrier
// CHECK: .amdhsa_group_segment_fixed_size 16
// Hidden arguments that nobody reads take no place.
// CHECK: .amdhsa_kernarg_size 8
// CHECK: .group_segment_fixed_size: 16
// CHECK: .max_flat_workgroup_size: 256
// CHECK: .wavefront_size: 64
func.func @sum(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<1024xi32, #layout>
  %ps = tile.splat %p : tensor<1024x!tile.ptr<f32>, #layout>
  %q = tile.addptr %ps, %i : tensor<1024x!tile.ptr<f32>, #layout>, tensor<1024xi32, #layout>
  %x = tile.load %q : tensor<1024x!tile.ptr<f32>, #layout>
  %sum = tile.reduce (%x) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32, #layout>) -> f32
  tile.store %p, %sum : !tile.ptr<f32>
  return
}
}
