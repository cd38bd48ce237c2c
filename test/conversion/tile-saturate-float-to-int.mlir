// RUN: tile-opt %s --tile-saturate-float-to-int --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @forms(
// CHECK-SAME: %[[X:.*]]: vector<8xf32>, %[[D:.*]]: f64, %[[H:.*]]: f16)
// CHECK-NEXT: llvm.call_intrinsic "llvm.fptosi.sat"(%[[X]]) : (vector<8xf32>) -> vector<8xi8>
// CHECK-NEXT: llvm.call_intrinsic "llvm.fptoui.sat"(%[[D]]) : (f64) -> i64
// CHECK-NEXT: %[[S:.*]] = arith.extf %[[H]] : f16 to f32
// CHECK-NEXT: llvm.call_intrinsic "llvm.fptosi.sat"(%[[S]]) : (f32) -> i32
func.func @forms(%x: vector<8xf32>, %d: f64, %h: f16) -> (vector<8xi8>, i64, i32) {
  %0 = arith.fptosi %x : vector<8xf32> to vector<8xi8>
  %1 = arith.fptoui %d : f64 to i64
  %2 = arith.fptosi %h : f16 to i32
  return %0, %1, %2 : vector<8xi8>, i64, i32
}

// -----

func.func @tensor(%x: tensor<8xf32>) -> tensor<8xi32> {
  // expected-error @below {{expects a scalar or a vector of rank one, got 'tensor<8xi32>'}}
  %0 = arith.fptosi %x : tensor<8xf32> to tensor<8xi32>
  return %0 : tensor<8xi32>
}
