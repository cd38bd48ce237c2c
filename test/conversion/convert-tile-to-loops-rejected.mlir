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
