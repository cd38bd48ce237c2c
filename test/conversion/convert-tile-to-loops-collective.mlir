// RUN: tile-opt %s --convert-tile-to-loops --cse | FileCheck %s

// Across lanes a vector goes from row to row, in the memory of the result.
// CHECK-LABEL: func.func @scan_across
// CHECK: scf.for
// CHECK: %[[FIRST:.*]] = llvm.load %{{.*}} -> vector<64xf32>
// CHECK: scf.for {{.*}} iter_args(%[[MET:.*]] = %[[FIRST]]) -> (vector<64xf32>)
// CHECK:   %[[X:.*]] = llvm.load %[[SLOT:.*]] {{.*}} -> vector<64xf32>
// CHECK:   %[[NEXT:.*]] = arith.addf %[[MET]], %[[X]] : vector<64xf32>
// CHECK:   llvm.store %[[NEXT]], %[[SLOT]]
// CHECK:   scf.yield %[[NEXT]]
func.func @scan_across(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %s = tile.splat %x : tensor<32x64x!tile.ptr<f32>>
  %v = tile.load %s : tensor<32x64x!tile.ptr<f32>>
  %y = tile.scan(%v) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<32x64xf32>) -> tensor<32x64xf32>
  tile.store %s, %y : tensor<32x64x!tile.ptr<f32>>
  return
}

// Along lanes, steps of 1, 2, 4, 8 and then what the vector before has left.
// CHECK-LABEL: func.func @scan_along
// CHECK: %[[CARRY:.*]] = vector.shuffle %{{.*}} [15, 15, 15, 15, {{.*}}] : vector<16xi32>
// CHECK: scf.for {{.*}} iter_args(%[[MET:.*]] = %[[CARRY]]) -> (vector<16xi32>)
// CHECK:   vector.shuffle %{{.*}} [0, 0, 1, 2, {{.*}}, 14]
// CHECK:   vector.shuffle %{{.*}} [0, 1, 0, 1, {{.*}}, 13]
// CHECK:   vector.shuffle %{{.*}} [0, 1, 2, 3, 0, {{.*}}, 11]
// CHECK:   vector.shuffle %{{.*}} [0, 1, 2, 3, 4, 5, 6, 7, 0, {{.*}}, 7]
// CHECK:   arith.addi %[[MET]],
func.func @scan_along(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %s = tile.splat %x : tensor<256x!tile.ptr<i32>>
  %v = tile.load %s : tensor<256x!tile.ptr<i32>>
  %y = tile.scan(%v) axis 0 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  } : (tensor<256xi32>) -> tensor<256xi32>
  tile.store %s, %y : tensor<256x!tile.ptr<i32>>
  return
}

// The steps that are written do not depend on the length of the row: two passes,
// by bytes, in a loop.
// CHECK-LABEL: func.func @sort
// CHECK: %[[MASK:.*]] = arith.constant 255 : i64
// CHECK: scf.for %[[SHIFT:.*]] = %{{.*}} to %{{.*}} step
// CHECK-COUNT-8: scf.for
// CHECK-NOT: scf.for %{{.*}} to %{{.*}} step %{{.*}} iter_args
func.func @sort(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %s = tile.splat %x : tensor<256x!tile.ptr<i32>>
  %v = tile.load %s : tensor<256x!tile.ptr<i32>>
  %y = tile.sort %v unsigned : tensor<256xi32> -> tensor<256xi32>
  tile.store %s, %y : tensor<256x!tile.ptr<i32>>
  return
}

// CHECK-LABEL: func.func @histogram
// CHECK: scf.for
// CHECK:   llvm.store %{{.*}} : vector<64xi32>
// CHECK: scf.for
// CHECK:   %[[BIN:.*]] = arith.extsi %{{.*}} : i16 to i64
// CHECK:   %[[COUNTED:.*]] = arith.cmpi ult, %[[BIN]]
// CHECK:   arith.select %[[COUNTED]], %[[BIN]]
// CHECK:   arith.extui %[[COUNTED]] : i1 to i32
func.func @histogram(%x: !tile.ptr<i16>, %y: !tile.ptr<i32>) attributes {tile.kernel} {
  %s = tile.splat %x : tensor<256x!tile.ptr<i16>>
  %v = tile.load %s : tensor<256x!tile.ptr<i16>>
  %h = tile.histogram %v : tensor<256xi16> -> tensor<64xi32>
  %t = tile.splat %y : tensor<64x!tile.ptr<i32>>
  tile.store %t, %h : tensor<64x!tile.ptr<i32>>
  return
}
