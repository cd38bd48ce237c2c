// RUN: tile-opt %s -split-input-file --tile-check-bounds | FileCheck %s

module attributes {tile.check_bounds} {
// Two numbers for each pointer come behind the arguments.
// CHECK: module {
// CHECK-LABEL: func.func @kernel
// CHECK-SAME: (%[[P:.*]]: !tile.ptr<f32>, %[[N:.*]]: i32, %[[Q:.*]]: !tile.ptr<f16>, %{{.*}}: tensor<8xi1>, %[[PB:.*]]: i64, %[[PE:.*]]: i64, %[[QB:.*]]: i64, %[[QE:.*]]: i64)
func.func @kernel(%p: !tile.ptr<f32>, %n: i32, %q: !tile.ptr<f16>, %m: tensor<8xi1>) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<8xi32>
  %s = tile.splat %p : tensor<8x!tile.ptr<f32>>
  %a = tile.addptr %s, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  // CHECK: %[[FOUR:.*]] = arith.constant 4 : i64
  // CHECK: %[[LAST:.*]] = arith.subi %[[PE]], %[[FOUR]]
  // CHECK: %[[B:.*]] = tile.splat %[[PB]]
  // CHECK: %[[L:.*]] = tile.splat %[[LAST]]
  // CHECK: %[[A:.*]] = tile.ptr_to_int %{{.*}} : tensor<8x!tile.ptr<f32>> -> tensor<8xi64>
  // CHECK: %[[FROM:.*]] = arith.cmpi uge, %[[A]], %[[B]]
  // CHECK: %[[TO:.*]] = arith.cmpi ule, %[[A]], %[[L]]
  // CHECK: %[[INSIDE:.*]] = arith.andi %[[FROM]], %[[TO]]
  // CHECK: %[[DEAD:.*]] = arith.xori %{{.*}}, %{{.*}}
  // CHECK: %[[ALLOWED:.*]] = arith.ori %[[INSIDE]], %[[DEAD]]
  // CHECK: %[[MASK:.*]] = arith.andi %{{.*}}, %[[INSIDE]]
  // CHECK: tile.assert %[[ALLOWED]], "access outside of the array of argument 0"
  // CHECK: tile.load %{{.*}} mask %[[MASK]]
  %x = tile.load %a mask %m : tensor<8x!tile.ptr<f32>>
  %b = tile.addptr %q, %n : !tile.ptr<f16>, i32
  // CHECK: tile.assert %[[OK:.*]], "access outside of the array of argument 2"
  // CHECK: tile.load %{{.*}} mask %[[OK]] : !tile.ptr<f16>
  %y = tile.load %b : !tile.ptr<f16>
  return
}
}

// -----

module attributes {tile.check_bounds} {
// A pointer of which it is not known where it leads is not checked.
// CHECK-LABEL: func.func @unknown
// CHECK-NOT: tile.assert
func.func @unknown(%p: !tile.ptr<!tile.ptr<f32>>, %a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %c: i1, %n: i64) attributes {tile.kernel} {
  %s = arith.select %c, %a, %b : !tile.ptr<f32>
  %x = tile.load %s : !tile.ptr<f32>
  %i = tile.int_to_ptr %n : i64 -> !tile.ptr<f32>
  tile.store %i, %x : !tile.ptr<f32>
  return
}
}

// -----

module attributes {tile.check_bounds} {
// CHECK-LABEL: func.func @loop
// CHECK: scf.for
// CHECK: tile.assert
func.func @loop(%a: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a) -> !tile.ptr<f32> : i32 {
    %x = tile.load %p : !tile.ptr<f32>
    %q = tile.addptr %p, %c1 : !tile.ptr<f32>, i32
    scf.yield %q : !tile.ptr<f32>
  }
  // CHECK: tile.assert
  // CHECK: tile.atomic_cas
  %f = arith.constant 0.0 : f32
  %o = tile.atomic_cas %r, %f, %f : !tile.ptr<f32>
  return
}
}

// -----

// CHECK-LABEL: func.func @unasked
// CHECK-NOT: tile.assert
func.func @unasked(%a: !tile.ptr<f32>) attributes {tile.kernel} {
  %x = tile.load %a : !tile.ptr<f32>
  return
}
