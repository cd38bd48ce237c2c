// RUN: tile-opt %s --convert-tile-to-loops --cse | FileCheck %s

module attributes {tile.target = #tile.target<"name", "arch", {lanes = 1 : i32, vector_bytes = 64 : i32, vector_registers = 32 : i32}>} {
// Sixteen accumulators stay in registers; the carried block is summed in place
// (two staged operands and one accumulator: nothing else is in the arena).
// CHECK: tile.scratch_bytes = 14336 : i32
// CHECK-LABEL: func.func @sum
// CHECK: scf.for %{{.*}} : i32 {
// CHECK:   scf.for %{{.*}} step %c64_i64
// CHECK:     scf.for %{{.*}} step %c4_i64
// CHECK:       %{{.*}}:16 = scf.for
// CHECK-COUNT-4: llvm.load {{.*}} -> vector<16xf32>
// CHECK:         llvm.load {{.*}} -> f32
// CHECK:         vector.broadcast
// CHECK-COUNT-16: math.fma {{.*}} : vector<16xf32>
// CHECK-COUNT-16: llvm.store {{.*}} : vector<16xf32>
func.func @sum(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tile.arange 0 : tensor<512xi32>
  %ai = tile.reshape %i : tensor<512xi32> -> tensor<16x32xi32>
  %i2 = tile.arange 0 : tensor<2048xi32>
  %bi = tile.reshape %i2 : tensor<2048xi32> -> tensor<32x64xi32>
  %i3 = tile.arange 0 : tensor<1024xi32>
  %ci = tile.reshape %i3 : tensor<1024xi32> -> tensor<16x64xi32>
  %as = tile.splat %x : tensor<16x32x!tile.ptr<f32>>
  %bs = tile.splat %x : tensor<32x64x!tile.ptr<f32>>
  %cs = tile.splat %x : tensor<16x64x!tile.ptr<f32>>
  %ap = tile.addptr %as, %ai : tensor<16x32x!tile.ptr<f32>>, tensor<16x32xi32>
  %bp = tile.addptr %bs, %bi : tensor<32x64x!tile.ptr<f32>>, tensor<32x64xi32>
  %cp = tile.addptr %cs, %ci : tensor<16x64x!tile.ptr<f32>>, tensor<16x64xi32>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32>) : i32 {
    %a = tile.load %ap : tensor<16x32x!tile.ptr<f32>>
    %b = tile.load %bp : tensor<32x64x!tile.ptr<f32>>
    %d = tile.dot %a, %b, %acc : tensor<16x32xf32>, tensor<32x64xf32> -> tensor<16x64xf32>
    scf.yield %d : tensor<16x64xf32>
  }
  tile.store %cp, %r : tensor<16x64x!tile.ptr<f32>>
  return
}
}
