// RUN: tile-opt %s --convert-tile-to-loops --split-input-file | FileCheck %s

// Programs that store more than caches hold store past them, where rows are aligned.
// CHECK-LABEL: func.func @fill
// CHECK: arith.muli
// CHECK: %[[PROGRAMS:.*]] = arith.muli
// CHECK: %[[MANY:.*]] = arith.cmpi uge, %[[PROGRAMS]], %c32768_i64
// CHECK: scf.for
// CHECK:   %[[STREAM:.*]] = arith.andi %[[MANY]]
// CHECK:   scf.if %[[STREAM]] {
// CHECK-COUNT-16: llvm.store {{.*}} {alignment = 16 : i64, nontemporal} : vector<4xf32>
// CHECK:   } else {
// CHECK:     llvm.store {{.*}} : vector<64xf32>
// CHECK: scf.if %[[MANY]] {
// CHECK:   llvm.fence seq_cst
func.func @fill(%x: !tile.ptr<f32>, %s: f32) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<256xi32>
  %xs = tile.splat %x : tensor<256x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.splat %s : tensor<256xf32>
  tile.store %p, %v : tensor<256x!tile.ptr<f32>>
  return
}

// -----

// What the kernel itself may read again stays in caches.
// CHECK-LABEL: func.func @in_place
// CHECK-NOT: nontemporal
// CHECK-NOT: llvm.fence
// CHECK: return
func.func @in_place(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<256xi32>
  %xs = tile.splat %x : tensor<256x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %p : tensor<256x!tile.ptr<f32>>
  %w = arith.addf %v, %v : tensor<256xf32>
  tile.store %p, %w : tensor<256x!tile.ptr<f32>>
  return
}
