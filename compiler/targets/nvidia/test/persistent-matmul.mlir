// RUN: tile-opt %s --tile-to-nvidia="arch=sm_90a num-warps=8 num-stages=3 stop-after=scheduled" | FileCheck %s
// RUN: tile-translate %s --target nvidia:sm_90a --num-warps 8 --num-stages 3 --emit ptx | FileCheck %s --check-prefix=PTX
// RUN: tile-translate %s --target nvidia:sm_80 --num-warps 8 --num-stages 3 --emit ptx | FileCheck %s --check-prefix=OLD

// A product of tiles, program after program, by descriptors that the kernel makes: blocks are copied and stored by the
// copy unit, through descriptors that are parameters; the products read where it writes.

// CHECK: tile.launch_descriptors = [
// CHECK: tile.roles warps [8, 4] registers [240, 24] threads [256, 1]
// CHECK: tile.async_dot
// CHECK: tile.arrive
// CHECK-NOT: tile.barrier
// CHECK: tile.block_store {{.*}} parts(
// CHECK: tile.block_copy
// CHECK: tile.block_copy

// PTX: .visible .entry matmul(
// PTX: .param .align 64 .b8 matmul_param_6[128],
// PTX-NEXT: .param .align 64 .b8 matmul_param_7[128],
// PTX-NEXT: .param .align 64 .b8 matmul_param_8[128]
// PTX: .reqntid 384, 1, 1
// PTX-NOT: {{ld|st}}.global
// PTX: mbarrier.init.shared.b64
// PTX: fence.mbarrier_init
// PTX: bar.sync 0
// PTX: setmaxnreg.inc.sync.aligned.u32 240
// PTX-NOT: {{ld|st}}.global
// PTX: wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16
// PTX-NOT: {{ld|st}}.global
// PTX: stmatrix.sync.aligned.m8n8.x4.shared.b16
// PTX: fence.proxy.async
// PTX-NEXT: bar.warp.sync
// PTX-NOT: bar.sync
// PTX: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
// PTX-NOT: {{ld|st}}.global
// PTX: setmaxnreg.dec.sync.aligned.u32 24
// PTX-COUNT-3: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
// PTX-NOT: {{ld|st}}.global

// OLD: .visible .entry matmul(
// OLD-NOT: .b8
// OLD-NOT: mbarrier
// OLD-DAG: cp.async.cg.shared.global
// OLD-DAG: mma.sync
// OLD-DAG: st.global
func.func @matmul(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                  %pc: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i32 {tile.divisibility = 16 : i32},
                  %n: i32 {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %kk = arith.extsi %k : i32 to i64
  %nn = arith.extsi %n : i32 to i64
  %da = tile.make_descriptor %pa sizes[%m, %k] strides[%kk] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %db = tile.make_descriptor %pb sizes[%k, %n] strides[%nn] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %dc = tile.make_descriptor %pc sizes[%m, %n] strides[%nn] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %first = tile.program_id 0 : i32
  %count = tile.num_programs 0 : i32
  scf.for %t = %first to %n step %count : i32 {
    %j = arith.muli %t, %c128 : i32
    %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) : i32 {
      %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<128x64xf16>
      %b = tile.descriptor_load %db[%i, %j] : !tile.desc<64x128xf16>
      %d = tile.dot %a, %b, %s : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    %h = arith.truncf %r : tensor<128x128xf32> to tensor<128x128xf16>
    tile.descriptor_store %dc[%c0, %j], %h : !tile.desc<128x128xf16>
  }
  return
}
