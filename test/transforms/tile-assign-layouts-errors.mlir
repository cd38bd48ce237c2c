// RUN: tile-opt %s -split-input-file -verify-diagnostics --tile-assign-layouts

// expected-error @+1 {{expects a module with a 'tile.target'}}
func.func @no_target() { return }

// -----

module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>} {
// expected-error @+1 {{expects blocks of known size without an encoding of another kind}}
func.func @unknown_size(%x: tensor<?xf32>) { return }
}
