// RUN: tile-translate %s --target nvidia:sm_90a --from scheduled --emit ptx | FileCheck %s

#layout = #tile.layout<[2048]: register = [[1], [2], [4], [1024]], lane = [[8], [16], [32], [64], [128]], warp = [[256], [512]]>

module attributes {tile.num_warps = 4 : i32, tile.shared_bytes = 76000 : i32,
    tile.target = #tile.target<"nvidia", "sm_90a", {lanes = 32 : i32, access_bits = 128 : i32}>} {

// Who assembles it is told how many programs a multiprocessor may hold.
// CHECK: // programs that on-chip memory admits: 3

// There are four warps, as is known behind the shuffle that makes a warp's number that of all its
// lanes: 1024 places are below the bound, the others behind it, and addresses differ by constants.
// CHECK-LABEL: .entry known(
// CHECK: mov.pred [[ALL:%p[0-9]+]], -1
// CHECK: @[[ALL]] ld.global.v4.b32 {{.*}}, [[[ADDRESS:%rd[0-9]+]]]
// CHECK-NOT: setp
// CHECK: ret
func.func @known(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f16> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<2048xi32, #layout>
  %end = arith.constant dense<1024> : tensor<2048xi32, #layout>
  %inside = arith.cmpi slt, %i, %end : tensor<2048xi32, #layout>
  %ps = tile.splat %p : tensor<2048x!tile.ptr<f16>, #layout>
  %pi = tile.addptr %ps, %i : tensor<2048x!tile.ptr<f16>, #layout>, tensor<2048xi32, #layout>
  %x = tile.load %pi mask %inside : tensor<2048x!tile.ptr<f16>, #layout>
  %qs = tile.splat %q : tensor<2048x!tile.ptr<f16>, #layout>
  %qi = tile.addptr %qs, %i : tensor<2048x!tile.ptr<f16>, #layout>, tensor<2048xi32, #layout>
  tile.store %qi, %x mask %inside : tensor<2048x!tile.ptr<f16>, #layout>
  return
}
}
