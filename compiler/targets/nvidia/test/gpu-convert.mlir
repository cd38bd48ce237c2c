// RUN: tile-opt %s -convert-tile-to-gpu -canonicalize -cse | FileCheck %s

#blocked = #tile.layout<[64, 64]: register = [[0, 1], [0, 2], [16, 0], [32, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = [[2, 0], [4, 0]]>
#other = #tile.layout<[64, 64]: register = [[1, 0], [2, 0], [0, 16], [0, 32]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [0, 1]], warp = [[0, 2], [0, 4]]>
#swapped = #tile.layout<[64, 64]: register = [[16, 0], [32, 0], [0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = [[2, 0], [4, 0]]>

module attributes {tile.num_warps = 4 : i32,
    tile.target = #tile.target<"nvidia", "sm_90a", {lanes = 32 : i32, access_bits = 128 : i32}>} {
// CHECK-LABEL: func.func @registers
// CHECK: vector.shuffle
// CHECK-NOT: gpu.
// CHECK: return
func.func @registers(%x: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #swapped> {
  %y = tile.convert_layout %x : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #swapped>
  return %y : tensor<64x64xf32, #swapped>
}

// CHECK-LABEL: func.func @memory
// CHECK: gpu.barrier
// CHECK: llvm.store {{.*}} : vector<{{.*}}>, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: llvm.load {{.*}} -> vector
// CHECK: return
func.func @memory(%x: tensor<64x64xf32, #blocked>) -> tensor<64x64xf32, #other> {
  %y = tile.convert_layout %x : tensor<64x64xf32, #blocked> -> tensor<64x64xf32, #other>
  return %y : tensor<64x64xf32, #other>
}
}
