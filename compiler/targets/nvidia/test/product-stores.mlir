// RUN: tile-opt %s --split-input-file --tile-assign-layouts --tile-select-matmul-units --tile-remove-conversions --cse | FileCheck %s

#target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, lanes = 32 : i32, on_chip_bytes = 232448 : i32, units = [#nvidia.wgmma<f16>]}>

// A warp stores the rows that it has of the product: whole lines of 128 bytes, as before. A table that says where rows
// go is read in both layouts, some numbers at a time, instead of being exchanged between warps.
// CHECK-DAG: #[[PRODUCT:.+]] = #tile.layout<[128, 128]: register = {{.*}}, lane = {{.*}}, warp = {{\[\[}}16, 0], [32, 0], [64, 0]]>
// CHECK-DAG: #[[STORED:.+]] = #tile.layout<[128, 128]: register = {{\[\[}}0, 1], [0, 2], [0, 4], [2, 0], [4, 0], [8, 0]], lane = {{\[\[}}0, 8], [0, 16], [0, 32], [0, 64], [1, 0]], warp = {{\[\[}}16, 0], [32, 0], [64, 0]]>
// CHECK-LABEL: func.func @scattered
// CHECK: tile.load {{.*}} : tensor<128x!tile.ptr<i32>
// CHECK-NOT: tile.convert_layout {{.*}}xi32
// CHECK: %[[D:.+]] = tile.dot {{.*}} -> tensor<128x128xf32, #[[PRODUCT]]>
// CHECK: %[[H:.+]] = arith.truncf %[[D]]
// CHECK: %[[S:.+]] = tile.convert_layout %[[H]] : tensor<128x128xf16, #[[PRODUCT]]> -> tensor<128x128xf16, #[[STORED]]>
// CHECK: tile.store %{{.*}}, %[[S]] mask %{{.*}} : tensor<128x128x!tile.ptr<f16>, #[[STORED]]>
module attributes {tile.target = #target, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
func.func @scattered(%table: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %x: tensor<128x64xf16>, %y: tensor<64x128xf16>, %out: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %count: i32) {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %width = arith.constant dense<128> : tensor<128x1xi32>
  %i = tile.arange 0 : tensor<128xi32>
  %t = tile.splat %table : tensor<128x!tile.ptr<i32>>
  %ti = tile.addptr %t, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %row = tile.load %ti : tensor<128x!tile.ptr<i32>>
  %n = tile.splat %count : tensor<128xi32>
  %inside = arith.cmpi slt, %row, %n : tensor<128xi32>
  %d = tile.dot %x, %y, %zero : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
  %h = arith.truncf %d : tensor<128x128xf32> to tensor<128x128xf16>
  %row1 = tile.expand_dims %row axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %begin = arith.muli %row1, %width : tensor<128x1xi32>
  %begins = tile.broadcast %begin : tensor<128x1xi32> -> tensor<128x128xi32>
  %j = tile.expand_dims %i axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %columns = tile.broadcast %j : tensor<1x128xi32> -> tensor<128x128xi32>
  %at = arith.addi %begins, %columns : tensor<128x128xi32>
  %outs = tile.splat %out : tensor<128x128x!tile.ptr<f16>>
  %p = tile.addptr %outs, %at : tensor<128x128x!tile.ptr<f16>>, tensor<128x128xi32>
  %inside1 = tile.expand_dims %inside axis 1 : tensor<128xi1> -> tensor<128x1xi1>
  %mask = tile.broadcast %inside1 : tensor<128x1xi1> -> tensor<128x128xi1>
  tile.store %p, %h mask %mask : tensor<128x128x!tile.ptr<f16>>
  return
}
}

// -----

#target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, lanes = 32 : i32, on_chip_bytes = 232448 : i32, units = [#nvidia.wgmma<f16>]}>

// Pointers that are given stay where they are: moving them would cost more than moving the values.
// CHECK-DAG: #[[GIVEN:.+]] = #tile.layout<[128, 128]: register = {{.*}}, warp = {{\[\[}}1, 0], [2, 0], [4, 0]]>
// CHECK-LABEL: func.func @given
// CHECK-NOT: tile.convert_layout {{.*}}ptr
// CHECK: tile.store {{.*}} : tensor<128x128x!tile.ptr<f32>, #[[GIVEN]]>
module attributes {tile.target = #target, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
func.func @given(%x: tensor<128x64xf16>, %y: tensor<64x128xf16>, %out: tensor<128x128x!tile.ptr<f32>>) {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %d = tile.dot %x, %y, %zero : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
  tile.store %out, %d : tensor<128x128x!tile.ptr<f32>>
  return
}
}

// -----

#target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, lanes = 32 : i32, on_chip_bytes = 232448 : i32, units = [#nvidia.wgmma<f16>]}>

// The halves of a product's columns, which threads hold, stay there: nothing but the names of registers changes.
// CHECK-DAG: #[[HALF:.+]] = #tile.layout<[128, 64]: register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [32, 0], [64, 0]]>
// CHECK-LABEL: func.func @halves
// CHECK: %[[U:.+]], %[[V:.+]] = tile.split {{.*}} -> tensor<128x64xf32, #[[HALF]]>
// CHECK-NOT: tile.convert_layout
// CHECK: %[[H:.+]] = arith.truncf %[[U]] : tensor<128x64xf32, #[[HALF]]>
// CHECK: tile.descriptor_store {{.*}}, %[[H]] :
// CHECK: tile.descriptor_store
module attributes {tile.target = #target, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
func.func @halves(%x: tensor<128x64xf16>, %y: tensor<64x128xf16>, %out: !tile.desc<128x64xf16>) {
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %d = scf.for %i = %c0 to %c64 step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) : i32 {
    %p = tile.dot %x, %y, %s : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %p : tensor<128x128xf32>
  }
  %r = tile.reshape %d : tensor<128x128xf32> -> tensor<128x2x64xf32>
  %t = tile.transpose %r order [0, 2, 1] : tensor<128x2x64xf32> -> tensor<128x64x2xf32>
  %u, %v = tile.split %t : tensor<128x64x2xf32> -> tensor<128x64xf32>
  %first = arith.truncf %u : tensor<128x64xf32> to tensor<128x64xf16>
  %second = arith.truncf %v : tensor<128x64xf32> to tensor<128x64xf16>
  tile.descriptor_store %out[%c0, %c0], %first : !tile.desc<128x64xf16>
  tile.descriptor_store %out[%c0, %c64], %second : !tile.desc<128x64xf16>
  return
}
}
