// RUN: tile-opt %s -convert-tile-to-gpu -canonicalize -cse | FileCheck %s

#target = #tile.target<"nvidia", "sm_90a", {lanes = 32 : i32, access_bits = 128 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32}>
#acc = #tile.layout<[64, 32]: register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
#swizzled = #tile.layout<[64, 32]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 4], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]>
#rows = #tile.layout<[64, 32]: register = [[0, 1], [8, 0], [16, 0], [32, 0]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [1, 0]], warp = [[2, 0], [4, 0]]>

module attributes {tile.num_warps = 4 : i32, tile.target = #target} {
// Rows that differ in their last bit would meet at banks, in the half of a warp that is served together: lanes of
// columns 4 to 7 (bit 1 of their number) store columns 16 further first.
// CHECK-LABEL: func.func @skewed
// CHECK: %[[LANE:.+]] = arith.andi %{{.*}}, %c31_i32
// CHECK: %[[BIT:.+]] = arith.andi %[[LANE]], %c2_i32
// CHECK: %[[SAME:.+]] = arith.cmpi eq, %[[BIT]], %c0_i32
// CHECK: %[[SWAPPED:.+]] = vector.shuffle %[[X:.+]], %[[X]] [8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7]
// CHECK: %[[STORED:.+]] = arith.select %[[SAME]], %[[X]], %[[SWAPPED]] : vector<16xf32>
// CHECK: vector.shuffle %[[STORED]], %[[STORED]] [0, 1]
// CHECK-COUNT-8: llvm.store {{.*}} vector<2xf32>
// CHECK-NOT: arith.select
// CHECK: return
func.func @skewed(%x: tensor<64x32xf32, #acc>) {
  %b = tile.buffer_alloc offset 0 : !tile.buffer<64x32xf32, #swizzled>
  tile.buffer_store %x, %b : tensor<64x32xf32, #acc> -> !tile.buffer<64x32xf32, #swizzled>
  return
}

// Nobody meets: the order stays.
// CHECK-LABEL: func.func @plain
// CHECK-NOT: arith.select
// CHECK: return
func.func @plain(%x: tensor<64x32xf32, #rows>) {
  %b = tile.buffer_alloc offset 0 : !tile.buffer<64x32xf32, #swizzled>
  tile.buffer_store %x, %b : tensor<64x32xf32, #rows> -> !tile.buffer<64x32xf32, #swizzled>
  return
}
}
