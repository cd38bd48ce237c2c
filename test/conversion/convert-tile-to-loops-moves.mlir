// RUN: tile-opt %s -convert-tile-to-loops -canonicalize -cse | FileCheck %s

module attributes {tile.target = #tile.target<"cpu", "host", {lanes = 1 : i32}>} {
// A gather from what was loaded reads memory where the index says.
// CHECK-LABEL: func.func @gather
// CHECK: arith.minui %{{.*}}, %{{.*}} : vector<64xi64>
// CHECK: llvm.intr.masked.gather
// CHECK: llvm.store
func.func @gather(%x: !tile.ptr<f32>, %i: !tile.ptr<i32>, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.arange 0 : tensor<64xi32>
  %xs = tile.splat %x : tensor<64x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %xp : tensor<64x!tile.ptr<f32>>
  %is = tile.splat %i : tensor<64x!tile.ptr<i32>>
  %ip = tile.addptr %is, %r : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %n = tile.load %ip : tensor<64x!tile.ptr<i32>>
  %g = tile.gather %v[%n] axis 0 : tensor<64xf32>, tensor<64xi32> -> tensor<64xf32>
  %os = tile.splat %out : tensor<64x!tile.ptr<f32>>
  %op = tile.addptr %os, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %op, %g : tensor<64x!tile.ptr<f32>>
  return
}

// Part of a block is read as a vector, from its first element on.
// CHECK-LABEL: func.func @extract
// CHECK-NOT: masked.gather
// CHECK: llvm.load {{.*}} -> vector<64xf32>
// CHECK-NOT: masked.gather
func.func @extract(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.arange 0 : tensor<128xi32>
  %xs = tile.splat %x : tensor<128x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %r : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %xp : tensor<128x!tile.ptr<f32>>
  %e = tile.extract %v offsets [32] strides [1] : tensor<128xf32> -> tensor<64xf32>
  %s = tile.arange 0 : tensor<64xi32>
  %os = tile.splat %out : tensor<64x!tile.ptr<f32>>
  %op = tile.addptr %os, %s : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %op, %e : tensor<64x!tile.ptr<f32>>
  return
}

// Each side of a chunk that lies on one of them is read as a vector.
// CHECK-LABEL: func.func @cat
// CHECK-NOT: masked.gather
// CHECK: scf.for
// CHECK-COUNT-2: llvm.load {{.*}} -> vector<64xf32>
// CHECK: arith.select %{{.*}} : vector<64xf32>
func.func @cat(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.arange 0 : tensor<128xi32>
  %xs = tile.splat %x : tensor<128x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %r : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %a = tile.load %xp : tensor<128x!tile.ptr<f32>>
  %ys = tile.splat %y : tensor<128x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %r : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %b = tile.load %yp : tensor<128x!tile.ptr<f32>>
  %c = tile.cat %a, %b axis 0 : tensor<128xf32>, tensor<128xf32> -> tensor<256xf32>
  %s = tile.arange 0 : tensor<256xi32>
  %os = tile.splat %out : tensor<256x!tile.ptr<f32>>
  %op = tile.addptr %os, %s : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %op, %c : tensor<256x!tile.ptr<f32>>
  return
}

// The code runs for the lanes inside of the block only: 4 in the last chunk of 16.
// CHECK-LABEL: func.func @map
// CHECK-DAG: %[[WIDTH:.*]] = arith.constant 16 : i64
// CHECK-DAG: %[[LIVE:.*]] = arith.constant 4 : i64
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[WIDTH]]
// CHECK: scf.while
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[LIVE]]
// CHECK: scf.while
func.func @map(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.arange 0 : tensor<100xi32>
  %xs = tile.splat %x : tensor<100x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %r : tensor<100x!tile.ptr<f32>>, tensor<100xi32>
  %v = tile.load %xp : tensor<100x!tile.ptr<f32>>
  %m = tile.map(%v) {
  ^bb0(%a: f32):
    %one = arith.constant 1.0 : f32
    %half = arith.constant 0.5 : f32
    %b = scf.while (%c = %a) : (f32) -> f32 {
      %above = arith.cmpf ogt, %c, %one : f32
      scf.condition(%above) %c : f32
    } do {
    ^bb1(%c: f32):
      %d = arith.mulf %c, %half : f32
      scf.yield %d : f32
    }
    tile.yield %b : f32
  } : (tensor<100xf32>) -> tensor<100xf32>
  %os = tile.splat %out : tensor<100x!tile.ptr<f32>>
  %op = tile.addptr %os, %r : tensor<100x!tile.ptr<f32>>, tensor<100xi32>
  tile.store %op, %m : tensor<100x!tile.ptr<f32>>
  return
}
}
