// RUN: tile-opt %s -convert-tile-to-gpu -canonicalize -cse | FileCheck %s
// RUN: tile-translate %s --target nvidia:sm_90a --num-warps 4 --from scheduled --emit ptx | FileCheck %s --check-prefix=PTX

// Tensor maps that a program makes: in an array of the module, where each program claims places.

#memory = #tile.layout<[8, 64]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]]>
!block = !tile.buffer<8x64xf16, #memory>

module attributes {tile.num_warps = 4 : i32, tile.launch_warps = 8 : i32, tile.shared_bytes = 1536 : i32,
    tile.launch_descriptors = [{base = array<i64: 1, 0, 2, 64>, block = array<i64: 8, 64>, element = "f16", rank = 2 : i32,
                                sizes = [array<i64: 0, 8>, array<i64: 0, 64>], strides = [array<i64: 0, 64>], swizzle = 128 : i32}],
    tile.target = #tile.target<"nvidia", "sm_90a", {lanes = 32 : i32, access_bits = 128 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32, descriptor_bytes = 128 : i32}>} {
// Eight programs of eight warps run on one of up to 256 multiprocessors.
// CHECK-DAG: llvm.mlir.global internal @made_tensor_maps(#llvm.zero) {addr_space = 1 : i32, alignment = 128 : i64} : !llvm.array<524288 x i8>
// CHECK-DAG: llvm.mlir.global internal @made_claims(#llvm.zero) {addr_space = 1 : i32, alignment = 4 : i64} : !llvm.array<256 x i32>
// PTX: .version 8.6
// PTX-DAG: .global .align 128 .b8 made_tensor_maps[524288]
// PTX-DAG: .global .align 4 .b8 made_claims[1024]
// CHECK-LABEL: func.func @made
func.func @made(%p: !tile.ptr<f16> {tile.read_only}, %m: i32, %n: i32, %stride: i64, %t: !tile.desc<8x64xf16>) attributes {tile.kernel} {
  %own = tile.buffer_alloc offset 0 : !block
  // One thread tries bit after bit of its multiprocessor's word, and tells the others.
  // CHECK: scf.if
  // CHECK: nvvm.read.ptx.sreg.smid
  // CHECK: scf.while
  // CHECK: llvm.atomicrmw _or %{{.*}}, %{{.*}} syncscope("device") monotonic
  // CHECK: scf.condition
  // CHECK: llvm.fence syncscope("device") acquire
  // CHECK: gpu.barrier
  // CHECK: llvm.store
  // CHECK: gpu.barrier
  // CHECK: llvm.load
  // CHECK: %[[FIRST:.*]] = llvm.inttoptr
  // PTX: mov.u32 %{{.*}}, %smid
  // PTX: atom.global.or.b32
  // PTX: fence.acquire.gpu
  // PTX: bar.sync 0
  %d:2 = tile.descriptor_alloc %t, %t {tile.scratch_offset = 1024 : i32} : !tile.desc<8x64xf16>, !tile.desc<8x64xf16>
  %full = tile.signal_alloc arrivals 1 offset 1280 : !tile.signals<1>
  %c0 = arith.constant 0 : i32
  // CHECK: gpu.barrier
  // CHECK: scf.if
  tile.roles warps [4, 4] registers [0, 0] threads [128, 1] {
    // The thread that stores makes what it stores by.
    // CHECK: nvvm.barrier
    // CHECK: nvvm.elect.sync
    // CHECK-COUNT-8: llvm.store
    // CHECK: nvidia.set_tensor_map
    // CHECK-COUNT-8: llvm.store
    // CHECK: nvvm.elect.sync
    // CHECK: nvvm.fence.proxy.release <gpu>
    // CHECK-NEXT: nvvm.fence.proxy.acquire <gpu>
    // CHECK: nvvm.cp.async.bulk.tensor
    tile.descriptor_set %d#1 like %t, %p sizes[%m, %n] strides[%stride] {tile.scratch_offset = 1152 : i32} : !tile.desc<8x64xf16>, !tile.ptr<f16>
    tile.descriptor_publish %d#1 : !tile.desc<8x64xf16>
    tile.block_store %own, %d#1[%c0, %c0] : !block, !tile.desc<8x64xf16>
    tile.await_block_stores in_flight 0
    // CHECK: llvm.fence syncscope("device") release
    // CHECK: llvm.atomicrmw _and
    tile.descriptor_free %d#0, %d#1 : !tile.desc<8x64xf16>, !tile.desc<8x64xf16>
  }, {
    // Sizes and strides are of the fastest dimension first, strides in bytes.
    // CHECK: %[[BYTES:.*]] = arith.muli %arg3, %{{.*}} : i64
    // CHECK: nvidia.set_tensor_map %{{.*}}, %{{.*}} sizes[%arg2, %arg1] strides[%[[BYTES]]] : !llvm.ptr<3>
    // PTX-DAG: tensormap.replace.tile.global_address.shared::cta.b1024.b64
    // PTX-DAG: tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [{{.*}}], 0, %
    // PTX-DAG: tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [{{.*}}], 1, %
    // PTX-DAG: tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [{{.*}}], 0, %
    // PTX-DAG: fence.proxy.tensormap::generic.release.gpu
    // PTX-DAG: fence.proxy.tensormap::generic.acquire.gpu [{{.*}}], 128
    tile.descriptor_set %d#0 like %t, %p sizes[%m, %n] strides[%stride] {tile.scratch_offset = 1408 : i32} : !tile.desc<8x64xf16>, !tile.ptr<f16>
    tile.descriptor_publish %d#0 : !tile.desc<8x64xf16>
    tile.expect %full[%c0] bytes 1024 : !tile.signals<1>
    tile.block_copy %d#0[%c0, %c0], %own signal %full[%c0] : !tile.desc<8x64xf16>, !block, !tile.signals<1>
  }
  return
}
}
