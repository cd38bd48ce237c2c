// RUN: tile-opt %s | tile-opt | FileCheck %s

// CHECK-DAG: #[[MEMORY:.+]] = #tile.layout<[64]: offset
#memory = #tile.layout<[64]: offset = [[1], [2], [4], [8], [16], [32]]>
// CHECK-DAG: #[[ROWS:.+]] = #tile.layout<[64, 64]: offset
#rows = #tile.layout<[64, 64]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]>
// CHECK-DAG: #[[PARTS:.+]] = #tile.layout<[64, 64]: register
#parts = #tile.layout<[64, 64]: register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>

module attributes {tile.num_warps = 4 : i32, tile.launch_warps = 8 : i32, tile.launch_descriptors = [{rank = 1 : i32}, {rank = 2 : i32}],
                   tile.target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32}>} {
// CHECK-LABEL: func.func @roles
func.func @roles(%d: !tile.desc<64xf16>, %w: !tile.desc<64x64xf16>, %i: i32, %p: i32) {
  // CHECK: %[[STACK:.+]] = tile.buffer_alloc
  %stack = tile.buffer_alloc offset 0 : !tile.buffer<3x64xf16, #memory>
  // CHECK: %[[FULL:.+]] = tile.signal_alloc arrivals 1 offset 512 : !tile.signals<3>
  %full = tile.signal_alloc arrivals 1 offset 512 : !tile.signals<3>
  // CHECK: %[[EMPTY:.+]] = tile.signal_alloc arrivals 4 : !tile.signals<3>
  %empty = tile.signal_alloc arrivals 4 : !tile.signals<3>
  // CHECK: tile.roles warps [4, 4] registers [0, 40] threads [128, 1] {
  tile.roles warps [4, 4] registers [0, 40] threads [128, 1] {
    // CHECK: %[[VIEW:.+]] = tile.acquire %[[FULL]][%{{.*}}] phase %{{.*}} of(%[[STACK]] : !tile.buffer<3x64xf16, #[[MEMORY]]>) : !tile.signals<3>
    %v = tile.acquire %full[%i] phase %p of (%stack : !tile.buffer<3x64xf16, #memory>) : !tile.signals<3>
    // CHECK: tile.await_block_stores in_flight 1
    tile.await_block_stores in_flight 1
    // CHECK: tile.block_store %[[VIEW]], %{{.*}}[%{{.*}}] : !tile.buffer<64xf16, #[[MEMORY]]>, !tile.desc<64xf16>
    tile.block_store %v, %d[%i] : !tile.buffer<64xf16, #memory>, !tile.desc<64xf16>
    // CHECK: tile.block_store %[[VIEW]], %{{.*}}[%{{.*}}] kind fadd : !tile.buffer<64xf16, #[[MEMORY]]>, !tile.desc<64xf16>
    tile.block_store %v, %d[%i] kind fadd : !tile.buffer<64xf16, #memory>, !tile.desc<64xf16>
    // CHECK: tile.await_block_stores in_flight 0 by_warps
    tile.await_block_stores in_flight 0 by_warps
    // CHECK: tile.await_block_stores in_flight 0 by_warps written
    tile.await_block_stores in_flight 0 by_warps written
    // CHECK: tile.block_store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] parts(#[[PARTS]]) : !tile.buffer<64x64xf16, #[[ROWS]]>, !tile.desc<64x64xf16>
    %own = tile.buffer_alloc offset 1024 : !tile.buffer<64x64xf16, #rows>
    tile.block_store %own, %w[%i, %i] parts(#parts) : !tile.buffer<64x64xf16, #rows>, !tile.desc<64x64xf16>
    // CHECK: tile.arrive %[[EMPTY]][%{{.*}}] : !tile.signals<3>
    tile.arrive %empty[%i] : !tile.signals<3>
    // CHECK: tile.arrive %[[EMPTY]][%{{.*}}] publish : !tile.signals<3>
    tile.arrive %empty[%i] publish : !tile.signals<3>
  }, {
    // CHECK: tile.acquire %[[EMPTY]][%{{.*}}] phase %{{.*}} publish : !tile.signals<3>
    tile.acquire %empty[%i] phase %p publish : !tile.signals<3>
    // CHECK: tile.acquire %[[EMPTY]][%{{.*}}] phase %{{.*}} : !tile.signals<3>
    tile.acquire %empty[%i] phase %p : !tile.signals<3>
    // CHECK: tile.acquire %[[EMPTY]][%{{.*}}] phase %{{.*}} alone : !tile.signals<3>
    tile.acquire %empty[%i] phase %p alone : !tile.signals<3>
    %v = tile.buffer_view %stack[%i] : !tile.buffer<3x64xf16, #memory>
    // CHECK: tile.expect %[[FULL]][%{{.*}}] bytes 128 : !tile.signals<3>
    tile.expect %full[%i] bytes 128 : !tile.signals<3>
    // CHECK: tile.expect %[[FULL]][%{{.*}}] bytes 0 arrivals 33 : !tile.signals<3>
    tile.expect %full[%i] bytes 0 arrivals 33 : !tile.signals<3>
    // CHECK: tile.block_copy %{{.*}}[%{{.*}}], %{{.*}} signal %[[FULL]][%{{.*}}] : !tile.desc<64xf16>, !tile.buffer<64xf16, #[[MEMORY]]>, !tile.signals<3>
    tile.block_copy %d[%i], %v signal %full[%i] : !tile.desc<64xf16>, !tile.buffer<64xf16, #memory>, !tile.signals<3>
  }
  return
}
}

#wide = #tile.layout<[8, 128]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [0, 64]]>
module attributes {tile.num_warps = 4 : i32, tile.num_ctas = 2 : i32,
                   tile.target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32}>} {
// CHECK-LABEL: func.func @everywhere
func.func @everywhere(%d: !tile.desc<8x128xf16>, %b: !tile.buffer<8x128xf16, #wide>, %s: !tile.signals<3>, %i: i32) {
  // CHECK: tile.part_id : i32
  %part = tile.part_id : i32
  // CHECK: tile.roles warps [4, 4] registers [0, 0] threads [128, 1] everywhere {
  tile.roles warps [4, 4] registers [0, 0] threads [128, 1] everywhere {
    // CHECK-NEXT: tile.arrive %{{.*}}[%{{.*}}] together everywhere : !tile.signals<3>
    tile.arrive %s[%i] together everywhere : !tile.signals<3>
  }, {
    // CHECK: tile.block_copy %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} signal %{{.*}}[%{{.*}}] everywhere : !tile.desc
    tile.block_copy %d[%i, %i], %b signal %s[%i] everywhere : !tile.desc<8x128xf16>, !tile.buffer<8x128xf16, #wide>, !tile.signals<3>
  }
  return
}
}
