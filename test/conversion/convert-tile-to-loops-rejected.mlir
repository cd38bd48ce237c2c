// RUN: tile-opt %s --convert-tile-to-loops -split-input-file -verify-diagnostics

// expected-error @+1 {{expects all calls to be inlined, but 'helper' is not a kernel}}
func.func @helper() {
  return
}

// -----

func.func @conversion() attributes {tile.kernel} {
  %x = arith.constant 1.0 : f32
  // expected-error @+1 {{'tile.cast' cannot become loops}}
  %y = tile.cast %x : f32 -> f16
  return
}

// -----

func.func @table() attributes {tile.kernel} {
  // expected-error @+1 {{expects a constant block of equal elements}}
  %x = arith.constant dense<[1, 2]> : tensor<2xi32>
  return
}

// -----

// expected-error @+1 {{blocks need 1024 MiB of memory in each thread, more than the 512 MiB that there are; use smaller blocks}}
func.func @large(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16384x16384xf32>
  %xs = tile.splat %x : tensor<16384x16384x!tile.ptr<f32>>
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%sum = %zero) -> (tensor<16384x16384xf32>) : i32 {
    %v = tile.load %xs : tensor<16384x16384x!tile.ptr<f32>>
    %s = arith.addf %sum, %v : tensor<16384x16384xf32>
    scf.yield %s : tensor<16384x16384xf32>
  }
  tile.store %xs, %r : tensor<16384x16384x!tile.ptr<f32>>
  return
}
