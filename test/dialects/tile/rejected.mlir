// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @load_1(%p: tensor<128x!tile.ptr<f32>>, %m: tensor<64xi1>) {
  // expected-error @+1 {{expects a mask of type 'tensor<128xi1>', got 'tensor<64xi1>'}}
  %x = "tile.load"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<128x!tile.ptr<f32>>, tensor<64xi1>) -> tensor<128xf32>
  return
}

// -----

func.func @load_2(%p: tensor<128x!tile.ptr<f32>>, %z: tensor<128xf32>) {
  // expected-error @+1 {{expects a mask where 'other' is given}}
  %x = tile.load %p other %z : tensor<128x!tile.ptr<f32>>
  return
}

// -----

func.func @load_of_numbers(%p: tensor<128xf32>) {
  // expected-error @+1 {{expects a pointer or a block of pointers, got 'tensor<128xf32>'}}
  %x = tile.load %p : tensor<128xf32>
  return
}

// -----

func.func @store_1(%p: tensor<128x!tile.ptr<f32>>, %x: tensor<128xf32>, %m: i1) {
  // expected-error @+1 {{expects a mask of type 'tensor<128xi1>', got 'i1'}}
  "tile.store"(%p, %x, %m) : (tensor<128x!tile.ptr<f32>>, tensor<128xf32>, i1) -> ()
  return
}

// -----

func.func @atomic_rmw_2(%p: !tile.ptr<f32>, %x: f32) {
  // expected-error @+1 {{expects an integer for 'add', got 'f32'}}
  %old = tile.atomic_rmw add %p, %x : !tile.ptr<f32>
  return
}

// -----

func.func @arange_1() {
  // expected-error @+1 {{expects a result of rank one}}
  %a = tile.arange 0 : tensor<4x4xi32>
  return
}

// -----

func.func @broadcast_1(%a: tensor<1xf32>) {
  // expected-error @+1 {{expects equal ranks, got 1 and 2}}
  %b = tile.broadcast %a : tensor<1xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @broadcast_2(%a: tensor<4x2xf32>) {
  // expected-error @+1 {{expects source dimension 1 to be 1 or 4, got 2}}
  %b = tile.broadcast %a : tensor<4x2xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @expand_dims_1(%a: tensor<4xf32>) {
  // expected-error @+1 {{expects shape [4, 1], got [1, 4]}}
  %b = tile.expand_dims %a axis 1 : tensor<4xf32> -> tensor<1x4xf32>
  return
}

// -----

func.func @reshape_1(%a: tensor<4xf32>) {
  // expected-error @+1 {{expects equal numbers of elements, got 4 and 8}}
  %b = tile.reshape %a : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @transpose_1(%a: tensor<64x32xf16>) {
  // expected-error @+1 {{expects one order entry per source dimension, got 1 entries for 2 dimensions}}
  %b = tile.transpose %a order [0] : tensor<64x32xf16> -> tensor<64x32xf16>
  return
}

// -----

func.func @transpose_2(%a: tensor<64x32xf16>) {
  // expected-error @+1 {{expects order to be a permutation, got [1, 1]}}
  %b = tile.transpose %a order [1, 1] : tensor<64x32xf16> -> tensor<32x64xf16>
  return
}

// -----

func.func @transpose_3(%a: tensor<64x32xf16>) {
  // expected-error @+1 {{expects shape [32, 64], got [64, 32]}}
  %b = tile.transpose %a order [1, 0] : tensor<64x32xf16> -> tensor<64x32xf16>
  return
}

// -----

func.func @join_1(%a: tensor<4xf32>) {
  // expected-error @+1 {{expects shape [4, 2], got [2, 4]}}
  %b = tile.join %a, %a : tensor<4xf32> -> tensor<2x4xf32>
  return
}

// -----

func.func @split_1(%a: tensor<4x3xf32>) {
  // expected-error @+1 {{expects shape [4, 2], got [4, 3]}}
  %b:2 = tile.split %a : tensor<4x3xf32> -> tensor<4xf32>
  return
}

// -----

func.func @hint_1(%a: tensor<4xi32>) {
  // expected-error @+1 {{expects one positive entry per dimension (1), got [0]}}
  %b = tile.hint %a divisibility [0] : tensor<4xi32>
  return
}

// -----

func.func @dot_2(%a: tensor<16x32xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{expects as many rows of b as columns of a, got 16 and 32}}
  %d = tile.dot %a, %b, %c : tensor<16x32xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
  return
}

// -----

func.func @dot_1(%a: tensor<2x16x32xf16>, %b: tensor<3x32x16xf16>, %c: tensor<2x16x16xf32>) {
  // expected-error @+1 {{expects operands of rank two, or three with equal batches}}
  %d = tile.dot %a, %b, %c : tensor<2x16x32xf16>, tensor<3x32x16xf16> -> tensor<2x16x16xf32>
  return
}

// -----

func.func @dot_3(%a: tensor<16x32xf16>, %b: tensor<32x16xf16>, %c: tensor<16x32xf32>) {
  // expected-error @+1 {{expects an accumulator of shape [16, 16], got [16, 32]}}
  %d = tile.dot %a, %b, %c : tensor<16x32xf16>, tensor<32x16xf16> -> tensor<16x32xf32>
  return
}

// -----

func.func @dot_4(%a: tensor<16x32xf16>, %b: tensor<32x16xbf16>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{expects operands of one element type, got 'f16' and 'bf16'}}
  %d = tile.dot %a, %b, %c : tensor<16x32xf16>, tensor<32x16xbf16> -> tensor<16x16xf32>
  return
}

// -----

func.func @dot_5(%a: tensor<16x32xi8>, %b: tensor<32x16xi8>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{expects an i32 accumulator for operands of type 'i8', got 'f32'}}
  %d = tile.dot %a, %b, %c : tensor<16x32xi8>, tensor<32x16xi8> -> tensor<16x16xf32>
  return
}

// -----

func.func @reduce_1(%x: tensor<4xf32>) {
  // expected-error @+1 {{expects sources of one shape with dimension 1}}
  %s = tile.reduce(%x) axis 1 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : (tensor<4xf32>) -> f32
  return
}

// -----

func.func @reduce_2(%x: tensor<4xf32>) {
  // expected-error @+1 {{expects a result of shape [] with elements of type 'f32', got 'i32'}}
  %s = tile.reduce(%x) axis 0 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : (tensor<4xf32>) -> i32
  return
}

// -----

func.func @reduce_3(%x: tensor<4xf32>) {
  // expected-error @+1 {{expects a region of 2 arguments that yields 1}}
  %s = tile.reduce(%x) axis 0 {
  ^bb0(%a: f32):
    tile.yield %a : f32
  } : (tensor<4xf32>) -> f32
  return
}

// -----

func.func @cast_1(%x: tensor<4xf32>) {
  // expected-error @+1 {{expects different element types}}
  %y = tile.cast %x : tensor<4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @print_1(%x: tensor<4xf32>) {
  // expected-error @+1 {{expects one signedness entry per value, got 0 for 1 values}}
  tile.print "x" %x signedness [] : tensor<4xf32>
  return
}

// -----

// expected-error @+1 {{expects a kernel to return nothing}}
func.func @kernel_returns() -> i32 attributes {tile.kernel} {
  %c = arith.constant 0 : i32
  return %c : i32
}

// -----

// expected-error @+1 {{expects 'tile.divisibility' as a power of two on an integer, pointer or descriptor argument}}
func.func @divisibility(%x: !tile.ptr<f32> {tile.divisibility = 12 : i32}) attributes {tile.kernel} {
  return
}

// -----

// expected-error @+1 {{has an unknown attribute 'tile.unknown'}}
func.func @unknown() attributes {tile.unknown} {
  return
}

// -----

// expected-error @+1 {{expects a positive integer 'lanes' among the facts}}
module attributes {tile.target = #tile.target<"name", "arch", {}>} {
}

// -----

// expected-error @+1 {{expects 'tile.flatten' as a unit attribute of a loop}}
func.func @flatten_is_of_a_loop() attributes {tile.flatten} {
  return
}

// -----

func.func @unroll_factor_is_positive(%n: i32) {
  // expected-error @+1 {{expects 'tile.loop_unroll_factor' as a positive integer of a loop}}
  scf.for %i = %n to %n step %n : i32 {
  } {tile.loop_unroll_factor = 0 : i32}
  return
}

// -----

// expected-error @+1 {{expects 'native_math' as a dictionary of errors, got {exp2.f32 = "exact"}}}
module attributes {tile.target = #tile.target<"name", "arch", {lanes = 1 : i32, native_math = {exp2.f32 = "exact"}}>} {}

// -----

// expected-error @+1 {{expects 'native_casts' as an array of strings, got [1]}}
module attributes {tile.target = #tile.target<"name", "arch", {lanes = 1 : i32, native_casts = [1]}>} {}
