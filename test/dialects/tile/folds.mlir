// RUN: tile-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @masks
// CHECK-SAME: (%[[P:.*]]: tensor<4x!tile.ptr<f32>>, %[[X:.*]]: tensor<4xf32>)
func.func @masks(%p: tensor<4x!tile.ptr<f32>>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %true = arith.constant dense<true> : tensor<4xi1>
  %false = arith.constant dense<false> : tensor<4xi1>
  // CHECK: %[[L:.*]] = tile.load %[[P]] :
  %y = tile.load %p mask %true other %x : tensor<4x!tile.ptr<f32>>
  // CHECK: tile.store %[[P]], %[[X]] :
  tile.store %p, %x mask %true : tensor<4x!tile.ptr<f32>>
  // CHECK-NOT: tile.store
  tile.store %p, %x mask %false : tensor<4x!tile.ptr<f32>>
  // CHECK: return %[[L]]
  return %y : tensor<4xf32>
}

// CHECK-LABEL: func.func @splat_constants
func.func @splat_constants() -> (tensor<4x8xf32>, tensor<8x4xf32>, tensor<32xf32>) {
  %c = arith.constant 2.0 : f32
  %a = tile.splat %c : tensor<4xf32>
  %b = tile.expand_dims %a axis 1 : tensor<4xf32> -> tensor<4x1xf32>
  %d = tile.broadcast %b : tensor<4x1xf32> -> tensor<4x8xf32>
  %e = tile.transpose %d order [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %f = tile.reshape %e : tensor<8x4xf32> -> tensor<32xf32>
  // CHECK-DAG: arith.constant dense<2.000000e+00> : tensor<4x8xf32>
  // CHECK-DAG: arith.constant dense<2.000000e+00> : tensor<8x4xf32>
  // CHECK-DAG: arith.constant dense<2.000000e+00> : tensor<32xf32>
  // CHECK-NOT: tile.
  return %d, %e, %f : tensor<4x8xf32>, tensor<8x4xf32>, tensor<32xf32>
}

// CHECK-LABEL: func.func @shapes
// CHECK-SAME: (%[[X:.*]]: tensor<4x8x2xf32>, %[[A:.*]]: tensor<4xf32>)
func.func @shapes(%x: tensor<4x8x2xf32>, %a: tensor<4xf32>)
    -> (tensor<2x8x4xf32>, tensor<4x8x2xf32>, tensor<64xf32>, tensor<4xf32>) {
  // CHECK: %[[T:.*]] = tile.transpose %[[X]] order [2, 1, 0]
  %0 = tile.transpose %x order [1, 0, 2] : tensor<4x8x2xf32> -> tensor<8x4x2xf32>
  %1 = tile.transpose %0 order [2, 0, 1] : tensor<8x4x2xf32> -> tensor<2x8x4xf32>
  %2 = tile.transpose %1 order [2, 1, 0] : tensor<2x8x4xf32> -> tensor<4x8x2xf32>
  // CHECK: %[[R:.*]] = tile.reshape %[[X]] : tensor<4x8x2xf32> -> tensor<64xf32>
  %3 = tile.reshape %x : tensor<4x8x2xf32> -> tensor<8x8xf32>
  %4 = tile.reshape %3 : tensor<8x8xf32> -> tensor<64xf32>
  %5 = tile.join %a, %a : tensor<4xf32> -> tensor<4x2xf32>
  %6:2 = tile.split %5 : tensor<4x2xf32> -> tensor<4xf32>
  // CHECK: return %[[T]], %[[X]], %[[R]], %[[A]]
  return %1, %2, %4, %6#1 : tensor<2x8x4xf32>, tensor<4x8x2xf32>, tensor<64xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @pointers
// CHECK-SAME: (%[[P:.*]]: !tile.ptr<f32>)
func.func @pointers(%p: !tile.ptr<f32>) -> (!tile.ptr<f32>, !tile.ptr<f32>) {
  %zero = arith.constant 0 : i32
  %q = tile.addptr %p, %zero : !tile.ptr<f32>, i32
  %r = tile.cast_ptr %p : !tile.ptr<f32> -> !tile.ptr<f32>
  // CHECK-NEXT: return %[[P]], %[[P]]
  return %q, %r : !tile.ptr<f32>, !tile.ptr<f32>
}

// CHECK-LABEL: func.func @moved_elements
// CHECK-SAME: (%[[X:.*]]: tensor<8x4xf32>, %[[I:.*]]: tensor<2xi32>)
func.func @moved_elements(%x: tensor<8x4xf32>, %i: tensor<2xi32>)
    -> (tensor<8x4xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<6xf32>) {
  %0 = tile.extract %x offsets [0, 0] strides [1, 1] : tensor<8x4xf32> -> tensor<8x4xf32>
  // CHECK: %[[E:.*]] = tile.extract %[[X]] offsets [5, 0] strides [-4, 3] : tensor<8x4xf32> -> tensor<2x2xf32>
  %1 = tile.extract %x offsets [7, 0] strides [-2, 1] : tensor<8x4xf32> -> tensor<4x4xf32>
  %2 = tile.extract %1 offsets [1, 0] strides [2, 3] : tensor<4x4xf32> -> tensor<2x2xf32>
  %c = arith.constant dense<1.0> : tensor<4xf32>
  // CHECK-NOT: tile.gather
  %3 = tile.gather %c[%i] axis 0 : tensor<4xf32>, tensor<2xi32> -> tensor<2xf32>
  // CHECK-NOT: tile.cat
  %4 = tile.cat %c, %3 axis 0 : tensor<4xf32>, tensor<2xf32> -> tensor<6xf32>
  // CHECK: return %[[X]], %[[E]]
  return %0, %2, %3, %4 : tensor<8x4xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<6xf32>
}

// CHECK-LABEL: func.func @assembly
func.func @assembly(%x: tensor<4xi32>) {
  // CHECK-NOT: "dropped"
  %0 = tile.inline_asm "dropped" constraints "=r,r"(%x) pure : (tensor<4xi32>) -> tensor<4xi32>
  // CHECK: tile.inline_asm "kept"
  %1 = tile.inline_asm "kept" constraints "=r,r"(%x) : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: func.func @straight_map
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[I:.*]]: tensor<4xi32>, %[[S:.*]]: f32)
func.func @straight_map(%x: tensor<4xf32>, %i: tensor<4xi32>, %s: f32)
    -> (tensor<4xf32>, tensor<4xi1>) {
  // CHECK-DAG: %[[C:.*]] = arith.constant dense<2.000000e+00> : tensor<4xf32>
  // CHECK: %[[F:.*]] = arith.sitofp %[[I]] : tensor<4xi32> to tensor<4xf32>
  // CHECK: %[[M:.*]] = arith.mulf %[[F]], %[[C]] : tensor<4xf32>
  // CHECK: %[[B:.*]] = tile.splat %[[S]] : tensor<4xf32>
  // CHECK: %[[A:.*]] = arith.addf %[[M]], %[[B]] : tensor<4xf32>
  // CHECK: %[[L:.*]] = arith.cmpf olt, %[[X]], %[[A]] : tensor<4xf32>
  // CHECK: return %[[A]], %[[L]]
  %0:2 = tile.map(%x, %i) {
  ^bb0(%a: f32, %n: i32):
    %two = arith.constant 2.0 : f32
    %f = arith.sitofp %n : i32 to f32
    %m = arith.mulf %f, %two : f32
    %b = arith.addf %m, %s : f32
    %l = arith.cmpf olt, %a, %b : f32
    tile.yield %b, %l : f32, i1
  } : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi1>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xi1>
}

// CHECK-LABEL: func.func @descriptor_fields
// CHECK-SAME: (%[[P:.*]]: !tile.ptr<f16>, %[[M:.*]]: i32, %[[N:.*]]: i32, %[[S:.*]]: i64)
func.func @descriptor_fields(%p: !tile.ptr<f16>, %m: i32, %n: i32, %s: i64)
    -> (!tile.ptr<f16>, i32, i64) {
  %d = tile.make_descriptor %p sizes[%m, %n] strides[%s] : !tile.ptr<f16> -> !tile.desc<4x8xf16>
  %a = tile.descriptor_base %d : !tile.desc<4x8xf16>
  %b = tile.descriptor_size %d dim 1 : !tile.desc<4x8xf16>
  %c = tile.descriptor_stride %d dim 0 : !tile.desc<4x8xf16>
  // CHECK: return %[[P]], %[[N]], %[[S]] : !tile.ptr<f16>, i32, i64
  return %a, %b, %c : !tile.ptr<f16>, i32, i64
}

// No rounding changes zero; -0 is no number of all formats.
// CHECK-LABEL: func.func @zeros
func.func @zeros() -> (tensor<4xf8E4M3FN>, f16, tensor<4xf8E5M2FNUZ>) {
  // CHECK-DAG: arith.constant dense<0.000000e+00> : tensor<4xf8E4M3FN>
  // CHECK-DAG: arith.constant 0.000000e+00 : f16
  // CHECK-DAG: %[[N:.*]] = arith.constant dense<-0.000000e+00> : tensor<4xf32>
  // CHECK: tile.cast %[[N]]
  // CHECK-NOT: tile.cast
  %c = arith.constant dense<0.0> : tensor<4xf32>
  %s = arith.constant 0.0 : f32
  %n = arith.constant dense<-0.0> : tensor<4xf32>
  %0 = tile.cast %c rounding rtz : tensor<4xf32> -> tensor<4xf8E4M3FN>
  %1 = tile.cast %s : f32 -> f16
  %2 = tile.cast %n : tensor<4xf32> -> tensor<4xf8E5M2FNUZ>
  return %0, %1, %2 : tensor<4xf8E4M3FN>, f16, tensor<4xf8E5M2FNUZ>
}
