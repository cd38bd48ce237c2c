// RUN: tile-opt %s -split-input-file --tile-plan-buffers | FileCheck %s

#m = #tile.layout<[1024]: offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512]]>
#l = #tile.layout<[1024]: register = [[128], [256], [512]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
// CHECK: module attributes {{{.*}}tile.shared_bytes = 12288 : i32
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>, tile.num_warps = 4 : i32} {
// The third buffer is first used when the first is no longer.
// CHECK-LABEL: func.func @lifetimes
func.func @lifetimes(%x: tensor<1024xf32, #l>) {
  // CHECK: tile.buffer_alloc offset [[FIRST:[0-9]+]] : !tile.buffer<1024xf32
  %a = tile.buffer_alloc : !tile.buffer<1024xf32, #m>
  // CHECK: tile.buffer_alloc offset [[SECOND:[0-9]+]] : !tile.buffer<2x1024xf32
  %b = tile.buffer_alloc : !tile.buffer<2x1024xf32, #m>
  // CHECK: tile.buffer_alloc offset [[FIRST]] : !tile.buffer<1024xf32
  %c = tile.buffer_alloc : !tile.buffer<1024xf32, #m>
  %i = arith.constant 1 : i32
  %v = tile.buffer_view %b[%i] : !tile.buffer<2x1024xf32, #m>
  tile.buffer_store %x, %v : tensor<1024xf32, #l> -> !tile.buffer<1024xf32, #m>
  tile.buffer_store %x, %a : tensor<1024xf32, #l> -> !tile.buffer<1024xf32, #m>
  %y = tile.buffer_load %a : !tile.buffer<1024xf32, #m> -> tensor<1024xf32, #l>
  tile.buffer_store %y, %c : tensor<1024xf32, #l> -> !tile.buffer<1024xf32, #m>
  %z = tile.buffer_load %v : !tile.buffer<1024xf32, #m> -> tensor<1024xf32, #l>
  return
}
}

// -----

// A store by a unit reads until it is awaited.
#m = #tile.layout<[8, 64]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]]>
#l = #tile.layout<[8, 64]: register = [[0, 1], [4, 0]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], warp = [[1, 0], [2, 0]]>
// CHECK: module attributes {{{.*}}tile.shared_bytes = 2048 : i32
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32}>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @store
func.func @store(%x: tensor<8x64xf16, #l>, %d: !tile.desc<8x64xf16>, %i: i32) {
  // CHECK: tile.buffer_alloc offset 0
  %a = tile.buffer_alloc : !tile.buffer<8x64xf16, #m>
  // CHECK: tile.buffer_alloc offset 1024
  %b = tile.buffer_alloc : !tile.buffer<8x64xf16, #m>
  tile.buffer_store %x, %a : tensor<8x64xf16, #l> -> !tile.buffer<8x64xf16, #m>
  tile.block_store %a, %d[%i, %i] : !tile.buffer<8x64xf16, #m>, !tile.desc<8x64xf16>
  tile.buffer_store %x, %b : tensor<8x64xf16, #l> -> !tile.buffer<8x64xf16, #m>
  tile.await_block_stores in_flight 0
  return
}
}

// -----

// Used in a loop is used for all of it.
#m = #tile.layout<[1024]: offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512]]>
#l = #tile.layout<[1024]: register = [[128], [256], [512]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
// CHECK: module attributes {{{.*}}tile.shared_bytes = 8192 : i32
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @loop
func.func @loop(%x: tensor<1024xf32, #l>, %n: i32) {
  // CHECK: tile.buffer_alloc offset 0
  %a = tile.buffer_alloc : !tile.buffer<1024xf32, #m>
  // CHECK: tile.buffer_alloc offset 4096
  %b = tile.buffer_alloc : !tile.buffer<1024xf32, #m>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    tile.buffer_store %x, %a : tensor<1024xf32, #l> -> !tile.buffer<1024xf32, #m>
    tile.buffer_store %x, %b : tensor<1024xf32, #l> -> !tile.buffer<1024xf32, #m>
  }
  return
}
}

// -----

// A conversion between warps takes scratch memory, one within threads none.
#rows = #tile.layout<[32, 32]: register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
#columns = #tile.layout<[32, 32]: register = [[1, 0], [2, 0], [4, 0]], lane = [[8, 0], [16, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8], [0, 16]]>
#renamed = #tile.layout<[32, 32]: register = [[0, 4], [0, 1], [0, 2]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]>
// CHECK: module attributes {{{.*}}tile.shared_bytes = 4096 : i32
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @scratch
func.func @scratch(%x: tensor<32x32xf32, #rows>) {
  // CHECK: tile.convert_layout %{{.*}} {tile.scratch_offset = 0 : i32}
  %y = tile.convert_layout %x : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #columns>
  // CHECK: tile.convert_layout %{{[a-z0-9]+}} :
  %z = tile.convert_layout %x : tensor<32x32xf32, #rows> -> tensor<32x32xf32, #renamed>
  return
}
}

// -----

// Threads that are ahead arrive at any time: signals share their place with nothing, nor do
// buffers of roles, whose regions run at the same time.
#m = #tile.layout<[1024]: offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512]]>
#l = #tile.layout<[1024]: register = [[128], [256], [512]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
// CHECK: module attributes {{{.*}}tile.shared_bytes = 16416 : i32
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @roles
func.func @roles(%x: tensor<1024xf32, #l>, %i: i32) {
  // CHECK: tile.buffer_alloc offset 0 : !tile.buffer<2x1024xf32
  %stack = tile.buffer_alloc : !tile.buffer<2x1024xf32, #m>
  // CHECK: tile.signal_alloc arrivals 1 offset 16384 : !tile.signals<4>
  %signals = tile.signal_alloc arrivals 1 : !tile.signals<4>
  tile.roles warps [4, 4] registers [0, 0] threads [128, 128] {
    // CHECK: tile.buffer_alloc offset 8192
    %a = tile.buffer_alloc : !tile.buffer<1024xf32, #m>
    tile.buffer_store %x, %a : tensor<1024xf32, #l> -> !tile.buffer<1024xf32, #m>
    // Behind the first one's use.
    // CHECK: tile.buffer_alloc offset 8192
    %b = tile.buffer_alloc : !tile.buffer<1024xf32, #m>
    tile.buffer_store %x, %b : tensor<1024xf32, #l> -> !tile.buffer<1024xf32, #m>
    tile.acquire %signals[%i] phase %i : !tile.signals<4>
  }, {
    // CHECK: tile.buffer_alloc offset 12288
    %c = tile.buffer_alloc : !tile.buffer<1024xf32, #m>
    tile.buffer_store %x, %c : tensor<1024xf32, #l> -> !tile.buffer<1024xf32, #m>
    %v = tile.buffer_view %stack[%i] : !tile.buffer<2x1024xf32, #m>
    tile.buffer_store %x, %v : tensor<1024xf32, #l> -> !tile.buffer<1024xf32, #m>
  }
  return
}
}

// -----

// A store of a block reads its buffer until it is awaited.
#m = #tile.layout<[256]: offset = [[1], [2], [4], [8], [16], [32], [64], [128]]>
#l = #tile.layout<[256]: register = [[128]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
// CHECK: module attributes {{{.*}}tile.shared_bytes = 2048 : i32
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32}>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @stored
func.func @stored(%d: !tile.desc<256xf32>, %x: tensor<256xf32, #l>, %i: i32) {
  // CHECK: tile.buffer_alloc offset 0
  %a = tile.buffer_alloc : !tile.buffer<256xf32, #m>
  tile.buffer_store %x, %a : tensor<256xf32, #l> -> !tile.buffer<256xf32, #m>
  tile.block_store %a, %d[%i] : !tile.buffer<256xf32, #m>, !tile.desc<256xf32>
  // CHECK: tile.buffer_alloc offset 1024
  %b = tile.buffer_alloc : !tile.buffer<256xf32, #m>
  tile.buffer_store %x, %b : tensor<256xf32, #l> -> !tile.buffer<256xf32, #m>
  tile.await_block_stores in_flight 1
  tile.await_block_stores in_flight 0
  // CHECK: tile.buffer_alloc offset 0
  %c = tile.buffer_alloc : !tile.buffer<256xf32, #m>
  tile.buffer_store %x, %c : tensor<256xf32, #l> -> !tile.buffer<256xf32, #m>
  return
}
}

// -----

// Small reductions lie apart from everything: threads need not meet before them.
#l = #tile.layout<[1024]: register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [[256], [512]]>
#o = #tile.layout<[1024]: register = [[128], [256], [512]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @apart
func.func @apart(%x: tensor<1024xf32, #l>) -> (f32, f32) {
  // CHECK: tile.convert_layout %{{.*}} {tile.scratch_offset = 0 : i32}
  %y = tile.convert_layout %x : tensor<1024xf32, #l> -> tensor<1024xf32, #o>
  // CHECK: tile.scratch_offset = 4096 : i32
  %0 = tile.reduce(%x) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32, #l>) -> f32
  // CHECK: tile.scratch_offset = 4224 : i32
  %1 = tile.reduce(%y) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32, #o>) -> f32
  return %0, %1 : f32, f32
}
}

// -----

// Where roles share the memory, a large block goes from one layout to another in passes, of which each moves a part.
#l = #tile.layout<[16, 64]: register = [[0, 1], [0, 32], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8], [0, 16]]>
#r = #tile.layout<[16, 64]: register = [[0, 1], [0, 32], [8, 0]], lane = [[1, 0], [2, 0], [4, 0], [0, 2], [0, 4]], warp = [[0, 16], [0, 8]]>
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32, on_chip_bytes = 8192 : i32, role_warps = 4 : i32}>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @passes
func.func @passes(%x: tensor<16x64xf32, #l>) {
  // CHECK: tile.convert_layout {{.*}} {scratch_passes = 2 : i32, tile.scratch_offset = 0 : i32}
  %y = tile.convert_layout %x : tensor<16x64xf32, #l> -> tensor<16x64xf32, #r>
  return
}
}
