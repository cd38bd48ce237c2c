// RUN: tile-opt %s -split-input-file --tile-assign-layouts --tile-remove-conversions | FileCheck %s

// Everything between loads and store takes the loads' layout.
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @elementwise
// CHECK-NOT: tile.convert_layout
// CHECK: return
func.func @elementwise(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) {
  %r = tile.arange 0 : tensor<1024xi32>
  %nn = tile.splat %n : tensor<1024xi32>
  %m = arith.cmpi slt, %r, %nn : tensor<1024xi32>
  %xs = tile.splat %x : tensor<1024x!tile.ptr<f32>>
  %p = tile.addptr %xs, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %p mask %m : tensor<1024x!tile.ptr<f32>>
  %e = math.exp %v : tensor<1024xf32>
  tile.store %p, %e mask %m : tensor<1024x!tile.ptr<f32>>
  return
}
}

// -----

// A pointer that a loop advances is carried in the layout of its load; so is the sum.
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @loop
// CHECK-NOT: tile.convert_layout
// CHECK: scf.for {{.*}} iter_args(%{{.*}}, %{{.*}}) -> (tensor<1024x!tile.ptr<f32>, #[[L:.+]]>, tensor<1024xf32, #[[L]]>)
// CHECK-NOT: tile.convert_layout
// CHECK: return
func.func @loop(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %step = arith.constant dense<1024> : tensor<1024xi32>
  %r = tile.arange 0 : tensor<1024xi32>
  %xs = tile.splat %x : tensor<1024x!tile.ptr<f32>>
  %p = tile.addptr %xs, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %q, %s = scf.for %i = %c0 to %n step %c1 iter_args(%pi = %p, %si = %zero) -> (tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>) : i32 {
    %v = tile.load %pi : tensor<1024x!tile.ptr<f32>>
    %sum = arith.addf %si, %v : tensor<1024xf32>
    %next = tile.addptr %pi, %step : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    scf.yield %next, %sum : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  }
  tile.store %p, %s : tensor<1024x!tile.ptr<f32>>
  return
}
}

// -----

// Row statistics keep the slice of the block's layout through a branch and back.
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @rows
// CHECK-NOT: tile.convert_layout
// CHECK: return
func.func @rows(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %flag: i1) {
  %i = tile.arange 0 : tensor<32xi32>
  %j = tile.arange 0 : tensor<64xi32>
  %c64 = arith.constant dense<64> : tensor<32xi32>
  %is = arith.muli %i, %c64 : tensor<32xi32>
  %i2 = tile.expand_dims %is axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %j2 = tile.expand_dims %j axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %ib = tile.broadcast %i2 : tensor<32x1xi32> -> tensor<32x64xi32>
  %jb = tile.broadcast %j2 : tensor<1x64xi32> -> tensor<32x64xi32>
  %o = arith.addi %ib, %jb : tensor<32x64xi32>
  %xs = tile.splat %x : tensor<32x64x!tile.ptr<f32>>
  %p = tile.addptr %xs, %o : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi32>
  %v = tile.load %p : tensor<32x64x!tile.ptr<f32>>
  %max = tile.reduce (%v) axis 1 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<32x64xf32>) -> tensor<32xf32>
  %row = scf.if %flag -> tensor<32xf32> {
    %twice = arith.addf %max, %max : tensor<32xf32>
    scf.yield %twice : tensor<32xf32>
  } else {
    scf.yield %max : tensor<32xf32>
  }
  %m2 = tile.expand_dims %row axis 1 : tensor<32xf32> -> tensor<32x1xf32>
  %mb = tile.broadcast %m2 : tensor<32x1xf32> -> tensor<32x64xf32>
  %d = arith.subf %v, %mb : tensor<32x64xf32>
  tile.store %p, %d : tensor<32x64x!tile.ptr<f32>>
  return
}
}

// -----

// Offsets that two layouts want are computed in both; only the value itself moves.
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @transposing_copy
// CHECK: %[[V:.+]] = tile.load
// CHECK-NEXT: %[[W:.+]] = tile.convert_layout %[[V]] : tensor<64x64xf32, #{{.*}}> -> tensor<64x64xf32, #{{.*}}>
// CHECK-NOT: tile.convert_layout
// CHECK: tile.store %{{.*}}, %[[W]]
func.func @transposing_copy(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i32}) {
  %i = tile.arange 0 : tensor<64xi32>
  %c64 = arith.constant dense<64> : tensor<64x64xi32>
  %i2 = tile.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %j2 = tile.expand_dims %i axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %ib = tile.broadcast %i2 : tensor<64x1xi32> -> tensor<64x64xi32>
  %jb = tile.broadcast %j2 : tensor<1x64xi32> -> tensor<64x64xi32>
  %is = arith.muli %ib, %c64 : tensor<64x64xi32>
  %js = arith.muli %jb, %c64 : tensor<64x64xi32>
  %from = arith.addi %is, %jb : tensor<64x64xi32>
  %to = arith.addi %js, %ib : tensor<64x64xi32>
  %xs = tile.splat %x : tensor<64x64x!tile.ptr<f32>>
  %ys = tile.splat %y : tensor<64x64x!tile.ptr<f32>>
  %p = tile.addptr %xs, %from : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %q = tile.addptr %ys, %to : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %v = tile.load %p : tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %v : tensor<64x64x!tile.ptr<f32>>
  return
}
}

// -----

// Both halves of a pair become scalars, which all threads have.
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32}>, tile.num_warps = 4 : i32} {
// CHECK-DAG: #[[PAIR:.+]] = #tile.layout<[2]: register = {{\[\[}}1]], lane = {{\[\[}}0], [0], [0], [0], [0]], warp = {{\[\[}}0], [0]]>
// CHECK-LABEL: func.func @scalars
// CHECK: tile.split %{{.*}} : tensor<2xf32, #[[PAIR]]> -> f32
func.func @scalars(%x: tensor<2x32xf32>, %p: !tile.ptr<f32>) {
  %s = tile.reduce (%x) axis 1 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<2x32xf32>) -> tensor<2xf32>
  %u, %v = tile.split %s : tensor<2xf32> -> f32
  tile.store %p, %v : !tile.ptr<f32>
  return
}
}

// -----

// Places are computed before loops in each layout, remainders as well, where warps of other roles could do that too: what
// threads exchange they could not.
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32, role_warps = 4 : i32}>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @places
// CHECK-COUNT-2: arith.remsi
// CHECK-NOT: tile.convert_layout
// CHECK: return
func.func @places(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32, %m: i32) {
  %i = tile.arange 0 : tensor<128xi32>
  %ns = tile.splat %n : tensor<128xi32>
  %r = arith.remsi %i, %ns : tensor<128xi32>
  %c64 = arith.constant dense<64> : tensor<128x1xi32>
  %j = tile.arange 0 : tensor<64xi32>
  %i2 = tile.expand_dims %r axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %j2 = tile.expand_dims %j axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %is = arith.muli %i2, %c64 : tensor<128x1xi32>
  %ib = tile.broadcast %is : tensor<128x1xi32> -> tensor<128x64xi32>
  %jb = tile.broadcast %j2 : tensor<1x64xi32> -> tensor<128x64xi32>
  %o = arith.addi %ib, %jb : tensor<128x64xi32>
  %xs = tile.splat %x : tensor<128x64x!tile.ptr<f32>>
  %p = tile.addptr %xs, %o : tensor<128x64x!tile.ptr<f32>>, tensor<128x64xi32>
  %v = tile.load %p : tensor<128x64x!tile.ptr<f32>>
  tile.store %p, %v : tensor<128x64x!tile.ptr<f32>>
  %ys = tile.splat %y : tensor<128x!tile.ptr<f32>>
  %q = tile.addptr %ys, %r : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %ms = tile.splat %m : tensor<128xi32>
  %rr = arith.addi %r, %ms : tensor<128xi32>
  %f = arith.sitofp %rr : tensor<128xi32> to tensor<128xf32>
  tile.store %q, %f : tensor<128x!tile.ptr<f32>>
  return
}
}
