// RUN: tile-opt %s -convert-tile-to-gpu -canonicalize -cse | FileCheck %s

#threads = #tile.layout<[128]: lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]>
#two = #tile.layout<[256]: register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]]>
#four = #tile.layout<[512]: register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]>

module attributes {tile.num_warps = 4 : i32,
    tile.target = #tile.target<"nvidia", "sm_80", {lanes = 32 : i32, access_bits = 128 : i32}>} {
// One loop an element.
// CHECK-LABEL: func.func @map
// CHECK-COUNT-2: scf.while
// CHECK-NOT: scf.while
func.func @map(%x: tensor<256xf32, #two>) -> tensor<256xf32, #two> {
  %r = tile.map(%x) {
  ^bb0(%a: f32):
    %one = arith.constant 1.0 : f32
    %half = arith.constant 0.5 : f32
    %b = scf.while (%c = %a) : (f32) -> f32 {
      %above = arith.cmpf ogt, %c, %one : f32
      scf.condition(%above) %c : f32
    } do {
    ^bb1(%c: f32):
      %d = arith.mulf %c, %half : f32
      scf.yield %d : f32
    }
    tile.yield %b : f32
  } : (tensor<256xf32, #two>) -> tensor<256xf32, #two>
  return %r : tensor<256xf32, #two>
}

// Padding runs nothing: it may hold the address that ends the program.
// CHECK-LABEL: func.func @map_padded
// CHECK-DAG: %[[SIZE:.*]] = arith.constant dense<100> : vector<1xi32>
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %{{.*}}, %[[SIZE]] : vector<1xi32>
// CHECK: %[[FLAG:.*]] = vector.extract %[[INSIDE]][0]
// CHECK: scf.if %[[FLAG]] -> (f32)
// CHECK: llvm.load
// CHECK: else
func.func @map_padded(%p: tensor<100x!tile.ptr<f32>, #threads>) -> tensor<100xf32, #threads> {
  %r = tile.map(%p) {
  ^bb0(%a: !tile.ptr<f32>):
    %x = tile.load %a : !tile.ptr<f32>
    tile.yield %x : f32
  } : (tensor<100x!tile.ptr<f32>, #threads>) -> tensor<100xf32, #threads>
  return %r : tensor<100xf32, #threads>
}

// CHECK-LABEL: func.func @assembly
// CHECK-COUNT-2: llvm.inline_asm asm_dialect = att "shl.b32 $0, $1, 3;", "=r,r" %{{.*}} : (i32) -> i32
func.func @assembly(%x: tensor<256xi32, #two>) -> tensor<256xi32, #two> {
  %r = tile.inline_asm "shl.b32 $0, $1, 3;" constraints "=r,r"(%x) pure : (tensor<256xi32, #two>) -> tensor<256xi32, #two>
  return %r : tensor<256xi32, #two>
}

// Four bytes to a register; the words they become have their own. Effects are stated.
// CHECK-LABEL: func.func @packed
// CHECK: llvm.inline_asm has_side_effects asm_dialect = att "code", "=r,=r,=r,=r,=r,r" %{{.*}} : (i32) -> !llvm.struct<(i32, i32, i32, i32, i32)>
// CHECK-COUNT-5: llvm.extractvalue
func.func @packed(%x: tensor<512xi8, #four>) -> (tensor<512xi32, #four>, tensor<512xi8, #four>) {
  %r:2 = tile.inline_asm "code" constraints "=r,=r,=r,=r,=r,r"(%x) pack 4 : (tensor<512xi8, #four>) -> (tensor<512xi32, #four>, tensor<512xi8, #four>)
  return %r#0, %r#1 : tensor<512xi32, #four>, tensor<512xi8, #four>
}
}
