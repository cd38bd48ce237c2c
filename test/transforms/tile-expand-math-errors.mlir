// RUN: tile-opt %s --tile-expand-math --verify-diagnostics --split-input-file

func.func @wide(%x: f128) -> f128 {
  // expected-error @below {{'math.exp' has no expansion on elements of type 'f128'}}
  %y = math.exp %x : f128
  return %y : f128
}

// -----

func.func @integer_power(%x: tensor<4xf32>, %n: tensor<4xi32>) -> tensor<4xf32> {
  // expected-error @below {{'math.fpowi' has no expansion on elements of type 'f32'}}
  %y = math.fpowi %x, %n : tensor<4xf32>, tensor<4xi32>
  return %y : tensor<4xf32>
}

// -----

// expected-error @below {{expects 'native_math' to name a function of the table and a float type, got 'exq.f32'}}
module attributes {tile.target = #tile.target<"any", "any", {lanes = 1 : i32,
    native_math = {exq.f32 = 2.0 : f32}}>} {}
