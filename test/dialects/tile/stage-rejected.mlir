// RUN: tile-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expects the name of an index space, got 'thread'}}
#layout = #tile.layout<[8]: thread = [[1], [2], [4]]>

// -----

// expected-error @+1 {{expects tile sizes that are powers of two, got 6}}
#layout = #tile.layout<[6]: lane = [[1], [2]]>

// -----

#layout = #tile.layout<[8]: lane = [[1], [2], [4]]>
// expected-error @+1 {{expects a layout that covers [16], got one of [8]}}
func.func @layout_1(%x: tensor<16xf32, #layout>)

// -----

#layout = #tile.layout<[8]: lane = [[1], [2], [4]]>
// expected-error @+1 {{expects a layout that covers [8, 8], got one of [8]}}
func.func @layout_1(%x: tensor<8x8xf32, #layout>)

// -----

#memory = #tile.layout<[8]: offset = [[1], [2], [4]]>
// expected-error @+1 {{expects a layout of threads, got one of on-chip memory}}
func.func @layout_2(%x: tensor<8xf32, #memory>)

// -----

#layout = #tile.layout<[8]: lane = [[1], [2], [4]]>
// expected-error @+1 {{expects a layout of on-chip memory, got one with the input lane}}
func.func @buffer_1(%x: !tile.buffer<8xf32, #layout>)

// -----

#memory = #tile.layout<[8]: offset = [[1], [2], [4], [0]]>
// expected-error @+1 {{expects a layout that holds each element once}}
func.func @buffer_1(%x: !tile.buffer<8xf32, #memory>)

// -----

#memory = #tile.layout<[8]: offset = [[1], [2], [4]]>
// expected-error @+1 {{expects a layout of rank 3 or one less, got 1}}
func.func @buffer_2(%x: !tile.buffer<2x2x8xf32, #memory>)

// -----

#memory = #tile.layout<[8]: offset = [[1], [2], [4]]>
// expected-error @+1 {{expects integers or floats as elements, got '!tile.ptr<f32>'}}
func.func @buffer_3(%x: !tile.buffer<8x!tile.ptr<f32>, #memory>)

// -----

// expected-error @+1 {{expects a buffer or a block, got 'f32'}}
func.func @pending_1(%x: !tile.pending<f32>)

// -----

#memory = #tile.layout<[8]: offset = [[1], [2], [4]]>
func.func @buffer_alloc_1() {
  // expected-error @+1 {{attribute 'offset' failed to satisfy constraint}}
  %b = tile.buffer_alloc offset -4 : !tile.buffer<8xf32, #memory>
  return
}

// -----

#memory = #tile.layout<[8]: offset = [[1], [2], [4]]>
func.func @buffer_view_1(%b: !tile.buffer<8xf32, #memory>, %i: i32) {
  // expected-error @+1 {{expects a stack of blocks, got '!tile.buffer<8xf32,}}
  %v = tile.buffer_view %b[%i] : !tile.buffer<8xf32, #memory>
  return
}

// -----

#layout = #tile.layout<[8]: lane = [[1], [2], [4]]>
#memory = #tile.layout<[8]: offset = [[1], [2], [4]]>
func.func @buffer_load_1(%b: !tile.buffer<8xf32, #memory>) {
  // expected-error @+1 {{expects a block of the buffer's shape and element type, got 'tensor<8xf16,}}
  %x = tile.buffer_load %b : !tile.buffer<8xf32, #memory> -> tensor<8xf16, #layout>
  return
}

// -----

#layout = #tile.layout<[8]: lane = [[1], [2], [4]]>
#memory = #tile.layout<[8]: offset = [[1], [2], [4]]>
func.func @buffer_store_1(%x: tensor<4xf32, #layout>, %b: !tile.buffer<8xf32, #memory>) {
  // expected-error @+1 {{expects a block of the buffer's shape and element type, got 'tensor<4xf32,}}
  tile.buffer_store %x, %b : tensor<4xf32, #layout> -> !tile.buffer<8xf32, #memory>
  return
}

// -----

#layout = #tile.layout<[8]: lane = [[1], [2], [4]]>
#memory = #tile.layout<[8]: offset = [[1], [2], [4]]>
func.func @async_copy_1(%p: tensor<8x!tile.ptr<f16>, #layout>, %b: !tile.buffer<8xf32, #memory>) {
  // expected-error @+1 {{expects a block of the buffer's shape and element type, got 'tensor<8xf16,}}
  %x = tile.async_copy %p, %b : tensor<8x!tile.ptr<f16>, #layout> -> !tile.buffer<8xf32, #memory>
  return
}

// -----

#memory = #tile.layout<[8]: offset = [[1], [2], [4]]>
func.func @await_1(%p: !tile.pending<!tile.buffer<8xf32, #memory>>) {
  // expected-error @+1 {{expects results of the types that the operands promise}}
  %x = "tile.await"(%p) {inFlight = 0 : i32} : (!tile.pending<!tile.buffer<8xf32, #memory>>) -> i32
  return
}

// -----

#memory = #tile.layout<[8]: offset = [[1], [2], [4]]>
func.func @commit_1(%p: !tile.pending<!tile.buffer<8xf32, #memory>>) {
  // expected-error @+1 {{expects results of the operands' types}}
  %x = "tile.commit"(%p) : (!tile.pending<!tile.buffer<8xf32, #memory>>) -> !tile.pending<tensor<8xf32>>
  return
}

// -----

func.func @await_syntax(%p: i32) {
  // expected-error @+1 {{expects pending values, got 'i32'}}
  %x = tile.await(%p) in_flight 0 : i32
  return
}

// -----

// expected-error @+1 {{expects 'units' as an array of matmul units, got [1]}}
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32, units = [1]}>} {}

// -----

// expected-error @+1 {{expects 'async_copy_bytes' as an array<i64: ...> of powers of two}}
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32, async_copy_bytes = array<i64: 3>}>} {}

// -----

// expected-error @+1 {{expects 'tile.shared_bytes' as a number of bytes of a module}}
module attributes {tile.shared_bytes = -1 : i32} {}

// -----

// expected-error @+1 {{expects 'tile.scratch_offset' as a number of bytes}}
func.func private @scratch() attributes {tile.scratch_offset = "none"}

// -----

#memory = #tile.layout<[8, 4]: offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]]>
func.func @buffer_transpose_1(%b: !tile.buffer<8x4xf16, #memory>) {
  // expected-error @+1 {{expects one block and a permutation of its dimensions}}
  %t = tile.buffer_transpose %b order [0, 0] : !tile.buffer<8x4xf16, #memory> -> !tile.buffer<8x4xf16, #memory>
  return
}

// -----

#memory = #tile.layout<[8, 4]: offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]]>
#row = #tile.layout<[4]: offset = [[1], [2]]>
func.func @buffer_transpose_1_dropped(%b: !tile.buffer<8x4xf16, #memory>) {
  // expected-error @+1 {{expects one block and a permutation of its dimensions}}
  %t = tile.buffer_transpose %b order [1] : !tile.buffer<8x4xf16, #memory> -> !tile.buffer<4xf16, #row>
  return
}

// -----

#memory = #tile.layout<[8, 4]: offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]]>
func.func @buffer_transpose_1_outside(%b: !tile.buffer<8x4xf16, #memory>) {
  // expected-error @+1 {{expects one block and a permutation of its dimensions}}
  %t = tile.buffer_transpose %b order [1, 2] : !tile.buffer<8x4xf16, #memory> -> !tile.buffer<8x4xf16, #memory>
  return
}

// -----

#memory = #tile.layout<[8, 4]: offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]]>
func.func @buffer_transpose_2(%b: !tile.buffer<8x4xf16, #memory>) {
  // expected-error @+1 {{expects a result of type}}
  %t = tile.buffer_transpose %b order [1, 0] : !tile.buffer<8x4xf16, #memory> -> !tile.buffer<8x4xf16, #memory>
  return
}

// -----

#acc = #tile.layout<[32]: lane = [[1], [2], [4], [8], [16]]>
func.func @await_dots_1(%p: !tile.pending<tensor<32xf32, #acc>>) {
  // expected-error @+1 {{or that pending, got}}
  %t = tile.await_dots(%p) in_flight 1 : !tile.pending<tensor<32xf32, #acc>> -> tensor<32xf16, #acc>
  return
}

// -----

#acc = #tile.layout<[32]: lane = [[1], [2], [4], [8], [16]]>
func.func @await_dots_2(%p: !tile.pending<tensor<32xf32, #acc>>) {
  // expected-error @+1 {{expects no pending result where nothing is in flight}}
  %t = tile.await_dots(%p) in_flight 0 : !tile.pending<tensor<32xf32, #acc>> -> !tile.pending<tensor<32xf32, #acc>>
  return
}
