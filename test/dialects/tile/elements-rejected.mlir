// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @gather_1(%x: tensor<8x4xf32>, %i: tensor<8xi32>) {
  // expected-error @+1 {{expects a source and an index with dimension 0, got ranks 2 and 1}}
  %a = tile.gather %x[%i] axis 0 : tensor<8x4xf32>, tensor<8xi32> -> tensor<8xf32>
  return
}

// -----

func.func @gather_2(%x: tensor<8x4xf32>, %i: tensor<4x2xi32>) {
  // expected-error @+1 {{expects an index with the source's sizes [8, 4] off dimension 1, got [4, 2]}}
  %a = tile.gather %x[%i] axis 1 : tensor<8x4xf32>, tensor<4x2xi32> -> tensor<4x2xf32>
  return
}

// -----

func.func @gather_3(%x: tensor<8xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{expects shape [4], got [8]}}
  %a = tile.gather %x[%i] axis 0 : tensor<8xf32>, tensor<4xi32> -> tensor<8xf32>
  return
}

// -----

func.func @gather_element(%x: tensor<8xf32>, %i: tensor<4xi32>) {
  // expected-error @+1 {{expects result elements of type 'f32', got 'f16'}}
  %a = tile.gather %x[%i] axis 0 : tensor<8xf32>, tensor<4xi32> -> tensor<4xf16>
  return
}

// -----

func.func @cat_1(%x: tensor<8xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{expects operands with dimension 1, got ranks 1 and 1}}
  %a = tile.cat %x, %y axis 1 : tensor<8xf32>, tensor<4xf32> -> tensor<12xf32>
  return
}

// -----

func.func @cat_2(%x: tensor<8x2xf32>, %y: tensor<8x4xf32>) {
  // expected-error @+1 {{expects shape [16, 4], got [16, 2]}}
  %a = tile.cat %x, %y axis 0 : tensor<8x2xf32>, tensor<8x4xf32> -> tensor<16x2xf32>
  return
}

// -----

func.func @extract_1(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{expects equal ranks, got 2 and 1}}
  %a = tile.extract %x offsets [0, 0] strides [1, 1] : tensor<8x4xf32> -> tensor<8xf32>
  return
}

// -----

func.func @extract_2(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{expects 2 offsets and strides, got 1 and 2}}
  %a = tile.extract %x offsets [0] strides [1, 1] : tensor<8x4xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @extract_3(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects elements from 0 to 7 along dimension 0, got 2 to -1}}
  %a = tile.extract %x offsets [2] strides [-1] : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @map_1(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects blocks of one shape, got 'tensor<4xf32>' and 'tensor<8xf32>'}}
  %a = tile.map(%x) {
  ^bb0(%e: f32):
    tile.yield %e : f32
  } : (tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @map_2(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects a positive pack, got 0}}
  %a = tile.map(%x) pack 0 {
  ^bb0:
    tile.yield
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @map_3(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects a region that takes 2 elements of each source and yields as many of each result}}
  %a = tile.map(%x) pack 2 {
  ^bb0(%e: f32):
    tile.yield %e, %e : f32, f32
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @map_4(%x: tensor<8xf32>, %p: !tile.ptr<f32>) {
  %a = tile.map(%x) {
  ^bb0(%e: f32):
    %old = tile.load %p : !tile.ptr<f32>
    // expected-error @+1 {{expects no effects other than reads inside of 'tile.map'}}
    tile.store %p, %e : !tile.ptr<f32>
    tile.yield %old : f32
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @map_5(%x: tensor<8xf32>) {
  %a = tile.map(%x) {
  ^bb0(%e: f32):
    // expected-error @+1 {{expects scalars inside of 'tile.map'}}
    %b = tile.splat %e : tensor<4xf32>
    tile.yield %e : f32
  } : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @inline_asm_1(%x: tensor<8xf32>, %n: i32) {
  // expected-error @+1 {{expects values of one shape, got 'tensor<8xf32>' and 'i32'}}
  %a = tile.inline_asm "" constraints "=r,r,r" (%x, %n) : (tensor<8xf32>, i32) -> tensor<8xf32>
  return
}

// -----

func.func @inline_asm_2(%x: tensor<8xf32>) {
  // expected-error @+1 {{expects a positive pack, got 0}}
  %a = tile.inline_asm "" constraints "=r,r"(%x) pack 0 : (tensor<8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @inline_asm_3(%x: tensor<8xf16>) {
  // expected-error @+1 {{expects constraints of 2 outputs and 2 inputs, got 1 and 4}}
  %a = tile.inline_asm "" constraints "=r,r,r,r,r"(%x) pack 4 : (tensor<8xf16>) -> tensor<8xf16>
  return
}
