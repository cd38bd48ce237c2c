// RUN: tile-opt %s --tile-join-reductions | FileCheck %s

#l = #tile.layout<[1024]: register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]>
#other = #tile.layout<[1024]: register = [[128], [256], [512]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
#rows = #tile.layout<[4, 32]: lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[1, 0], [2, 0]]>
#row = #tile.layout<[4]: lane = [[0], [0], [0], [0], [0]], warp = [[1], [2]]>

module attributes {tile.num_warps = 4 : i32, tile.target = #tile.target<"any", "first", {lanes = 32 : i32, access_bits = 128 : i32}>} {

// What the second one reduces is computed before the first one. Elements may differ, and what combines them.
// CHECK-LABEL: func.func @squares
// CHECK: %[[SQUARES:.*]] = arith.mulf
// CHECK: %[[WHOLE:.*]] = arith.fptosi
// CHECK: %[[ALL:.*]]:3 = tile.reduce(%{{.*}}, %[[SQUARES]], %[[WHOLE]]) axis 0 {
// CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32, %[[C:.*]]: i16, %[[D:.*]]: f32, %[[E:.*]]: f32, %[[F:.*]]: i16):
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[A]], %[[D]]
// CHECK-NEXT: %[[MORE:.*]] = arith.addf %[[B]], %[[E]]
// CHECK-NEXT: %[[MOST:.*]] = arith.maxsi %[[C]], %[[F]]
// CHECK-NEXT: tile.yield %[[SUM]], %[[MORE]], %[[MOST]]
// CHECK-NOT: tile.reduce
// CHECK: arith.divf %[[ALL]]#0
// CHECK: return %{{.*}}, %[[ALL]]#1, %[[ALL]]#2
func.func @squares(%x: tensor<1024xf32, #l>, %n: f32, %p: !tile.ptr<f32>) -> (f32, f32, i16) {
  %sum = tile.reduce(%x) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32, #l>) -> f32
  %mean = arith.divf %sum, %n : f32
  tile.store %p, %mean : !tile.ptr<f32>
  %squares = arith.mulf %x, %x : tensor<1024xf32, #l>
  %more = tile.reduce(%squares) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32, #l>) -> f32
  %whole = arith.fptosi %x : tensor<1024xf32, #l> to tensor<1024xi16, #l>
  %most = tile.reduce(%whole) axis 0 {
  ^bb0(%a: i16, %b: i16):
    %c = arith.maxsi %a, %b : i16
    tile.yield %c : i16
  } : (tensor<1024xi16, #l>) -> i16
  return %mean, %more, %most : f32, f32, i16
}

// One needs the other; the third one joins the first.
// CHECK-LABEL: func.func @dependent
// CHECK: tile.reduce(%{{[^,]*}}, %{{[^,]*}}) axis 0
// CHECK: arith.subf
// CHECK: tile.reduce(%{{[^,]*}}) axis 0
// CHECK-NOT: tile.reduce
func.func @dependent(%x: tensor<1024xf32, #l>, %y: tensor<1024xf32, #l>) -> (f32, f32) {
  %most = tile.reduce(%x) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32, #l>) -> f32
  %all = tile.splat %most : tensor<1024xf32, #l>
  %less = arith.subf %x, %all : tensor<1024xf32, #l>
  %sum = tile.reduce(%less) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32, #l>) -> f32
  %other = tile.reduce(%y) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32, #l>) -> f32
  return %sum, %other : f32, f32
}

// Loads stay where they are: something may be written between.
// CHECK-LABEL: func.func @loads
// CHECK: tile.reduce(%{{[^,]*}}) axis 0
// CHECK: tile.store
// CHECK: tile.load
// CHECK: tile.reduce(%{{[^,]*}}) axis 0
func.func @loads(%x: tensor<1024xf32, #l>, %p: !tile.ptr<f32>, %q: tensor<1024x!tile.ptr<f32>, #l>) -> f32 {
  %sum = tile.reduce(%x) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32, #l>) -> f32
  tile.store %p, %sum : !tile.ptr<f32>
  %y = tile.load %q : tensor<1024x!tile.ptr<f32>, #l>
  %more = tile.reduce(%y) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32, #l>) -> f32
  return %more : f32
}

// Other threads hold the elements.
// CHECK-LABEL: func.func @layouts
// CHECK: tile.reduce(%{{[^,]*}}) axis 0
// CHECK: tile.reduce(%{{[^,]*}}) axis 0
func.func @layouts(%x: tensor<1024xf32, #l>, %y: tensor<1024xf32, #other>) -> (f32, f32) {
  %sum = tile.reduce(%x) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32, #l>) -> f32
  %more = tile.reduce(%y) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32, #other>) -> f32
  return %sum, %more : f32, f32
}

// Warps wait for no others.
// CHECK-LABEL: func.func @warps
// CHECK: tile.reduce(%{{[^,]*}}) axis 1
// CHECK: tile.reduce(%{{[^,]*}}) axis 1
func.func @warps(%x: tensor<4x32xf32, #rows>, %y: tensor<4x32xf32, #rows>) -> (tensor<4xf32, #row>, tensor<4xf32, #row>) {
  %sum = tile.reduce(%x) axis 1 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<4x32xf32, #rows>) -> tensor<4xf32, #row>
  %more = tile.reduce(%y) axis 1 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<4x32xf32, #rows>) -> tensor<4xf32, #row>
  return %sum, %more : tensor<4xf32, #row>, tensor<4xf32, #row>
}

// A combiner that uses a value from between: it comes along.
// CHECK-LABEL: func.func @captured
// CHECK: %[[LIMIT:.*]] = arith.addf
// CHECK: tile.reduce(%{{[^,]*}}, %{{[^,]*}}) axis 0
// CHECK: arith.minimumf %{{.*}}, %[[LIMIT]]
func.func @captured(%x: tensor<1024xf32, #l>, %y: tensor<1024xf32, #l>, %n: f32) -> (f32, f32) {
  %sum = tile.reduce(%x) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32, #l>) -> f32
  %limit = arith.addf %n, %n : f32
  %more = tile.reduce(%y) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    %d = arith.minimumf %c, %limit : f32
    tile.yield %d : f32
  } : (tensor<1024xf32, #l>) -> f32
  return %sum, %more : f32, f32
}

// Nor does what a combiner reads.
// CHECK-LABEL: func.func @reading
// CHECK: tile.reduce(%{{[^,]*}}) axis 0
// CHECK: tile.store
// CHECK: tile.reduce(%{{[^,]*}}) axis 0
func.func @reading(%x: tensor<1024xf32, #l>, %p: !tile.ptr<f32>) -> f32 {
  %sum = tile.reduce(%x) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32, #l>) -> f32
  tile.store %p, %sum : !tile.ptr<f32>
  %more = tile.reduce(%x) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %w = tile.load %p : !tile.ptr<f32>
    %c = arith.addf %a, %w : f32
    tile.yield %c : f32
  } : (tensor<1024xf32, #l>) -> f32
  return %more : f32
}

// Both others need the first: the third joins the second.
// CHECK-LABEL: func.func @between
// CHECK: tile.reduce(%{{[^,]*}}) axis 0
// CHECK: %[[TWO:.*]]:2 = tile.reduce(%{{[^,]*}}, %{{[^,]*}}) axis 0
// CHECK-NOT: tile.reduce
// CHECK: return %[[TWO]]#0, %[[TWO]]#1
func.func @between(%x: tensor<1024xf32, #l>) -> (f32, f32) {
  %first = tile.reduce(%x) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32, #l>) -> f32
  %all = tile.splat %first : tensor<1024xf32, #l>
  %less = arith.subf %x, %all : tensor<1024xf32, #l>
  %second = tile.reduce(%less) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.maximumf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32, #l>) -> f32
  %more = arith.mulf %x, %all : tensor<1024xf32, #l>
  %third = tile.reduce(%more) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.minimumf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<1024xf32, #l>) -> f32
  return %second, %third : f32, f32
}
}
