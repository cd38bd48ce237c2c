// RUN: tile-opt %s -convert-tile-to-gpu -canonicalize -cse | FileCheck %s

#small = #tile.layout<[64]: lane = [[1], [2], [4], [8], [16]], warp = [[32], [0]]>
#threads = #tile.layout<[128]: lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
#more = #tile.layout<[128]: lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], repeat = [register x 2 -> dim0]>
#odd = #tile.layout<[32]: lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]], repeat = [register x 3 -> dim0]>
#table = #tile.layout<[32, 1]: lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 0], [0, 0]], repeat = [register x 3 -> dim1]>

module attributes {tile.num_warps = 4 : i32,
    tile.target = #tile.target<"nvidia", "sm_80", {lanes = 32 : i32, access_bits = 128 : i32}>} {
// The source is written, and read where the index says, inside of the block.
// CHECK-LABEL: func.func @gather
// CHECK-SAME: (%[[X:.*]]: vector<1xf32>, %[[I:.*]]: vector<1xi32>)
// CHECK-DAG: %[[LAST:.*]] = arith.constant dense<63> : vector<1xi32>
// CHECK: gpu.barrier
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: arith.minui %[[I]], %[[LAST]] : vector<1xi32>
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> f32
func.func @gather(%x: tensor<64xf32, #small>, %i: tensor<128xi32, #threads>) -> tensor<128xf32, #threads> {
  %r = tile.gather %x[%i] axis 0 : tensor<64xf32, #small>, tensor<128xi32, #threads> -> tensor<128xf32, #threads>
  return %r : tensor<128xf32, #threads>
}

// Each thread has what it needs.
// CHECK-LABEL: func.func @cat_in_registers
// CHECK-SAME: (%[[A:.*]]: vector<1xf32>, %[[B:.*]]: vector<1xf32>)
// CHECK-NOT: gpu.barrier
// CHECK: vector.from_elements
// CHECK-NEXT: return
func.func @cat_in_registers(%a: tensor<128xf32, #threads>, %b: tensor<128xf32, #threads>) -> tensor<256xf32, #more> {
  %r = tile.cat %a, %b axis 0 : tensor<128xf32, #threads>, tensor<128xf32, #threads> -> tensor<256xf32, #more>
  return %r : tensor<256xf32, #more>
}

// CHECK-LABEL: func.func @cat_in_memory
// CHECK: gpu.barrier
// CHECK-COUNT-2: llvm.store {{.*}} : f32, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: llvm.load
func.func @cat_in_memory(%a: tensor<64xf32, #small>, %b: tensor<64xf32, #small>) -> tensor<128xf32, #threads> {
  %r = tile.cat %a, %b axis 0 : tensor<64xf32, #small>, tensor<64xf32, #small> -> tensor<128xf32, #threads>
  return %r : tensor<128xf32, #threads>
}

// CHECK-LABEL: func.func @extract_a_register
// CHECK-NOT: gpu.barrier
// CHECK: vector.extract %{{.*}}[1]
// CHECK-NOT: gpu.barrier
func.func @extract_a_register(%a: tensor<256xf32, #more>) -> tensor<128xf32, #threads> {
  %r = tile.extract %a offsets [128] strides [1] : tensor<256xf32, #more> -> tensor<128xf32, #threads>
  return %r : tensor<128xf32, #threads>
}

// CHECK-LABEL: func.func @turn_around
// CHECK: gpu.barrier
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK: llvm.load
func.func @turn_around(%a: tensor<128xf32, #threads>) -> tensor<128xf32, #threads> {
  %r = tile.extract %a offsets [127] strides [-1] : tensor<128xf32, #threads> -> tensor<128xf32, #threads>
  return %r : tensor<128xf32, #threads>
}

// No layout of 96 elements is one of 32x3 with rows in lanes: elements change threads.
// CHECK-LABEL: func.func @reshape
// CHECK: gpu.barrier
// CHECK-COUNT-3: llvm.store {{.*}} : f32, !llvm.ptr<3>
// CHECK: gpu.barrier
// CHECK-COUNT-3: llvm.load {{.*}} : !llvm.ptr<3> -> f32
func.func @reshape(%a: tensor<96xf32, #odd>) -> tensor<32x3xf32, #table> {
  %r = tile.reshape %a : tensor<96xf32, #odd> -> tensor<32x3xf32, #table>
  return %r : tensor<32x3xf32, #table>
}
}
