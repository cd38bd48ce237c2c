// RUN: tile-opt %s --tile-expand-atomics | FileCheck %s

// CHECK-LABEL: func.func @maximum
// CHECK-SAME: (%[[P:.*]]: tensor<8x!tile.ptr<f32>>, %[[X:.*]]: tensor<8xf32>, %[[M:.*]]: tensor<8xi1>)
func.func @maximum(%p: tensor<8x!tile.ptr<f32>>, %x: tensor<8xf32>, %m: tensor<8xi1>) -> tensor<8xf32> {
  // CHECK: %[[Q:.*]] = tile.cast_ptr %[[P]] : tensor<8x!tile.ptr<f32>> -> tensor<8x!tile.ptr<i32>>
  // CHECK: %[[BITS:.*]] = arith.bitcast %[[X]] : tensor<8xf32> to tensor<8xi32>
  // CHECK: %[[POSITIVE:.*]] = arith.cmpi sge, %[[BITS]]
  // CHECK: %[[UP:.*]] = arith.andi %[[POSITIVE]], %[[M]]
  // CHECK: %[[A:.*]] = tile.atomic_rmw max %[[Q]], %[[BITS]] mask %[[UP]] {scope = #tile<scope sys>}
  // CHECK: %[[NEGATIVE:.*]] = arith.cmpi slt, %[[BITS]]
  // CHECK: %[[DOWN:.*]] = arith.andi %[[NEGATIVE]], %[[M]]
  // CHECK: %[[B:.*]] = tile.atomic_rmw umin %[[Q]], %[[BITS]] mask %[[DOWN]] {scope = #tile<scope sys>}
  // CHECK: %[[OLD:.*]] = arith.select %{{.*}}, %[[A]], %[[B]]
  // CHECK: %[[R:.*]] = arith.bitcast %[[OLD]] : tensor<8xi32> to tensor<8xf32>
  // CHECK: return %[[R]]
  %old = tile.atomic_rmw fmax %p, %x mask %m {scope = #tile<scope sys>} : tensor<8x!tile.ptr<f32>>
  return %old : tensor<8xf32>
}

// CHECK-LABEL: func.func @minimum
func.func @minimum(%p: !tile.ptr<f64>, %x: f64) {
  // CHECK: tile.atomic_rmw min %{{.*}}, %{{.*}} mask %{{.*}} : !tile.ptr<i64>
  // CHECK: tile.atomic_rmw umax %{{.*}}, %{{.*}} mask %{{.*}} : !tile.ptr<i64>
  // CHECK-NOT: arith.select
  %old = tile.atomic_rmw fmin %p, %x : !tile.ptr<f64>
  return
}
