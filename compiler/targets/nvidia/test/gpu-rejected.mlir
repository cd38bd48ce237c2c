// RUN: tile-opt %s -split-input-file -convert-tile-to-gpu -verify-diagnostics

// expected-error @+1 {{expects 'tile.target' on the module}}
module {
}

// -----

// expected-error @+1 {{target 'nowhere' is not a GPU of this build}}
module attributes {tile.target = #tile.target<"nowhere", "any", {lanes = 32 : i32}>} {
}

// -----

module attributes {tile.target = #tile.target<"nvidia", "sm_80", {lanes = 32 : i32}>} {
func.func @layout() {
  // expected-error @+1 {{expects a layout on every block, got 'tensor<64xi32>'}}
  %a = tile.arange 0 : tensor<64xi32>
  return
}
}

// -----

// expected-error @+1 {{programs of more than 1 thread block(s) are not supported}}
module attributes {tile.num_ctas = 2 : i32,
    tile.target = #tile.target<"nvidia", "sm_80", {lanes = 32 : i32}>} {
}

// -----

#layout = #tile.layout<[2]: register = [[1]], lane = [[0], [0], [0], [0], [0]]>
module attributes {tile.target = #tile.target<"nvidia", "sm_80", {lanes = 32 : i32}>} {
func.func @constant() {
  // expected-error @+1 {{expects a block of one value}}
  %a = arith.constant dense<[1, 2]> : tensor<2xi32, #layout>
  return
}
}

// -----

#layout = #tile.layout<[32]: lane = [[1], [2], [4], [8], [16]]>
module attributes {tile.target = #tile.target<"nvidia", "sm_80", {lanes = 32 : i32}>, tile.num_warps = 1 : i32} {
func.func @combiner(%x: tensor<32xf32, #layout>, %p: !tile.ptr<f32>) -> f32 {
  %sum = tile.reduce(%x) axis 0 {
  ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{'tile.load' cannot be part of a combine function}}
    %w = tile.load %p : !tile.ptr<f32>
    %c = arith.addf %a, %w : f32
    tile.yield %c : f32
  } : (tensor<32xf32, #layout>) -> f32
  return %sum : f32
}
}
