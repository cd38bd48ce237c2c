// RUN: tile-opt %s -convert-tile-to-gpu -canonicalize -cse | FileCheck %s
// RUN: tile-translate %s --target nvidia:sm_90a --num-warps 4 --num-ctas 2 --from scheduled --emit ptx | FileCheck %s --check-prefix=PTX

#wide = #tile.layout<[8, 128]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [0, 64]]>
#rows = #tile.layout<[16, 64]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0]]>

module attributes {tile.num_warps = 4 : i32, tile.launch_warps = 8 : i32, tile.num_ctas = 2 : i32, tile.shared_bytes = 4160 : i32,
    tile.launch_descriptors = [{base = array<i64: 1, 0, 2, 64>, block = array<i64: 8, 64>, element = "f16", rank = 2 : i32,
                                sizes = [array<i64: 0, 8>, array<i64: 0, 128>], strides = [array<i64: 0, 128>], swizzle = 128 : i32},
                               {base = array<i64: 1, 0, 2, 64>, block = array<i64: 8, 64>, element = "f16", rank = 2 : i32,
                                sizes = [array<i64: 0, 16>, array<i64: 0, 64>], strides = [array<i64: 0, 64>], swizzle = 128 : i32}],
    tile.target = #tile.target<"nvidia", "sm_90a", {lanes = 32 : i32, access_bits = 128 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32, program_blocks = 8 : i32}>} {
// CHECK-LABEL: func.func @clusters
// PTX: .reqntid 256
// PTX: .reqnctapercluster 2
func.func @clusters(%p: !tile.ptr<i32>, %i: i32, %w: !tile.desc<8x128xf16>, %r: !tile.desc<16x64xf16>) attributes {tile.kernel} {
  // Thread blocks of a program follow each other along the first axis.
  // CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i32
  // CHECK-DAG: %[[BLOCK:.*]] = gpu.block_id x
  // CHECK: %[[NUMBER:.*]] = arith.index_cast %[[BLOCK]] : index to i32
  // CHECK: arith.shrui %[[NUMBER]], %[[C1]]
  %program = tile.program_id 0 : i32
  tile.store %p, %program : !tile.ptr<i32>
  // CHECK: gpu.grid_dim x
  // CHECK: arith.shrui %{{.*}}, %[[C1]]
  %programs = tile.num_programs 0 : i32
  tile.store %p, %programs : !tile.ptr<i32>
  // CHECK: arith.andi %[[NUMBER]], %[[C1]]
  %part = tile.part_id : i32
  tile.store %p, %part : !tile.ptr<i32>
  %wide = tile.buffer_alloc offset 0 : !tile.buffer<1x8x128xf16, #wide>
  %rows = tile.buffer_alloc offset 2048 : !tile.buffer<1x16x64xf16, #rows>
  %full = tile.signal_alloc arrivals 1 offset 4096 : !tile.signals<1>
  %empty = tile.signal_alloc arrivals 8 offset 4104 : !tile.signals<1>
  %c0 = arith.constant 0 : i32
  // All threads of the cluster meet before and behind.
  // CHECK: nvvm.fence.mbarrier.init
  // CHECK-NEXT: nvvm.cluster.arrive
  // CHECK-NEXT: nvvm.cluster.wait
  // PTX: fence.mbarrier_init.release.cluster
  // PTX-NEXT: barrier.cluster.arrive;
  // PTX-NEXT: barrier.cluster.wait;
  tile.roles warps [4, 4] registers [0, 0] threads [128, 1] everywhere {
    // A lane for each of them, without a branch.
    // CHECK: %[[ARRIVES:.*]] = arith.cmpi ult, %[[LANE:.*]], %c2{{.*}} : i32
    // CHECK: nvidia.arrive %{{.*}} if %[[ARRIVES]] block %[[LANE]]
    // PTX-DAG: mapa.shared::cluster.u64 there, {{.*}} mbarrier.arrive.shared::cluster.b64 _, [there];
    tile.arrive %empty[%i] together everywhere : !tile.signals<1>
  }, {
    %vw, %vr = tile.acquire %empty[%i] phase %c0 of (%wide, %rows : !tile.buffer<1x8x128xf16, #wide>, !tile.buffer<1x16x64xf16, #rows>) : !tile.signals<1>
    tile.expect %full[%i] bytes 4096 : !tile.signals<1>
    // One of the pieces, or half of the rows: to the same place in all.
    // CHECK: %[[COLUMN:.*]] = arith.shli %{{.*}}, %c6
    // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} box[%[[COLUMN]], %{{.*}}]{{.*}} multicast_mask = %c3
    // CHECK: arith.shli %{{.*}}, %c3
    // CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask = %c3
    // PTX-DAG: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster
    tile.block_copy %w[%c0, %c0], %vw signal %full[%i] everywhere : !tile.desc<8x128xf16>, !tile.buffer<8x128xf16, #wide>, !tile.signals<1>
    tile.block_copy %r[%c0, %c0], %vr signal %full[%i] everywhere : !tile.desc<16x64xf16>, !tile.buffer<16x64xf16, #rows>, !tile.signals<1>
  }
  // CHECK: nvvm.cluster.arrive
  // CHECK-NEXT: nvvm.cluster.wait
  // CHECK-NEXT: return
  // PTX: barrier.cluster.arrive;
  // PTX: barrier.cluster.wait;
  // PTX: ret;
  return
}
}
