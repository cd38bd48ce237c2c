// RUN: tile-opt %s --tile-unroll-loops --canonicalize | FileCheck %s

// Whole groups of iterations, then what is left over.
// CHECK-LABEL: func.func @unknown_count
// CHECK: scf.for
// CHECK-COUNT-3: tile.program_id 1
// CHECK-NOT: tile.program_id 1
// CHECK: scf.for
// CHECK: tile.program_id 1
// CHECK-NOT: tile.loop_unroll_factor
func.func @unknown_count(%n: i32, %p: !tile.ptr<i32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %x = tile.program_id 1 : i32
    %y = arith.addi %x, %i : i32
    tile.store %p, %y : !tile.ptr<i32>
  } {tile.loop_unroll_factor = 3 : i32}
  return
}
