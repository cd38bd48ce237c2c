// RUN: tile-opt %s --tile-expand-descriptors --canonicalize | FileCheck %s

// An argument becomes its parts, with what the host promises of them.

// CHECK-LABEL: func.func @argument
// CHECK-SAME: (%[[N:.*]]: i32, %[[P:.*]]: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %[[ROWS:.*]]: i32, %[[COLUMNS:.*]]: i32 {tile.divisibility = 16 : i32}, %[[STRIDE:.*]]: i64 {tile.divisibility = 8 : i32}, %[[J:.*]]: i32 {tile.divisibility = 64 : i32}) attributes {tile.kernel}
func.func @argument(%n: i32, %d: !tile.desc<4x32xf16> {tile.divisibility = 16 : i32},
                    %j: i32 {tile.divisibility = 64 : i32}) attributes {tile.kernel} {
  // CHECK: %[[N64:.*]] = arith.extsi %[[N]] : i32 to i64
  // CHECK: %[[SKIP:.*]] = arith.muli %[[N64]], %[[STRIDE]] : i64
  // CHECK: %[[ROW0:.*]] = tile.addptr %[[P]], %[[SKIP]] : !tile.ptr<f16>, i64
  // CHECK: %[[J64:.*]] = arith.extsi %[[J]] : i32 to i64
  // CHECK: %[[FIRST:.*]] = tile.addptr %[[ROW0]], %[[J64]] : !tile.ptr<f16>, i64
  // CHECK: tile.splat %[[FIRST]] : tensor<1x1x!tile.ptr<f16>>
  // CHECK: arith.muli %{{.*}}, %{{.*}} : tensor<4xi64>
  // CHECK: tile.addptr %{{.*}}, %{{.*}} : tensor<4x1x!tile.ptr<f16>>, tensor<4x1xi64>
  // CHECK: tile.addptr %{{.*}}, %{{.*}} : tensor<4x32x!tile.ptr<f16>>, tensor<4x32xi32>
  // CHECK: arith.cmpi sge, %{{.*}}, %{{.*}} : tensor<4xi32>
  // CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} : tensor<4xi32>
  // CHECK: arith.cmpi sge, %{{.*}}, %{{.*}} : tensor<32xi32>
  // CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} : tensor<32xi32>
  // CHECK: %[[MASK:.*]] = arith.andi %{{.*}}, %{{.*}} : tensor<4x32xi1>
  // CHECK: tile.load %{{.*}} mask %[[MASK]] : tensor<4x32x!tile.ptr<f16>>
  %x = tile.descriptor_load %d[%n, %j] : !tile.desc<4x32xf16>
  // CHECK: tile.store %{{.*}}, %{{.*}} mask %{{.*}} : tensor<4x32x!tile.ptr<f16>>
  tile.descriptor_store %d[%j, %n], %x : !tile.desc<4x32xf16>
  return
}

// Loops carry the parts, and keep what was asked of them.

// CHECK-LABEL: func.func @carried
// CHECK-SAME: (%[[P:.*]]: !tile.ptr<f32>, %[[N:.*]]: i32, %{{.*}}: !tile.ptr<f32>)
func.func @carried(%p: !tile.ptr<f32>, %n: i32, %q: !tile.ptr<f32>) {
  %d = tile.make_descriptor %p sizes[%n] strides[] : !tile.ptr<f32> -> !tile.desc<16xf32, nan>
  %e = tile.make_descriptor %q sizes[%n] strides[] : !tile.ptr<f32> -> !tile.desc<16xf32, nan>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK-DAG: arith.constant dense<0x7FC00000> : tensor<16xf32>
  // CHECK: scf.for %{{.*}} iter_args(%[[A:.*]] = %[[P]], %[[B:.*]] = %{{.*}}) -> (!tile.ptr<f32>, !tile.ptr<f32>)
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %d, %b = %e)
      -> (!tile.desc<16xf32, nan>, !tile.desc<16xf32, nan>) : i32 {
    // CHECK: tile.load %{{.*}} mask %{{.*}} other %{{.*}}
    %x = tile.descriptor_load %a[%i] : !tile.desc<16xf32, nan>
    tile.descriptor_store %b[%i], %x : !tile.desc<16xf32, nan>
    // CHECK: scf.yield %[[B]], %[[A]] : !tile.ptr<f32>, !tile.ptr<f32>
    scf.yield %b, %a : !tile.desc<16xf32, nan>, !tile.desc<16xf32, nan>
  } {tile.num_stages = 2 : i32}
  // CHECK: {tile.num_stages = 2 : i32}
  %z = tile.descriptor_load %r#0[%c0] : !tile.desc<16xf32, nan>
  tile.descriptor_store %r#1[%n], %z : !tile.desc<16xf32, nan>
  return
}

// CHECK-LABEL: func.func @chosen
// CHECK-NOT: tile.desc
func.func @chosen(%a: !tile.desc<16xi32>, %b: !tile.desc<16xi32>, %c: i1, %x: tensor<16xi32>) -> i32 {
  %d = arith.select %c, %a, %b : !tile.desc<16xi32>
  // CHECK: tile.atomic_rmw umax %{{.*}}, %{{.*}} mask %{{.*}} {semantic = #tile<semantic relaxed>} : tensor<16x!tile.ptr<i32>>
  %n = tile.descriptor_size %d dim 0 : !tile.desc<16xi32>
  tile.descriptor_reduce umax %d[%n], %x : !tile.desc<16xi32>
  %e = scf.if %c -> !tile.desc<16xi32> {
    %u = ub.poison : !tile.desc<16xi32>
    scf.yield %u : !tile.desc<16xi32>
  } else {
    scf.yield %b : !tile.desc<16xi32>
  }
  %m = tile.descriptor_size %e dim 0 : !tile.desc<16xi32>
  return %m : i32
}

// CHECK-LABEL: func.func @rows
func.func @rows(%d: !tile.desc<1x32xf32, tf32>, %r: tensor<8xi32>, %j: i32) {
  // CHECK: arith.extsi %{{.*}} : tensor<8xi32> to tensor<8xi64>
  // CHECK: tile.load %{{.*}} mask %{{.*}} : tensor<8x32x!tile.ptr<f32>>
  // CHECK: arith.bitcast %{{.*}} : tensor<8x32xf32> to tensor<8x32xi32>
  // CHECK: arith.shrui
  // CHECK: arith.select
  %x = tile.descriptor_gather %d[%r, %j] : !tile.desc<1x32xf32, tf32>, tensor<8xi32> -> tensor<8x32xf32>
  // CHECK: tile.store %{{.*}}, %{{.*}} mask %{{.*}} : tensor<8x32x!tile.ptr<f32>>
  tile.descriptor_scatter %d[%r, %j], %x : !tile.desc<1x32xf32, tf32>, tensor<8xi32>, tensor<8x32xf32>
  return
}
