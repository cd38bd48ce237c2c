// RUN: tile-opt %s --convert-tile-to-loops --cse | FileCheck %s

// A range mask splits the lane loop: full chunks without masks, then the rest,
// which stops at the last live chunk.
// CHECK-LABEL: func.func @add
// CHECK-SAME: (%[[ARGS:[a-z0-9]+]]: !llvm.ptr {llvm.noalias}, %{{[a-z0-9]+}}: !llvm.ptr {llvm.noalias}, %{{[a-z0-9]+}}: !llvm.ptr {llvm.noalias})
// CHECK: llvm.getelementptr %[[ARGS]][8]
// CHECK: llvm.load {{.*}} invariant
// CHECK: %[[FULL:.*]] = arith.andi %{{.*}}, %c-64_i64
// CHECK: scf.for %{{.*}} = %c0_i64 to %[[FULL]] step %c64_i64
// CHECK:   llvm.load {{.*}} : !llvm.ptr -> vector<64xf32>
// CHECK-NOT: masked
// CHECK:   llvm.store {{.*}} : vector<64xf32>
// CHECK: scf.for %{{.*}} = %[[FULL]] to %{{.*}} step %c64_i64
// CHECK:   llvm.intr.masked.load
// CHECK:   llvm.intr.masked.store
// CHECK-NOT: tile.
// CHECK: return
func.func @add(%x: !tile.ptr<f32>, %z: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %pid = tile.program_id 0 : i32
  %size = arith.constant 1024 : i32
  %start = arith.muli %pid, %size : i32
  %range = tile.arange 0 : tensor<1024xi32>
  %starts = tile.splat %start : tensor<1024xi32>
  %i = arith.addi %starts, %range : tensor<1024xi32>
  %ns = tile.splat %n : tensor<1024xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<1024xi32>
  %xs = tile.splat %x : tensor<1024x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %a = tile.load %xp mask %m : tensor<1024x!tile.ptr<f32>>
  %c = arith.addf %a, %a : tensor<1024xf32>
  %zs = tile.splat %z : tensor<1024x!tile.ptr<f32>>
  %zp = tile.addptr %zs, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %zp, %c mask %m : tensor<1024x!tile.ptr<f32>>
  return
}
