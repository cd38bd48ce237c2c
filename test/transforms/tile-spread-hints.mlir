// RUN: tile-opt %s --tile-spread-hints | FileCheck %s

// A promise that nobody uses holds of what a loop carries, from there on.
// CHECK-LABEL: func.func @statement
func.func @statement(%p: tensor<64x!tile.ptr<f16>>, %step: tensor<64xi32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: scf.for {{.*}} iter_args(%[[P:.+]] = %{{.+}})
  %q = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p) -> (tensor<64x!tile.ptr<f16>>) : i32 {
    // CHECK: %[[EARLY:.+]] = tile.load %[[P]]
    %x = tile.load %a : tensor<64x!tile.ptr<f16>>
    // CHECK: %[[H:.+]] = tile.hint %[[P]] divisibility [16]
    // CHECK: %[[C:.+]] = tile.hint %[[H]] contiguity [64]
    %h = tile.hint %a divisibility [16] : tensor<64x!tile.ptr<f16>>
    %c = tile.hint %a contiguity [64] : tensor<64x!tile.ptr<f16>>
    // CHECK: tile.store %[[C]], %[[EARLY]]
    tile.store %a, %x : tensor<64x!tile.ptr<f16>>
    // CHECK: tile.addptr %[[C]]
    %next = tile.addptr %a, %step : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
    scf.yield %next : tensor<64x!tile.ptr<f16>>
  }
  return
}

// Of the branch that makes it alone, and of what is in there.
// CHECK-LABEL: func.func @branch
// CHECK-SAME: (%[[X:[a-z0-9]+]]: i32
func.func @branch(%x: i32, %c: i1, %p: !tile.ptr<i32>) {
  scf.if %c {
    // CHECK: %[[H:.+]] = tile.hint %[[X]] divisibility [4]
    %h = tile.hint %x divisibility [4] : i32
    scf.if %c {
      // CHECK: tile.store %{{.+}}, %[[H]]
      tile.store %p, %x : !tile.ptr<i32>
    }
  } else {
    // CHECK: tile.store %{{.+}}, %[[X]]
    tile.store %p, %x : !tile.ptr<i32>
  }
  // CHECK: tile.store %{{.+}}, %[[X]]
  tile.store %p, %x : !tile.ptr<i32>
  return
}
