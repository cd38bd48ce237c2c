// RUN: tile-opt %s --tile-expand-math --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @forms(
// CHECK-NOT: math.{{(exp|log)}}
func.func @forms(%s: f32, %v: vector<16xf64>, %t: tensor<8x4xf32, "layout">)
    -> (f32, vector<16xf64>, tensor<8x4xf32, "layout">) {
  // CHECK: math.fma {{.*}} : f32
  // CHECK: math.fma {{.*}} : vector<16xf64>
  // CHECK: math.fma {{.*}} : tensor<8x4xf32, "layout">
  %a = math.exp %s : f32
  %b = math.log %v : vector<16xf64>
  %c = math.exp2 %t : tensor<8x4xf32, "layout">
  return %a, %b, %c : f32, vector<16xf64>, tensor<8x4xf32, "layout">
}

// -----

// CHECK-LABEL: func.func @remainders(
// CHECK-NOT: arith.remf
// CHECK: scf.while
// CHECK: scf.condition
// CHECK: arith.divf {{.*}} : f64
// CHECK: math.fma {{.*}} : f64
func.func @remainders(%x: tensor<8xf32>, %d: f64) -> (tensor<8xf32>, f64) {
  %a = arith.remf %x, %x : tensor<8xf32>
  %b = arith.remf %d, %d : f64
  return %a, %b : tensor<8xf32>, f64
}

// -----

// CHECK-LABEL: func.func @both(
// CHECK-NOT: math.s{{in}}
// CHECK-NOT: math.cos %
func.func @both(%x: f32) -> (f32, f32) {
  %s, %c = math.sincos %x : f32
  return %s, %c : f32, f32
}

// -----

// No target may contract or approximate an expansion on its own.
// CHECK-LABEL: func.func @flags(
// CHECK-NOT: fastmath
func.func @flags(%x: f32) -> f32 {
  %y = math.exp %x fastmath<contract> : f32
  return %y : f32
}

// -----

// CHECK-LABEL: func.func @half(
// CHECK: %[[X:.*]] = arith.extf %{{.*}} : tensor<8xbf16> to tensor<8xf32>
// CHECK: math.sqrt %[[X]] : tensor<8xf32>
// CHECK: arith.truncf %{{.*}} : tensor<8xf32> to tensor<8xbf16>
// CHECK: math.absf %{{.*}} : tensor<8xbf16>
func.func @half(%x: tensor<8xbf16>) -> tensor<8xbf16> {
  %y = math.rsqrt %x : tensor<8xbf16>
  %z = math.absf %y : tensor<8xbf16>
  return %z : tensor<8xbf16>
}

// -----

// CHECK-LABEL: func.func @kept(
// CHECK: math.sqrt %{{.*}} : f64
// CHECK-NEXT: math.floor %{{.*}} : f64
// CHECK-NEXT: return
func.func @kept(%x: f64) -> f64 {
  %y = math.sqrt %x : f64
  %z = math.floor %y : f64
  return %z : f64
}

// -----

module attributes {tile.target = #tile.target<"any", "any", {lanes = 32 : i32,
    native_math = {exp2.f32 = 2.0 : f32, log2.f32 = 100.0 : f32}}>} {
  // CHECK-LABEL: func.func @native(
  func.func @native(%x: tensor<8xf32>, %d: f64) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, f64) {
    // CHECK-SAME: %[[X:.*]]: tensor<8xf32>, %[[D:.*]]: f64
    // CHECK: %[[A:.*]] = math.exp2 %[[X]] : tensor<8xf32>
    %a = math.exp2 %x : tensor<8xf32>
    // Not exact enough, unless asked for.
    // CHECK: arith.bitcast
    %b = math.log2 %x : tensor<8xf32>
    // CHECK: math.log2 %[[X]] fastmath<afn>
    %c = math.log2 %x fastmath<afn> : tensor<8xf32>
    // CHECK-NOT: math.exp2
    %e = math.exp2 %d : f64
    return %a, %b, %c, %e : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, f64
  }

  // exp through the native exp2, with what the product leaves.
  // CHECK-LABEL: func.func @exp_by_exp2(
  // CHECK-SAME: %[[X:.*]]: f32
  func.func @exp_by_exp2(%x: f32) -> f32 {
    // CHECK: %[[T:.*]] = arith.mulf %[[X]]
    // CHECK: %[[D:.*]] = math.fma %[[T]], %{{.*}}, %[[X]]
    // CHECK: %[[F:.*]] = math.fma %[[T]], %{{.*}}, %[[D]]
    // CHECK: %[[L:.*]] = arith.minnumf %[[F]]
    // CHECK: %[[E:.*]] = math.exp2 %[[T]] : f32
    // CHECK: math.fma %[[E]], %[[L]], %[[E]]
    // CHECK-NEXT: return
    %y = math.exp %x : f32
    return %y : f32
  }

  // Of what is rounded to a half in the end less is enough: here a product less.
  // CHECK-LABEL: func.func @rounded(
  // CHECK-SAME: %[[X:.*]]: vector<8xf32>
  func.func @rounded(%x: vector<8xf32>) -> vector<8xf16> {
    // CHECK: %[[N:.*]] = arith.negf %[[X]]
    // CHECK-NEXT: %[[T:.*]] = arith.mulf %[[N]]
    // CHECK-NEXT: %[[E:.*]] = math.exp2 %[[T]]
    // CHECK-NEXT: %[[S:.*]] = arith.addf %[[E]]
    // CHECK-NEXT: arith.divf %{{.*}}, %[[S]] fastmath<afn>
    %one = arith.constant dense<1.0> : vector<8xf32>
    %n = arith.negf %x : vector<8xf32>
    %e = math.exp %n : vector<8xf32>
    %s = arith.addf %e, %one : vector<8xf32>
    %q = arith.divf %one, %s fastmath<afn> : vector<8xf32>
    %y = arith.mulf %x, %q : vector<8xf32>
    %h = arith.truncf %y : vector<8xf32> to vector<8xf16>
    return %h : vector<8xf16>
  }

  // Differences, and what is used as it is, are not rounded away.
  // CHECK-LABEL: func.func @not_rounded(
  // CHECK: math.fma
  // CHECK: arith.divf %{{.*}}, %{{.*}} fastmath<afn>
  // CHECK: math.fma
  // CHECK: return
  func.func @not_rounded(%x: vector<8xf32>) -> (vector<8xf16>, vector<8xf32>, vector<8xf16>) {
    %one = arith.constant dense<1.0> : vector<8xf32>
    %e = math.exp %x : vector<8xf32>
    %d = arith.subf %e, %one : vector<8xf32>
    %q = arith.divf %one, %d fastmath<afn> : vector<8xf32>
    %h = arith.truncf %q : vector<8xf32> to vector<8xf16>
    %f = math.exp %d : vector<8xf32>
    %g = arith.truncf %f : vector<8xf32> to vector<8xf16>
    return %h, %f, %g : vector<8xf16>, vector<8xf32>, vector<8xf16>
  }

  // Powers would make the error large.
  // CHECK-LABEL: func.func @powers(
  // CHECK: math.fma
  // CHECK: return
  func.func @powers(%x: vector<8xf32>) -> vector<8xf16> {
    %e = math.exp %x : vector<8xf32>
    %2 = arith.mulf %e, %e : vector<8xf32>
    %4 = arith.mulf %2, %2 : vector<8xf32>
    %8 = arith.mulf %4, %4 : vector<8xf32>
    %h = arith.truncf %8 : vector<8xf32> to vector<8xf16>
    return %h : vector<8xf16>
  }

  // CHECK-LABEL: func.func @tanh_by_exp2(
  func.func @tanh_by_exp2(%x: vector<8xf32>, %d: f64) -> (vector<8xf32>, f64) {
    // CHECK: %[[E:.*]] = math.exp2 %{{.*}} : vector<8xf32>
    // CHECK: %[[S:.*]] = arith.addf %[[E]]
    // CHECK: arith.divf %{{.*}}, %[[S]] fastmath<arcp,afn> : vector<8xf32>
    // CHECK: math.copysign
    // CHECK: arith.select
    // CHECK-NOT: math.exp2
    // CHECK: return
    %y = math.tanh %x : vector<8xf32>
    %z = math.tanh %d : f64
    return %y, %z : vector<8xf32>, f64
  }
}

// -----

// A target that scales by powers of two needs no products for it.
module attributes {tile.target = #tile.target<"name", "arch", {lanes = 1 : i32,
    native_math = {ldexp.f32 = 0.0 : f32, ldexp.f64 = 0.0 : f32}}>} {
// CHECK-LABEL: func.func @scaled
// CHECK-NOT: arith.shli
// CHECK: llvm.call_intrinsic "llvm.ldexp"({{.*}}) : (vector<16xf32>, vector<16xi32>) -> vector<16xf32>
// CHECK: arith.trunci {{.*}} : vector<8xi64> to vector<8xi32>
// CHECK: llvm.call_intrinsic "llvm.ldexp"({{.*}}) : (vector<8xf64>, vector<8xi32>) -> vector<8xf64>
func.func @scaled(%x: vector<16xf32>, %y: vector<8xf64>) -> (vector<16xf32>, vector<8xf64>) {
  %0 = math.exp %x : vector<16xf32>
  %1 = math.exp2 %y : vector<8xf64>
  return %0, %1 : vector<16xf32>, vector<8xf64>
}
}
