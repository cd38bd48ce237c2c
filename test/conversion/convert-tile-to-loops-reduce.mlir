// RUN: tile-opt %s --convert-tile-to-loops --cse | FileCheck %s

// What two loops need is stored by the first one. The sum is carried as a vector
// that starts from the neutral element and is halved in the end.
// CHECK-LABEL: func.func @centre
// CHECK-SAME: (%{{[a-z0-9]+}}: !llvm.ptr {llvm.noalias}, %[[SCRATCH:[a-z0-9]+]]: !llvm.ptr {llvm.noalias}
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<-0.000000e+00> : vector<64xf32>
// CHECK-DAG: %[[BUFFER:.*]] = llvm.getelementptr inbounds %[[SCRATCH]][0]
// CHECK: %[[SUM:.*]] = scf.for %[[I:.*]] = {{.*}} iter_args(%[[ACC:.*]] = %[[ZERO]]) -> (vector<64xf32>)
// CHECK:   %[[X:.*]] = llvm.load {{.*}} -> vector<64xf32>
// CHECK:   arith.addf %[[ACC]], %[[X]] : vector<64xf32>
// CHECK:   %[[SLOT:.*]] = llvm.getelementptr %[[BUFFER]][%[[I]]]
// CHECK:   llvm.store %[[X]], %[[SLOT]]
// CHECK: vector.shuffle %[[SUM]], %[[SUM]] [0, 1, 2, {{.*}}] : vector<64xf32>, vector<64xf32>
// CHECK: arith.addf {{.*}} : vector<32xf32>
// CHECK: arith.addf {{.*}} : vector<1xf32>
// CHECK: scf.for
// CHECK:   llvm.getelementptr %[[BUFFER]]
// CHECK:   arith.subf {{.*}} : vector<64xf32>
// CHECK:   llvm.store
// CHECK-NOT: scf.for
func.func @centre(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<1024xi32>
  %xs = tile.splat %x : tensor<1024x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %xp : tensor<1024x!tile.ptr<f32>>
  %sum = tile.reduce (%v) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32>) -> f32
  %sums = tile.splat %sum : tensor<1024xf32>
  %d = arith.subf %v, %sums : tensor<1024xf32>
  %ys = tile.splat %y : tensor<1024x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %yp, %d : tensor<1024x!tile.ptr<f32>>
  return
}

// Across lanes, the rows are the inner loop and lanes stay apart.
// CHECK-LABEL: func.func @columns
// CHECK: scf.for %{{.*}} step %c64_i64
// CHECK:   %[[MAX:.*]] = scf.for %{{.*}} step %c1_i64 iter_args({{.*}}) -> (vector<64xi32>)
// CHECK:     arith.maxsi {{.*}} : vector<64xi32>
// CHECK:   llvm.store %[[MAX]]
// CHECK-NOT: vector.extract
func.func @columns(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<1024xi32>
  %m = tile.reshape %i : tensor<1024xi32> -> tensor<8x128xi32>
  %xs = tile.splat %x : tensor<8x128x!tile.ptr<i32>>
  %xp = tile.addptr %xs, %m : tensor<8x128x!tile.ptr<i32>>, tensor<8x128xi32>
  %v = tile.load %xp : tensor<8x128x!tile.ptr<i32>>
  %max = tile.reduce (%v) axis 0 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.maxsi %a, %b : i32
    tile.yield %c : i32
  } : (tensor<8x128xi32>) -> tensor<128xi32>
  %j = tile.arange 0 : tensor<128xi32>
  %ys = tile.splat %y : tensor<128x!tile.ptr<i32>>
  %yp = tile.addptr %ys, %j : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  tile.store %yp, %max : tensor<128x!tile.ptr<i32>>
  return
}

// Branches of a combine function become selections of lanes.
// CHECK-LABEL: func.func @branch
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK:   arith.cmpi sgt, {{.*}} : vector<64xi32>
// CHECK:   arith.select {{.*}} : vector<64xi1>, vector<64xi32>
// CHECK: return
func.func @branch(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<1024xi32>
  %xs = tile.splat %x : tensor<1024x!tile.ptr<i32>>
  %xp = tile.addptr %xs, %i : tensor<1024x!tile.ptr<i32>>, tensor<1024xi32>
  %v = tile.load %xp : tensor<1024x!tile.ptr<i32>>
  %most = tile.reduce (%v) axis 0 {
  ^bb0(%a: i32, %b: i32):
    %larger = arith.cmpi sgt, %a, %b : i32
    %c = scf.if %larger -> (i32) {
      scf.yield %a : i32
    } else {
      scf.yield %b : i32
    }
    tile.yield %c : i32
  } : (tensor<1024xi32>) -> i32
  tile.store %x, %most : !tile.ptr<i32>
  return
}
