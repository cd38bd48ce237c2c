// RUN: tile-opt %s -split-input-file --tile-assign-layouts | FileCheck %s

// Four warps of 32 lanes, four consecutive elements each: 16 bytes.
// CHECK-DAG: #[[WIDE:.+]] = #tile.layout<[1024]: register = {{\[\[}}1], [2], [512]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}128], [256]]>
// CHECK-DAG: #[[PLAIN:.+]] = #tile.layout<[1024]: register = {{\[\[}}128], [256], [512]], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32], [64]]>
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @aligned
func.func @aligned(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) {
  %r = tile.arange 0 : tensor<1024xi32>
  %nn = tile.splat %n : tensor<1024xi32>
  %m = arith.cmpi slt, %r, %nn : tensor<1024xi32>
  %xs = tile.splat %x : tensor<1024x!tile.ptr<f32>>
  %p = tile.addptr %xs, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  // CHECK: %[[P:.+]] = tile.convert_layout %{{.*}} : tensor<1024x!tile.ptr<f32>, #[[PLAIN]]> -> tensor<1024x!tile.ptr<f32>, #[[WIDE]]>
  // CHECK: %[[M:.+]] = tile.convert_layout %{{.*}} : tensor<1024xi1, #[[PLAIN]]> -> tensor<1024xi1, #[[WIDE]]>
  // CHECK: %[[X:.+]] = tile.load %[[P]] mask %[[M]] : tensor<1024x!tile.ptr<f32>, #[[WIDE]]>
  // CHECK: tile.convert_layout %[[X]] : tensor<1024xf32, #[[WIDE]]> -> tensor<1024xf32, #[[PLAIN]]>
  %v = tile.load %p mask %m : tensor<1024x!tile.ptr<f32>>
  %e = math.exp %v : tensor<1024xf32>
  tile.store %p, %e mask %m : tensor<1024x!tile.ptr<f32>>
  return
}
}

// -----

// The mask changes within groups of four: one element at a time.
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @unaligned_mask
func.func @unaligned_mask(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) {
  %r = tile.arange 0 : tensor<1024xi32>
  %nn = tile.splat %n : tensor<1024xi32>
  %m = arith.cmpi slt, %r, %nn : tensor<1024xi32>
  %xs = tile.splat %x : tensor<1024x!tile.ptr<f32>>
  %p = tile.addptr %xs, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  // CHECK-NOT: tile.convert_layout
  // CHECK: tile.load
  %v = tile.load %p mask %m : tensor<1024x!tile.ptr<f32>>
  tile.store %p, %v mask %m : tensor<1024x!tile.ptr<f32>>
  return
}
}

// -----

// Columns are contiguous, so lanes run along dimension 0.
// CHECK: #[[LAYOUT:.+]] = #tile.layout<[64, 32]: register = {{\[\[}}1, 0], [2, 0], [4, 0], [0, 16]], lane = {{\[\[}}8, 0], [16, 0], [32, 0], [0, 1], [0, 2]], warp = {{\[\[}}0, 4], [0, 8]]>
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32, access_bits = 128 : i32}>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @columns
func.func @columns(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %stride: i32 {tile.divisibility = 16 : i32}) {
  %i = tile.arange 0 : tensor<64xi32>
  %j = tile.arange 0 : tensor<32xi32>
  %s = tile.splat %stride : tensor<32xi32>
  %js = arith.muli %j, %s : tensor<32xi32>
  %i2 = tile.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %j2 = tile.expand_dims %js axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %ib = tile.broadcast %i2 : tensor<64x1xi32> -> tensor<64x32xi32>
  %jb = tile.broadcast %j2 : tensor<1x32xi32> -> tensor<64x32xi32>
  %o = arith.addi %ib, %jb : tensor<64x32xi32>
  %xs = tile.splat %x : tensor<64x32x!tile.ptr<f16>>
  %p = tile.addptr %xs, %o : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
  // CHECK: tile.load %{{.*}} : tensor<64x32x!tile.ptr<f16>, #[[LAYOUT]]>
  %v = tile.load %p : tensor<64x32x!tile.ptr<f16>>
  tile.store %p, %v : tensor<64x32x!tile.ptr<f16>>
  return
}
}

// -----

// A reduction's result is laid out as its operand without the dimension.
module attributes {tile.target = #tile.target<"any", "first", {lanes = 4 : i32}>, tile.num_warps = 1 : i32} {
// CHECK-DAG: #[[SLICE:.+]] = #tile.layout<[4]: register = {{\[\[}}1], [2]], lane = {{\[\[}}0], [0]]>
// CHECK-LABEL: func.func @reduction
func.func @reduction(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // CHECK: tile.reduce
  %s = tile.reduce (%x) axis 1 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  // CHECK: -> tensor<4xf32, #[[SLICE]]>
  } : (tensor<4x8xf32>) -> tensor<4xf32>
  // CHECK: tile.convert_layout
  return %s : tensor<4xf32>
}
}

// -----

// Warps share columns, which are reduced last: what threads reduce is in their registers.
// CHECK-DAG: #[[COLUMNS:.+]] = #tile.layout<[4, 512]: register = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = {{\[\[}}0, 128], [0, 256]]>
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @by_columns
func.func @by_columns(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}) -> tensor<512xf32> {
  %i = tile.arange 0 : tensor<4xi32>
  %j = tile.arange 0 : tensor<512xi32>
  %c = arith.constant dense<512> : tensor<4x1xi32>
  %i2 = tile.expand_dims %i axis 1 : tensor<4xi32> -> tensor<4x1xi32>
  %is = arith.muli %i2, %c : tensor<4x1xi32>
  %j2 = tile.expand_dims %j axis 0 : tensor<512xi32> -> tensor<1x512xi32>
  %ib = tile.broadcast %is : tensor<4x1xi32> -> tensor<4x512xi32>
  %jb = tile.broadcast %j2 : tensor<1x512xi32> -> tensor<4x512xi32>
  %o = arith.addi %ib, %jb : tensor<4x512xi32>
  %xs = tile.splat %x : tensor<4x512x!tile.ptr<f32>>
  %p = tile.addptr %xs, %o : tensor<4x512x!tile.ptr<f32>>, tensor<4x512xi32>
  // CHECK: tile.load %{{.*}} : tensor<4x512x!tile.ptr<f32>, #[[COLUMNS]]>
  %v = tile.load %p : tensor<4x512x!tile.ptr<f32>>
  %e = math.exp %v : tensor<4x512xf32>
  %s = tile.reduce(%e) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tile.yield %t : f32
  } : (tensor<4x512xf32>) -> tensor<512xf32>
  return %s : tensor<512xf32>
}
}

// -----

// Nothing is known to be consecutive. Neighbouring threads go along the dimension in which elements are not multiples of
// a number apart that may be large.
// CHECK: #[[DOWN:.+]] = #tile.layout<[128, 32]: register = {{.*}}, lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @pixels
func.func @pixels(%x: !tile.ptr<f16>, %width: i32, %row: i32, %plane: i32) {
  %i = tile.arange 0 : tensor<128xi32>
  %widths = tile.splat %width : tensor<128xi32>
  %h = arith.divsi %i, %widths : tensor<128xi32>
  %w = arith.remsi %i, %widths : tensor<128xi32>
  %rows = tile.splat %row : tensor<128xi32>
  %begins = arith.muli %h, %rows : tensor<128xi32>
  %places = arith.addi %begins, %w : tensor<128xi32>
  %places1 = tile.expand_dims %places axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %j = tile.arange 0 : tensor<32xi32>
  %planes = tile.splat %plane : tensor<32xi32>
  %channels = arith.muli %j, %planes : tensor<32xi32>
  %channels1 = tile.expand_dims %channels axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %a = tile.broadcast %places1 : tensor<128x1xi32> -> tensor<128x32xi32>
  %b = tile.broadcast %channels1 : tensor<1x32xi32> -> tensor<128x32xi32>
  %o = arith.addi %a, %b : tensor<128x32xi32>
  %xs = tile.splat %x : tensor<128x32x!tile.ptr<f16>>
  %p = tile.addptr %xs, %o : tensor<128x32x!tile.ptr<f16>>, tensor<128x32xi32>
  // CHECK: tile.load %{{.*}} : tensor<128x32x!tile.ptr<f16>, #[[DOWN]]>
  %v = tile.load %p : tensor<128x32x!tile.ptr<f16>>
  return
}
}

// -----

// Of an operand that lies in large steps both ways, along what the product sums over.
// CHECK: #[[DOWN:.+]] = #tile.layout<[32, 64]: register = {{.*}}, lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @weights
func.func @weights(%x: !tile.ptr<f16>, %si: i32, %sj: i32, %a: tensor<64x32xf16>, %acc: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %i = tile.arange 0 : tensor<32xi32>
  %sis = tile.splat %si : tensor<32xi32>
  %ii = arith.muli %i, %sis : tensor<32xi32>
  %i1 = tile.expand_dims %ii axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %j = tile.arange 0 : tensor<64xi32>
  %sjs = tile.splat %sj : tensor<64xi32>
  %jj = arith.muli %j, %sjs : tensor<64xi32>
  %j1 = tile.expand_dims %jj axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %ib = tile.broadcast %i1 : tensor<32x1xi32> -> tensor<32x64xi32>
  %jb = tile.broadcast %j1 : tensor<1x64xi32> -> tensor<32x64xi32>
  %o = arith.addi %ib, %jb : tensor<32x64xi32>
  %xs = tile.splat %x : tensor<32x64x!tile.ptr<f16>>
  %p = tile.addptr %xs, %o : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
  // CHECK: tile.load %{{.*}} : tensor<32x64x!tile.ptr<f16>, #[[DOWN]]>
  %v = tile.load %p : tensor<32x64x!tile.ptr<f16>>
  %d = tile.dot %a, %v, %acc : tensor<64x32xf16>, tensor<32x64xf16> -> tensor<64x64xf32>
  return %d : tensor<64x64xf32>
}
}

// -----

// Copies can leave out the last elements: rows that end anywhere are loaded in vectors where they become copies, for a dot.
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32, async_copy_bytes = array<i64: 4, 8, 16>}>, tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
// CHECK-DAG: #[[WIDE:.+]] = #tile.layout<[64, 32]: register = {{\[\[}}0, 1], [0, 2], [0, 4],
// CHECK-LABEL: func.func @rows_that_end_anywhere
// CHECK: tile.load %{{.*}} mask %{{.*}} : tensor<64x32x!tile.ptr<f16>, #[[WIDE]]>
func.func @rows_that_end_anywhere(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: tensor<32x16xf16>, %n: i32, %columns: i32) -> tensor<64x16xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %c32 = arith.constant dense<32> : tensor<64x1xi32>
  %i = tile.arange 0 : tensor<64xi32>
  %j = tile.arange 0 : tensor<32xi32>
  %i2 = tile.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %is = arith.muli %i2, %c32 : tensor<64x1xi32>
  %j2 = tile.expand_dims %j axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %ib = tile.broadcast %is : tensor<64x1xi32> -> tensor<64x32xi32>
  %jb = tile.broadcast %j2 : tensor<1x32xi32> -> tensor<64x32xi32>
  %o = arith.addi %ib, %jb : tensor<64x32xi32>
  %xs = tile.splat %x : tensor<64x32x!tile.ptr<f16>>
  %p = tile.addptr %xs, %o : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
  %end = tile.splat %columns : tensor<1x32xi32>
  %inside = arith.cmpi slt, %j2, %end : tensor<1x32xi32>
  %m = tile.broadcast %inside : tensor<1x32xi1> -> tensor<64x32xi1>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero) -> (tensor<64x16xf32>) : i32 {
    %a = tile.load %p mask %m : tensor<64x32x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %s : tensor<64x32xf16>, tensor<32x16xf16> -> tensor<64x16xf32>
    scf.yield %d : tensor<64x16xf32>
  }
  return %r : tensor<64x16xf32>
}
}

// -----

// An operand of bytes has sixteen elements a thread; that makes no wider what is stored in the same shape.
// CHECK-DAG: #[[BYTES:.+]] = #tile.layout<[64, 64]: register = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8],
// CHECK-DAG: #[[WORDS:.+]] = #tile.layout<[64, 64]: register = {{\[\[}}0, 1], [0, 2], [{{[1-9]}}
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @wider_results
func.func @wider_results(%x: !tile.ptr<i8> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %b: tensor<64x64xi8>, %acc: tensor<64x64xi32>) {
  %i = tile.arange 0 : tensor<64xi32>
  %width = arith.constant dense<64> : tensor<64x1xi32>
  %i1 = tile.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %i2 = arith.muli %i1, %width : tensor<64x1xi32>
  %j1 = tile.expand_dims %i axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %ib = tile.broadcast %i2 : tensor<64x1xi32> -> tensor<64x64xi32>
  %jb = tile.broadcast %j1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %ib, %jb : tensor<64x64xi32>
  %xs = tile.splat %x : tensor<64x64x!tile.ptr<i8>>
  %px = tile.addptr %xs, %o : tensor<64x64x!tile.ptr<i8>>, tensor<64x64xi32>
  // CHECK: tile.load %{{.*}} : tensor<64x64x!tile.ptr<i8>, #[[BYTES]]>
  %a = tile.load %px : tensor<64x64x!tile.ptr<i8>>
  %d = tile.dot %a, %b, %acc : tensor<64x64xi8>, tensor<64x64xi8> -> tensor<64x64xi32>
  %r = arith.sitofp %d : tensor<64x64xi32> to tensor<64x64xf32>
  %ys = tile.splat %y : tensor<64x64x!tile.ptr<f32>>
  %py = tile.addptr %ys, %o : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  // CHECK: tile.store %{{.*}} : tensor<64x64x!tile.ptr<f32>, #[[WORDS]]>
  tile.store %py, %r : tensor<64x64x!tile.ptr<f32>>
  return
}
}

// -----

// Halves that become words: four elements a thread are sixteen bytes of what is written.
// CHECK: #[[FOUR:.+]] = #tile.layout<[1024]: register = {{\[\[}}1], [2], [512]],
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @wider_sums
func.func @wider_sums(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i32}) {
  %i = tile.arange 0 : tensor<1024xi32>
  %xs = tile.splat %x : tensor<1024x!tile.ptr<f16>>
  %px = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %ys = tile.splat %y : tensor<1024x!tile.ptr<f32>>
  %py = tile.addptr %ys, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  // CHECK: tile.load %{{.*}} : tensor<1024x!tile.ptr<f16>, #[[FOUR]]>
  %v = tile.load %px : tensor<1024x!tile.ptr<f16>>
  %w = arith.extf %v : tensor<1024xf16> to tensor<1024xf32>
  // CHECK: tile.store %{{.*}} : tensor<1024x!tile.ptr<f32>, #[[FOUR]]>
  tile.store %py, %w : tensor<1024x!tile.ptr<f32>>
  return
}
}

// -----

// Copies of words that an operand of halves is multiplied by: no cache joins what one thread copies in two parts.
// CHECK: #[[FOUR:.+]] = #tile.layout<[64, 64]: register = {{\[\[}}0, 1], [0, 2], [{{[1-9]}}
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32, async_copy_bytes = array<i64: 4, 8, 16>}>, tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
// CHECK-LABEL: func.func @gated
func.func @gated(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %g: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %b: tensor<64x64xf16>, %zero: tensor<64x64xf32>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %i = tile.arange 0 : tensor<64xi32>
  %width = arith.constant dense<4096> : tensor<64x1xi32>
  %i1 = tile.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %i2 = arith.muli %i1, %width : tensor<64x1xi32>
  %j1 = tile.expand_dims %i axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %ib = tile.broadcast %i2 : tensor<64x1xi32> -> tensor<64x64xi32>
  %jb = tile.broadcast %j1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %ib, %jb : tensor<64x64xi32>
  %xs = tile.splat %x : tensor<64x64x!tile.ptr<f16>>
  %gs = tile.splat %g : tensor<64x64x!tile.ptr<f32>>
  %r = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %ks = tile.splat %k : tensor<64x64xi32>
    %at = arith.addi %o, %ks : tensor<64x64xi32>
    %px = tile.addptr %xs, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %pg = tile.addptr %gs, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    // CHECK: tile.load %{{.*}} : tensor<64x64x!tile.ptr<f16>, #[[FOUR]]>
    // CHECK: tile.load %{{.*}} : tensor<64x64x!tile.ptr<f32>, #[[FOUR]]>
    %v = tile.load %px : tensor<64x64x!tile.ptr<f16>>
    %w = tile.load %pg : tensor<64x64x!tile.ptr<f32>>
    %wide = arith.extf %v : tensor<64x64xf16> to tensor<64x64xf32>
    %product = arith.mulf %wide, %w : tensor<64x64xf32>
    %a = arith.truncf %product : tensor<64x64xf32> to tensor<64x64xf16>
    %d = tile.dot %a, %b, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}
}
