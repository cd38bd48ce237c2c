// Products are split along rows or columns, with all that is computed from them and
// for them; the rest is the same in each thread block, or happens in the first one.
// RUN: tile-opt %s -split-input-file --tile-split-programs | FileCheck %s

#target = #tile.target<"any", "first", {lanes = 32 : i32, program_blocks = 8 : i32}>

// CHECK-LABEL: func.func @rows
// CHECK-DAG: %[[PART:.*]] = tile.part_id : i32
// CHECK-DAG: %[[DA:.*]] = tile.make_descriptor {{.*}} -> !tile.desc<128x64xf16>
// CHECK-DAG: %[[DB:.*]] = tile.make_descriptor {{.*}} -> !tile.desc<64x128xf16>
// CHECK-DAG: %[[DC:.*]] = tile.make_descriptor {{.*}} -> !tile.desc<128x128xf16>
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[ZERO]])
// CHECK: %[[OFFSET:.*]] = arith.muli %[[PART]], %c128
// CHECK: %[[ROW:.*]] = arith.addi %{{.*}}, %[[OFFSET]]
// CHECK: %[[A:.*]] = tile.descriptor_load %[[DA]][%[[ROW]], %{{.*}}] : !tile.desc<128x64xf16>
// CHECK: %[[B:.*]] = tile.descriptor_load %[[DB]][%{{.*}}, %{{.*}}] {tile.same_everywhere}
// CHECK: tile.dot %[[A]], %[[B]], %[[ACC]] : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
// CHECK: arith.truncf {{.*}} : tensor<128x128xf32> to tensor<128x128xf16>
// CHECK: tile.descriptor_store %[[DC]]
module attributes {tile.target = #target, tile.num_warps = 4 : i32, tile.num_ctas = 2 : i32} {
  func.func @rows(%da: !tile.desc<256x64xf16>, %db: !tile.desc<64x128xf16>,
                  %dc: !tile.desc<256x128xf16>, %i: i32, %j: i32, %n: i32) attributes {tile.kernel} {
    %zero = arith.constant dense<0.0> : tensor<256x128xf32>
    %c0 = arith.constant 0 : i32
    %c64 = arith.constant 64 : i32
    %sum = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %zero) -> tensor<256x128xf32> : i32 {
      %a = tile.descriptor_load %da[%i, %k] : !tile.desc<256x64xf16>
      %b = tile.descriptor_load %db[%k, %j] : !tile.desc<64x128xf16>
      %d = tile.dot %a, %b, %acc : tensor<256x64xf16>, tensor<64x128xf16> -> tensor<256x128xf32>
      scf.yield %d : tensor<256x128xf32>
    }
    %c = arith.truncf %sum : tensor<256x128xf32> to tensor<256x128xf16>
    tile.descriptor_store %dc[%i, %j], %c : !tile.desc<256x128xf16>
    return
  }
}

// -----

// Parts of rows would be narrow. Pointers, masks and what is added lie as the columns do;
// sums of the columns are split, too.

#target = #tile.target<"any", "first", {lanes = 32 : i32, program_blocks = 8 : i32}>

// CHECK-LABEL: func.func @columns
// CHECK: %[[PART:.*]] = tile.part_id : i32
// CHECK: %[[N:.*]] = tile.arange 0 : tensor<64xi32>
// CHECK: %[[OFFSET:.*]] = arith.muli %[[PART]], %c64
// CHECK: %[[START:.*]] = tile.splat %[[OFFSET]] : tensor<64xi32>
// CHECK: %[[MINE:.*]] = arith.addi %[[N]], %[[START]] : tensor<64xi32>
// CHECK: tile.dot {{.*}} : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
// CHECK: tile.store {{.*}} : tensor<64x64x!tile.ptr<f32>>
// CHECK: tile.reduce{{.*}} axis 0
// CHECK: (tensor<64x64xf32>) -> tensor<64xf32>
// CHECK: tile.store {{.*}} : tensor<64x!tile.ptr<f32>>
module attributes {tile.target = #target, tile.num_warps = 4 : i32, tile.num_ctas = 4 : i32} {
  func.func @columns(%da: !tile.desc<64x32xf16>, %db: !tile.desc<32x256xf16>, %p: !tile.ptr<f32>,
                     %q: !tile.ptr<f32>) attributes {tile.kernel} {
    %zero = arith.constant dense<0.0> : tensor<64x256xf32>
    %c0 = arith.constant 0 : i32
    %n = tile.arange 0 : tensor<256xi32>
    %a = tile.descriptor_load %da[%c0, %c0] : !tile.desc<64x32xf16>
    %b = tile.descriptor_load %db[%c0, %c0] : !tile.desc<32x256xf16>
    %d = tile.dot %a, %b, %zero : tensor<64x32xf16>, tensor<32x256xf16> -> tensor<64x256xf32>
    %row = tile.expand_dims %n axis 0 : tensor<256xi32> -> tensor<1x256xi32>
    %rows = tile.broadcast %row : tensor<1x256xi32> -> tensor<64x256xi32>
    %ps = tile.splat %p : tensor<64x256x!tile.ptr<f32>>
    %pp = tile.addptr %ps, %rows : tensor<64x256x!tile.ptr<f32>>, tensor<64x256xi32>
    tile.store %pp, %d : tensor<64x256x!tile.ptr<f32>>
    %sum = tile.reduce(%d) axis 0 {
    ^bb0(%x: f32, %y: f32):
      %z = arith.addf %x, %y : f32
      tile.yield %z : f32
    } : (tensor<64x256xf32>) -> tensor<256xf32>
    %qs = tile.splat %q : tensor<256x!tile.ptr<f32>>
    %qq = tile.addptr %qs, %n : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
    tile.store %qq, %sum : tensor<256x!tile.ptr<f32>>
    return
  }
}

// -----

// Without products what is stored is split; a number is stored once.

#target = #tile.target<"any", "first", {lanes = 32 : i32, program_blocks = 8 : i32}>

// CHECK-LABEL: func.func @stored
// CHECK: %[[PART:.*]] = tile.part_id : i32
// CHECK-DAG: tile.load {{.*}} : tensor<512x!tile.ptr<f32>>
// CHECK-DAG: tile.load {{.*}} : tensor<1024x!tile.ptr<f32>>
// CHECK: tile.store {{.*}} : tensor<512x!tile.ptr<f32>>
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[PART]], %c0
// CHECK: scf.if %[[FIRST]]
// CHECK-NEXT: tile.store {{.*}} : !tile.ptr<f32>
module attributes {tile.target = #target, tile.num_warps = 4 : i32, tile.num_ctas = 2 : i32} {
  func.func @stored(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %r: !tile.ptr<f32>) attributes {tile.kernel} {
    %n = tile.arange 0 : tensor<1024xi32>
    %ps = tile.splat %p : tensor<1024x!tile.ptr<f32>>
    %pp = tile.addptr %ps, %n : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %x = tile.load %pp : tensor<1024x!tile.ptr<f32>>
    %qs = tile.splat %q : tensor<1024x!tile.ptr<f32>>
    %qq = tile.addptr %qs, %n : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    tile.store %qq, %x : tensor<1024x!tile.ptr<f32>>
    %sum = tile.reduce(%x) axis 0 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    } : (tensor<1024xf32>) -> f32
    tile.store %r, %sum : !tile.ptr<f32>
    return
  }
}

// -----

// Control flow of all kinds carries parts: conditions are the same everywhere.

#target = #tile.target<"any", "first", {lanes = 32 : i32, program_blocks = 8 : i32}>

// CHECK-LABEL: func.func @flow
// CHECK: scf.while {{.*}} -> (tensor<64x64xf32>, i32)
// CHECK: tile.dot {{.*}} -> tensor<64x64xf32>
// CHECK: scf.if {{.*}} -> (tensor<64x64xf32>)
// CHECK: tile.store {{.*}} : tensor<64x64x!tile.ptr<f32>>
module attributes {tile.target = #target, tile.num_warps = 4 : i32, tile.num_ctas = 2 : i32} {
  func.func @flow(%x: !tile.ptr<f16>, %p: !tile.ptr<f32>, %n: i32, %yes: i1) attributes {tile.kernel} {
    %zero = arith.constant dense<0.0> : tensor<128x64xf32>
    %one = arith.constant dense<1.0> : tensor<128x64xf32>
    %c1 = arith.constant 1 : i32
    %sum:2 = scf.while (%acc = %zero, %i = %n) : (tensor<128x64xf32>, i32) -> (tensor<128x64xf32>, i32) {
      %goes = arith.cmpi sgt, %i, %c1 : i32
      scf.condition(%goes) %acc, %i : tensor<128x64xf32>, i32
    } do {
    ^bb0(%acc: tensor<128x64xf32>, %i: i32):
      %s = tile.load %x : !tile.ptr<f16>
      %a = tile.splat %s : tensor<128x32xf16>
      %b = tile.splat %s : tensor<32x64xf16>
      %d = tile.dot %a, %b, %acc : tensor<128x32xf16>, tensor<32x64xf16> -> tensor<128x64xf32>
      %next = arith.subi %i, %c1 : i32
      scf.yield %d, %next : tensor<128x64xf32>, i32
    }
    %chosen = scf.if %yes -> (tensor<128x64xf32>) {
      scf.yield %sum#0 : tensor<128x64xf32>
    } else {
      scf.yield %one : tensor<128x64xf32>
    }
    %ps = tile.splat %p : tensor<128x64x!tile.ptr<f32>>
    tile.store %ps, %chosen : tensor<128x64x!tile.ptr<f32>>
    return
  }
}
