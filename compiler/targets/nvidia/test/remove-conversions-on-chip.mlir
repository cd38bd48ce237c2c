// RUN: tile-opt %s --tile-assign-layouts --tile-select-matmul-units --tile-remove-conversions --cse | FileCheck %s

// What a unit reads on chip threads store as they have it: an operand that is computed stays in the layout of its load.
#target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, lanes = 32 : i32, on_chip_bytes = 232448 : i32, units = [#nvidia.wgmma<f16>]}>
module attributes {tile.target = #target, tile.num_warps = 4 : i32} {
// CHECK: #[[COLUMNS:.+]] = #tile.layout<[64, 64]: register = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0]
// CHECK-LABEL: func.func @widened
func.func @widened(%b: !tile.ptr<i8> {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}, %a: tensor<64x64xf16>, %zero: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %i = tile.arange 0 : tensor<64xi32>
  %ks = tile.splat %k : tensor<64xi32>
  %begins = arith.muli %i, %ks : tensor<64xi32>
  %begins1 = tile.expand_dims %begins axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %begins2 = tile.broadcast %begins1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %i1 = tile.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %i2 = tile.broadcast %i1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %o = arith.addi %begins2, %i2 : tensor<64x64xi32>
  %bs = tile.splat %b : tensor<64x64x!tile.ptr<i8>>
  %p = tile.addptr %bs, %o : tensor<64x64x!tile.ptr<i8>>, tensor<64x64xi32>
  // CHECK: %[[X:.+]] = tile.load %{{.*}} : tensor<64x64x!tile.ptr<i8>, #[[COLUMNS]]>
  // CHECK-NEXT: %[[Y:.+]] = arith.sitofp %[[X]] : tensor<64x64xi8, #[[COLUMNS]]> to tensor<64x64xf16, #[[COLUMNS]]>
  // CHECK: tile.dot %{{.*}}, %[[Y]],
  %x = tile.load %p : tensor<64x64x!tile.ptr<i8>>
  %y = arith.sitofp %x : tensor<64x64xi8> to tensor<64x64xf16>
  %d = tile.dot %a, %y, %zero : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}
}
