// RUN: tile-opt %s | tile-opt | FileCheck %s

// CHECK-DAG: #[[LAYOUT:.+]] = #tile.layout<[32, 16]: register = {{\[\[}}0, 1], [0, 2]], lane = {{\[\[}}0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}8, 0], [16, 0]], repeat = [register x 3 -> dim1]>
#layout = #tile.layout<[32, 16]: register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], repeat = [register x 3 -> dim1]>
// CHECK-DAG: #[[MEMORY:.+]] = #tile.layout<[32, 16]: offset = {{.*}}, repeat = [offset x 3 -> dim1]>
#memory = #tile.layout<[32, 16]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], repeat = [offset x 3 -> dim1]>

// CHECK: module attributes {tile.shared_bytes = 6144 : i32
module attributes {tile.shared_bytes = 6144 : i32, tile.target = #tile.target<"any", "first", {lanes = 32 : i32, async_copy_bytes = array<i64: 4, 8, 16>}>} {
// CHECK-LABEL: func.func @buffers
func.func @buffers(%x: tensor<32x48xf16, #layout>, %i: i32) {
  // CHECK: tile.buffer_alloc offset 1024 : !tile.buffer<2x32x48xf16, #[[MEMORY]]>
  %stack = tile.buffer_alloc offset 1024 : !tile.buffer<2x32x48xf16, #memory>
  // CHECK: tile.buffer_view %{{.*}}[%{{.*}}] : !tile.buffer<2x32x48xf16, #[[MEMORY]]>
  %view = tile.buffer_view %stack[%i] : !tile.buffer<2x32x48xf16, #memory>
  // CHECK: tile.buffer_store %{{.*}}, %{{.*}} : tensor<32x48xf16, #[[LAYOUT]]> -> !tile.buffer<32x48xf16, #[[MEMORY]]>
  tile.buffer_store %x, %view : tensor<32x48xf16, #layout> -> !tile.buffer<32x48xf16, #memory>
  // CHECK: tile.buffer_load %{{.*}} : !tile.buffer<32x48xf16, #[[MEMORY]]> -> tensor<32x48xf16, #[[LAYOUT]]>
  %y = tile.buffer_load %view : !tile.buffer<32x48xf16, #memory> -> tensor<32x48xf16, #layout>
  // CHECK: tile.convert_layout %{{.*}} {tile.scratch_offset = 0 : i32}
  %z = tile.convert_layout %y {tile.scratch_offset = 0 : i32} : tensor<32x48xf16, #layout> -> tensor<32x48xf16, #layout>
  return
}

// CHECK-LABEL: func.func @copies
func.func @copies(%p: tensor<32x48x!tile.ptr<f16>, #layout>, %m: tensor<32x48xi1, #layout>) {
  %b = tile.buffer_alloc : !tile.buffer<32x48xf16, #memory>
  // CHECK: tile.async_copy %{{.*}}, %{{.*}} mask %{{.*}} {cache = #tile<cache cg>} : tensor<32x48x!tile.ptr<f16>, #[[LAYOUT]]> -> !tile.buffer<32x48xf16, #[[MEMORY]]>
  %0 = tile.async_copy %p, %b mask %m {cache = #tile<cache cg>} : tensor<32x48x!tile.ptr<f16>, #layout> -> !tile.buffer<32x48xf16, #memory>
  // CHECK: tile.commit(%{{.*}}) : !tile.pending<!tile.buffer<32x48xf16, #[[MEMORY]]>>
  %1 = tile.commit(%0) : !tile.pending<!tile.buffer<32x48xf16, #memory>>
  // CHECK: tile.commit
  tile.commit()
  // CHECK: %{{.*}} = tile.await(%{{.*}}) in_flight 1 : !tile.pending<!tile.buffer<32x48xf16, #[[MEMORY]]>>
  %2 = tile.await(%1) in_flight 1 : !tile.pending<!tile.buffer<32x48xf16, #memory>>
  // CHECK: tile.await() in_flight 0
  tile.await() in_flight 0
  // CHECK: tile.buffer_load %{{.*}} : !tile.buffer<32x48xf16, #[[MEMORY]]> -> tensor<32x48xf16, #[[LAYOUT]]>
  %3 = tile.buffer_load %2 : !tile.buffer<32x48xf16, #memory> -> tensor<32x48xf16, #layout>
  return
}
}
