// RUN: tile-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expects a number of columns that the instruction has, got 12}}
#unit = #nvidia.wgmma<f16, n = 12>

// -----

// expected-error @+1 {{expects operands of at most 32 bits}}
#unit = #nvidia.wgmma<f64, n = 8>

// -----

// expected-error @+1 {{lanes have single words of this kind, and no pairs}}
#unit = #nvidia.mma_sync<f64, paired = true>

// -----

#memory = #tile.layout<[64, 64]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]>
func.func @async_dot_1(%a: !tile.buffer<64x64xf16, #memory>, %c: tensor<64x32xf32>) {
  // expected-error @+1 {{expects matrices whose sizes fit}}
  %d = tile.async_dot %a, %a, %c unit(#nvidia.wgmma<f16, n = 32>) : !tile.buffer<64x64xf16, #memory>, !tile.buffer<64x64xf16, #memory>, tensor<64x32xf32> -> !tile.pending<tensor<64x32xf32>>
  return
}

// -----

#memory = #tile.layout<[64, 64]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]>
func.func @async_dot_2(%a: !tile.buffer<64x64xf16, #memory>, %c: tensor<64x64xf16>) {
  // expected-error @+1 {{expects an accumulator of type 'tensor<64x64xf32>', or one in flight}}
  %d = tile.async_dot %a, %a, %c unit(#nvidia.wgmma<f16, n = 32>) : !tile.buffer<64x64xf16, #memory>, !tile.buffer<64x64xf16, #memory>, tensor<64x64xf16> -> !tile.pending<tensor<64x64xf32>>
  return
}

// -----

#memory = #tile.layout<[64, 64]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]>
func.func @async_dot_3(%a: !tile.buffer<64x64xf16, #memory>, %c: tensor<64x64xf32>) {
  // expected-error @+1 {{expects a unit that reads on-chip memory and accepts the product}}
  %d = tile.async_dot %a, %a, %c unit(#nvidia.mma_sync<f16>) : !tile.buffer<64x64xf16, #memory>, !tile.buffer<64x64xf16, #memory>, tensor<64x64xf32> -> !tile.pending<tensor<64x64xf32>>
  return
}

// -----

func.func @wgmma_1(%b: !llvm.ptr<3>, %r: i32, %c: f32) {
  // expected-error @+1 {{expects the address of A, or A in four registers}}
  %d:4 = nvidia.wgmma registers(%r, %r) b %b acc(%c, %c, %c, %c) {types = "f32.f16.f16", n = 8 : i32, k = 16 : i32, matrixB = array<i32: 0, 1024, 128>} : (i32, i32, !llvm.ptr<3>, f32, f32, f32, f32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @wgmma_2(%b: !llvm.ptr<3>, %c: f32) {
  // expected-error @+1 {{expects 4 results, and as many accumulators or none}}
  %d:2 = nvidia.wgmma a %b b %b {types = "f32.f16.f16", n = 8 : i32, k = 16 : i32, matrixA = array<i32: 0, 1024, 128>, matrixB = array<i32: 0, 1024, 128>} : (!llvm.ptr<3>, !llvm.ptr<3>) -> (f32, f32)
  return
}

// -----

func.func @wgmma_2_halves(%b: !llvm.ptr<3>, %c: f32) {
  // expected-error @+1 {{expects 2 results, and as many accumulators or none}}
  %d:4 = nvidia.wgmma a %b b %b {types = "f16.f16.f16", n = 8 : i32, k = 16 : i32, matrixA = array<i32: 0, 1024, 128>, matrixB = array<i32: 0, 1024, 128>} : (!llvm.ptr<3>, !llvm.ptr<3>) -> (i32, i32, i32, i32)
  return
}

// -----

func.func @wgmma_3(%b: !llvm.ptr<3>) {
  // expected-error @+1 {{expects operands of 16 bits where one is transposed}}
  %d:4 = nvidia.wgmma a %b b %b {types = "f32.tf32.tf32", n = 8 : i32, k = 8 : i32, transposedB, matrixA = array<i32: 0, 1024, 128>, matrixB = array<i32: 0, 1024, 128>} : (!llvm.ptr<3>, !llvm.ptr<3>) -> (f32, f32, f32, f32)
  return
}
