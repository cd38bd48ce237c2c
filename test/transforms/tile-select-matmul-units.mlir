// RUN: tile-opt %s -split-input-file --tile-assign-layouts --tile-select-matmul-units --tile-remove-conversions --tile-verify-scheduled | FileCheck %s

// Without a unit: squares of 4x4, lanes of 4x8, warps of 2x2. Operands hold all of k.
// CHECK-DAG: #[[ACC:.+]] = #tile.layout<[64, 64]: register = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0], [32, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [4, 0], [8, 0]], warp = {{\[\[}}0, 32], [16, 0]]>
// CHECK-DAG: #[[A:.+]] = #tile.layout<[64, 4]: register = {{\[\[}}1, 0], [2, 0], [32, 0], [0, 1], [0, 2]], lane = {{\[\[}}0, 0], [0, 0], [0, 0], [4, 0], [8, 0]], warp = {{\[\[}}0, 0], [16, 0]]>
// CHECK-DAG: #[[B:.+]] = #tile.layout<[4, 64]: register = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 0], [0, 0]], warp = {{\[\[}}0, 32], [0, 0]]>
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @scalars
func.func @scalars(%a: tensor<64x4xf32>, %b: tensor<4x64xf32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: arith.constant dense<0.000000e+00> : tensor<64x64xf32, #[[ACC]]>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // The accumulator goes around the loop as it is.
  // CHECK: scf.for
  // CHECK-NOT: tile.convert_layout
  // CHECK: tile.dot {{.*}} : tensor<64x4xf32, #[[A]]>, tensor<4x64xf32, #[[B]]> -> tensor<64x64xf32, #[[ACC]]>
  // CHECK-NOT: tile.convert_layout
  // CHECK: scf.yield
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %s = tile.dot %a, %b, %acc : tensor<64x4xf32>, tensor<4x64xf32> -> tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  return %d : tensor<64x64xf32>
}
}

// -----

// A sum with the result accumulates, even where it is known only after the dot.
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @accumulates
// CHECK: %[[SUM:.+]] = arith.mulf
// CHECK: %[[C:.+]] = tile.convert_layout %[[SUM]]
// CHECK: tile.dot %{{.*}}, %{{.*}}, %[[C]]
// CHECK-NOT: arith.addf
func.func @accumulates(%a: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %a, %a, %zero : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %m = arith.mulf %c, %c : tensor<64x64xf32>
  %s = arith.addf %m, %d : tensor<64x64xf32>
  return %s : tensor<64x64xf32>
}
}

// -----

// A dot before a loop is not made again in each of its steps.
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @outside
// CHECK: tile.dot
// CHECK: scf.for
// CHECK: arith.addf
func.func @outside(%a: tensor<64x64xf32>, %n: i32) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %d = tile.dot %a, %a, %zero : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %t = arith.addf %acc, %d : tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  return %s : tensor<64x64xf32>
}
}
