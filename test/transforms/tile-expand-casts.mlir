// RUN: tile-opt %s --tile-expand-casts --split-input-file | FileCheck %s

// Without a target no narrow conversion is native; 8-bit floats end as bits.
// CHECK-LABEL: func.func @no_facts(
// CHECK-NOT: tile.cast
// CHECK: %[[CODE:.*]] = arith.trunci %{{.*}} : tensor<8xi32> to tensor<8xi8>
// CHECK: arith.bitcast %[[CODE]] : tensor<8xi8> to tensor<8xf8E5M2>
func.func @no_facts(%x: tensor<8xf32>) -> tensor<8xf8E5M2> {
  %y = tile.cast %x : tensor<8xf32> -> tensor<8xf8E5M2>
  return %y : tensor<8xf8E5M2>
}

// -----

// CHECK-LABEL: func.func @upper_half(
// CHECK: %[[BITS:.*]] = arith.bitcast %{{.*}} : vector<4xf8E5M2> to vector<4xi8>
// CHECK: %[[WIDE:.*]] = arith.extui %[[BITS]] : vector<4xi8> to vector<4xi16>
// CHECK: %[[UP:.*]] = arith.shli %[[WIDE]]
// CHECK: arith.bitcast %[[UP]] : vector<4xi16> to vector<4xf16>
func.func @upper_half(%x: vector<4xf8E5M2>) -> vector<4xf16> {
  %y = arith.extf %x : vector<4xf8E5M2> to vector<4xf16>
  return %y : vector<4xf16>
}

// -----

module attributes {tile.target = #tile.target<"any", "any", {lanes = 32 : i32,
    native_casts = ["f16:f32", "f32:f16", "f32:f16:rtz", "f8E4M3FN:f16", "f32:f8E4M3FN", "bf16:f32"],
    native_arithmetic = ["f16"]}>} {
  // CHECK-LABEL: func.func @native(
  // CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[H:.*]]: tensor<8xf16>, %[[B:.*]]: tensor<8xf8E4M3FN>)
  func.func @native(%x: tensor<8xf32>, %h: tensor<8xf16>, %b: tensor<8xf8E4M3FN>)
      -> (tensor<8xf16>, tensor<8xf16>, tensor<8xf8E4M3FN>, tensor<8xf8E4M3FN>, tensor<8xf32>) {
    // CHECK-NEXT: arith.truncf %[[X]] : tensor<8xf32> to tensor<8xf16>
    %0 = arith.truncf %x : tensor<8xf32> to tensor<8xf16>
    // CHECK-NEXT: arith.truncf %[[X]] toward_zero : tensor<8xf32> to tensor<8xf16>
    %1 = tile.cast %x rounding rtz : tensor<8xf32> -> tensor<8xf16>
    // CHECK-NEXT: tile.cast %[[X]] : tensor<8xf32> -> tensor<8xf8E4M3FN>
    %2 = tile.cast %x : tensor<8xf32> -> tensor<8xf8E4M3FN>
    // By way of f32, which has a native conversion.
    // CHECK-NEXT: %[[S:.*]] = arith.extf %[[H]] : tensor<8xf16> to tensor<8xf32>
    // CHECK-NEXT: tile.cast %[[S]] : tensor<8xf32> -> tensor<8xf8E4M3FN>
    %3 = tile.cast %h : tensor<8xf16> -> tensor<8xf8E4M3FN>
    // By way of f16.
    // CHECK-NEXT: %[[T:.*]] = tile.cast %[[B]] : tensor<8xf8E4M3FN> -> tensor<8xf16>
    // CHECK-NEXT: arith.extf %[[T]] : tensor<8xf16> to tensor<8xf32>
    %4 = tile.cast %b : tensor<8xf8E4M3FN> -> tensor<8xf32>
    return %0, %1, %2, %3, %4 : tensor<8xf16>, tensor<8xf16>, tensor<8xf8E4M3FN>, tensor<8xf8E4M3FN>, tensor<8xf32>
  }

  // CHECK-LABEL: func.func @arithmetic(
  // CHECK-SAME: %[[X:.*]]: f16, %[[Y:.*]]: bf16)
  func.func @arithmetic(%x: f16, %y: bf16) -> (f16, bf16) {
    // CHECK: arith.addf %[[X]], %[[X]] fastmath<contract> : f16
    %0 = arith.addf %x, %x fastmath<contract> : f16
    // CHECK: arith.extf %[[Y]] : bf16 to f32
    // CHECK: arith.mulf %{{.*}}, %{{.*}} fastmath<contract> : f32
    // CHECK: arith.bitcast %{{.*}} : i16 to bf16
    %1 = arith.mulf %y, %y fastmath<contract> : bf16
    return %0, %1 : f16, bf16
  }
}

// -----

// Bytes become halves by their bits, where that takes less time than a conversion, and so do other integers that are
// known to be small.
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32, native_casts = ["f16:f32", "f32:f16"], native_arithmetic = ["f16", "bf16"], dear_int_casts = 1 : i32}>} {
  // CHECK-LABEL: func.func @bytes
  func.func @bytes(%x: tensor<8xi8>, %w: tensor<8xi16>) -> (tensor<8xf16>, tensor<8xbf16>, tensor<8xf16>, tensor<8xf16>) {
    // CHECK: %[[W:.*]] = arith.extui %{{.*}} : tensor<8xi8> to tensor<8xi16>
    // CHECK: %[[U:.*]] = arith.xori %[[W]]
    // CHECK: %[[F:.*]] = arith.bitcast %[[U]] : tensor<8xi16> to tensor<8xf16>
    // CHECK: arith.subf %[[F]]
    %0 = arith.sitofp %x : tensor<8xi8> to tensor<8xf16>
    // CHECK: arith.extui
    // CHECK-COUNT-2: arith.bitcast %{{.*}} : tensor<8xi16> to tensor<8xbf16>
    // CHECK-NEXT: arith.subf
    %1 = arith.sitofp %x : tensor<8xi8> to tensor<8xbf16>
    // CHECK: arith.sitofp
    %2 = arith.sitofp %w : tensor<8xi16> to tensor<8xf16>
    // CHECK: %[[N:.*]] = arith.extui %{{.*}} : tensor<8xi8> to tensor<8xi16>
    // CHECK: arith.ori %[[N]]
    // CHECK: arith.subf
    %3 = arith.uitofp %x : tensor<8xi8> to tensor<8xf16>
    return %0, %1, %2, %3 : tensor<8xf16>, tensor<8xbf16>, tensor<8xf16>, tensor<8xf16>
  }

  // CHECK-LABEL: func.func @small
  func.func @small(%x: tensor<8xi32>, %z: tensor<1xi32>, %b: tensor<8xi8>) -> (tensor<8xf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8xf16>) {
    %low = arith.constant dense<15> : tensor<8xi32>
    %lowz = arith.constant dense<127> : tensor<1xi32>
    %most = arith.constant dense<511> : tensor<8xi32>
    %four = arith.constant dense<4> : tensor<8xi32>
    %n = arith.shrsi %x, %four : tensor<8xi32>
    %m = arith.andi %n, %low : tensor<8xi32>
    %zm = arith.andi %z, %lowz : tensor<1xi32>
    %zs = tile.broadcast %zm : tensor<1xi32> -> tensor<8xi32>
    %d = arith.subi %m, %zs : tensor<8xi32>
    // From -127 to 15: ten bits hold them, with sign.
    // CHECK: %[[A:.*]] = arith.addi
    // CHECK: %[[W:.*]] = arith.trunci %[[A]] : tensor<8xi32> to tensor<8xi16>
    // CHECK: arith.bitcast %[[W]] : tensor<8xi16> to tensor<8xf16>
    // CHECK: arith.subf
    %0 = arith.sitofp %d : tensor<8xi32> to tensor<8xf16>
    // Bfloats have seven bits, which hold 15 and not -127.
    // CHECK: arith.sitofp
    %1 = arith.sitofp %d : tensor<8xi32> to tensor<8xbf16>
    // CHECK: arith.ori
    // CHECK: arith.trunci
    // CHECK: arith.subf
    %2 = arith.sitofp %m : tensor<8xi32> to tensor<8xbf16>
    // A product may be anything: what f32 rounds is infinite in f16.
    // CHECK: %[[WIDE:.*]] = arith.sitofp %{{.*}} : tensor<8xi32> to tensor<8xf32>
    // CHECK: arith.truncf %[[WIDE]] : tensor<8xf32> to tensor<8xf16>
    %p = arith.muli %m, %most : tensor<8xi32>
    %3 = arith.sitofp %p : tensor<8xi32> to tensor<8xf16>
    return %0, %1, %2, %3 : tensor<8xf16>, tensor<8xbf16>, tensor<8xbf16>, tensor<8xf16>
  }
}
