// RUN: tile-opt %s --split-input-file --tile-carry-offsets --tile-assign-layouts --tile-select-matmul-units --tile-remove-conversions --cse --tile-specialize-warps --tile-pipeline-loops --canonicalize | FileCheck %s

// Scales of columns, of which each thread needs many, are copied by few threads each, beside the operands of the product, and
// read from there; so are those of rows, which the loop advances.

#target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, lanes = 32 : i32, on_chip_bytes = 232448 : i32, program_registers = 65536 : i32, units = [#nvidia.wgmma<f16>]}>
module attributes {tile.target = #target, tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
// CHECK-LABEL: func.func @scales
// CHECK-DAG: tile.buffer_alloc : !tile.buffer<3x64x64xf16
// CHECK-DAG: tile.buffer_alloc : !tile.buffer<3x64x128xf16
// CHECK-DAG: tile.buffer_alloc : !tile.buffer<{{[23]}}x128xf32
// CHECK-DAG: tile.buffer_alloc : !tile.buffer<{{[23]}}x64xf32
// CHECK: scf.for
// CHECK: %[[READY:.+]]:4 = tile.await
// CHECK-NOT: tile.load
// CHECK: tile.buffer_load %[[READY]]#{{[23]}} : {{.*}} -> tensor<{{128|64}}xf32
// CHECK: tile.buffer_load %[[READY]]#{{[23]}} : {{.*}} -> tensor<{{128|64}}xf32
// CHECK-NOT: tile.convert_layout
// CHECK: scf.yield
func.func @scales(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %s: !tile.ptr<f32>, %t: !tile.ptr<f32>, %parts: i32, %n: i32, %out: tensor<64x128x!tile.ptr<f32>>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %c64 = arith.constant dense<64> : tensor<64x1xi32>
  %c128 = arith.constant dense<128> : tensor<64x1xi32>
  %part = arith.constant dense<8192> : tensor<64x64xi32>
  %partb = arith.constant dense<8192> : tensor<64x128xi32>
  %one = arith.constant dense<1> : tensor<64xi32>
  %i = tile.arange 0 : tensor<64xi32>
  %j = tile.arange 0 : tensor<128xi32>
  %i1 = tile.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %i0 = tile.expand_dims %i axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %j0 = tile.expand_dims %j axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %ra = arith.muli %i1, %c64 : tensor<64x1xi32>
  %rb = arith.muli %i1, %c128 : tensor<64x1xi32>
  %ra2 = tile.broadcast %ra : tensor<64x1xi32> -> tensor<64x64xi32>
  %ca2 = tile.broadcast %i0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %oa = arith.addi %ra2, %ca2 : tensor<64x64xi32>
  %rb2 = tile.broadcast %rb : tensor<64x1xi32> -> tensor<64x128xi32>
  %cb2 = tile.broadcast %j0 : tensor<1x128xi32> -> tensor<64x128xi32>
  %ob = arith.addi %rb2, %cb2 : tensor<64x128xi32>
  %as = tile.splat %a : tensor<64x64x!tile.ptr<f16>>
  %bs = tile.splat %b : tensor<64x128x!tile.ptr<f16>>
  %pa0 = tile.addptr %as, %oa : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pb0 = tile.addptr %bs, %ob : tensor<64x128x!tile.ptr<f16>>, tensor<64x128xi32>
  %ps = tile.splat %parts : tensor<64xi32>
  %pt = tile.splat %parts : tensor<128xi32>
  %os = arith.muli %i, %ps : tensor<64xi32>
  %ot = arith.muli %j, %pt : tensor<128xi32>
  %ss = tile.splat %s : tensor<64x!tile.ptr<f32>>
  %ts = tile.splat %t : tensor<128x!tile.ptr<f32>>
  %s0 = tile.addptr %ss, %os : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %t0 = tile.addptr %ts, %ot : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %r:4 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %pa = %pa0, %pb = %pb0, %sp = %s0) -> (tensor<64x128xf32>, tensor<64x64x!tile.ptr<f16>>, tensor<64x128x!tile.ptr<f16>>, tensor<64x!tile.ptr<f32>>) : i32 {
    %x = tile.load %pa : tensor<64x64x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<64x128x!tile.ptr<f16>>
    %ks = tile.splat %k : tensor<128xi32>
    %tp = tile.addptr %t0, %ks : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %row = tile.load %sp : tensor<64x!tile.ptr<f32>>
    %column = tile.load %tp : tensor<128x!tile.ptr<f32>>
    %d = tile.dot %x, %y, %zero : tensor<64x64xf16>, tensor<64x128xf16> -> tensor<64x128xf32>
    %row1 = tile.expand_dims %row axis 1 : tensor<64xf32> -> tensor<64x1xf32>
    %column0 = tile.expand_dims %column axis 0 : tensor<128xf32> -> tensor<1x128xf32>
    %row2 = tile.broadcast %row1 : tensor<64x1xf32> -> tensor<64x128xf32>
    %column2 = tile.broadcast %column0 : tensor<1x128xf32> -> tensor<64x128xf32>
    %e = arith.mulf %d, %row2 : tensor<64x128xf32>
    %f = arith.mulf %e, %column2 : tensor<64x128xf32>
    %g = arith.addf %acc, %f : tensor<64x128xf32>
    %pa1 = tile.addptr %pa, %part : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %pb1 = tile.addptr %pb, %partb : tensor<64x128x!tile.ptr<f16>>, tensor<64x128xi32>
    %sp1 = tile.addptr %sp, %one : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %g, %pa1, %pb1, %sp1 : tensor<64x128xf32>, tensor<64x64x!tile.ptr<f16>>, tensor<64x128x!tile.ptr<f16>>, tensor<64x!tile.ptr<f32>>
  }
  tile.store %out, %r#0 : tensor<64x128x!tile.ptr<f32>>
  return
}
}
