// RUN: tile-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func.func @scan_of_one_element
// CHECK-SAME: (%[[X:.*]]: tensor<64x1xf32>)
func.func @scan_of_one_element(%x: tensor<64x1xf32>) -> tensor<64x1xf32> {
  %y = tile.scan(%x) axis 1 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<64x1xf32>) -> tensor<64x1xf32>
  // CHECK-NEXT: return %[[X]]
  return %y : tensor<64x1xf32>
}

// CHECK-LABEL: func.func @sort_of_one_element
// CHECK-SAME: (%[[X:.*]]: tensor<64x1xf32>)
func.func @sort_of_one_element(%x: tensor<64x1xf32>) -> tensor<64x1xf32> {
  %y = tile.sort %x : tensor<64x1xf32> -> tensor<64x1xf32>
  // CHECK-NEXT: return %[[X]]
  return %y : tensor<64x1xf32>
}

// CHECK-LABEL: func.func @places_that_nobody_reads
func.func @places_that_nobody_reads(%x: tensor<64xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: %[[Y:.*]] = tile.sort %{{.*}} descending : tensor<64xf32> -> tensor<8xf32>{{$}}
  // CHECK-NEXT: return %[[Y]]
  %y, %i = tile.sort %x descending : tensor<64xf32> -> tensor<8xf32>, tensor<8xi32>
  return %y : tensor<8xf32>
}
