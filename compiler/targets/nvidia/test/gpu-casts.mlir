// RUN: tile-opt %s -convert-tile-to-gpu | FileCheck %s
// RUN: tile-translate %s --target nvidia:sm_89 --from scheduled --emit ptx | FileCheck %s --check-prefix=PTX

// Conversions that the hardware has are made two elements at a time.

#layout = #tile.layout<[128]: register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]>

module attributes {tile.num_warps = 1 : i32,
    tile.target = #tile.target<"nvidia", "sm_89", {lanes = 32 : i32, access_bits = 128 : i32,
        native_casts = ["f32:f8E4M3FN", "f16:f8E5M2", "f8E4M3FN:f16", "f8E5M2:f16", "f16:f32"]}>} {
// CHECK-LABEL: func.func public @narrow(
// CHECK-COUNT-2: nvvm.convert.f32x2.to.f8x2 %{{.*}}, %{{.*}} {rnd = #nvvm.fp_rnd_mode<rn>, sat = #nvvm.sat_mode<satfinite>} : vector<2xi8>(f8E4M3FN)
// CHECK-NOT: tile.cast
// PTX: .version 8.1
// PTX-LABEL: .entry narrow(
// PTX-COUNT-2: cvt.rn.satfinite.e4m3x2.f32
// PTX: st.global.b32
func.func public @narrow(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                         %out: !tile.ptr<f8E4M3FN> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<128xi32, #layout>
  %xs = tile.splat %x : tensor<128x!tile.ptr<f32>, #layout>
  %xp = tile.addptr %xs, %i : tensor<128x!tile.ptr<f32>, #layout>, tensor<128xi32, #layout>
  %v = tile.load %xp : tensor<128x!tile.ptr<f32>, #layout>
  %y = tile.cast %v : tensor<128xf32, #layout> -> tensor<128xf8E4M3FN, #layout>
  %os = tile.splat %out : tensor<128x!tile.ptr<f8E4M3FN>, #layout>
  %op = tile.addptr %os, %i : tensor<128x!tile.ptr<f8E4M3FN>, #layout>, tensor<128xi32, #layout>
  tile.store %op, %y : tensor<128x!tile.ptr<f8E4M3FN>, #layout>
  return
}

// CHECK-LABEL: func.func public @pairs(
// CHECK-COUNT-2: llvm.call_intrinsic "llvm.nvvm.e5m2x2.to.f16x2.rn"
// CHECK-COUNT-2: nvvm.convert.f16x2.to.f8x2 %{{.*}} : vector<2xf16> -> vector<2xi8>(f8E5M2)
// CHECK: llvm.call_intrinsic "llvm.nvvm.e4m3x2.to.f16x2.rn"
// PTX-LABEL: .entry pairs(
// PTX-COUNT-2: cvt.rn.f16x2.e5m2x2
// PTX-COUNT-2: cvt.rn.satfinite.e5m2x2.f16x2
// PTX: cvt.rn.f16x2.e4m3x2
func.func public @pairs(%x: !tile.ptr<f8E5M2> {tile.divisibility = 16 : i32}, %scalar: f8E4M3FN,
                        %out: !tile.ptr<f16>) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<128xi32, #layout>
  %xs = tile.splat %x : tensor<128x!tile.ptr<f8E5M2>, #layout>
  %xp = tile.addptr %xs, %i : tensor<128x!tile.ptr<f8E5M2>, #layout>, tensor<128xi32, #layout>
  %v = tile.load %xp : tensor<128x!tile.ptr<f8E5M2>, #layout>
  %h = tile.cast %v : tensor<128xf8E5M2, #layout> -> tensor<128xf16, #layout>
  %t = arith.addf %h, %h : tensor<128xf16, #layout>
  %y = tile.cast %t : tensor<128xf16, #layout> -> tensor<128xf8E5M2, #layout>
  tile.store %xp, %y : tensor<128x!tile.ptr<f8E5M2>, #layout>
  %s = tile.cast %scalar : f8E4M3FN -> f16
  tile.store %out, %s : !tile.ptr<f16>
  return
}
}
