// RUN: tile-opt %s --convert-tile-to-loops --cse | FileCheck %s

// Indices that wrap around at a bound are consecutive in all chunks but one: a
// test decides, and the other branch goes lane by lane.
// CHECK-LABEL: func.func @remainder
// CHECK: scf.for
// CHECK:   %[[FIRST:.*]] = arith.remsi %{{.*}}, %[[N:.*]] : i32
// CHECK:   %[[FITS:.*]] = arith.cmpi slt
// CHECK:   scf.if %{{.*}} -> (vector<64xf32>) {
// CHECK-NEXT: llvm.load {{.*}} -> vector<64xf32>
// CHECK:   } else {
// CHECK:     scf.for
// CHECK:       arith.remsi {{.*}} : i32
// CHECK:       llvm.load {{.*}} -> f32
// CHECK-NOT: masked.gather
func.func @remainder(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<256xi32>
  %ns = tile.splat %n : tensor<256xi32>
  %r = arith.remsi %i, %ns : tensor<256xi32>
  %xs = tile.splat %x : tensor<256x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %xp : tensor<256x!tile.ptr<f32>>
  %ys = tile.splat %y : tensor<256x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %yp, %v : tensor<256x!tile.ptr<f32>>
  return
}

// Pointers that a loop advances are a scalar step times the count: none are stored.
// CHECK-LABEL: func.func @advance
// CHECK-NOT: masked.gather
// CHECK: scf.for %{{.*}} : i32 {
// CHECK:   llvm.load {{.*}} -> vector<64xf32>
// CHECK-NOT: masked.gather
// CHECK: return
func.func @advance(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tile.arange 0 : tensor<64xi32>
  %xs = tile.splat %x : tensor<64x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %step = tile.splat %n : tensor<64xi32>
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %zero, %p = %xp)
      -> (tensor<64xf32>, tensor<64x!tile.ptr<f32>>) : i32 {
    %v = tile.load %p : tensor<64x!tile.ptr<f32>>
    %s = arith.addf %sum, %v : tensor<64xf32>
    %q = tile.addptr %p, %step : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %s, %q : tensor<64xf32>, tensor<64x!tile.ptr<f32>>
  }
  %ys = tile.splat %y : tensor<64x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %yp, %r#0 : tensor<64x!tile.ptr<f32>>
  return
}

// A load stays before a write to memory that it may read, through a buffer.
// CHECK-LABEL: func.func @shift
// CHECK: scf.for
// CHECK:   llvm.load
// CHECK: scf.for
// CHECK:   llvm.store
func.func @shift(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<256xi32>
  %j = tile.arange 1 : tensor<256xi32>
  %xs = tile.splat %x : tensor<256x!tile.ptr<f32>>
  %from = tile.addptr %xs, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %to = tile.addptr %xs, %j : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %a = tile.load %from : tensor<256x!tile.ptr<f32>>
  tile.store %to, %a : tensor<256x!tile.ptr<f32>>
  return
}
