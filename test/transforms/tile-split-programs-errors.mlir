// What thread blocks would have to exchange.
// RUN: tile-opt %s -split-input-file -verify-diagnostics --tile-split-programs

// expected-error @+1 {{a program cannot have 2 thread blocks (num_ctas): 'first' shares one among at most 1}}
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>, tile.num_ctas = 2 : i32} {}

// -----

#target = #tile.target<"any", "first", {lanes = 32 : i32, program_blocks = 8 : i32}>
module attributes {tile.target = #target, tile.num_ctas = 2 : i32} {
  func.func @atomic(%p: !tile.ptr<i32>, %q: !tile.ptr<i32>) attributes {tile.kernel} {
    %c1 = arith.constant 1 : i32
    // expected-error @+1 {{cannot be shared by the 2 thread blocks of a program (num_ctas): each of them would act for itself, and see another result; num_ctas=1 has no such limit}}
    %old = tile.atomic_rmw add %p, %c1 : !tile.ptr<i32>
    tile.store %q, %old : !tile.ptr<i32>
    return
  }
}

// -----

#target = #tile.target<"any", "first", {lanes = 32 : i32, program_blocks = 8 : i32}>
module attributes {tile.target = #target, tile.num_ctas = 2 : i32} {
  func.func @barrier() attributes {tile.kernel} {
    // expected-error @+1 {{they do not wait for each other}}
    tile.barrier
    return
  }
}

// -----

// Sums over rows and over columns: one of them needs all of the other's parts.

#target = #tile.target<"any", "first", {lanes = 32 : i32, program_blocks = 8 : i32}>
module attributes {tile.target = #target, tile.num_ctas = 2 : i32} {
  func.func @both(%p: !tile.ptr<f32>, %x: f16) attributes {tile.kernel} {
    %zero = arith.constant dense<0.0> : tensor<128x128xf32>
    %a = tile.splat %x : tensor<128x32xf16>
    %b = tile.splat %x : tensor<32x128xf16>
    // expected-error @+1 {{another part of its result is needed than each of them computes}}
    %d = tile.dot %a, %b, %zero : tensor<128x32xf16>, tensor<32x128xf16> -> tensor<128x128xf32>
    %ps = tile.splat %p : tensor<128x128x!tile.ptr<f32>>
    tile.store %ps, %d : tensor<128x128x!tile.ptr<f32>>
    // expected-note @+1 {{because of this}}
    tile.print "d" %d signedness [true] : tensor<128x128xf32>
    return
  }
}

// -----

#target = #tile.target<"any", "first", {lanes = 32 : i32, program_blocks = 8 : i32}>
module attributes {tile.target = #target, tile.num_ctas = 2 : i32} {
  func.func @in_place(%p: !tile.ptr<f32>) attributes {tile.kernel} {
    %n = tile.arange 0 : tensor<128xi32>
    %m = tile.arange 1 : tensor<128xi32>
    %ps = tile.splat %p : tensor<128x!tile.ptr<f32>>
    %from = tile.addptr %ps, %m : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %to = tile.addptr %ps, %n : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    // expected-note @+1 {{because of this}}
    %x = tile.load %from : tensor<128x!tile.ptr<f32>>
    // expected-error @+1 {{what one of them writes another may access, and they do not wait for each other}}
    tile.store %to, %x : tensor<128x!tile.ptr<f32>>
    return
  }
}

// -----

// Two stores at the same place are in order for each thread block; the third one writes
// what another thread block wrote.

#target = #tile.target<"any", "first", {lanes = 32 : i32, program_blocks = 8 : i32}>
module attributes {tile.target = #target, tile.num_ctas = 2 : i32} {
  func.func @shifted(%desc: !tile.desc<128x32xf32>, %x: f16) attributes {tile.kernel} {
    %zero = arith.constant 0 : i32
    %half = arith.constant 64 : i32
    %a = tile.splat %x : tensor<128x16xf16>
    %b = tile.splat %x : tensor<16x32xf16>
    %sum = arith.constant dense<0.0> : tensor<128x32xf32>
    %block = tile.dot %a, %b, %sum : tensor<128x16xf16>, tensor<16x32xf16> -> tensor<128x32xf32>
    // expected-note @+1 {{because of this}}
    tile.descriptor_store %desc[%zero, %zero], %block : !tile.desc<128x32xf32>
    tile.descriptor_store %desc[%zero, %half], %block : !tile.desc<128x32xf32>
    // expected-error @+1 {{what one of them writes another may access, and they do not wait for each other}}
    tile.descriptor_store %desc[%half, %zero], %block : !tile.desc<128x32xf32>
    return
  }
}

// -----

// All thread blocks take the same branch.

#target = #tile.target<"any", "first", {lanes = 32 : i32, program_blocks = 8 : i32}>
module attributes {tile.target = #target, tile.num_ctas = 2 : i32} {
  func.func @branches(%desc: !tile.desc<128x32xf32>, %x: f16, %is: i1, %i: i32, %j: i32) attributes {tile.kernel} {
    %a = tile.splat %x : tensor<128x16xf16>
    %b = tile.splat %x : tensor<16x32xf16>
    %sum = arith.constant dense<0.0> : tensor<128x32xf32>
    %block = tile.dot %a, %b, %sum : tensor<128x16xf16>, tensor<16x32xf16> -> tensor<128x32xf32>
    scf.if %is {
      tile.descriptor_store %desc[%i, %i], %block : !tile.desc<128x32xf32>
    } else {
      tile.descriptor_store %desc[%j, %i], %block : !tile.desc<128x32xf32>
    }
    return
  }
}

// -----

// A block's next one may lie over a part that another thread block stored, along rows and along columns.

#target = #tile.target<"any", "first", {lanes = 32 : i32, program_blocks = 8 : i32}>
module attributes {tile.target = #target, tile.num_ctas = 2 : i32} {
  func.func @scattered(%desc: !tile.desc<128x32xf32>, %places: !tile.ptr<i32>, %x: f16, %n: i32) attributes {tile.kernel} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %a = tile.splat %x : tensor<128x16xf16>
    %b = tile.splat %x : tensor<16x32xf16>
    %sum = arith.constant dense<0.0> : tensor<128x32xf32>
    %block = tile.dot %a, %b, %sum : tensor<128x16xf16>, tensor<16x32xf16> -> tensor<128x32xf32>
    scf.for %i = %zero to %n step %one : i32 {
      %p = tile.addptr %places, %i : !tile.ptr<i32>, i32
      %row = tile.load %p : !tile.ptr<i32>
      // expected-error @+1 {{what one of them stores another may store over in a later iteration}}
      tile.descriptor_store %desc[%row, %row], %block : !tile.desc<128x32xf32>
    }
    return
  }
}

// -----

// The array begins elsewhere each time: indices do not tell where blocks are.

#target = #tile.target<"any", "first", {lanes = 32 : i32, program_blocks = 8 : i32}>
module attributes {tile.target = #target, tile.num_ctas = 2 : i32} {
  func.func @elsewhere(%c: !tile.ptr<f32>, %places: !tile.ptr<i32>, %x: f16, %n: i32) attributes {tile.kernel} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %stride = arith.extsi %n : i32 to i64
    %a = tile.splat %x : tensor<128x16xf16>
    %b = tile.splat %x : tensor<16x32xf16>
    %sum = arith.constant dense<0.0> : tensor<128x32xf32>
    %block = tile.dot %a, %b, %sum : tensor<128x16xf16>, tensor<16x32xf16> -> tensor<128x32xf32>
    scf.for %i = %zero to %n step %one : i32 {
      %p = tile.addptr %places, %i : !tile.ptr<i32>, i32
      %place = tile.load %p : !tile.ptr<i32>
      %from = tile.addptr %c, %place : !tile.ptr<f32>, i32
      %desc = tile.make_descriptor %from sizes[%n, %n] strides[%stride] : !tile.ptr<f32> -> !tile.desc<128x32xf32>
      // expected-error @+1 {{what one of them stores another may store over in a later iteration}}
      tile.descriptor_store %desc[%zero, %zero], %block : !tile.desc<128x32xf32>
    }
    return
  }
}

// -----

// Blocks move on by their side, wherever they begin.

#target = #tile.target<"any", "first", {lanes = 32 : i32, program_blocks = 8 : i32}>
module attributes {tile.target = #target, tile.num_ctas = 2 : i32} {
  func.func @apart(%desc: !tile.desc<128x32xf32>, %row: i32, %column: i32, %x: f16, %n: i32) attributes {tile.kernel} {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %side = arith.constant 128 : i32
    %a = tile.splat %x : tensor<128x16xf16>
    %b = tile.splat %x : tensor<16x32xf16>
    %sum = arith.constant dense<0.0> : tensor<128x32xf32>
    %block = tile.dot %a, %b, %sum : tensor<128x16xf16>, tensor<16x32xf16> -> tensor<128x32xf32>
    scf.for %i = %zero to %n step %one : i32 {
      %step = arith.muli %i, %side : i32
      %next = arith.addi %row, %step : i32
      tile.descriptor_store %desc[%next, %column], %block : !tile.desc<128x32xf32>
    }
    return
  }
}
