// RUN: tile-opt %s -convert-tile-to-gpu -canonicalize -cse | FileCheck %s
// RUN: tile-translate %s --target nvidia:sm_90a --num-warps 8 --from scheduled --emit ptx | FileCheck %s --check-prefix=PTX

// A thread of each warp stores 16 rows, in pieces of 64 elements, once the warp has published them; warps side by side
// have other pieces.

#memory = #tile.layout<[64, 256]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0], [0, 64], [0, 128]]>
#parts = #tile.layout<[64, 256]: register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [0, 128]]>
!block = !tile.buffer<64x256xf16, #memory>

module attributes {tile.num_warps = 8 : i32, tile.launch_warps = 12 : i32, tile.shared_bytes = 32768 : i32,
    tile.launch_descriptors = [{base = array<i64: 1, 0, 2, 64>, block = array<i64: 16, 64>, element = "f16", rank = 2 : i32,
                                sizes = [array<i64: 0, 64>, array<i64: 0, 256>], strides = [array<i64: 0, 256>], swizzle = 128 : i32}],
    tile.target = #tile.target<"nvidia", "sm_90a", {lanes = 32 : i32, access_bits = 128 : i32, block_copy_box = 256 : i32, matrix_stores = 1 : i32, role_warps = 4 : i32, descriptor_bytes = 128 : i32}>} {
// CHECK-LABEL: func.func @stored
// PTX-LABEL: .entry stored
func.func @stored(%p: !tile.ptr<f16>, %i: i32, %j: i32, %x: f16, %d: !tile.desc<64x256xf16>) attributes {tile.kernel} {
  tile.roles warps [8, 4] registers [240, 24] threads [256, 1] {
    %own = tile.buffer_alloc offset 0 : !block
    %block = tile.splat %x : tensor<64x256xf16, #parts>
    // CHECK: nvvm.elect.sync
    // CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
    // CHECK: nvvm.bar.warp.sync
    // PTX: elect.sync
    // PTX: cp.async.bulk.wait_group.read 0
    // PTX: bar.warp.sync
    // PTX: stmatrix
    tile.await_block_stores in_flight 0 by_warps
    tile.buffer_store %block, %own : tensor<64x256xf16, #parts> -> !block
    // Bits of the warp's number: 16 and 32 rows, 128 columns.
    // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>
    // CHECK-NEXT: nvvm.bar.warp.sync
    // CHECK: nvvm.elect.sync
    // CHECK-COUNT-2: nvvm.cp.async.bulk.tensor.global.shared.cta
    // CHECK-NEXT: nvvm.cp.async.bulk.commit.group
    // PTX: fence.proxy.async
    // PTX-NEXT: bar.warp.sync
    // PTX-NEXT: elect.sync
    // PTX-COUNT-2: cp.async.bulk.tensor.2d.global.shared::cta
    // PTX: cp.async.bulk.commit_group
    // PTX-NOT: bar.sync 1
    tile.block_store %own, %d[%i, %j] parts(#parts) : !block, !tile.desc<64x256xf16>
    tile.await_block_stores in_flight 0 by_warps
  }, {
    %none = arith.constant 0 : i32
  }
  return
}

// What one thread makes all warps store by.
// CHECK-LABEL: func.func @published
// PTX-LABEL: .entry published
// CHECK: nvvm.elect.sync
// CHECK: nvvm.fence.proxy.release <gpu>
// CHECK: nvvm.barrier
// CHECK-NEXT: nvvm.fence.proxy.acquire <gpu>
func.func @published(%p: !tile.ptr<f16>, %i: i32, %s: i64, %d: !tile.desc<64x256xf16>) attributes {tile.kernel} {
  %made = tile.descriptor_alloc %d {tile.scratch_offset = 0 : i32} : !tile.desc<64x256xf16>
  tile.roles warps [8, 4] registers [240, 24] threads [256, 1] {
    tile.descriptor_set %made like %d, %p sizes[%i, %i] strides[%s] {tile.scratch_offset = 128 : i32} : !tile.desc<64x256xf16>, !tile.ptr<f16>
    tile.descriptor_publish %made for_warps : !tile.desc<64x256xf16>
    tile.descriptor_free %made : !tile.desc<64x256xf16>
  }, {
    %none = arith.constant 0 : i32
  }
  return
}
}
