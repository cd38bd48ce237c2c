// RUN: tile-opt %s -convert-tile-to-gpu -canonicalize -cse | FileCheck %s
// RUN: tile-translate %s --target nvidia:sm_89 --num-warps 1 --from scheduled --emit ptx | FileCheck %s --check-prefix=PTX
// RUN: tile-translate %s --target nvidia:sm_89 --num-warps 1 --from scheduled --emit llvmir | FileCheck %s --check-prefix=IR

// Fragments as the manual of PTX draws them.
#acc = #tile.layout<[16, 8]: register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#a16 = #tile.layout<[16, 16]: register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#b16 = #tile.layout<[16, 8]: register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#a32 = #tile.layout<[16, 8]: register = [[8, 0], [0, 4]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]]>
#b32 = #tile.layout<[8, 8]: register = [[4, 0]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]]>
#a8 = #tile.layout<[16, 32]: register = [[0, 1], [0, 2], [8, 0], [0, 16]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]>
#b8 = #tile.layout<[32, 8]: register = [[1, 0], [2, 0], [16, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]]>
#a64 = #tile.layout<[8, 4]: lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]]>
#b64 = #tile.layout<[4, 8]: lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]]>
#acc64 = #tile.layout<[8, 8]: register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>

module attributes {tile.num_warps = 1 : i32,
    tile.target = #tile.target<"nvidia", "sm_89", {lanes = 32 : i32, access_bits = 128 : i32}>} {

// CHECK-LABEL: func.func @bf16
// CHECK: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<bf16>
// PTX: .version 8.4
// PTX-LABEL: .func {{.*}} bf16(
// PTX: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
func.func @bf16(%a: tensor<16x16xbf16, #a16>, %b: tensor<16x8xbf16, #b16>, %c: tensor<16x8xf32, #acc>) -> tensor<16x8xf32, #acc> {
  %d = tile.dot %a, %b, %c {unit = #nvidia.mma_sync<bf16>} : tensor<16x16xbf16, #a16>, tensor<16x8xbf16, #b16> -> tensor<16x8xf32, #acc>
  return %d : tensor<16x8xf32, #acc>
}

// CHECK-LABEL: func.func @f16_acc
// CHECK: nvvm.mma.sync {{.*}} -> !llvm.struct<(vector<2xf16>, vector<2xf16>)>
// PTX-LABEL: .func {{.*}} f16_acc(
// PTX: mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16
func.func @f16_acc(%a: tensor<16x16xf16, #a16>, %b: tensor<16x8xf16, #b16>, %c: tensor<16x8xf16, #acc>) -> tensor<16x8xf16, #acc> {
  %d = tile.dot %a, %b, %c {unit = #nvidia.mma_sync<f16>} : tensor<16x16xf16, #a16>, tensor<16x8xf16, #b16> -> tensor<16x8xf16, #acc>
  return %d : tensor<16x8xf16, #acc>
}

// Operands are rounded to nearest.
// CHECK-LABEL: func.func @tf32
// CHECK-COUNT-6: nvvm.convert.float.to.tf32 {{.*}}rnd = #nvvm.fp_rnd_mode<rna>
// CHECK: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<tf32>
// PTX-LABEL: .func {{.*}} tf32(
// PTX-COUNT-6: cvt.rna.tf32.f32
// PTX: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
func.func @tf32(%a: tensor<16x8xf32, #a32>, %b: tensor<8x8xf32, #b32>, %c: tensor<16x8xf32, #acc>) -> tensor<16x8xf32, #acc> {
  %d = tile.dot %a, %b, %c precision tf32 {unit = #nvidia.mma_sync<tf32>} : tensor<16x8xf32, #a32>, tensor<8x8xf32, #b32> -> tensor<16x8xf32, #acc>
  return %d : tensor<16x8xf32, #acc>
}

// CHECK-LABEL: func.func @i8
// CHECK: nvvm.mma.sync {{.*}}intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>{{.*}}multiplicandAPtxType = #nvvm.mma_type<u8>
// PTX-LABEL: .func {{.*}} i8(
// PTX: mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32
func.func @i8(%a: tensor<16x32xi8, #a8>, %b: tensor<32x8xi8, #b8>, %c: tensor<16x8xi32, #acc>) -> tensor<16x8xi32, #acc> {
  %d = tile.dot %a, %b, %c unsigned {unit = #nvidia.mma_sync<i8>} : tensor<16x32xi8, #a8>, tensor<32x8xi8, #b8> -> tensor<16x8xi32, #acc>
  return %d : tensor<16x8xi32, #acc>
}

// CHECK-LABEL: func.func @f8
// PTX-LABEL: .func {{.*}} f8(
// PTX: mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32
func.func @f8(%a: tensor<16x32xf8E4M3FN, #a8>, %b: tensor<32x8xf8E5M2, #b8>, %c: tensor<16x8xf32, #acc>) -> tensor<16x8xf32, #acc> {
  %d = tile.dot %a, %b, %c {unit = #nvidia.mma_sync<f8>} : tensor<16x32xf8E4M3FN, #a8>, tensor<32x8xf8E5M2, #b8> -> tensor<16x8xf32, #acc>
  return %d : tensor<16x8xf32, #acc>
}

// PTX-LABEL: .func {{.*}} f8_halves(
// PTX-COUNT-4: cvt.f32.f16
// PTX: mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32
// PTX: cvt.rn.f16x2.f32
func.func @f8_halves(%a: tensor<16x32xf8E4M3FN, #a8>, %b: tensor<32x8xf8E5M2, #b8>, %c: tensor<16x8xf16, #acc>) -> tensor<16x8xf16, #acc> {
  %d = tile.dot %a, %b, %c {unit = #nvidia.mma_sync<f8>} : tensor<16x32xf8E4M3FN, #a8>, tensor<32x8xf8E5M2, #b8> -> tensor<16x8xf16, #acc>
  return %d : tensor<16x8xf16, #acc>
}

// CHECK-LABEL: func.func @f64
// PTX-LABEL: .func {{.*}} f64(
// PTX: mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64
func.func @f64(%a: tensor<8x4xf64, #a64>, %b: tensor<4x8xf64, #b64>, %c: tensor<8x8xf64, #acc64>) -> tensor<8x8xf64, #acc64> {
  %d = tile.dot %a, %b, %c {unit = #nvidia.mma_sync<f64>} : tensor<8x4xf64, #a64>, tensor<4x8xf64, #b64> -> tensor<8x8xf64, #acc64>
  return %d : tensor<8x8xf64, #acc64>
}
}

// Lanes multiply together: LLVM must not move a product into a branch that some of them take.
// IR: call {{.*}} @llvm.nvvm.mma.m16n8k16.row.col.bf16({{.*}}) #[[TOGETHER:[0-9]+]]
// IR: call {{.*}} @llvm.nvvm.mma.m8n8k4.row.col.f64({{.*}}) #[[TOGETHER]]
// IR: attributes #[[TOGETHER]] = { convergent
