// RUN: tile-translate %s --target nvidia:sm_90a --from scheduled --emit ptx | FileCheck %s

#layout = #tile.layout<[256]: register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]]>

module attributes {tile.num_warps = 1 : i32,
    tile.target = #tile.target<"nvidia", "sm_90a", {lanes = 32 : i32, access_bits = 128 : i32}>} {

// A bfloat is the upper half of a float: one operation on the word makes a float of either.
// CHECK-LABEL: .entry widen(
// CHECK: ld.global.v4.b32 {[[A:%r[0-9]+]], [[B:%r[0-9]+]]
// CHECK-NOT: cvt
// CHECK-NOT: mov.b32 {
// CHECK-DAG: shl.b32 {{.*}}, [[A]], 16
// CHECK-DAG: and.b32 {{.*}}, [[A]], -65536
// CHECK-DAG: shl.b32 {{.*}}, [[B]], 16
// CHECK-DAG: and.b32 {{.*}}, [[B]], -65536
// CHECK-NOT: cvt
// CHECK: st.global.v4.b32
func.func @widen(%p: !tile.ptr<bf16> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<256xi32, #layout>
  %ps = tile.splat %p : tensor<256x!tile.ptr<bf16>, #layout>
  %pi = tile.addptr %ps, %i : tensor<256x!tile.ptr<bf16>, #layout>, tensor<256xi32, #layout>
  %x = tile.load %pi : tensor<256x!tile.ptr<bf16>, #layout>
  %y = arith.extf %x : tensor<256xbf16, #layout> to tensor<256xf32, #layout>
  %qs = tile.splat %q : tensor<256x!tile.ptr<f32>, #layout>
  %qi = tile.addptr %qs, %i : tensor<256x!tile.ptr<f32>, #layout>, tensor<256xi32, #layout>
  tile.store %qi, %y : tensor<256x!tile.ptr<f32>, #layout>
  return
}
}
