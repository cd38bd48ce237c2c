// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --tile-insert-barriers | FileCheck %s --check-prefix=BARRIER
// RUN: tile-translate %s --target nvidia:sm_90a --num-warps 4 --from scheduled --emit ptx | FileCheck %s --check-prefix=PTX

// Products of four warps: operands in 128-byte columns along k, or (B of @turned) along n.
#rows = #tile.layout<[64, 64]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]>
#columns = #tile.layout<[64, 64]: offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [8, 1], [16, 2], [32, 4], [0, 8], [0, 16], [0, 32]]>
#bytes = #tile.layout<[64, 128]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [1, 16], [2, 32], [4, 64], [8, 0], [16, 0], [32, 0]]>
#turned_bytes = #tile.layout<[128, 64]: offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [64, 0], [16, 1], [32, 2], [64, 4], [0, 8], [0, 16], [0, 32]]>
#acc = #tile.layout<[64, 64]: register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
!rows = !tile.buffer<64x64xf16, #rows>
!columns = !tile.buffer<64x64xf16, #columns>
!sum = !tile.pending<tensor<64x64xf32, #acc>>

module attributes {tile.num_warps = 4 : i32,
    tile.target = #tile.target<"nvidia", "sm_90a", {lanes = 32 : i32, access_bits = 128 : i32, on_chip_bytes = 232448 : i32}>} {

// A product that begins a sum reads no accumulator; one on another in flight waits for nothing.
// CHECK-LABEL: func.func @sums
// CHECK: %[[P:.+]] = tile.async_dot %{{.*}}, %{{.*}}, %{{.*}} unit(#nvidia.wgmma<f16, n = 64>) : !tile.buffer<64x64xf16, #[[ROWS:.+]]>, !tile.buffer<64x64xf16, #[[COLUMNS:.+]]>, tensor<64x64xf32, #[[ACC:.+]]> -> !tile.pending<tensor<64x64xf32, #[[ACC]]>>
// CHECK: %[[Q:.+]] = tile.async_dot %{{.*}}, %{{.*}}, %[[P]] unit(
// CHECK: %[[R:.+]] = tile.await_dots(%[[Q]]) in_flight 1 : !tile.pending<{{.*}}> -> !tile.pending<{{.*}}>
// CHECK: tile.await_dots(%[[R]]) in_flight 0 : !tile.pending<{{.*}}> -> tensor<64x64xf32, #[[ACC]]>
// What is written is published before the unit reads it; the second product is behind the same barrier.
// BARRIER-LABEL: func.func @sums
// BARRIER: tile.buffer_store
// BARRIER: tile.buffer_store
// BARRIER-NEXT: tile.barrier publish
// BARRIER: tile.async_dot
// BARRIER-NEXT: tile.async_dot
// BARRIER: tile.await_dots{{.*}} in_flight 1
// BARRIER: tile.await_dots{{.*}} in_flight 0
// BARRIER-NEXT: tile.barrier{{$}}
// BARRIER-NEXT: tile.buffer_store
// PTX-LABEL: .func {{.*}} sums(
// PTX: wgmma.fence.sync.aligned;
// PTX: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, 0, 1, 1, 0, 0;
// PTX-COUNT-3: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, 1, 1, 1, 0, 0;
// PTX: wgmma.commit_group.sync.aligned;
// PTX: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, 1, 1, 1, 0, 0;
// PTX: wgmma.commit_group.sync.aligned;
// PTX: wgmma.wait_group.sync.aligned 1;
// PTX: wgmma.wait_group.sync.aligned 0;
func.func @sums(%x: tensor<64x64xf16, #acc>) -> tensor<64x64xf32, #acc> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %a = tile.buffer_alloc offset 0 : !rows
  %b = tile.buffer_alloc offset 8192 : !columns
  tile.buffer_store %x, %a : tensor<64x64xf16, #acc> -> !rows
  tile.buffer_store %x, %b : tensor<64x64xf16, #acc> -> !columns
  %p = tile.async_dot %a, %b, %zero unit(#nvidia.wgmma<f16, n = 64>) : !rows, !columns, tensor<64x64xf32, #acc> -> !sum
  %q = tile.async_dot %a, %b, %p unit(#nvidia.wgmma<f16, n = 64>) : !rows, !columns, !sum -> !sum
  %r = tile.await_dots(%q) in_flight 1 : !sum -> !sum
  %s = tile.await_dots(%r) in_flight 0 : !sum -> tensor<64x64xf32, #acc>
  tile.buffer_store %x, %a : tensor<64x64xf16, #acc> -> !rows
  return %s : tensor<64x64xf32, #acc>
}

// A in registers is packed before the fence, which the accumulators pass, too.
// CHECK-LABEL: func.func @registers
// CHECK: tile.async_dot %{{.*}}, %{{.*}}, %{{.*}} unit(#nvidia.wgmma<f16, n = 64>) : tensor<64x64xf16, #[[ACC]]>, !tile.buffer
// PTX-LABEL: .func {{.*}} registers(
// PTX: wgmma.fence.sync.aligned;
// PTX-NOT: cvt.rn
// PTX: wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{{.*}}}, {%{{r[0-9]+, %r[0-9]+, %r[0-9]+, %r[0-9]+}}}, %{{.*}}, 1, 1, 1, 0;
// PTX-NOT: cvt.rn
// PTX: wgmma.commit_group.sync.aligned;
func.func @registers(%x: tensor<64x64xf32, #acc>, %c: tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> {
  %b = tile.buffer_alloc offset 0 : !columns
  %h = arith.truncf %x : tensor<64x64xf32, #acc> to tensor<64x64xf16, #acc>
  %p = tile.async_dot %h, %b, %c unit(#nvidia.wgmma<f16, n = 64>) : tensor<64x64xf16, #acc>, !columns, tensor<64x64xf32, #acc> -> !sum
  %s = tile.await_dots(%p) in_flight 0 : !sum -> tensor<64x64xf32, #acc>
  return %s : tensor<64x64xf32, #acc>
}

// Sums that the unit rounds are begun anew after a few products, and added.
// PTX-LABEL: .func {{.*}} parts(
// PTX: wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3 {{.*}}, 0, 1, 1;
// PTX: wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3
// PTX: wgmma.wait_group.sync.aligned 0
// PTX: add.rn.f32
// PTX: wgmma.mma_async.sync.aligned.m64n64k32.f32.e4m3.e4m3
// PTX: wgmma.wait_group.sync.aligned 0
// PTX: add.rn.f32
func.func @parts(%c: tensor<64x64xf32, #acc>) -> tensor<64x64xf32, #acc> {
  %a = tile.buffer_alloc offset 0 : !tile.buffer<64x128xf8E4M3FN, #bytes>
  %b = tile.buffer_alloc offset 8192 : !tile.buffer<64x128xf8E4M3FN, #bytes>
  // CHECK: tile.buffer_transpose
  %t = tile.buffer_transpose %b order [1, 0] : !tile.buffer<64x128xf8E4M3FN, #bytes> -> !tile.buffer<128x64xf8E4M3FN, #turned_bytes>
  %p = tile.async_dot %a, %t, %c unit(#nvidia.wgmma<f8, n = 64>) {maxImpreciseAcc = 64 : i32} : !tile.buffer<64x128xf8E4M3FN, #bytes>, !tile.buffer<128x64xf8E4M3FN, #turned_bytes>, tensor<64x64xf32, #acc> -> !sum
  %s = tile.await_dots(%p) in_flight 0 : !sum -> tensor<64x64xf32, #acc>
  return %s : tensor<64x64xf32, #acc>
}

// Sums of fp16 are in flight as pairs, which are taken apart behind the wait alone.
// PTX-LABEL: .func {{.*}} halves(
// PTX: wgmma.mma_async.sync.aligned.m64n64k16.f16.f16.f16 {{{(%r[0-9]+, ){15}%r[0-9]+}}}, {{.*}}, 1, 1, 1, 0, 0;
// PTX-NOT: mov.b32 {%rs
// PTX: wgmma.commit_group.sync.aligned;
// PTX-NOT: mov.b32 {%rs
// PTX: wgmma.mma_async.sync.aligned.m64n64k16.f16.f16.f16 {{{(%r[0-9]+, ){15}%r[0-9]+}}}, {{{(%r[0-9]+, ){3}%r[0-9]+}}}, {{.*}}, 1, 1, 1, 0;
// PTX-NOT: mov.b32 {%rs
// PTX: wgmma.wait_group.sync.aligned 0;
func.func @halves(%x: tensor<64x64xf16, #acc>, %c: tensor<64x64xf16, #acc>, %n: i32) -> tensor<64x64xf16, #acc> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = tile.buffer_alloc offset 0 : !rows
  %b = tile.buffer_alloc offset 8192 : !columns
  %p = tile.pend %c : tensor<64x64xf16, #acc>
  %q = scf.for %i = %zero to %n step %one iter_args(%s = %p) -> (!tile.pending<tensor<64x64xf16, #acc>>) : i32 {
    %d = tile.async_dot %a, %b, %s unit(#nvidia.wgmma<f16, n = 64>) : !rows, !columns, !tile.pending<tensor<64x64xf16, #acc>> -> !tile.pending<tensor<64x64xf16, #acc>>
    %r = tile.await_dots(%d) in_flight 1 : !tile.pending<tensor<64x64xf16, #acc>> -> !tile.pending<tensor<64x64xf16, #acc>>
    scf.yield %r : !tile.pending<tensor<64x64xf16, #acc>>
  }
  %t = tile.async_dot %x, %b, %q unit(#nvidia.wgmma<f16, n = 64>) : tensor<64x64xf16, #acc>, !columns, !tile.pending<tensor<64x64xf16, #acc>> -> !tile.pending<tensor<64x64xf16, #acc>>
  %u = tile.await_dots(%t) in_flight 0 : !tile.pending<tensor<64x64xf16, #acc>> -> tensor<64x64xf16, #acc>
  return %u : tensor<64x64xf16, #acc>
}

// PTX-LABEL: .func {{.*}} parts_of_halves(
// PTX: wgmma.mma_async.sync.aligned.m64n64k32.f16.e4m3.e4m3 {{.*}}, 0, 1, 1;
// PTX: wgmma.wait_group.sync.aligned 0
// PTX: add.rn.f16
func.func @parts_of_halves(%c: tensor<64x64xf16, #acc>) -> tensor<64x64xf16, #acc> {
  %a = tile.buffer_alloc offset 0 : !tile.buffer<64x128xf8E4M3FN, #bytes>
  %b = tile.buffer_alloc offset 8192 : !tile.buffer<64x128xf8E4M3FN, #bytes>
  %t = tile.buffer_transpose %b order [1, 0] : !tile.buffer<64x128xf8E4M3FN, #bytes> -> !tile.buffer<128x64xf8E4M3FN, #turned_bytes>
  %p = tile.async_dot %a, %t, %c unit(#nvidia.wgmma<f8, n = 64>) {maxImpreciseAcc = 64 : i32} : !tile.buffer<64x128xf8E4M3FN, #bytes>, !tile.buffer<128x64xf8E4M3FN, #turned_bytes>, tensor<64x64xf16, #acc> -> !tile.pending<tensor<64x64xf16, #acc>>
  %s = tile.await_dots(%p) in_flight 0 : !tile.pending<tensor<64x64xf16, #acc>> -> tensor<64x64xf16, #acc>
  return %s : tensor<64x64xf16, #acc>
}

// An operand whose elements lie along the other dimension than k is read transposed.
// PTX-LABEL: .func {{.*}} turned(
// PTX: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}}, 0, 1, 1, 1, 1;
func.func @turned() -> tensor<64x64xf32, #acc> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #acc>
  %a = tile.buffer_alloc offset 0 : !tile.buffer<64x64xbf16, #columns>
  %b = tile.buffer_alloc offset 8192 : !tile.buffer<64x64xbf16, #columns>
  // CHECK: tile.buffer_transpose %{{.*}} order [1, 0] : !tile.buffer<64x64xbf16, #[[COLUMNS]]> -> !tile.buffer<64x64xbf16, #[[ROWS]]>
  %t = tile.buffer_transpose %b order [1, 0] : !tile.buffer<64x64xbf16, #columns> -> !tile.buffer<64x64xbf16, #rows>
  // CHECK: tile.pend %{{.*}} : tensor<64x64xf32, #[[ACC]]>
  %p = tile.pend %zero : tensor<64x64xf32, #acc>
  %q = tile.await_dots(%p) in_flight 0 : !sum -> tensor<64x64xf32, #acc>
  %d = tile.async_dot %a, %t, %zero unit(#nvidia.wgmma<bf16, n = 64>) : !tile.buffer<64x64xbf16, #columns>, !tile.buffer<64x64xbf16, #rows>, tensor<64x64xf32, #acc> -> !sum
  %s = tile.await_dots(%d) in_flight 0 : !sum -> tensor<64x64xf32, #acc>
  return %s : tensor<64x64xf32, #acc>
}
}
