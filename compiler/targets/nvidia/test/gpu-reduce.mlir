// RUN: tile-opt %s -convert-tile-to-gpu -canonicalize -cse | FileCheck %s
// RUN: tile-translate %s --target nvidia:sm_90a --from scheduled --emit ptx | FileCheck %s --check-prefix=PTX

#layout = #tile.layout<[1024]: register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]>
#rows = #tile.layout<[4, 32]: lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[1, 0], [2, 0]]>
#row = #tile.layout<[4]: lane = [[0], [0], [0], [0], [0]], warp = [[1], [2]]>
#many = #tile.layout<[8192]: register = [[1], [2], [512], [1024], [2048], [4096]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]>

#product = #tile.layout<[64, 16]: register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#columns = #tile.layout<[16]: register = [[1], [8]], lane = [[2], [4], [0], [0], [0]], warp = [[0], [0]]>

module attributes {tile.num_warps = 4 : i32,
    tile.target = #tile.target<"nvidia", "sm_90a", {lanes = 32 : i32, access_bits = 128 : i32}>} {

// Halves in registers, then lanes, then warps through memory.
// CHECK-LABEL: func.func @all
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<2xf32>
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<1xf32>
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK: llvm.store
// CHECK: gpu.barrier
// CHECK: llvm.load
// PTX: .extern .shared
// PTX: .visible .entry all(
// PTX-COUNT-5: shfl.sync.bfly.b32
// PTX: bar.sync 0
func.func @all(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<1024xi32, #layout>
  %ps = tile.splat %p : tensor<1024x!tile.ptr<f32>, #layout>
  %q = tile.addptr %ps, %i : tensor<1024x!tile.ptr<f32>, #layout>, tensor<1024xi32, #layout>
  %x = tile.load %q : tensor<1024x!tile.ptr<f32>, #layout>
  %sum = tile.reduce (%x) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32, #layout>) -> f32
  tile.store %p, %sum : !tile.ptr<f32>
  return
}

// A row lies in one warp: shuffles alone.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: gpu.barrier
// CHECK: gpu.shuffle xor
// CHECK-NOT: gpu.barrier
// CHECK: nvidia.store
func.func @rows(%p: !tile.ptr<i32>, %x: i32) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<4xi32, #row>
  %ps = tile.splat %p : tensor<4x!tile.ptr<i32>, #row>
  %q = tile.addptr %ps, %i : tensor<4x!tile.ptr<i32>, #row>, tensor<4xi32, #row>
  %y = tile.splat %x : tensor<4x32xi32, #rows>
  %max = tile.reduce (%y) axis 1 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.maxsi %a, %b : i32
    tile.yield %c : i32
  } : (tensor<4x32xi32, #rows>) -> tensor<4xi32, #row>
  tile.store %q, %max : tensor<4x!tile.ptr<i32>, #row>
  return
}

// Nobody is at work on its scratch memory: threads meet once.
// CHECK-LABEL: func.func @free
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT: gpu.barrier
// CHECK: llvm.store
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: llvm.load
func.func @free(%p: !tile.ptr<f32>, %x: tensor<1024xf32, #layout>) {
  %sum = tile.reduce (%x) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } {scratch_is_free, tile.scratch_offset = 0 : i32} : (tensor<1024xf32, #layout>) -> f32
  tile.store %p, %sum : !tile.ptr<f32>
  return
}

// Several values lie beside each other: threads meet as often as for one.
// CHECK-LABEL: func.func @together
// CHECK-COUNT-10: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK-COUNT-2: llvm.store
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK-COUNT-2: llvm.load
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @together(%x: tensor<1024xf32, #layout>, %y: tensor<1024xi16, #layout>) -> (f32, i16) {
  %sum, %most = tile.reduce (%x, %y) axis 0 {
  ^bb0(%a: f32, %b: i16, %c: f32, %d: i16):
    %e = arith.addf %a, %c : f32
    %f = arith.maxsi %b, %d : i16
    tile.yield %e, %f : f32, i16
  } : (tensor<1024xf32, #layout>, tensor<1024xi16, #layout>) -> (f32, i16)
  return %sum, %most : f32, i16
}

// Of many registers a part after another joins the first one, where products become part of their sum.
// CHECK-LABEL: func.func @products
// CHECK-COUNT-7: arith.addf %{{.*}}, %{{.*}} : vector<8xf32>
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<4xf32>
func.func @products(%x: tensor<8192xf32, #many>) -> f32 {
  %y = arith.mulf %x, %x : tensor<8192xf32, #many>
  %sum = tile.reduce (%y) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<8192xf32, #many>) -> f32
  return %sum : f32
}

// CHECK-LABEL: func.func @largest
// CHECK-COUNT-7: arith.maximumf %{{.*}}, %{{.*}} : vector<8xf32>
// CHECK: arith.maximumf %{{.*}}, %{{.*}} : vector<4xf32>
func.func @largest(%x: tensor<8192xf32, #many>) -> f32 {
  %most = tile.reduce (%x) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<8192xf32, #many>) -> f32
  return %most : f32
}

// Other sums by halves.
// CHECK-LABEL: func.func @sum
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<32xf32>
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<16xf32>
func.func @sum(%x: tensor<8192xf32, #many>) -> f32 {
  %sum = tile.reduce (%x) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<8192xf32, #many>) -> f32
  return %sum : f32
}

// Four sums of a thread: with each of eight lanes it goes on with half of them as long as it has two. Then
// one of them goes to memory for each column.
// CHECK-LABEL: func.func @columns
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<4xf32>
// CHECK-COUNT-4: arith.select
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<2xf32>
// CHECK-COUNT-2: arith.select
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<1xf32>
// CHECK-NOT: arith.select
// CHECK: gpu.shuffle xor
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<1xf32>
// CHECK-NOT: gpu.shuffle
// CHECK: gpu.barrier
// CHECK: llvm.store %{{.*}}, %{{.*}} {{.*}}: vector<1xf32>
// CHECK: return
func.func @columns(%x: tensor<64x16xf32, #product>) -> tensor<16xf32, #columns> {
  %sum = tile.reduce (%x) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<64x16xf32, #product>) -> tensor<16xf32, #columns>
  return %sum : tensor<16xf32, #columns>
}
}
