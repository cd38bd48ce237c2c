// RUN: tile-opt %s --tile-narrow-comparisons --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @rows
// CHECK-SAME: %[[ID:[a-z0-9]+]]: i32, %[[N:[a-z0-9]+]]: i32
// CHECK-DAG: %[[R:.+]] = tile.arange 0 : tensor<128xi32>
// CHECK-DAG: %[[FIRST:.+]] = arith.muli %{{.*}}, %c128_i64 : i64
// CHECK-DAG: %[[N64:.+]] = arith.extsi %[[N]] : i32 to i64
// CHECK: %[[LEFT:.+]] = arith.subi %[[N64]], %[[FIRST]] : i64
// CHECK: %[[LOW:.+]] = arith.maxsi %[[LEFT]], %c-1073741824_i64 : i64
// CHECK: %[[CUT:.+]] = arith.minsi %[[LOW]], %c1073741824_i64 : i64
// CHECK: %[[NARROW:.+]] = arith.trunci %[[CUT]] : i64 to i32
// CHECK: %[[BOUND:.+]] = tile.splat %[[NARROW]] : tensor<128x1xi32>
// CHECK: %[[COLUMN:.+]] = tile.expand_dims %[[R]] axis 1 : tensor<128xi32> -> tensor<128x1xi32>
// CHECK: arith.cmpi slt, %[[COLUMN]], %[[BOUND]] : tensor<128x1xi32>
func.func @rows(%id: i32, %n: i32) -> tensor<128x1xi1> {
  %c128 = arith.constant 128 : i64
  %r = tile.arange 0 : tensor<128xi32>
  %r64 = arith.extsi %r : tensor<128xi32> to tensor<128xi64>
  %id64 = arith.extsi %id : i32 to i64
  %first = arith.muli %id64, %c128 : i64
  %firsts = tile.splat %first : tensor<128xi64>
  %rows = arith.addi %firsts, %r64 : tensor<128xi64>
  %column = tile.expand_dims %rows axis 1 : tensor<128xi64> -> tensor<128x1xi64>
  %n64 = arith.extsi %n : i32 to i64
  %bound = tile.splat %n64 : tensor<128x1xi64>
  %mask = arith.cmpi slt, %column, %bound : tensor<128x1xi64>
  return %mask : tensor<128x1xi1>
}

// A bound of 64 bits, where nothing is taken away from it.
// CHECK-LABEL: func.func @cut
// CHECK: arith.trunci
// CHECK: arith.cmpi slt, {{.*}} : tensor<128xi32>
func.func @cut(%n: i64) -> tensor<128xi1> {
  %r = tile.arange 0 : tensor<128xi32>
  %r64 = arith.extsi %r : tensor<128xi32> to tensor<128xi64>
  %bound = tile.splat %n : tensor<128xi64>
  %mask = arith.cmpi slt, %r64, %bound : tensor<128xi64>
  return %mask : tensor<128xi1>
}

// The difference from a bound of 64 bits may wrap, and so may the sum with a product of two numbers.
// CHECK-LABEL: func.func @unknown
// CHECK-NOT: arith.trunci
// CHECK-COUNT-2: arith.cmpi slt, {{.*}} : tensor<128xi64>
func.func @unknown(%n: i64, %a: i32, %b: i32) -> (tensor<128xi1>, tensor<128xi1>) {
  %r = tile.arange 0 : tensor<128xi32>
  %r64 = arith.extsi %r : tensor<128xi32> to tensor<128xi64>
  %bound = tile.splat %n : tensor<128xi64>
  %a64 = arith.extsi %a : i32 to i64
  %first = tile.splat %a64 : tensor<128xi64>
  %sum = arith.addi %r64, %first : tensor<128xi64>
  %mask = arith.cmpi slt, %sum, %bound : tensor<128xi64>
  %b64 = arith.extsi %b : i32 to i64
  %product = arith.muli %a64, %b64 : i64
  %products = tile.splat %product : tensor<128xi64>
  %moved = arith.addi %r64, %products : tensor<128xi64>
  %other = arith.cmpi slt, %moved, %first : tensor<128xi64>
  return %mask, %other : tensor<128xi1>, tensor<128xi1>
}
