// RUN: tile-opt %s -convert-tile-to-gpu -canonicalize -cse | FileCheck %s
// RUN: tile-translate %s --target nvidia:sm_90a --num-warps 4 --from scheduled --emit ptx | FileCheck %s --check-prefix=PTX

#memory = #tile.layout<[8, 64]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]]>
#wide = #tile.layout<[8, 128]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [0, 64]]>
#layout = #tile.layout<[8, 64]: register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = [[2, 0], [4, 0]]>
!block = !tile.buffer<8x64xf16, #memory>

module attributes {tile.num_warps = 4 : i32, tile.launch_warps = 8 : i32, tile.shared_bytes = 5248 : i32,
    tile.launch_descriptors = [{base = array<i64: 1, 0, 2, 64>, block = array<i64: 8, 64>, element = "f16", rank = 2 : i32,
                                sizes = [array<i64: 0, 8>, array<i64: 0, 64>], strides = [array<i64: 0, 64>], swizzle = 128 : i32},
                               {base = array<i64: 1, 0, 2, 64>, block = array<i64: 8, 64>, element = "f16", rank = 2 : i32,
                                sizes = [array<i64: 0, 8>, array<i64: 0, 128>], strides = [array<i64: 0, 128>], swizzle = 128 : i32}],
    tile.target = #tile.target<"nvidia", "sm_90a", {lanes = 32 : i32, access_bits = 128 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32}>} {
// Descriptors are 128 bytes of the parameters each.
// CHECK-LABEL: func.func @roles
// CHECK-SAME: %[[D:[a-z0-9]+]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>}
// PTX: .param .align 64 .b8 roles_param_2[128]
// PTX: .reqntid 256
func.func @roles(%p: !tile.ptr<f16>, %i: i32, %d: !tile.desc<8x64xf16>, %w: !tile.desc<8x128xf16>) attributes {tile.kernel} {
  %stack = tile.buffer_alloc offset 0 : !tile.buffer<2x8x64xf16, #memory>
  %own = tile.buffer_alloc offset 2048 : !block
  %two = tile.buffer_alloc offset 3072 : !tile.buffer<8x128xf16, #wide>
  // One thread makes the signals, all of them, and all threads meet.
  // CHECK: scf.if
  // CHECK-COUNT-2: nvvm.mbarrier.init
  // CHECK: }
  // CHECK: scf.if
  // CHECK-COUNT-2: nvvm.mbarrier.init
  // CHECK: }
  // Another thread brings the descriptor near.
  // CHECK: scf.if
  // CHECK-NEXT: nvvm.prefetch tensormap in_param_space, %[[D]]
  // CHECK: }
  // CHECK: nvvm.fence.mbarrier.init
  // CHECK-NEXT: gpu.barrier
  // CHECK: scf.if
  // PTX-COUNT-4: mbarrier.init.shared.b64
  // PTX: fence.mbarrier_init.release.cluster
  // PTX: bar.sync 0
  // PTX-DAG: setmaxnreg.inc.sync.aligned.u32 240
  %full = tile.signal_alloc arrivals 1 offset 5120 : !tile.signals<2>
  %empty = tile.signal_alloc arrivals 4 offset 5136 : !tile.signals<2>
  %c0 = arith.constant 0 : i32
  tile.roles warps [4, 4] registers [240, 24] threads [128, 1] {
    // CHECK-NEXT: nvvm.setmaxregister increase 240
    // All threads wait, until the instruction says that the phase is over.
    // CHECK: scf.while
    // CHECK: nvvm.mbarrier.try_wait
    // CHECK: scf.condition
    // PTX-DAG: mbarrier.try_wait{{.*}}.shared
    // The threads of a warp meet; the first of them arrives.
    // CHECK: nvvm.bar.warp.sync
    // CHECK: {{nvvm.mbarrier|nvidia}}.arrive %{{.*}}
    // PTX-DAG: bar.warp.sync
    // PTX-DAG: mbarrier.arrive.shared.b64
    %v = tile.acquire %full[%i] phase %c0 of (%stack : !tile.buffer<2x8x64xf16, #memory>) : !tile.signals<2>
    %x = tile.buffer_load %v : !block -> tensor<8x64xf16, #layout>
    tile.arrive %empty[%i] : !tile.signals<2>
    // No meeting where the threads have awaited as one.
    // CHECK-NOT: nvvm.bar.warp.sync
    // CHECK: {{nvvm.mbarrier|nvidia}}.arrive %{{.*}}
    tile.arrive %empty[%i] together : !tile.signals<2>
    // Copies may overwrite what each of them has read.
    // CHECK: nvvm.fence.proxy
    // CHECK: nvvm.bar.warp.sync
    // CHECK: {{nvvm.mbarrier|nvidia}}.arrive %{{.*}}
    tile.arrive %empty[%i] publish : !tile.signals<2>
    tile.buffer_store %x, %own : tensor<8x64xf16, #layout> -> !block
    // A barrier of the role's own threads.
    // CHECK: nvvm.fence.proxy
    // CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %{{.*}}
    // PTX-DAG: fence.proxy.async
    // PTX-DAG: bar{{(rier)?}}.sync 1, 128
    tile.barrier publish
    // One thread of the first warp stores, in as many pieces as rows of 128 bytes make.
    // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
    // CHECK-NEXT: nvvm.cp.async.bulk.commit.group
    // PTX-DAG: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
    // PTX-DAG: cp.async.bulk.commit_group
    tile.block_store %own, %d[%i, %c0] : !block, !tile.desc<8x64xf16>
    // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
    // CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
    // CHECK: nvvm.cp.async.bulk.commit.group
    tile.block_store %two, %w[%i, %c0] : !tile.buffer<8x128xf16, #wide>, !tile.desc<8x128xf16>
    // CHECK: nvvm.cp.async.bulk.tensor.reduce {{.*}}redKind = #nvvm.tma_redux_kind<add>
    // PTX-DAG: cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group
    tile.block_store %own, %d[%i, %c0] kind fadd : !block, !tile.desc<8x64xf16>
    // CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
    // PTX-DAG: cp.async.bulk.wait_group.read 0
    tile.await_block_stores in_flight 0
    // CHECK: nvvm.cp.async.bulk.wait_group 0{{$}}
    // PTX-DAG: cp.async.bulk.wait_group 0
    tile.await_block_stores in_flight 0 written
  }, {
    // CHECK: } else {
    // CHECK-NEXT: nvvm.setmaxregister decrease 24
    // CHECK: nvvm.elect.sync
    // CHECK: scf.while
    // CHECK: nvvm.mbarrier.arrive.expect_tx
    // CHECK-NOT: nvvm.elect.sync
    // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %[[D]]
    // PTX-DAG: setmaxnreg.dec.sync.aligned.u32 24
    // PTX-DAG: mbarrier.arrive.expect_tx
    // PTX-DAG: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
    %v = tile.acquire %empty[%i] phase %c0 of (%stack : !tile.buffer<2x8x64xf16, #memory>) : !tile.signals<2>
    tile.expect %full[%i] bytes 1024 : !tile.signals<2>
    tile.block_copy %d[%i, %c0], %v signal %full[%i] : !tile.desc<8x64xf16>, !block, !tile.signals<2>
  }
  return
}
}
