// RUN: tile-opt %s --tile-expand-sorts | FileCheck %s

// CHECK-LABEL: func.func @unsigned_ascending
func.func @unsigned_ascending(%x: tensor<64xi32>) -> tensor<64xi32> {
  // CHECK-NEXT: %[[Y:.*]] = tile.sort %{{.*}} unsigned : tensor<64xi32> -> tensor<64xi32>
  // CHECK-NEXT: return %[[Y]]
  %y = tile.sort %x unsigned : tensor<64xi32> -> tensor<64xi32>
  return %y : tensor<64xi32>
}

// The sign is flipped; a descending order complements the rest.
// CHECK-LABEL: func.func @signed_descending
// CHECK: %[[M:.*]] = arith.constant dense<127> : tensor<64xi8>
// CHECK: %[[K:.*]] = arith.xori %{{.*}}, %[[M]] : tensor<64xi8>
// CHECK: %[[S:.*]], %[[P:.*]] = tile.sort %[[K]] unsigned : tensor<64xi8> -> tensor<16xi8>, tensor<16xi32>
// CHECK: %[[N:.*]] = arith.constant dense<127> : tensor<16xi8>
// CHECK: %[[Y:.*]] = arith.xori %[[S]], %[[N]] : tensor<16xi8>
// CHECK: return %[[Y]], %[[P]]
func.func @signed_descending(%x: tensor<64xi8>) -> (tensor<16xi8>, tensor<16xi32>) {
  %y, %p = tile.sort %x descending : tensor<64xi8> -> tensor<16xi8>, tensor<16xi32>
  return %y, %p : tensor<16xi8>, tensor<16xi32>
}

// CHECK-LABEL: func.func @booleans
// CHECK: %[[K:.*]] = arith.extui %{{.*}} : tensor<64xi1> to tensor<64xi8>
// CHECK: %[[S:.*]] = tile.sort %[[K]] unsigned : tensor<64xi8> -> tensor<64xi8>
// CHECK: arith.trunci %[[S]] : tensor<64xi8> to tensor<64xi1>
func.func @booleans(%x: tensor<64xi1>) -> tensor<64xi1> {
  %y = tile.sort %x : tensor<64xi1> -> tensor<64xi1>
  return %y : tensor<64xi1>
}

// NaN has the largest key.
// CHECK-LABEL: func.func @floats
// CHECK: %[[RAW:.*]] = arith.bitcast %{{.*}} : tensor<64xf16> to tensor<64xi16>
// CHECK: %[[SIGN:.*]] = arith.shrsi %[[RAW]]
// CHECK: %[[FLIPS:.*]] = arith.ori %[[SIGN]]
// CHECK: %[[KEY:.*]] = arith.xori %[[RAW]], %[[FLIPS]]
// CHECK: %[[INF:.*]] = arith.constant dense<31744> : tensor<64xi16>
// CHECK: %[[NAN:.*]] = arith.cmpi ugt, %{{.*}}, %[[INF]]
// CHECK: %[[LARGEST:.*]] = arith.constant dense<-1> : tensor<64xi16>
// CHECK: %[[K:.*]] = arith.select %[[NAN]], %[[LARGEST]], %[[KEY]]
// CHECK: tile.sort %[[K]] unsigned
// CHECK: arith.bitcast %{{.*}} : tensor<64xi16> to tensor<64xf16>
func.func @floats(%x: tensor<64xf16>) -> tensor<64xf16> {
  %y = tile.sort %x : tensor<64xf16> -> tensor<64xf16>
  return %y : tensor<64xf16>
}
