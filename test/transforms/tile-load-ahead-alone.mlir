// RUN: tile-opt %s --tile-load-ahead | FileCheck %s

// Nobody knows how many registers a block without a layout takes: it stays where it
// is, while a number is carried.

// CHECK-LABEL: func.func @no_layouts
// CHECK: scf.for {{.*}} iter_args(%[[NUMBER:[a-z0-9_]+]] =
// CHECK: tile.load %{{.*}} mask %{{.*}} : !tile.ptr<f32>
// CHECK: tile.acquire
// CHECK: tile.load %{{.*}} : tensor<128x!tile.ptr<f32>>
// CHECK: tile.splat %[[NUMBER]] : tensor<128xf32>
func.func @no_layouts(%x: tensor<128x!tile.ptr<f32>>, %scales: !tile.ptr<f32>, %out: tensor<128x!tile.ptr<f16>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %arrived = tile.signal_alloc arrivals 1 : !tile.signals<1>
  scf.for %k = %c0 to %n step %c1 : i32 {
    tile.acquire %arrived[%c0] phase %k : !tile.signals<1>
    %a = tile.load %x : tensor<128x!tile.ptr<f32>>
    %where = tile.addptr %scales, %k : !tile.ptr<f32>, i32
    %scale = tile.load %where : !tile.ptr<f32>
    %scaled = tile.splat %scale : tensor<128xf32>
    %t = arith.mulf %a, %scaled : tensor<128xf32>
    %half = arith.truncf %t : tensor<128xf32> to tensor<128xf16>
    tile.store %out, %half : tensor<128x!tile.ptr<f16>>
  }
  return
}
