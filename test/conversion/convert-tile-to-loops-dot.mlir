// RUN: tile-opt %s --convert-tile-to-loops --cse --split-input-file | FileCheck %s

module attributes {tile.target = #tile.target<"name", "arch", {lanes = 1 : i32, vector_bytes = 64 : i32, vector_registers = 32 : i32}>} {
// Sixteen accumulators stay in registers; the carried block is summed in place
// (two staged operands and one accumulator: nothing else is in the arena).
// CHECK: tile.scratch_bytes = 14336 : i32
// CHECK-LABEL: func.func @sum
// CHECK: scf.for %{{.*}} : i32 {
// CHECK:   scf.for %{{.*}} step %c64_i64
// CHECK:     scf.for %{{.*}} step %c4_i64
// CHECK:       %{{.*}}:18 = scf.for
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

// -----

module attributes {tile.target = #tile.target<"name", "arch", {lanes = 1 : i32, vector_bytes = 64 : i32, vector_registers = 32 : i32}>} {
// A column-major operand is read along its columns. The first stays so; the
// second is transposed by squares.
// CHECK-LABEL: func.func @columns
// CHECK-NOT: masked.gather
// CHECK-COUNT-16: llvm.load {{.*}} -> vector<16xf32>
// CHECK-COUNT-64: vector.shuffle
// CHECK-COUNT-16: llvm.store {{.*}} : vector<16xf32>
// CHECK: math.fma
func.func @columns(%x: !tile.ptr<f32>, %ld: i32) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<16xi32>
  %rows = tile.expand_dims %i axis 1 : tensor<16xi32> -> tensor<16x1xi32>
  %columns = tile.expand_dims %i axis 0 : tensor<16xi32> -> tensor<1x16xi32>
  %lds = tile.splat %ld : tensor<1x16xi32>
  %starts = arith.muli %columns, %lds : tensor<1x16xi32>
  %r = tile.broadcast %rows : tensor<16x1xi32> -> tensor<16x16xi32>
  %c = tile.broadcast %starts : tensor<1x16xi32> -> tensor<16x16xi32>
  %o = arith.addi %r, %c : tensor<16x16xi32>
  %xs = tile.splat %x : tensor<16x16x!tile.ptr<f32>>
  %p = tile.addptr %xs, %o : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %a = tile.load %p : tensor<16x16x!tile.ptr<f32>>
  %b = tile.load %p : tensor<16x16x!tile.ptr<f32>>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tile.dot %a, %b, %zero : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  tile.store %p, %d : tensor<16x16x!tile.ptr<f32>>
  return
}
}
