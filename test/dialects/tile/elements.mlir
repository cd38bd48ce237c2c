// RUN: tile-opt %s | tile-opt | FileCheck %s

// CHECK-LABEL: func.func @moves
func.func @moves(%x: tensor<64x32xf16>, %y: tensor<64x8xf16>, %i: tensor<64x8xi32>) {
  // CHECK: tile.gather %{{.*}}[%{{.*}}] axis 1 : tensor<64x32xf16>, tensor<64x8xi32> -> tensor<64x8xf16>
  %a = tile.gather %x[%i] axis 1 : tensor<64x32xf16>, tensor<64x8xi32> -> tensor<64x8xf16>
  // CHECK: tile.cat %{{.*}}, %{{.*}} axis 1 : tensor<64x32xf16>, tensor<64x8xf16> -> tensor<64x40xf16>
  %b = tile.cat %x, %y axis 1 : tensor<64x32xf16>, tensor<64x8xf16> -> tensor<64x40xf16>
  // CHECK: tile.extract %{{.*}} offsets [63, 0] strides [-1, 2] : tensor<64x32xf16> -> tensor<64x16xf16>
  %c = tile.extract %x offsets [63, 0] strides [-1, 2] : tensor<64x32xf16> -> tensor<64x16xf16>
  return
}

// CHECK-LABEL: func.func @own_code
func.func @own_code(%x: tensor<128xf32>, %i: tensor<128xi8>, %n: i32) {
  // CHECK: tile.map(%{{.*}}, %{{.*}}) pack 2 {
  // CHECK: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: i8, %{{.*}}: i8):
  // CHECK: tile.yield %{{.*}}, %{{.*}} : f32, f32
  // CHECK: } : (tensor<128xf32>, tensor<128xi8>) -> tensor<128xf32>
  %a = tile.map(%x, %i) pack 2 {
  ^bb0(%x0: f32, %x1: f32, %i0: i8, %i1: i8):
    tile.yield %x1, %x0 : f32, f32
  } : (tensor<128xf32>, tensor<128xi8>) -> tensor<128xf32>
  // CHECK: tile.inline_asm "first" constraints "=r,=r,r"(%{{.*}}) : (tensor<128xf32>) -> (tensor<128xi32>, tensor<128xf32>)
  %b:2 = tile.inline_asm "first" constraints "=r,=r,r"(%x) : (tensor<128xf32>) -> (tensor<128xi32>, tensor<128xf32>)
  // CHECK: tile.inline_asm "second" constraints "=r,=r,=r,=r,r,~{memory}"(%{{.*}}) pack 4 pure : (tensor<128xi8>) -> tensor<128xi32>
  %c = tile.inline_asm "second" constraints "=r,=r,=r,=r,r,~{memory}"(%i) pack 4 pure : (tensor<128xi8>) -> tensor<128xi32>
  // CHECK: tile.inline_asm "third" constraints "=r"() : () -> i32
  %d = tile.inline_asm "third" constraints "=r"() : () -> i32
  return
}
