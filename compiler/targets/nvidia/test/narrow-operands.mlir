// RUN: tile-opt %s --tile-assign-layouts --tile-select-matmul-units --tile-remove-conversions --cse --tile-pipeline-loops --canonicalize | FileCheck %s
// RUN: tile-translate %s --target=nvidia:sm_90a --num-warps=4 --num-stages=3 --from=tile --emit=ptx | FileCheck %s --check-prefix=PTX

// Weights of bytes that lie along k are read as words, four of them a lane: both operands have their k in the
// order of words that follow each other. No two lanes that are served together meet in a bank: rows of 64 bytes
// are permuted.
// CHECK-DAG: #[[A:.+]] = #tile.layout<[16, 64]: register = {{\[\[}}0, 1], [8, 0], [0, 2], [0, 16], [0, 32]], lane = {{\[\[}}0, 4], [0, 8], [1, 0], [2, 0], [4, 0]],
// CHECK-DAG: #[[B:.+]] = #tile.layout<[64, 32]: register = {{\[\[}}1, 0], [2, 0], [16, 0], [32, 0]], lane = {{\[\[}}4, 0], [8, 0], [0, 1], [0, 2], [0, 4]],
// CHECK-DAG: #[[MEMORY:.+]] = #tile.layout<[64, 32]: offset = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [0, 1], [0, 16], [0, 8], [16, 2], [32, 4]]>
#target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, lanes = 32 : i32, on_chip_bytes = 232448 : i32, units = [#nvidia.mma_sync<f16>]}>
module attributes {tile.target = #target, tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
// CHECK-LABEL: func.func @weights
// CHECK: tile.buffer_load {{.*}} -> tensor<64x32xi8, #[[B]]>
// CHECK: tile.dot {{.*}} {unit = #nvidia.mma_sync<f16, paired = true>} : tensor<16x64xf16, #[[A]]>, tensor<64x32xf16, #[[B]]>
// PTX-LABEL: .entry weights
// PTX: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// PTX-NOT: ld.shared.b8
// PTX-NOT: ld.shared.b16
// PTX: mma.sync.aligned.m16n8k16
// PTX: ret;
func.func @weights(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<i8> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %depth = arith.constant dense<4096> : tensor<16x1xi32>
  %depths = arith.constant dense<4096> : tensor<1x32xi32>
  %step = arith.constant dense<64> : tensor<16x64xi32>
  %steps = arith.constant dense<64> : tensor<64x32xi32>
  %width = arith.constant dense<32> : tensor<16x1xi32>
  %i = tile.arange 0 : tensor<16xi32>
  %j = tile.arange 0 : tensor<32xi32>
  %k = tile.arange 0 : tensor<64xi32>
  %i1 = tile.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %j0 = tile.expand_dims %j axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %k0 = tile.expand_dims %k axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %k1 = tile.expand_dims %k axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %ra = arith.muli %i1, %depth : tensor<16x1xi32>
  %ra2 = tile.broadcast %ra : tensor<16x1xi32> -> tensor<16x64xi32>
  %ka2 = tile.broadcast %k0 : tensor<1x64xi32> -> tensor<16x64xi32>
  %oa = arith.addi %ra2, %ka2 : tensor<16x64xi32>
  %rb = arith.muli %j0, %depths : tensor<1x32xi32>
  %rb2 = tile.broadcast %rb : tensor<1x32xi32> -> tensor<64x32xi32>
  %kb2 = tile.broadcast %k1 : tensor<64x1xi32> -> tensor<64x32xi32>
  %ob = arith.addi %rb2, %kb2 : tensor<64x32xi32>
  %as = tile.splat %a : tensor<16x64x!tile.ptr<f16>>
  %bs = tile.splat %b : tensor<64x32x!tile.ptr<i8>>
  %pa0 = tile.addptr %as, %oa : tensor<16x64x!tile.ptr<f16>>, tensor<16x64xi32>
  %pb0 = tile.addptr %bs, %ob : tensor<64x32x!tile.ptr<i8>>, tensor<64x32xi32>
  %sum, %pa9, %pb9 = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %zero, %pa = %pa0, %pb = %pb0) -> (tensor<16x32xf32>, tensor<16x64x!tile.ptr<f16>>, tensor<64x32x!tile.ptr<i8>>) : i32 {
    %x = tile.load %pa : tensor<16x64x!tile.ptr<f16>>
    %w = tile.load %pb : tensor<64x32x!tile.ptr<i8>>
    %y = arith.sitofp %w : tensor<64x32xi8> to tensor<64x32xf16>
    %d = tile.dot %x, %y, %acc : tensor<16x64xf16>, tensor<64x32xf16> -> tensor<16x32xf32>
    %pa1 = tile.addptr %pa, %step : tensor<16x64x!tile.ptr<f16>>, tensor<16x64xi32>
    %pb1 = tile.addptr %pb, %steps : tensor<64x32x!tile.ptr<i8>>, tensor<64x32xi32>
    scf.yield %d, %pa1, %pb1 : tensor<16x32xf32>, tensor<16x64x!tile.ptr<f16>>, tensor<64x32x!tile.ptr<i8>>
  }
  %ro = arith.muli %i1, %width : tensor<16x1xi32>
  %ro2 = tile.broadcast %ro : tensor<16x1xi32> -> tensor<16x32xi32>
  %co2 = tile.broadcast %j0 : tensor<1x32xi32> -> tensor<16x32xi32>
  %oo = arith.addi %ro2, %co2 : tensor<16x32xi32>
  %cs = tile.splat %c : tensor<16x32x!tile.ptr<f32>>
  %pc = tile.addptr %cs, %oo : tensor<16x32x!tile.ptr<f32>>, tensor<16x32xi32>
  tile.store %pc, %sum : tensor<16x32x!tile.ptr<f32>>
  return
}

// Bytes that become two weights each are copies too, and so are factors of pairs of bytes, whose elements many threads
// need, zero where they are masked. Nothing is loaded where it is used, nor moved between threads but for the product.
// CHECK-LABEL: func.func @pairs
// CHECK-DAG: tile.buffer_alloc : !tile.buffer<3x16x64xf16
// CHECK-DAG: tile.buffer_alloc : !tile.buffer<3x32x128xi8
// CHECK-DAG: tile.buffer_alloc : !tile.buffer<3x1x128xf16
// CHECK: scf.for
// CHECK-NOT: tile.load
// CHECK: tile.await
// CHECK-NOT: tile.load
// CHECK-NOT: tile.convert_layout
// CHECK: tile.join
// CHECK-NOT: tile.load
// CHECK: tile.convert_layout {{.*}} : tensor<64x128xf16,
// CHECK-NOT: tile.convert_layout
// CHECK: tile.dot
// CHECK: scf.yield
func.func @pairs(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<i8> {tile.divisibility = 16 : i32}, %s: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32, %width: i32 {tile.divisibility = 16 : i32}, %out: tensor<16x128x!tile.ptr<f32>>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x128xf32>
  %none = arith.constant dense<0.0> : tensor<1x128xf16>
  %depth = arith.constant dense<4096> : tensor<16x1xi32>
  %row = arith.constant dense<128> : tensor<32x1xi32>
  %step = arith.constant dense<64> : tensor<16x64xi32>
  %steps = arith.constant dense<4096> : tensor<32x128xi32>
  %four = arith.constant dense<4> : tensor<32x128xi8>
  %low = arith.constant dense<15> : tensor<32x128xi8>
  %i = tile.arange 0 : tensor<16xi32>
  %h = tile.arange 0 : tensor<32xi32>
  %k = tile.arange 0 : tensor<64xi32>
  %j = tile.arange 0 : tensor<128xi32>
  %i1 = tile.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %h1 = tile.expand_dims %h axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %k0 = tile.expand_dims %k axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %j0 = tile.expand_dims %j axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %ra = arith.muli %i1, %depth : tensor<16x1xi32>
  %ra2 = tile.broadcast %ra : tensor<16x1xi32> -> tensor<16x64xi32>
  %ka2 = tile.broadcast %k0 : tensor<1x64xi32> -> tensor<16x64xi32>
  %oa = arith.addi %ra2, %ka2 : tensor<16x64xi32>
  %rb = arith.muli %h1, %row : tensor<32x1xi32>
  %rb2 = tile.broadcast %rb : tensor<32x1xi32> -> tensor<32x128xi32>
  %jb2 = tile.broadcast %j0 : tensor<1x128xi32> -> tensor<32x128xi32>
  %ob = arith.addi %rb2, %jb2 : tensor<32x128xi32>
  %as = tile.splat %a : tensor<16x64x!tile.ptr<f16>>
  %bs = tile.splat %b : tensor<32x128x!tile.ptr<i8>>
  %ss = tile.splat %s : tensor<1x128x!tile.ptr<f16>>
  %ws = tile.splat %width : tensor<1x128xi32>
  %in = arith.cmpi slt, %j0, %ws : tensor<1x128xi32>
  %pa0 = tile.addptr %as, %oa : tensor<16x64x!tile.ptr<f16>>, tensor<16x64xi32>
  %pb0 = tile.addptr %bs, %ob : tensor<32x128x!tile.ptr<i8>>, tensor<32x128xi32>
  %sum, %pa9, %pb9 = scf.for %t = %c0 to %n step %c1 iter_args(%acc = %zero, %pa = %pa0, %pb = %pb0) -> (tensor<16x128xf32>, tensor<16x64x!tile.ptr<f16>>, tensor<32x128x!tile.ptr<i8>>) : i32 {
    %x = tile.load %pa : tensor<16x64x!tile.ptr<f16>>
    %w = tile.load %pb : tensor<32x128x!tile.ptr<i8>>
    %at = arith.muli %t, %width : i32
    %ats = tile.splat %at : tensor<1x128xi32>
    %os = arith.addi %ats, %j0 : tensor<1x128xi32>
    %ps = tile.addptr %ss, %os : tensor<1x128x!tile.ptr<f16>>, tensor<1x128xi32>
    %f = tile.load %ps mask %in other %none : tensor<1x128x!tile.ptr<f16>>
    %w0 = arith.andi %w, %low : tensor<32x128xi8>
    %w1 = arith.shrui %w, %four : tensor<32x128xi8>
    %y0 = arith.sitofp %w0 : tensor<32x128xi8> to tensor<32x128xf16>
    %y1 = arith.sitofp %w1 : tensor<32x128xi8> to tensor<32x128xf16>
    %both = tile.join %y0, %y1 : tensor<32x128xf16> -> tensor<32x128x2xf16>
    %turned = tile.transpose %both order [0, 2, 1] : tensor<32x128x2xf16> -> tensor<32x2x128xf16>
    %flat = tile.reshape %turned : tensor<32x2x128xf16> -> tensor<64x128xf16>
    %fs = tile.broadcast %f : tensor<1x128xf16> -> tensor<64x128xf16>
    %y = arith.mulf %flat, %fs : tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<16x64xf16>, tensor<64x128xf16> -> tensor<16x128xf32>
    %pa1 = tile.addptr %pa, %step : tensor<16x64x!tile.ptr<f16>>, tensor<16x64xi32>
    %pb1 = tile.addptr %pb, %steps : tensor<32x128x!tile.ptr<i8>>, tensor<32x128xi32>
    scf.yield %d, %pa1, %pb1 : tensor<16x128xf32>, tensor<16x64x!tile.ptr<f16>>, tensor<32x128x!tile.ptr<i8>>
  }
  tile.store %out, %sum : tensor<16x128x!tile.ptr<f32>>
  return
}
}
