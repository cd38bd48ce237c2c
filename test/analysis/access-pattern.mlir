// RUN: tile-opt %s -split-input-file -verify-diagnostics --test-tile-access-pattern -o /dev/null

func.func @offsets(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) {
  // expected-remark @+1 {{contiguity [1], divisibility [64], constancy [1], constant 64}}
  %c64 = arith.constant 64 : i32
  // expected-remark @+1 {{contiguity [1], divisibility [1], constancy [1]}}
  %pid = tile.program_id 0 : i32
  // expected-remark @+1 {{contiguity [1], divisibility [64], constancy [1]}}
  %start = arith.muli %pid, %c64 : i32
  // expected-remark @+1 {{contiguity [1], divisibility [64], constancy [64]}}
  %starts = tile.splat %start : tensor<64xi32>
  // expected-remark @+1 {{contiguity [64], divisibility [1073741824], constancy [1]}}
  %r = tile.arange 0 : tensor<64xi32>
  // expected-remark @+1 {{contiguity [64], divisibility [64], constancy [1]}}
  %i = arith.addi %starts, %r : tensor<64xi32>
  // expected-remark @+1 {{contiguity [1], divisibility [16], constancy [64]}}
  %ns = tile.splat %n : tensor<64xi32>
  // expected-remark @+1 {{contiguity [1], divisibility [1], constancy [16]}}
  %m = arith.cmpi slt, %i, %ns : tensor<64xi32>
  // expected-remark @+1 {{contiguity [16], divisibility [16], constancy [1]}}
  %wrapped = arith.remsi %i, %ns : tensor<64xi32>
  // expected-remark @+1 {{contiguity [1], divisibility [1], constancy [16]}}
  %rows = arith.divsi %i, %ns : tensor<64xi32>
  // expected-remark @+1 {{contiguity [1], divisibility [16], constancy [64]}}
  %xs = tile.splat %x : tensor<64x!tile.ptr<f32>>
  // expected-remark @+1 {{contiguity [64], divisibility [16], constancy [1]}}
  %p = tile.addptr %xs, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  return
}

// -----

// A run that starts four further is four times less aligned; a mask of "at most" is not aligned at all.
func.func @misaligned(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32}) {
  // expected-remark @+1 {{contiguity [32], divisibility [4], constancy [1]}}
  %r = tile.arange 4 : tensor<32xi32>
  // expected-remark @+1 {{contiguity [1], divisibility [16], constancy [32], constant 16}}
  %c = arith.constant dense<16> : tensor<32xi32>
  // expected-remark @+1 {{contiguity [1], divisibility [1], constancy [4]}}
  %lt = arith.cmpi slt, %r, %c : tensor<32xi32>
  // expected-remark @+1 {{contiguity [1], divisibility [1], constancy [1]}}
  %le = arith.cmpi sle, %r, %c : tensor<32xi32>
  // expected-remark @+1 {{contiguity [1], divisibility [1], constancy [4]}}
  %gt = arith.cmpi sgt, %c, %r : tensor<32xi32>
  // expected-remark @+1 {{contiguity [1], divisibility [16], constancy [32]}}
  %xs = tile.splat %x : tensor<32x!tile.ptr<f16>>
  // expected-remark @+1 {{contiguity [32], divisibility [8], constancy [1]}}
  %p = tile.addptr %xs, %r : tensor<32x!tile.ptr<f16>>, tensor<32xi32>
  return
}

// -----

// Rows of a matrix: contiguous along dimension 1, apart by the stride along dimension 0.
func.func @rows(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %stride: i32 {tile.divisibility = 8 : i32}) {
  // expected-remark @+1 {{contiguity [16], divisibility [1073741824], constancy [1]}}
  %i = tile.arange 0 : tensor<16xi32>
  // expected-remark @+1 {{contiguity [1], divisibility [8], constancy [16]}}
  %s = tile.splat %stride : tensor<16xi32>
  // expected-remark @+1 {{contiguity [1], divisibility [8], constancy [1]}}
  %is = arith.muli %i, %s : tensor<16xi32>
  // expected-remark @+1 {{contiguity [1, 1], divisibility [8, 8], constancy [1, 1]}}
  %i2 = tile.expand_dims %is axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  // expected-remark @+1 {{contiguity [1, 16], divisibility [1, 1073741824], constancy [1, 1]}}
  %j2 = tile.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  // expected-remark @+1 {{contiguity [1, 1], divisibility [8, 8], constancy [1, 16]}}
  %ib = tile.broadcast %i2 : tensor<16x1xi32> -> tensor<16x16xi32>
  // expected-remark @+1 {{contiguity [1, 16], divisibility [1, 1073741824], constancy [16, 1]}}
  %jb = tile.broadcast %j2 : tensor<1x16xi32> -> tensor<16x16xi32>
  // expected-remark @+1 {{contiguity [1, 16], divisibility [1, 8], constancy [1, 1]}}
  %o = arith.addi %ib, %jb : tensor<16x16xi32>
  // expected-remark @+1 {{contiguity [16, 1], divisibility [8, 1], constancy [1, 1]}}
  %t = tile.transpose %o order [1, 0] : tensor<16x16xi32> -> tensor<16x16xi32>
  return
}

// -----

// What a loop adds decides what stays true of what it carries.
func.func @loop(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) {
  // expected-remark @+1 {{constant 0}}
  %c0 = arith.constant 0 : i32
  // expected-remark @+1 {{constant 8}}
  %c8 = arith.constant 8 : i32
  // expected-remark @+1 {{contiguity [1], divisibility [16]}}
  %last = scf.for %i = %c0 to %n step %c8 iter_args(%p = %x) -> (!tile.ptr<f32>) : i32 {
    // expected-remark @+1 {{contiguity [1], divisibility [8], constancy [1]}}
    %j = arith.addi %i, %c8 : i32
    // expected-remark @+1 {{contiguity [1], divisibility [16], constancy [1]}}
    %q = tile.addptr %p, %j : !tile.ptr<f32>, i32
    scf.yield %q : !tile.ptr<f32>
  }
  // expected-remark @+1 {{constant 3}}
  %c3 = arith.constant 3 : i32
  // expected-remark @+1 {{contiguity [1], divisibility [4]}}
  %other = scf.for %i = %c0 to %n step %c8 iter_args(%p = %last) -> (!tile.ptr<f32>) : i32 {
    // expected-remark @+1 {{contiguity [1], divisibility [4], constancy [1]}}
    %q = tile.addptr %p, %c3 : !tile.ptr<f32>, i32
    scf.yield %q : !tile.ptr<f32>
  }
  return
}

// -----

// Promises, and a divisor that is guarded.
func.func @hints(%i: tensor<64xi32>, %n: i32 {tile.divisibility = 16 : i32}) {
  // expected-remark @+1 {{contiguity [8], divisibility [16], constancy [1]}}
  %h = tile.hint %i divisibility [48] contiguity [8] : tensor<64xi32>
  // expected-remark @+1 {{constant 0}}
  %c0 = arith.constant 0 : i32
  // expected-remark @+1 {{constant 1}}
  %c1 = arith.constant 1 : i32
  // expected-remark @+1 {{contiguity [1]}}
  %isZero = arith.cmpi eq, %n, %c0 : i32
  // expected-remark @+1 {{contiguity [1], divisibility [1], constancy [1]}}
  %guarded = arith.select %isZero, %c1, %n : i32
  // expected-remark @+1 {{divisibility [16]}}
  %whole = arith.muli %n, %c1 : i32
  // expected-remark @+1 {{contiguity [1], divisibility [16], constancy [1]}}
  %r = arith.remsi %whole, %guarded : i32
  return
}

// -----

// Rows of `n` elements put at another distance: as far as runs go, the remainder counts on,
// also where it is computed from the quotient by a guarded divisor.
func.func @rows(%n: i32 {tile.divisibility = 16 : i32}, %m: i32 {tile.divisibility = 8 : i32}) {
  // expected-remark @+1 {{contiguity [64]}}
  %i = tile.arange 0 : tensor<64xi32>
  // expected-remark @+1 {{constant 0}}
  %zeros = arith.constant dense<0> : tensor<64xi32>
  // expected-remark @+1 {{constant 1}}
  %ones = arith.constant dense<1> : tensor<64xi32>
  // expected-remark @+1 {{divisibility [16], constancy [64]}}
  %ns = tile.splat %n : tensor<64xi32>
  // expected-remark @+1 {{divisibility [8], constancy [64]}}
  %ms = tile.splat %m : tensor<64xi32>
  // expected-remark @+1 {{contiguity [1]}}
  %isZero = arith.cmpi eq, %ns, %zeros : tensor<64xi32>
  // expected-remark @+1 {{divisibility [1], constancy [64]}}
  %guarded = arith.select %isZero, %ones, %ns : tensor<64xi1>, tensor<64xi32>
  // expected-remark @+1 {{contiguity [1], divisibility [1], constancy [16]}}
  %row = arith.divsi %i, %guarded : tensor<64xi32>
  // expected-remark @+1 {{divisibility [16], constancy [16]}}
  %whole = arith.muli %row, %guarded : tensor<64xi32>
  // expected-remark @+1 {{contiguity [16], divisibility [16], constancy [1]}}
  %column = arith.subi %i, %whole : tensor<64xi32>
  // expected-remark @+1 {{divisibility [8], constancy [16]}}
  %start = arith.muli %row, %ms : tensor<64xi32>
  // expected-remark @+1 {{contiguity [16], divisibility [8], constancy [1]}}
  %place = arith.addi %column, %start : tensor<64xi32>
  return
}
