// RUN: tile-opt %s -split-input-file --tile-assign-layouts --tile-remove-conversions --tile-pipeline-loops --tile-load-ahead --canonicalize | FileCheck %s

module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32, async_copy_bytes = array<i64: 4, 8, 16>}>, tile.num_warps = 4 : i32} {
// A number is carried from three iterations before the one that uses it.
// CHECK-LABEL: func.func @numbers
// CHECK: %[[FIRST:.+]] = tile.load %{{.*}} mask %{{.*}} : !tile.ptr<f32>
// CHECK: %[[SECOND:.+]] = tile.load %{{.*}} mask %{{.*}} : !tile.ptr<f32>
// CHECK: %[[THIRD:.+]] = tile.load %{{.*}} mask %{{.*}} : !tile.ptr<f32>
// CHECK: scf.for {{.*}} iter_args({{.*}}%[[NUMBER:[a-z0-9_]+]] = %[[FIRST]], %[[LATER:[a-z0-9_]+]] = %[[SECOND]], %[[LAST:[a-z0-9_]+]] = %[[THIRD]])
// CHECK: %[[EXISTS:.+]] = arith.cmpi ugt
// CHECK: %[[NEXT:.+]] = tile.load %{{.*}} mask %[[EXISTS]] : !tile.ptr<f32>
// CHECK: tile.splat %[[NUMBER]]
// CHECK: scf.yield {{.*}}%[[LATER]], %[[LAST]], %[[NEXT]] :
func.func @numbers(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %scales: !tile.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c1024 = arith.constant 1024 : i32
  %r = tile.arange 0 : tensor<1024xi32>
  %xs = tile.splat %x : tensor<1024x!tile.ptr<f32>>
  %ys = tile.splat %y : tensor<1024x!tile.ptr<f32>>
  %q = tile.addptr %ys, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  scf.for %k = %c0 to %n step %c1 : i32 {
    %at = arith.muli %k, %c1024 : i32
    %ats = tile.splat %at : tensor<1024xi32>
    %o = arith.addi %ats, %r : tensor<1024xi32>
    %p = tile.addptr %xs, %o : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %a = tile.load %p : tensor<1024x!tile.ptr<f32>>
    %where = tile.addptr %scales, %k : !tile.ptr<f32>, i32
    %scale = tile.load %where : !tile.ptr<f32>
    %scaleds = tile.splat %scale : tensor<1024xf32>
    %t = arith.mulf %a, %scaleds : tensor<1024xf32>
    tile.store %q, %t : tensor<1024x!tile.ptr<f32>>
  } {tile.num_stages = 3 : i32}
  return
}

// A block of a few elements a thread is loaded ahead with its mask; where the loop
// writes to the array it is not.
// CHECK-LABEL: func.func @blocks
// CHECK-COUNT-3: tile.load %{{.*}} mask %{{.*}} other %{{.*}} : tensor<128x!tile.ptr<f16>
// CHECK: scf.for {{.*}} iter_args(
// CHECK: tile.load %{{.*}} mask %{{.*}} other %{{.*}} : tensor<128x!tile.ptr<f16>
// CHECK: tile.await
// CHECK: tile.load %{{.*}} : !tile.ptr<f32>
// CHECK-NOT: tile.load
// CHECK: scf.yield
func.func @blocks(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %h: !tile.ptr<f16>, %y: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c1024 = arith.constant 1024 : i32
  %zero = arith.constant dense<0.0> : tensor<128xf16>
  %r = tile.arange 0 : tensor<1024xi32>
  %s = tile.arange 0 : tensor<128xi32>
  %xs = tile.splat %x : tensor<1024x!tile.ptr<f32>>
  %few = tile.splat %h : tensor<128x!tile.ptr<f16>>
  %ys = tile.splat %y : tensor<1024x!tile.ptr<f32>>
  %q = tile.addptr %ys, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %sums = tile.splat %y : tensor<128x!tile.ptr<f32>>
  %t = tile.addptr %sums, %s : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  scf.for %k = %c0 to %n step %c1 : i32 {
    %at = arith.muli %k, %c1024 : i32
    %ats = tile.splat %at : tensor<1024xi32>
    %o = arith.addi %ats, %r : tensor<1024xi32>
    %p = tile.addptr %xs, %o : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %a = tile.load %p : tensor<1024x!tile.ptr<f32>>
    %ks = tile.splat %k : tensor<128xi32>
    %so = arith.addi %ks, %s : tensor<128xi32>
    %sp = tile.addptr %few, %so : tensor<128x!tile.ptr<f16>>, tensor<128xi32>
    %mask = arith.cmpi slt, %s, %ks : tensor<128xi32>
    %small = tile.load %sp mask %mask other %zero : tensor<128x!tile.ptr<f16>>
    %written = tile.addptr %y, %k : !tile.ptr<f32>, i32
    %own = tile.load %written : !tile.ptr<f32>
    %owns = tile.splat %own : tensor<128xf32>
    %wide = arith.extf %small : tensor<128xf16> to tensor<128xf32>
    %sum = arith.addf %wide, %owns : tensor<128xf32>
    tile.store %q, %a : tensor<1024x!tile.ptr<f32>>
    tile.store %t, %sum : tensor<128x!tile.ptr<f32>>
  } {tile.num_stages = 3 : i32}
  return
}
}
