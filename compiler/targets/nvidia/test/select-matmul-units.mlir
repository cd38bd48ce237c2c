// RUN: tile-opt %s -split-input-file --tile-assign-layouts --tile-select-matmul-units --tile-remove-conversions --tile-verify-scheduled | FileCheck %s

// Eight warps read least where each makes 32x64 of 128x128; nothing moves between threads in the loop.
// CHECK-DAG: #[[ACC:.+]] = #tile.layout<[128, 128]: register = {{\[\[}}0, 1], [8, 0], {{.*}}], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [32, 0], [0, 8]]>
module attributes {tile.target = #tile.target<"nvidia", "sm_80", {lanes = 32 : i32, units = [#nvidia.mma_sync<f16>, #nvidia.mma_sync<tf32>]}>, tile.num_warps = 8 : i32} {
// CHECK-LABEL: func.func @matmul
// CHECK: scf.for
// CHECK-NOT: tile.convert_layout
// CHECK: tile.dot {{.*}} {unit = #nvidia.mma_sync<f16>} : {{.*}} -> tensor<128x128xf32, #[[ACC]]>
// CHECK-NOT: tile.convert_layout
// CHECK: scf.yield
func.func @matmul(%a: tensor<128x64xf16>, %b: tensor<64x128xf16>, %n: i32) -> tensor<128x128xf16> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<128x128xf32> : i32 {
    %s = tile.dot %a, %b, %acc : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %s : tensor<128x128xf32>
  }
  %h = arith.truncf %d : tensor<128x128xf32> to tensor<128x128xf16>
  return %h : tensor<128x128xf16>
}

// Products of f32 have a unit where rounded operands are asked for; f32 as such has none.
// CHECK-LABEL: func.func @precision
// CHECK: tile.dot {{.*}} precision tf32 {unit = #nvidia.mma_sync<tf32>}
// CHECK: tile.dot
// CHECK-NOT: unit =
func.func @precision(%a: tensor<32x32xf32>, %acc: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %s = tile.dot %a, %a, %acc precision tf32 : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  %t = tile.dot %s, %a, %acc : tensor<32x32xf32>, tensor<32x32xf32> -> tensor<32x32xf32>
  return %t : tensor<32x32xf32>
}
}

// -----

// The result of the first product is operand A of the second as it lies: all warps along the rows.
// CHECK-DAG: #[[S:.+]] = #tile.layout<[64, 32]: {{.*}} warp = {{\[\[}}16, 0], [32, 0]]>
module attributes {tile.target = #tile.target<"nvidia", "sm_80", {lanes = 32 : i32, units = [#nvidia.mma_sync<f16>]}>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @chained
// CHECK: scf.for
// CHECK: %[[S1:.+]] = tile.dot {{.*}} -> tensor<64x32xf32, #[[S]]>
// CHECK-NOT: tile.convert_layout
// CHECK: %[[P:.+]] = arith.truncf {{.*}} : tensor<64x32xf32, #[[S]]> to tensor<64x32xf16, #[[S]]>
// CHECK: tile.dot %[[P]]
// CHECK: scf.yield
func.func @chained(%q: tensor<64x64xf16>, %k: tensor<64x32xf16>, %v: tensor<32x64xf16>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64x32xf32>
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %s = tile.dot %q, %k, %none : tensor<64x64xf16>, tensor<64x32xf16> -> tensor<64x32xf32>
    %max = tile.reduce (%s) axis 1 {
    ^bb0(%x: f32, %y: f32):
      %z = arith.maxnumf %x, %y : f32
      tile.yield %z : f32
    } : (tensor<64x32xf32>) -> tensor<64xf32>
    %m2 = tile.expand_dims %max axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %mb = tile.broadcast %m2 : tensor<64x1xf32> -> tensor<64x32xf32>
    %w = arith.subf %s, %mb : tensor<64x32xf32>
    %p = arith.truncf %w : tensor<64x32xf32> to tensor<64x32xf16>
    %o = tile.dot %p, %v, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
    scf.yield %o : tensor<64x64xf32>
  }
  return %d : tensor<64x64xf32>
}
}
