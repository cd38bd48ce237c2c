// RUN: tile-opt %s -tile-plan-buffers | FileCheck %s

// A block that is being stored keeps its buffer until the store is awaited: what
// threads exchange meanwhile lies elsewhere.

#memory = #tile.layout<[64]: offset = [[1], [2], [4], [8], [16], [32]]>
#one = #tile.layout<[64]: register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[0], [0]]>
#two = #tile.layout<[64]: register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]]>
#rows = #tile.layout<[64, 64]: register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], lane = [[0, 32], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]]>
#columns = #tile.layout<[64, 64]: register = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], lane = [[32, 0], [0, 1], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 32]]>

module attributes {tile.num_warps = 4 : i32, tile.target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32}>} {
// CHECK-LABEL: func.func @stored
// CHECK: tile.buffer_alloc offset 16384 : !tile.buffer<64xf16
// CHECK: tile.convert_layout {{.*}}tile.scratch_offset = 0
func.func @stored(%d: !tile.desc<64xf16>, %i: i32, %x: tensor<64xf16, #one>, %y: tensor<64x64xf32, #rows>) -> tensor<64x64xf32, #columns> {
  %b = tile.buffer_alloc : !tile.buffer<64xf16, #memory>
  tile.buffer_store %x, %b : tensor<64xf16, #one> -> !tile.buffer<64xf16, #memory>
  tile.block_store %b, %d[%i] : !tile.buffer<64xf16, #memory>, !tile.desc<64xf16>
  %z = tile.convert_layout %y : tensor<64x64xf32, #rows> -> tensor<64x64xf32, #columns>
  tile.await_block_stores in_flight 0
  return %z : tensor<64x64xf32, #columns>
}
}
