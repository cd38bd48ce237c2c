// RUN: tile-opt %s -split-input-file -convert-tile-to-gpu -canonicalize -cse | FileCheck %s

// What threads of a role copy arrives at a signal for each of them when it is complete; who acquires that lets its units
// see it. In roles as outside accesses are as wide as their pointers admit.
#memory = #tile.layout<[512]: offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256]]>
#runs = #tile.layout<[512]: register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [[256], [0]]>
module attributes {tile.num_warps = 4 : i32, tile.launch_warps = 8 : i32, tile.shared_bytes = 2064 : i32,
    tile.target = #tile.target<"nvidia", "sm_90a", {lanes = 32 : i32, access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, role_warps = 4 : i32}>} {
// CHECK-LABEL: func.func @copies
// CHECK: nvvm.mbarrier.init %{{.*}}, %c128
func.func @copies(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %i: i32) attributes {tile.kernel} {
  %stack = tile.buffer_alloc offset 0 : !tile.buffer<2x512xf16, #memory>
  %full = tile.signal_alloc arrivals 128 offset 2048 : !tile.signals<2>
  %c0 = arith.constant 0 : i32
  tile.roles warps [4, 4] registers [0, 0] threads [128, 128] {
    // CHECK: nvvm.mbarrier.try_wait
    // CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>
    // CHECK: nvidia.store {{.*}} : vector<8xf16>
    tile.acquire %full[%i] phase %c0 publish : !tile.signals<2>
    %o = tile.arange 0 : tensor<512xi32, #runs>
    %q = tile.splat %p : tensor<512x!tile.ptr<f16>, #runs>
    %r = tile.addptr %q, %o : tensor<512x!tile.ptr<f16>, #runs>, tensor<512xi32, #runs>
    %x = arith.constant dense<1.0> : tensor<512xf16, #runs>
    tile.store %r, %x : tensor<512x!tile.ptr<f16>, #runs>
  }, {
    // CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache =  cg
    // CHECK: nvvm.cp.async.mbarrier.arrive %{{.*}} {noinc = true}
    %v = tile.buffer_view %stack[%i] : !tile.buffer<2x512xf16, #memory>
    %o = tile.arange 0 : tensor<512xi32, #runs>
    %q = tile.splat %p : tensor<512x!tile.ptr<f16>, #runs>
    %r = tile.addptr %q, %o : tensor<512x!tile.ptr<f16>, #runs>, tensor<512xi32, #runs>
    %pending = tile.async_copy %r, %v : tensor<512x!tile.ptr<f16>, #runs> -> !tile.buffer<512xf16, #memory>
    tile.arrive_copies(%pending : !tile.pending<!tile.buffer<512xf16, #memory>>) at %full[%i] : !tile.signals<2>
  }
  return
}
}

// -----

// One thread may copy instead, and arrive for all: its warp alone waits, and the last arrival comes with the bytes.
#box = #tile.layout<[8, 64]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]]>
module attributes {tile.num_warps = 4 : i32, tile.launch_warps = 8 : i32, tile.shared_bytes = 2080 : i32,
    tile.launch_descriptors = [{base = array<i64: 1, 0, 2, 64>, block = array<i64: 8, 64>, element = "f16", rank = 2 : i32,
                                sizes = [array<i64: 0, 8>, array<i64: 0, 64>], strides = [array<i64: 0, 64>], swizzle = 128 : i32}],
    tile.target = #tile.target<"nvidia", "sm_90a", {lanes = 32 : i32, access_bits = 128 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32}>} {
// CHECK-LABEL: func.func @for_all
func.func @for_all(%p: !tile.ptr<f16>, %i: i32, %d: !tile.desc<8x64xf16>) attributes {tile.kernel} {
  %stack = tile.buffer_alloc offset 0 : !tile.buffer<2x8x64xf16, #box>
  %full = tile.signal_alloc arrivals 129 offset 2048 : !tile.signals<2>
  %empty = tile.signal_alloc arrivals 4 offset 2064 : !tile.signals<2>
  %c0 = arith.constant 0 : i32
  tile.roles warps [4, 4] registers [0, 0] threads [128, 128] {
    // CHECK: nvvm.mbarrier.try_wait
    %v = tile.acquire %full[%i] phase %c0 of (%stack : !tile.buffer<2x8x64xf16, #box>) : !tile.signals<2>
    tile.arrive %empty[%i] : !tile.signals<2>
  }, {
    // CHECK: } else {
    // CHECK: %[[FIRST:.+]] = arith.cmpi eq, %{{.*}}, %c0_i32
    // CHECK: scf.if %[[FIRST]]
    // CHECK: nvvm.mbarrier.try_wait
    %v = tile.acquire %empty[%i] phase %c0 alone of (%stack : !tile.buffer<2x8x64xf16, #box>) : !tile.signals<2>
    // CHECK: scf.if %[[FIRST]]
    // CHECK: nvvm.elect.sync
    // CHECK: nvvm.mbarrier.arrive %{{.*}}, %c128_i32
    // CHECK-NEXT: nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c1024_i32
    tile.expect %full[%i] bytes 1024 arrivals 129 : !tile.signals<2>
    // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global
    tile.block_copy %d[%i, %c0], %v signal %full[%i] : !tile.desc<8x64xf16>, !tile.buffer<8x64xf16, #box>, !tile.signals<2>
  }
  return
}
}
