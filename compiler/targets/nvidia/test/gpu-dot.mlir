// RUN: tile-opt %s -convert-tile-to-gpu -canonicalize -cse | FileCheck %s
// RUN: tile-translate %s --target nvidia:sm_80 --num-warps 1 --from scheduled --emit ptx | FileCheck %s --check-prefix=PTX

#a = #tile.layout<[16, 16]: register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#b = #tile.layout<[16, 8]: register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#acc = #tile.layout<[16, 8]: register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]>
#wide = #tile.layout<[16, 16]: register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]>
#rowsA = #tile.layout<[16, 16]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]>
#rowsB = #tile.layout<[16, 8]: offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]>
#blocked = #tile.layout<[16, 8]: register = [[0, 1], [0, 2]], lane = [[0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]>
#blockedA = #tile.layout<[16, 4]: register = [[0, 1], [0, 2]], lane = [[0, 0], [1, 0], [2, 0], [4, 0], [8, 0]]>
#blockedB = #tile.layout<[4, 8]: register = [[0, 1], [0, 2], [1, 0], [2, 0]], lane = [[0, 4], [0, 0], [0, 0], [0, 0], [0, 0]]>

module attributes {tile.num_warps = 1 : i32, tile.target = #tile.target<"nvidia", "sm_80", {
    lanes = 32 : i32, access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>,
    units = [#nvidia.mma_sync<f16>, #nvidia.mma_sync<bf16>, #nvidia.mma_sync<tf32>, #nvidia.mma_sync<i8>]}>} {

// Fragments come from memory by matrix loads, transposed where rows run along n.
// CHECK-LABEL: func.func @unit
// CHECK: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<row>, num = 4
// CHECK: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>, num = 2
// CHECK: nvvm.mma.sync
// CHECK-SAME: shape = #nvvm.shape<m = 16, n = 8, k = 16>
// PTX-LABEL: .entry unit(
// PTX: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// PTX: ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16
// PTX-NOT: prmt
// PTX: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
func.func @unit(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<16x8xf32, #acc>
  %ma = tile.buffer_alloc : !tile.buffer<16x16xf16, #rowsA>
  %mb = tile.buffer_alloc : !tile.buffer<16x8xf16, #rowsB>
  %a = tile.buffer_load %ma : !tile.buffer<16x16xf16, #rowsA> -> tensor<16x16xf16, #a>
  %b = tile.buffer_load %mb : !tile.buffer<16x8xf16, #rowsB> -> tensor<16x8xf16, #b>
  %d = tile.dot %a, %b, %zero {unit = #nvidia.mma_sync<f16>} : tensor<16x16xf16, #a>, tensor<16x8xf16, #b> -> tensor<16x8xf32, #acc>
  %ps = tile.splat %p : tensor<16x8x!tile.ptr<f32>, #acc>
  tile.store %ps, %d : tensor<16x8x!tile.ptr<f32>, #acc>
  return
}

// Two fragments of B in one instruction.
// CHECK-LABEL: func.func @wide
// CHECK: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>, num = 4
// CHECK-NOT: nvvm.ldmatrix
// CHECK: return
func.func @wide(%mb: !tile.buffer<16x16xf16, #rowsA>) -> tensor<16x16xf16, #wide> {
  %b = tile.buffer_load %mb : !tile.buffer<16x16xf16, #rowsA> -> tensor<16x16xf16, #wide>
  return %b : tensor<16x16xf16, #wide>
}

// Without a unit: one fused multiplication a step of k.
// CHECK-LABEL: func.func @scalar
// CHECK-COUNT-4: math.fma {{.*}} : vector<4xf32>
// CHECK-NOT: math.fma
// CHECK: return
func.func @scalar(%a: tensor<16x4xf16, #blockedA>, %b: tensor<4x8xf16, #blockedB>, %c: tensor<16x8xf32, #blocked>) -> tensor<16x8xf32, #blocked> {
  %d = tile.dot %a, %b, %c : tensor<16x4xf16, #blockedA>, tensor<4x8xf16, #blockedB> -> tensor<16x8xf32, #blocked>
  return %d : tensor<16x8xf32, #blocked>
}
}
