// RUN: tile-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expects at least one signal, got 0}}
func.func @signals_1(%s: !tile.signals<0>)

// -----

func.func @signal_alloc_1() {
  // expected-error @+1 {{attribute 'arrivals' failed to satisfy constraint}}
  %s = tile.signal_alloc arrivals 0 : !tile.signals<1>
  return
}

// -----

#memory = #tile.layout<[64]: offset = [[1], [2], [4], [8], [16], [32]]>
func.func @acquire_1(%s: !tile.signals<3>, %b: !tile.buffer<2x64xf16, #memory>, %i: i32) {
  // expected-error @+1 {{expects stacks of as many blocks as there are signals}}
  %v = tile.acquire %s[%i] phase %i of (%b : !tile.buffer<2x64xf16, #memory>) : !tile.signals<3>
  return
}

// -----

#memory = #tile.layout<[64]: offset = [[1], [2], [4], [8], [16], [32]]>
func.func @acquire_stack(%s: !tile.signals<3>, %b: !tile.buffer<64xf16, #memory>, %i: i32) {
  // expected-error @+1 {{expects stacks of blocks}}
  %v = tile.acquire %s[%i] phase %i of (%b : !tile.buffer<64xf16, #memory>) : !tile.signals<3>
  return
}

// -----

func.func @expect_1(%s: !tile.signals<3>, %i: i32) {
  // expected-error @+1 {{attribute 'bytes' failed to satisfy constraint}}
  tile.expect %s[%i] bytes -1 : !tile.signals<3>
  return
}

// -----

func.func @expect_1_arrivals(%s: !tile.signals<3>, %i: i32) {
  // expected-error @+1 {{attribute 'arrivals' failed to satisfy constraint}}
  tile.expect %s[%i] bytes 0 arrivals 0 : !tile.signals<3>
  return
}

// -----

#memory = #tile.layout<[64]: offset = [[1], [2], [4], [8], [16], [32]]>
#rows = #tile.layout<[64, 64]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]>
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32}>} {
func.func @block_copy_1(%d: !tile.desc<64xf16>, %b: !tile.buffer<64xf16, #memory>, %s: !tile.signals<1>, %i: i32) {
  // expected-error @+1 {{expects 1 indices, got 2}}
  tile.block_copy %d[%i, %i], %b signal %s[%i] : !tile.desc<64xf16>, !tile.buffer<64xf16, #memory>, !tile.signals<1>
  return
}
func.func @block_copy_2(%d: !tile.desc<64xf32>, %b: !tile.buffer<64xf16, #memory>, %s: !tile.signals<1>, %i: i32) {
  // expected-error @+1 {{expects a buffer for the descriptor's block}}
  tile.block_copy %d[%i], %b signal %s[%i] : !tile.desc<64xf32>, !tile.buffer<64xf16, #memory>, !tile.signals<1>
  return
}
func.func @block_store_4(%d: !tile.desc<64xf16>, %b: !tile.buffer<64xf16, #memory>, %i: i32) {
  // expected-error @+1 {{got 'f16'}}
  tile.block_store %b, %d[%i] kind add : !tile.buffer<64xf16, #memory>, !tile.desc<64xf16>
  return
}
// Lanes go to where another warp has its rows.
func.func @block_store_5_boxes(%d: !tile.desc<64x64xf16>, %b: !tile.buffer<64x64xf16, #rows>, %i: i32) {
  // expected-error @+1 {{expects parts of warps that are boxes which copies move, got #tile.layout<[64, 64]: register}}
  tile.block_store %b, %d[%i, %i] parts(#tile.layout<[64, 64]: register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [20, 0]], warp = [[16, 0], [32, 0]]>) : !tile.buffer<64x64xf16, #rows>, !tile.desc<64x64xf16>
  return
}
func.func @block_store_5(%d: !tile.desc<64xf16>, %b: !tile.buffer<64xf16, #memory>, %i: i32) {
  // expected-error @+1 {{expects parts of warps that are boxes which copies move, got #tile.layout<[64]: lane}}
  tile.block_store %b, %d[%i] parts(#tile.layout<[64]: lane = [[1], [2], [4], [8], [16]], warp = [[32], [0]]>) : !tile.buffer<64xf16, #memory>, !tile.desc<64xf16>
  return
}
}

// -----

#memory = #tile.layout<[64]: offset = [[2], [1], [4], [8], [16], [32]]>
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32}>} {
func.func @block_copy_3(%d: !tile.desc<64xf16>, %b: !tile.buffer<64xf16, #memory>, %s: !tile.signals<1>, %i: i32) {
  // expected-error @+1 {{expects a buffer in a layout of the machine's copies of blocks}}
  tile.block_copy %d[%i], %b signal %s[%i] : !tile.desc<64xf16>, !tile.buffer<64xf16, #memory>, !tile.signals<1>
  return
}
}

// -----

func.func @roles_1() {
  // expected-error @+1 {{expects a number of warps, registers and threads for each region}}
  tile.roles warps [1] registers [0, 0] threads [1] {
    tile.await_block_stores in_flight 0
  }, {
    tile.await_block_stores in_flight 0
  }
  return
}

// -----

module attributes {tile.num_warps = 4 : i32} {
func.func @roles_2() {
  // expected-error @+1 {{expects the program's warps to run the first region}}
  tile.roles warps [2] registers [0] threads [2] {
    tile.await_block_stores in_flight 0
  }
  return
}
}

// -----

func.func @roles_3() {
  // expected-error @+1 {{or one that holds no blocks}}
  tile.roles warps [1, 2] registers [0, 0] threads [1, 1] {
    tile.await_block_stores in_flight 0
  }, {
    %x = tile.arange 0 : tensor<32xi32>
  }
  return
}

// -----

func.func @roles_4(%c: i1) {
  scf.if %c {
    // expected-error @+1 {{expects to be in the body of a function}}
    tile.roles warps [1] registers [0] threads [1] {
      tile.await_block_stores in_flight 0
    }
  }
  return
}

// -----

#memory = #tile.layout<[8, 64]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]]>
module attributes {tile.num_ctas = 2 : i32,
                   tile.target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32}>} {
func.func @block_copy_4(%d: !tile.desc<8x64xf16>, %b: !tile.buffer<8x64xf16, #memory>, %s: !tile.signals<1>, %i: i32) {
  // expected-error @+1 {{expects a block that divides into 2 shares}}
  tile.block_copy %d[%i, %i], %b signal %s[%i] everywhere : !tile.desc<8x64xf16>, !tile.buffer<8x64xf16, #memory>, !tile.signals<1>
  return
}
}

// -----

func.func @roles_5(%s: !tile.signals<1>, %i: i32) {
  // expected-error @+1 {{expects to begin and end 'everywhere', as operations in it reach other thread blocks}}
  tile.roles warps [1] registers [0] threads [1] {
    tile.arrive %s[%i] everywhere : !tile.signals<1>
  }
  return
}
