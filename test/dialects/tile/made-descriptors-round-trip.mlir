// RUN: tile-opt %s | tile-opt | FileCheck %s

// CHECK-LABEL: func.func @made
// CHECK-SAME: %[[T:.+]]: !tile.desc<8x64xf16>, %[[U:.+]]: !tile.desc<64xf32>, %[[P:.+]]: !tile.ptr<f16> {tile.read_only}, %[[Q:.+]]: !tile.ptr<f32>
func.func @made(%t: !tile.desc<8x64xf16>, %u: !tile.desc<64xf32>, %p: !tile.ptr<f16> {tile.read_only}, %q: !tile.ptr<f32>, %m: i32, %s: i64) {
  // CHECK: tile.int_to_ptr %{{.*}} {tile.read_only} : i64 -> !tile.ptr<f16>
  %r = tile.int_to_ptr %s {tile.read_only} : i64 -> !tile.ptr<f16>
  // CHECK: %[[D:.+]]:2 = tile.descriptor_alloc %[[T]], %[[U]] : !tile.desc<8x64xf16>, !tile.desc<64xf32>
  %d:2 = tile.descriptor_alloc %t, %u : !tile.desc<8x64xf16>, !tile.desc<64xf32>
  // CHECK: tile.descriptor_set %[[D]]#0 like %[[T]], %[[P]] sizes[%[[M:.*]], %[[M]]] strides[%{{.*}}] : !tile.desc<8x64xf16>, !tile.ptr<f16>
  tile.descriptor_set %d#0 like %t, %p sizes[%m, %m] strides[%s] : !tile.desc<8x64xf16>, !tile.ptr<f16>
  // CHECK: tile.descriptor_set %[[D]]#1 like %[[U]], %[[Q]] sizes[%[[M]]] strides[] : !tile.desc<64xf32>, !tile.ptr<f32>
  tile.descriptor_set %d#1 like %u, %q sizes[%m] strides[] : !tile.desc<64xf32>, !tile.ptr<f32>
  // CHECK: tile.descriptor_publish %[[D]]#0, %[[D]]#1 : !tile.desc<8x64xf16>, !tile.desc<64xf32>
  tile.descriptor_publish %d#0, %d#1 : !tile.desc<8x64xf16>, !tile.desc<64xf32>
  // CHECK: tile.descriptor_publish %[[D]]#0 for_warps : !tile.desc<8x64xf16>
  tile.descriptor_publish %d#0 for_warps : !tile.desc<8x64xf16>
  // CHECK: tile.descriptor_free %[[D]]#0, %[[D]]#1 : !tile.desc<8x64xf16>, !tile.desc<64xf32>
  tile.descriptor_free %d#0, %d#1 : !tile.desc<8x64xf16>, !tile.desc<64xf32>
  return
}
