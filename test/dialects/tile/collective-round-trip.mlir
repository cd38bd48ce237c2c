// RUN: tile-opt %s | tile-opt | FileCheck %s

// CHECK-LABEL: func.func @scan
func.func @scan(%x: tensor<64x32xf32>, %i: tensor<64x32xi32>) {
  // CHECK: tile.scan(%{{.*}}) axis 1 {
  // CHECK: tile.yield %{{.*}} : f32
  // CHECK: } : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %a = tile.scan(%x) axis 1 {
  ^bb0(%earlier: f32, %later: f32):
    %z = arith.addf %earlier, %later : f32
    tile.yield %z : f32
  } : (tensor<64x32xf32>) -> tensor<64x32xf32>
  // CHECK: tile.scan(%{{.*}}, %{{.*}}) axis 0 reverse {
  // CHECK: } : (tensor<64x32xf32>, tensor<64x32xi32>) -> (tensor<64x32xf32>, tensor<64x32xi32>)
  %b:2 = tile.scan(%x, %i) axis 0 reverse {
  ^bb0(%e0: f32, %e1: i32, %l0: f32, %l1: i32):
    %z = arith.mulf %e0, %l0 : f32
    tile.yield %z, %l1 : f32, i32
  } : (tensor<64x32xf32>, tensor<64x32xi32>) -> (tensor<64x32xf32>, tensor<64x32xi32>)
  return
}

// CHECK-LABEL: func.func @sort
func.func @sort(%x: tensor<8x128xf32>, %i: tensor<128xi8>) {
  // CHECK: tile.sort %{{.*}} : tensor<8x128xf32> -> tensor<8x128xf32>
  %a = tile.sort %x : tensor<8x128xf32> -> tensor<8x128xf32>
  // CHECK: tile.sort %{{.*}} descending : tensor<8x128xf32> -> tensor<8x16xf32>, tensor<8x16xi32>
  %b:2 = tile.sort %x descending : tensor<8x128xf32> -> tensor<8x16xf32>, tensor<8x16xi32>
  // CHECK: tile.sort %{{.*}} descending unsigned : tensor<128xi8> -> tensor<128xi8>
  %c = tile.sort %i descending unsigned : tensor<128xi8> -> tensor<128xi8>
  return
}

// CHECK-LABEL: func.func @histogram
func.func @histogram(%x: tensor<1024xi16>, %m: tensor<1024xi1>) {
  // CHECK: tile.histogram %{{.*}} : tensor<1024xi16> -> tensor<256xi32>
  %a = tile.histogram %x : tensor<1024xi16> -> tensor<256xi32>
  // CHECK: tile.histogram %{{.*}} mask %{{.*}} : tensor<1024xi16> -> tensor<256xi32>
  %b = tile.histogram %x mask %m : tensor<1024xi16> -> tensor<256xi32>
  return
}
