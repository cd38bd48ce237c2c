// RUN: tile-opt %s | tile-opt | FileCheck %s

// CHECK-LABEL: func.func @atomics
func.func @atomics(%p: tensor<128x!tile.ptr<f32>>, %m: tensor<128xi1>, %x: tensor<128xf32>,
                   %s: !tile.ptr<i32>, %n: i32, %ns: i64) {
  // CHECK: tile.atomic_rmw fmax %{{.*}}, %{{.*}} mask %{{.*}} {scope = #tile<scope cta>, semantic = #tile<semantic relaxed>} : tensor<128x!tile.ptr<f32>>
  %a = tile.atomic_rmw fmax %p, %x mask %m {semantic = #tile<semantic relaxed>, scope = #tile<scope cta>} : tensor<128x!tile.ptr<f32>>
  // CHECK: tile.atomic_rmw fmin %{{.*}}, %{{.*}} : tensor<128x!tile.ptr<f32>>
  %b = tile.atomic_rmw fmin %p, %x : tensor<128x!tile.ptr<f32>>
  // CHECK: tile.atomic_load %{{.*}} mask %{{.*}} : tensor<128x!tile.ptr<f32>>
  %c = tile.atomic_load %p mask %m : tensor<128x!tile.ptr<f32>>
  // CHECK: tile.atomic_load %{{.*}} {semantic = #tile<semantic relaxed>} : !tile.ptr<i32>
  %d = tile.atomic_load %s {semantic = #tile<semantic relaxed>} : !tile.ptr<i32>
  // CHECK: tile.atomic_store %{{.*}}, %{{.*}} mask %{{.*}} : tensor<128x!tile.ptr<f32>>
  tile.atomic_store %p, %x mask %m : tensor<128x!tile.ptr<f32>>
  // CHECK: tile.atomic_store %{{.*}}, %{{.*}} {scope = #tile<scope sys>} : !tile.ptr<i32>
  tile.atomic_store %s, %n {scope = #tile<scope sys>} : !tile.ptr<i32>
  // CHECK: tile.atomic_poll %{{.*}}, %{{.*}} timeout %{{.*}} : !tile.ptr<i32>
  %e = tile.atomic_poll %s, %n timeout %ns : !tile.ptr<i32>
  // CHECK: tile.atomic_poll %{{.*}}, %{{.*}} {semantic = #tile<semantic relaxed>} : !tile.ptr<i32>
  %f = tile.atomic_poll %s, %n {semantic = #tile<semantic relaxed>} : !tile.ptr<i32>
  // CHECK: tile.timer : i64
  %g = tile.timer : i64
  return
}

// CHECK-LABEL: func.func @descriptors
// CHECK-SAME: (%{{.*}}: !tile.desc<4x32xf32, nan, tf32> {tile.divisibility = 16 : i32}
func.func @descriptors(%arg: !tile.desc<4x32xf32, nan, tf32> {tile.divisibility = 16 : i32},
                       %p: !tile.ptr<f16>, %i: i32, %s: i64, %x: tensor<4x32xf16>,
                       %rows: tensor<8xi32>, %y: tensor<8x32xf16>) attributes {tile.kernel} {
  // CHECK: tile.make_descriptor %{{.*}} sizes[%{{.*}}, %{{.*}}] strides[%{{.*}}] : !tile.ptr<f16> -> !tile.desc<4x32xf16>
  %d = tile.make_descriptor %p sizes[%i, %i] strides[%s] : !tile.ptr<f16> -> !tile.desc<4x32xf16>
  // CHECK: tile.make_descriptor %{{.*}} sizes[%{{.*}}] strides[] : !tile.ptr<f16> -> !tile.desc<64xf16, nan>
  %e = tile.make_descriptor %p sizes[%i] strides[] : !tile.ptr<f16> -> !tile.desc<64xf16, nan>
  // CHECK: tile.make_descriptor %{{.*}} : !tile.ptr<f16> -> !tile.desc<1x32xf16>
  %f = tile.make_descriptor %p sizes[%i, %i] strides[%s] : !tile.ptr<f16> -> !tile.desc<1x32xf16>
  // CHECK: tile.descriptor_base %{{.*}} : !tile.desc<4x32xf32, nan, tf32>
  %b = tile.descriptor_base %arg : !tile.desc<4x32xf32, nan, tf32>
  // CHECK: tile.descriptor_size %{{.*}} dim 1 : !tile.desc<4x32xf32, nan, tf32>
  %n = tile.descriptor_size %arg dim 1 : !tile.desc<4x32xf32, nan, tf32>
  // CHECK: tile.descriptor_stride %{{.*}} dim 0 : !tile.desc<4x32xf32, nan, tf32>
  %t = tile.descriptor_stride %arg dim 0 : !tile.desc<4x32xf32, nan, tf32>
  // CHECK: tile.descriptor_load %{{.*}}[%{{.*}}, %{{.*}}] : !tile.desc<4x32xf16>
  %l = tile.descriptor_load %d[%i, %i] : !tile.desc<4x32xf16>
  // CHECK: tile.descriptor_store %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tile.desc<4x32xf16>
  tile.descriptor_store %d[%i, %i], %x : !tile.desc<4x32xf16>
  // CHECK: tile.descriptor_reduce fadd %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tile.desc<4x32xf16>
  tile.descriptor_reduce fadd %d[%i, %i], %x : !tile.desc<4x32xf16>
  // CHECK: tile.descriptor_gather %{{.*}}[%{{.*}}, %{{.*}}] : !tile.desc<1x32xf16>, tensor<8xi32> -> tensor<8x32xf16>
  %g = tile.descriptor_gather %f[%rows, %i] : !tile.desc<1x32xf16>, tensor<8xi32> -> tensor<8x32xf16>
  // CHECK: tile.descriptor_scatter %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tile.desc<1x32xf16>, tensor<8xi32>, tensor<8x32xf16>
  tile.descriptor_scatter %f[%rows, %i], %y : !tile.desc<1x32xf16>, tensor<8xi32>, tensor<8x32xf16>
  return
}
