// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @scan_1(%x: tensor<4xf32>) {
  // expected-error @+1 {{expects sources of one shape with dimension 1}}
  %s = tile.scan(%x) axis 1 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @scan_2(%x: tensor<4xf32>) {
  // expected-error @+1 {{expects a result of type 'tensor<4xf32>', got 'tensor<4xi32>'}}
  %s = tile.scan(%x) axis 0 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// -----

func.func @scan_3(%x: tensor<4xf32>) {
  // expected-error @+1 {{expects a region of 2 arguments that yields 1}}
  %s = tile.scan(%x) axis 0 {
  ^bb0(%a: f32):
    tile.yield %a : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @scan_3_types(%x: tensor<4xf32>) {
  // expected-error @+1 {{expects elements of type 'f32' in the region, got 'f16'}}
  %s = tile.scan(%x) axis 0 {
  ^bb0(%a: f32, %b: f16):
    tile.yield %a : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @sort_1(%x: tensor<4xf8E5M2>) {
  // expected-error @+1 {{expects integers, or floats of 16 bits or more, got 'f8E5M2'}}
  %s = tile.sort %x : tensor<4xf8E5M2> -> tensor<4xf8E5M2>
  return
}

// -----

func.func @sort_2(%x: tensor<4xf32>) {
  // expected-error @+1 {{or with fewer elements in the last dimension, got 'tensor<8xf32>'}}
  %s = tile.sort %x : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @sort_3(%x: tensor<4xf32>) {
  // expected-error @+1 {{expects places of shape [2], got [4]}}
  %s, %i = tile.sort %x : tensor<4xf32> -> tensor<2xf32>, tensor<4xi32>
  return
}

// -----

func.func @histogram_1(%x: tensor<4x4xi32>) {
  // expected-error @+1 {{expects blocks of rank one, got ranks 2 and 1}}
  %s = tile.histogram %x : tensor<4x4xi32> -> tensor<8xi32>
  return
}
