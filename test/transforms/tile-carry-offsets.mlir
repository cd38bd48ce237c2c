// RUN: tile-opt %s --tile-carry-offsets --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @pointers
// CHECK-SAME: (%[[P0:[a-z0-9]+]]: tensor<128x!tile.ptr<f32>>, %[[S:[a-z0-9]+]]: i32
// CHECK: %[[TWICE:.+]] = arith.addi %[[S]], %[[S]] : i32
// CHECK: %[[S64:.+]] = arith.extsi %[[TWICE]] : i32 to i64
// CHECK: %[[STEP:.+]] = arith.addi %[[S64]], %c128_i64
// CHECK: %[[END:.+]]:2 = scf.for {{.*}} iter_args(%[[O:.+]] = %c0_i64, %{{.*}} = %{{.*}}) -> (i64, tensor<128xf32>)
// CHECK: %[[OS:.+]] = tile.splat %[[O]] : tensor<128xi64>
// CHECK: %[[P:.+]] = tile.addptr %[[P0]], %[[OS]]
// CHECK: tile.load %[[P]]
// CHECK: %[[N:.+]] = arith.addi %[[O]], %[[STEP]] : i64
// CHECK: scf.yield %[[N]]
// CHECK: %[[ES:.+]] = tile.splat %[[END]]#0 : tensor<128xi64>
// CHECK: %[[Q:.+]] = tile.addptr %[[P0]], %[[ES]]
// CHECK: tile.store %[[Q]], %[[END]]#1
func.func @pointers(%p0: tensor<128x!tile.ptr<f32>>, %s: i32, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %c128 = arith.constant dense<128> : tensor<128xi32>
  %q, %sum = scf.for %i = %c0 to %n step %c1 iter_args(%p = %p0, %a = %zero) -> (tensor<128x!tile.ptr<f32>>, tensor<128xf32>) : i32 {
    %twice = arith.addi %s, %s : i32
    %ss = tile.splat %twice : tensor<128xi32>
    %x = tile.load %p : tensor<128x!tile.ptr<f32>>
    %t = arith.addf %a, %x : tensor<128xf32>
    %p1 = tile.addptr %p, %c128 : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %p2 = tile.addptr %p1, %ss : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    scf.yield %p2, %t : tensor<128x!tile.ptr<f32>>, tensor<128xf32>
  }
  tile.store %q, %sum : tensor<128x!tile.ptr<f32>>
  return
}

// What is promised of the pointers is promised of them in each iteration; what is promised of the
// next ones alone would be lost.
// CHECK-LABEL: func.func @promised
// CHECK-SAME: (%[[P0:[a-z0-9]+]]: tensor<128x!tile.ptr<f32>>
// CHECK: scf.for {{.*}} iter_args(%[[O:.+]] = %c0_i64) -> (i64)
// CHECK: %[[OS:.+]] = tile.splat %[[O]] : tensor<128xi64>
// CHECK: %[[P:.+]] = tile.addptr %[[P0]], %[[OS]]
// CHECK: %[[H:.+]] = tile.hint %[[P]] divisibility [16]
// CHECK: tile.load %[[H]]
// CHECK: scf.for {{.*}} iter_args(%{{.+}} = %[[P0]]) -> (tensor<128x!tile.ptr<f32>>)
func.func @promised(%p0: tensor<128x!tile.ptr<f32>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c128 = arith.constant dense<128> : tensor<128xi32>
  %q = scf.for %i = %c0 to %n step %c1 iter_args(%p = %p0) -> (tensor<128x!tile.ptr<f32>>) : i32 {
    %h = tile.hint %p divisibility [16] : tensor<128x!tile.ptr<f32>>
    %x = tile.load %h : tensor<128x!tile.ptr<f32>>
    tile.store %h, %x : tensor<128x!tile.ptr<f32>>
    %p1 = tile.addptr %h, %c128 : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    scf.yield %p1 : tensor<128x!tile.ptr<f32>>
  }
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %p0) -> (tensor<128x!tile.ptr<f32>>) : i32 {
    %x = tile.load %p : tensor<128x!tile.ptr<f32>>
    tile.store %p, %x : tensor<128x!tile.ptr<f32>>
    %p1 = tile.addptr %p, %c128 : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %h = tile.hint %p1 divisibility [16] : tensor<128x!tile.ptr<f32>>
    scf.yield %h : tensor<128x!tile.ptr<f32>>
  }
  return
}

// Integers wrap as before, in their own width.
// CHECK-LABEL: func.func @integers
// CHECK: scf.for {{.*}} iter_args(%[[O:.+]] = %c0_i32) -> (i32)
// CHECK: arith.addi %[[O]], %c4_i32 : i32
func.func @integers(%i0: tensor<64xi32>, %n: i32) -> tensor<64xi32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant dense<4> : tensor<64xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%i = %i0) -> tensor<64xi32> : i32 {
    %next = arith.addi %i, %c4 : tensor<64xi32>
    scf.yield %next : tensor<64xi32>
  }
  return %r : tensor<64xi32>
}

// Steps that differ from element to element, or from step to step, stay.
// CHECK-LABEL: func.func @not_uniform
// CHECK: scf.for {{.*}} -> (tensor<64xi32>, tensor<64xi32>)
func.func @not_uniform(%i0: tensor<64xi32>, %n: i32) -> (tensor<64xi32>, tensor<64xi32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r0 = tile.arange 0 : tensor<64xi32>
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%i = %i0, %j = %i0) -> (tensor<64xi32>, tensor<64xi32>) : i32 {
    %next = arith.addi %i, %r0 : tensor<64xi32>
    %ks = tile.splat %k : tensor<64xi32>
    %other = arith.addi %j, %ks : tensor<64xi32>
    scf.yield %next, %other : tensor<64xi32>, tensor<64xi32>
  }
  return %r#0, %r#1 : tensor<64xi32>, tensor<64xi32>
}
