// RUN: tile-opt %s --tile-expand-division --split-input-file | FileCheck %s

// CHECK-LABEL: @floats
// CHECK-DAG: arith.sitofp %arg0 : vector<64xi32> to vector<64xf64>
// CHECK-DAG: arith.sitofp %arg1 : vector<64xi32> to vector<64xf64>
// CHECK: arith.divf {{.*}} : vector<64xf64>
// CHECK: arith.fptosi {{.*}} : vector<64xf64> to vector<64xi32>
// CHECK-NOT: scf.for
func.func @floats(%a: vector<64xi32>, %b: vector<64xi32>) -> vector<64xi32> {
  %q = arith.divsi %a, %b : vector<64xi32>
  return %q : vector<64xi32>
}

// -----

// CHECK-LABEL: @remainder
// CHECK: arith.uitofp {{.*}} : vector<16xi16> to vector<16xf32>
// CHECK: arith.divf
// CHECK: %[[Q:.*]] = arith.fptoui {{.*}} : vector<16xf32> to vector<16xi16>
// CHECK: %[[P:.*]] = arith.muli %[[Q]], %arg1
// CHECK: arith.subi %arg0, %[[P]]
func.func @remainder(%a: vector<16xi16>, %b: vector<16xi16>) -> vector<16xi16> {
  %r = arith.remui %a, %b : vector<16xi16>
  return %r : vector<16xi16>
}

// -----

// CHECK-LABEL: @lanes
// CHECK-COUNT-3: llvm.alloca
// CHECK: scf.for
// CHECK:   arith.divsi {{.*}} : i64
// CHECK: llvm.load {{.*}} -> vector<8xi64>
func.func @lanes(%a: vector<8xi64>, %b: vector<8xi64>) -> vector<8xi64> {
  %q = arith.divsi %a, %b : vector<8xi64>
  return %q : vector<8xi64>
}

// -----

// CHECK-LABEL: @long_product
// CHECK: scf.for
// CHECK:   arith.mului_extended {{.*}} : i64
func.func @long_product(%a: vector<8xi64>, %b: vector<8xi64>) -> vector<8xi64> {
  %low, %high = arith.mului_extended %a, %b : vector<8xi64>
  return %high : vector<8xi64>
}

// -----

// What code generators do well stays.
// CHECK-LABEL: @kept
// CHECK: arith.divsi {{.*}} : vector<8xi32>
// CHECK: arith.remui {{.*}} : vector<8xi64>
// CHECK: arith.divsi {{.*}} : i64
func.func @kept(%a: vector<8xi32>, %b: vector<8xi64>, %c: i64) -> (vector<8xi32>, vector<8xi64>, i64) {
  %seven = arith.constant dense<7> : vector<8xi32>
  %eight = arith.constant dense<8> : vector<8xi64>
  %0 = arith.divsi %a, %seven : vector<8xi32>
  %1 = arith.remui %b, %eight : vector<8xi64>
  %2 = arith.divsi %c, %c : i64
  return %0, %1, %2 : vector<8xi32>, vector<8xi64>, i64
}
