// RUN: tile-opt %s -split-input-file -verify-diagnostics --tile-assign-layouts --tile-remove-conversions --tile-pipeline-loops -o /dev/null

module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32, async_copy_bytes = array<i64: 4, 8, 16>, on_chip_bytes = 17120 : i32}>, tile.num_warps = 4 : i32} {
func.func @reasons(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %narrow: !tile.ptr<f16>, %n: i32, %m: i32 {tile.divisibility = 16 : i32}) -> (tensor<1024xf32>, tensor<1024xf16>, tensor<1024xf32>, tensor<1024x!tile.ptr<f32>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %number = arith.constant 1.0 : f16
  %half = arith.constant dense<1.0> : tensor<1024xf16>
  %one = arith.constant dense<1.0> : tensor<1024xf32>
  %r = tile.arange 0 : tensor<1024xi32>
  %xs = tile.splat %x : tensor<1024x!tile.ptr<f32>>
  %p = tile.addptr %xs, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %ns = tile.splat %narrow : tensor<1024x!tile.ptr<f16>>
  %q = tile.addptr %ns, %r : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %ms = tile.splat %m : tensor<1024xi32>
  %mask = arith.cmpi slt, %r, %ms : tensor<1024xi32>
  scf.for %k = %c0 to %n step %c1 : i32 {
    // expected-remark @+1 {{this load is not pipelined: the loop writes to memory}}
    %a = tile.load %p : tensor<1024x!tile.ptr<f32>>
    tile.store %p, %a : tensor<1024x!tile.ptr<f32>>
  } {tile.num_stages = 2 : i32}
  scf.for %k = %c0 to %n step %c1 : i32 {
    // expected-remark @+1 {{this load is not pipelined: the loop writes to memory}}
    %a = tile.load %p : tensor<1024x!tile.ptr<f32>>
    %old = tile.atomic_rmw fadd %p, %a : tensor<1024x!tile.ptr<f32>>
  } {tile.num_stages = 2 : i32}
  // What others have written by then, the access may tell.
  scf.for %k = %c0 to %n step %c1 : i32 {
    // expected-remark @+1 {{this load is not pipelined: the loop writes to memory}}
    %a = tile.load %p : tensor<1024x!tile.ptr<f32>>
    %old = tile.atomic_rmw exchange %narrow, %number : !tile.ptr<f16>
    %told = tile.splat %old : tensor<1024xf16>
    %short = arith.truncf %a : tensor<1024xf32> to tensor<1024xf16>
    %both = arith.addf %told, %short : tensor<1024xf16>
    tile.store %q, %both : tensor<1024x!tile.ptr<f16>>
  } {tile.num_stages = 2 : i32}
  %s0 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %one) -> tensor<1024xf32> : i32 {
    // expected-remark @+1 {{this load is not pipelined: it is volatile}}
    %a = tile.load %p volatile : tensor<1024x!tile.ptr<f32>>
    %t = arith.addf %s, %a : tensor<1024xf32>
    scf.yield %t : tensor<1024xf32>
  } {tile.num_stages = 2 : i32}
  %s1, %h1 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %s0, %h = %half) -> (tensor<1024xf32>, tensor<1024xf16>) : i32 {
    %a = tile.load %p mask %mask other %one : tensor<1024x!tile.ptr<f32>>
    %t = arith.addf %s, %a : tensor<1024xf32>
    // expected-remark @+1 {{this load is not pipelined: too few of its elements are consecutive and aligned for an asynchronous copy}}
    %b = tile.load %q : tensor<1024x!tile.ptr<f16>>
    %u = arith.addf %h, %b : tensor<1024xf16>
    scf.yield %t, %u : tensor<1024xf32>, tensor<1024xf16>
  } {tile.num_stages = 2 : i32}
  // expected-remark @+1 {{this loop has 3 stages instead of 4: each needs 4096 bytes of on-chip memory, of which 16096 are left}}
  %s2 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %s1) -> tensor<1024xf32> : i32 {
    %a = tile.load %p : tensor<1024x!tile.ptr<f32>>
    %t = arith.addf %s, %a : tensor<1024xf32>
    scf.yield %t : tensor<1024xf32>
  } {tile.num_stages = 4 : i32}
  %p3 = scf.for %k = %c0 to %n step %c1 iter_args(%pk = %p) -> tensor<1024x!tile.ptr<f32>> : i32 {
    // expected-remark @+1 {{this load is not pipelined: its address depends on what the loop computes}}
    %a = tile.load %pk : tensor<1024x!tile.ptr<f32>>
    %max = tile.reduce (%a) axis 0 {
    ^bb0(%u: f32, %v: f32):
      %w = arith.maxnumf %u, %v : f32
      tile.yield %w : f32
    } : (tensor<1024xf32>) -> f32
    %i = arith.fptosi %max : f32 to i32
    %is = tile.splat %i : tensor<1024xi32>
    %next = tile.addptr %pk, %is : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    scf.yield %next : tensor<1024x!tile.ptr<f32>>
  } {tile.num_stages = 2 : i32}
  // expected-remark @+1 {{this loop is not pipelined: it contains another loop}}
  scf.for %k = %c0 to %n step %c1 : i32 {
    scf.for %l = %c0 to %n step %c1 : i32 {
      tile.store %p, %s2 : tensor<1024x!tile.ptr<f32>>
    }
  } {tile.num_stages = 2 : i32}
  return %s2, %h1, %s1, %p3 : tensor<1024xf32>, tensor<1024xf16>, tensor<1024xf32>, tensor<1024x!tile.ptr<f32>>
}
}

// -----

// Where two blocks of each are too many, what is multiplied as it is comes first.
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32, async_copy_bytes = array<i64: 4, 8, 16>, on_chip_bytes = 12000 : i32}>, tile.num_warps = 4 : i32, tile.num_stages = 2 : i32} {
func.func @short(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) -> tensor<64x16xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %r = tile.arange 0 : tensor<64xi32>
  %rows = tile.expand_dims %r axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %c32 = arith.constant dense<32> : tensor<64x1xi32>
  %from = arith.muli %rows, %c32 : tensor<64x1xi32>
  %xs = tile.splat %x : tensor<64x1x!tile.ptr<f16>>
  %ps0 = tile.addptr %xs, %from : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
  %ps1 = tile.broadcast %ps0 : tensor<64x1x!tile.ptr<f16>> -> tensor<64x32x!tile.ptr<f16>>
  %l = tile.arange 0 : tensor<32xi32>
  %columns = tile.expand_dims %l axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %offsets = tile.broadcast %columns : tensor<1x32xi32> -> tensor<64x32xi32>
  %ps = tile.addptr %ps1, %offsets : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
  %from_y = tile.expand_dims %l axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %c16 = arith.constant dense<16> : tensor<32x1xi32>
  %starts = arith.muli %from_y, %c16 : tensor<32x1xi32>
  %ys = tile.splat %y : tensor<32x1x!tile.ptr<f32>>
  %qs0 = tile.addptr %ys, %starts : tensor<32x1x!tile.ptr<f32>>, tensor<32x1xi32>
  %qs1 = tile.broadcast %qs0 : tensor<32x1x!tile.ptr<f32>> -> tensor<32x16x!tile.ptr<f32>>
  %w = tile.arange 0 : tensor<16xi32>
  %columns_y = tile.expand_dims %w axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %offsets_y = tile.broadcast %columns_y : tensor<1x16xi32> -> tensor<32x16xi32>
  %qs = tile.addptr %qs1, %offsets_y : tensor<32x16x!tile.ptr<f32>>, tensor<32x16xi32>
  %d = scf.for %k = %c0 to %n step %c1 iter_args(%sum = %zero) -> tensor<64x16xf32> : i32 {
    // expected-remark @+1 {{this load is not pipelined: two blocks of 4096 bytes of on-chip memory are not left for it}}
    %h = tile.load %ps : tensor<64x32x!tile.ptr<f16>>
    %a = arith.extf %h : tensor<64x32xf16> to tensor<64x32xf32>
    %b = tile.load %qs : tensor<32x16x!tile.ptr<f32>>
    %t = tile.dot %a, %b, %sum : tensor<64x32xf32>, tensor<32x16xf32> -> tensor<64x16xf32>
    scf.yield %t : tensor<64x16xf32>
  }
  return %d : tensor<64x16xf32>
}
}
