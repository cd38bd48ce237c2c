// RUN: tile-opt %s -split-input-file -convert-tile-to-gpu -canonicalize -cse | FileCheck %s

#row = #tile.layout<[64]: register = [[1], [2]], lane = [[4], [8], [16], [32], [0]], warp = [[0], [0]]>
#rows = #tile.layout<[1, 64]: register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 0]], warp = [[0, 0], [0, 0]]>
#block = #tile.layout<[8, 64]: register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = [[2, 0], [4, 0]]>
#turned = #tile.layout<[64, 8]: register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [0, 1]], warp = [[0, 2], [0, 4]]>
#pair = #tile.layout<[64, 2]: register = [[0, 1], [1, 0], [2, 0]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [0, 0]], warp = [[0, 0], [0, 0]]>

module attributes {tile.num_warps = 4 : i32,
    tile.target = #tile.target<"nvidia", "sm_80", {lanes = 32 : i32, access_bits = 128 : i32}>} {
// Layouts agree: nothing but the coordinates of the range is left.
// CHECK-LABEL: func.func @rename
// CHECK-NOT: gpu.shuffle
// CHECK-NOT: gpu.barrier
// CHECK-NOT: vector.shuffle
// CHECK: %[[X:.*]] = arith.addi {{.*}} : vector<4xi32>
// CHECK: return %[[X]] : vector<4xi32>
func.func @rename() -> tensor<64x8xi32, #turned> {
  %a = tile.arange 0 : tensor<64xi32, #row>
  %b = tile.expand_dims %a axis 0 : tensor<64xi32, #row> -> tensor<1x64xi32, #rows>
  %c = tile.broadcast %b : tensor<1x64xi32, #rows> -> tensor<8x64xi32, #block>
  %d = tile.transpose %c order [1, 0] : tensor<8x64xi32, #block> -> tensor<64x8xi32, #turned>
  return %d : tensor<64x8xi32, #turned>
}

// CHECK-LABEL: func.func @join
// CHECK-SAME: (%[[A:.*]]: vector<4xf32>, %[[B:.*]]: vector<4xf32>)
// CHECK: vector.interleave %[[A]], %[[B]]
func.func @join(%a: tensor<64xf32, #row>, %b: tensor<64xf32, #row>) -> tensor<64x2xf32, #pair> {
  %c = tile.join %a, %b : tensor<64xf32, #row> -> tensor<64x2xf32, #pair>
  return %c : tensor<64x2xf32, #pair>
}

// CHECK-LABEL: func.func @split
// CHECK: vector.shuffle %{{.*}} [0, 2, 4, 6]
// CHECK: vector.shuffle %{{.*}} [1, 3, 5, 7]
func.func @split(%a: tensor<64x2xf32, #pair>) -> (tensor<64xf32, #row>, tensor<64xf32, #row>) {
  %b, %c = tile.split %a : tensor<64x2xf32, #pair> -> tensor<64xf32, #row>
  return %b, %c : tensor<64xf32, #row>, tensor<64xf32, #row>
}
}
