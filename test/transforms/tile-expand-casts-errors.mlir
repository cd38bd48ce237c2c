// RUN: tile-opt %s --tile-expand-casts --verify-diagnostics --split-input-file

func.func @no_saturation(%x: f32) -> f8E5M2 {
  // expected-error @below {{expects tile.cast to narrow to an 8-bit float, got arith.truncf}}
  %y = arith.truncf %x : f32 to f8E5M2
  return %y : f8E5M2
}

// -----

func.func @rounding(%x: f32) -> bf16 {
  // expected-error @below {{expects rounding to nearest even or toward zero, got upward}}
  %y = arith.truncf %x upward : f32 to bf16
  return %y : bf16
}

// -----

func.func @type(%x: f32) -> f8E3M4 {
  // expected-error @below {{has no expansion on elements of type 'f8E3M4'}}
  %y = tile.cast %x : f32 -> f8E3M4
  return %y : f8E3M4
}

// -----

// expected-error @below {{expects 'native_casts' of the form from:to or from:to:rtz, got 'f32:f61'}}
module attributes {tile.target = #tile.target<"any", "any", {lanes = 1 : i32,
    native_casts = ["f32:f61"]}>} {}

// -----

// expected-error @below {{expects 'native_arithmetic' to name f16 or bf16, got 'f8E5M2'}}
module attributes {tile.target = #tile.target<"any", "any", {lanes = 1 : i32,
    native_arithmetic = ["f8E5M2"]}>} {}
