// RUN: tile-opt %s --tile-guard-arithmetic | FileCheck %s
// A second run, also after simplification, finds nothing to do.
// RUN: tile-opt %s --tile-guard-arithmetic --canonicalize --cse > %t.once
// RUN: tile-opt %t.once --tile-guard-arithmetic | diff - %t.once

// CHECK-LABEL: func.func @signed_division(
// CHECK-SAME:    %[[X:.*]]: tensor<8xi32>, %[[Y:.*]]: tensor<8xi32>)
func.func @signed_division(%x: tensor<8xi32>, %y: tensor<8xi32>) -> tensor<8xi32> {
  // CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1>
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0>
  // CHECK-DAG: %[[MINUS:.*]] = arith.constant dense<-1>
  // CHECK-DAG: %[[MIN:.*]] = arith.constant dense<-2147483648>
  // CHECK-DAG: %[[A:.*]] = arith.cmpi eq, %[[Y]], %[[ZERO]]
  // CHECK-DAG: %[[B:.*]] = arith.cmpi eq, %[[Y]], %[[MINUS]]
  // CHECK-DAG: %[[C:.*]] = arith.cmpi eq, %[[X]], %[[MIN]]
  // CHECK-DAG: %[[D:.*]] = arith.andi %[[B]], %[[C]]
  // CHECK: %[[E:.*]] = arith.ori %[[A]], %[[D]]
  // CHECK: %[[F:.*]] = arith.select %[[E]], %[[ONE]], %[[Y]]
  // CHECK: arith.divsi %[[X]], %[[F]]
  %q = arith.divsi %x, %y : tensor<8xi32>
  return %q : tensor<8xi32>
}

// CHECK-LABEL: func.func @unsigned_remainder(
// CHECK-SAME:    %[[X:.*]]: vector<4xi64>, %[[Y:.*]]: vector<4xi64>)
func.func @unsigned_remainder(%x: vector<4xi64>, %y: vector<4xi64>) -> vector<4xi64> {
  // CHECK: %[[A:.*]] = arith.cmpi eq, %[[Y]]
  // CHECK: %[[D:.*]] = arith.select %[[A]], %{{.*}}, %[[Y]]
  // CHECK: arith.remui %[[X]], %[[D]]
  %r = arith.remui %x, %y : vector<4xi64>
  return %r : vector<4xi64>
}

// CHECK-LABEL: func.func @proven_divisors(
// CHECK-NOT: arith.select
func.func @proven_divisors(%x: i32, %n: i32) -> (i32, i32, i32, i32) {
  %c64 = arith.constant 64 : i32
  %a = arith.divsi %x, %c64 : i32
  %programs = tile.num_programs 0 : i32
  %b = arith.remsi %x, %programs : i32
  %c1 = arith.constant 1 : i32
  %bounded = arith.maxsi %n, %c1 : i32
  %c = arith.divsi %x, %bounded : i32
  %pid = tile.program_id 0 : i32
  %c-2 = arith.constant -2 : i32
  %d = arith.divsi %pid, %c-2 : i32
  return %a, %b, %c, %d : i32, i32, i32, i32
}

// A dividend that is not the least integer cannot overflow.
// CHECK-LABEL: func.func @proven_dividend(
// CHECK-SAME:    %[[N:.*]]: i32)
func.func @proven_dividend(%n: i32) -> i32 {
  // CHECK: %[[A:.*]] = arith.cmpi eq, %[[N]]
  // CHECK-NEXT: arith.select %[[A]]
  // CHECK-NEXT: arith.divsi
  %pid = tile.program_id 0 : i32
  %q = arith.divsi %pid, %n : i32
  return %q : i32
}

// CHECK-LABEL: func.func @minus_one(
// CHECK-SAME:    %[[X:.*]]: tensor<4xi16>)
func.func @minus_one(%x: tensor<4xi16>) -> (tensor<4xi16>, tensor<4xi16>) {
  // CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0>
  // CHECK: %[[Q:.*]] = arith.subi %[[ZERO]], %[[X]]
  // CHECK: return %[[Q]], %[[ZERO]]
  %m = arith.constant dense<-1> : tensor<4xi16>
  %q = arith.divsi %x, %m : tensor<4xi16>
  %r = arith.remsi %x, %m : tensor<4xi16>
  return %q, %r : tensor<4xi16>, tensor<4xi16>
}

// CHECK-LABEL: func.func @rounded_divisions(
// CHECK-NOT: arith.ceildiv
// CHECK-NOT: arith.floordiv
// CHECK-COUNT-2: arith.divsi
// CHECK: arith.divui
func.func @rounded_divisions(%x: i32, %y: i32) -> (i32, i32, i32) {
  %a = arith.ceildivsi %x, %y : i32
  %b = arith.floordivsi %x, %y : i32
  %c = arith.ceildivui %x, %y : i32
  return %a, %b, %c : i32, i32, i32
}

// CHECK-LABEL: func.func @shifts(
// CHECK-SAME:    %[[X:.*]]: i32, %[[N:.*]]: i32)
func.func @shifts(%x: i32, %n: i32) -> (i32, i32) {
  // CHECK: %[[C31:.*]] = arith.constant 31 : i32
  // CHECK: %[[M:.*]] = arith.andi %[[N]], %[[C31]]
  // CHECK: arith.shli %[[X]], %[[M]]
  // CHECK: %[[C3:.*]] = arith.constant 3 : i32
  // CHECK: arith.shrsi %[[X]], %[[C3]]
  %a = arith.shli %x, %n : i32
  %c3 = arith.constant 3 : i32
  %b = arith.shrsi %x, %c3 : i32
  return %a, %b : i32, i32
}

// CHECK-LABEL: func.func @single_bit(
// CHECK-SAME:    %[[X:.*]]: i1, %[[Y:.*]]: i1)
func.func @single_bit(%x: i1, %y: i1) -> (i1, i1, i1) {
  // CHECK: %[[FALSE:.*]] = arith.constant false
  // CHECK-NEXT: return %[[X]], %[[FALSE]], %[[X]]
  %q = arith.divui %x, %y : i1
  %r = arith.remsi %x, %y : i1
  %s = arith.shli %x, %y : i1
  return %q, %r, %s : i1, i1, i1
}

// The divisor of a remainder is guarded by itself, whatever is divided.
// CHECK-LABEL: func.func @remainder
// CHECK: %[[SAME:.+]] = arith.cmpi eq, %arg1, %{{.*}} : i32
// CHECK: %[[OTHER:.+]] = arith.cmpi eq, %arg1, %{{.*}} : i32
// CHECK: %[[EITHER:.+]] = arith.ori %[[SAME]], %[[OTHER]]
// CHECK: %[[DIVISOR:.+]] = arith.select %[[EITHER]], %{{.*}}, %arg1
// CHECK: arith.remsi %arg0, %[[DIVISOR]]
func.func @remainder(%x: i32, %y: i32) -> i32 {
  %r = arith.remsi %x, %y : i32
  return %r : i32
}

// A remainder beside a quotient is made from it, wherever that stands in the block.
// CHECK-LABEL: func.func @both
// CHECK: %[[DIVISOR:.+]] = arith.select %{{.*}}, %{{.*}}, %arg1
// CHECK: %[[QUOTIENT:.+]] = arith.divsi %arg0, %[[DIVISOR]]
// CHECK: %[[PART:.+]] = arith.muli %[[QUOTIENT]], %[[DIVISOR]]
// CHECK: %[[REST:.+]] = arith.subi %arg0, %[[PART]]
// CHECK: return %[[QUOTIENT]], %[[REST]]
func.func @both(%x: i32, %y: i32) -> (i32, i32) {
  %r = arith.remsi %x, %y : i32
  %q = arith.divsi %x, %y : i32
  return %q, %r : i32, i32
}
