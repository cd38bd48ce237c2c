// RUN: tile-opt %s -split-input-file --tile-specialize-warps -verify-diagnostics

// Fewer stages, where those that are asked for do not fit; said once.
#target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32, on_chip_bytes = 34816 : i32}>
module attributes {tile.target = #target, tile.num_warps = 4 : i32, tile.num_stages = 5 : i32} {
func.func @few(%pa: !tile.ptr<f16>, %k: i32, %acc: tensor<64x64xf32>, %out: tensor<64x64x!tile.ptr<f32>>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %db = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  // expected-remark @+1 {{this loop has 2 stages instead of 5: those asked for need 81920 bytes of on-chip memory, of which 33792 are left}}
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] {tile.block_copy} : !tile.desc<64x64xf16>
    %b = tile.descriptor_load %db[%i, %c0] {tile.block_copy} : !tile.desc<64x64xf16>
    %d = tile.dot %a, %b, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %out, %r : tensor<64x64x!tile.ptr<f32>>
  return
}
}

// -----

#target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32}>
module attributes {tile.target = #target, tile.num_warps = 4 : i32} {
func.func @by_memory(%pa: !tile.ptr<f16>, %p: !tile.ptr<i32>, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  tile.store %p, %k : !tile.ptr<i32>
  // expected-note @+1 {{such as this}}
  %j = tile.load %p : !tile.ptr<i32>
  // expected-error @+1 {{cannot be fetched by another thread: its place depends on more than numbers}}
  %a = tile.descriptor_load %da[%j, %c0] {tile.block_copy} : !tile.desc<64x64xf16>
  return
}
}

// -----

// Roles that are asked for and cannot be had.
#target = #tile.target<"any", "first", {lanes = 32 : i32}>
module attributes {tile.target = #target, tile.num_warps = 4 : i32} {
func.func @asked(%p: tensor<64x64x!tile.ptr<f16>>, %k: i32, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  // expected-remark @+1 {{loads of this loop have no warps of their own}}
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.load %p : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  } {tile.warp_specialize}
  return
}
}
