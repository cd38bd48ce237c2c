// RUN: tile-opt %s -convert-tile-to-gpu -canonicalize -cse | FileCheck %s

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
