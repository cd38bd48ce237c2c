// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @descriptor_alloc_1() {
  // expected-error @+1 {{expects a template}}
  "tile.descriptor_alloc"() : () -> ()
  return
}

// -----

func.func @descriptor_set_1(%t: !tile.desc<8x64xf16>, %p: !tile.ptr<f16>, %m: i32, %s: i64) {
  // expected-error @+1 {{expects a descriptor of 'tile.descriptor_alloc'}}
  tile.descriptor_set %t like %t, %p sizes[%m, %m] strides[%s] : !tile.desc<8x64xf16>, !tile.ptr<f16>
  return
}

// -----

func.func @descriptor_set_2(%t: !tile.desc<8x64xf16>, %p: !tile.ptr<f16>, %m: i32, %s: i64) {
  %d = tile.descriptor_alloc %t : !tile.desc<8x64xf16>
  // expected-error @+1 {{expects one size for each of 2 dimensions, got 1}}
  tile.descriptor_set %d like %t, %p sizes[%m] strides[%s] : !tile.desc<8x64xf16>, !tile.ptr<f16>
  return
}

// -----

func.func @descriptor_set_3(%t: !tile.desc<8x64xf16>, %p: !tile.ptr<f16>, %m: i32, %s: i64) {
  %d = tile.descriptor_alloc %t : !tile.desc<8x64xf16>
  // expected-error @+1 {{expects strides of all dimensions but the last, 1, got 2}}
  tile.descriptor_set %d like %t, %p sizes[%m, %m] strides[%s, %s] : !tile.desc<8x64xf16>, !tile.ptr<f16>
  return
}

// -----

func.func @descriptor_set_4(%t: !tile.desc<8x64xf16>, %p: !tile.ptr<f32>, %m: i32, %s: i64) {
  %d = tile.descriptor_alloc %t : !tile.desc<8x64xf16>
  // expected-error @+1 {{expects a pointer to 'f16'}}
  tile.descriptor_set %d like %t, %p sizes[%m, %m] strides[%s] : !tile.desc<8x64xf16>, !tile.ptr<f32>
  return
}

// -----

func.func @descriptor_publish_1(%t: !tile.desc<8x64xf16>) {
  // expected-error @+1 {{expects descriptors of 'tile.descriptor_alloc'}}
  tile.descriptor_publish %t : !tile.desc<8x64xf16>
  return
}

// -----

func.func @descriptor_free_1(%t: !tile.desc<8x64xf16>) {
  %d:2 = tile.descriptor_alloc %t, %t : !tile.desc<8x64xf16>, !tile.desc<8x64xf16>
  // expected-error @+1 {{expects all descriptors of one 'tile.descriptor_alloc'}}
  tile.descriptor_free %d#0 : !tile.desc<8x64xf16>
  return
}

// -----

// expected-error @+1 {{expects 'tile.read_only' as a unit attribute of a pointer argument}}
func.func @read_only_argument(%i: i32 {tile.read_only}) {
  return
}

// -----

func.func @read_only(%i: i64) {
  // expected-error @+1 {{expects 'tile.read_only' as a unit attribute of an address that becomes a pointer}}
  %j = arith.addi %i, %i {tile.read_only} : i64
  return
}
