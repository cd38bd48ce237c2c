// RUN: tile-opt %s -split-input-file -verify-diagnostics

func.func @atomic_rmw_2(%p: !tile.ptr<i32>, %x: i32) {
  // expected-error @+1 {{expects a float for 'fmax', got 'i32'}}
  %old = tile.atomic_rmw fmax %p, %x : !tile.ptr<i32>
  return
}

// -----

func.func @atomic_load_1(%p: tensor<4x!tile.ptr<i32>>, %m: i1) {
  // expected-error @+1 {{expects a mask of type 'tensor<4xi1>', got 'i1'}}
  %x = "tile.atomic_load"(%p, %m) : (tensor<4x!tile.ptr<i32>>, i1) -> tensor<4xi32>
  return
}

// -----

func.func @atomic_load_2(%p: !tile.ptr<i32>) {
  // expected-error @+1 {{expects the ordering 'acquire' or 'relaxed', got 'release'}}
  %x = tile.atomic_load %p {semantic = #tile<semantic release>} : !tile.ptr<i32>
  return
}

// -----

func.func @atomic_store_1(%p: !tile.ptr<i32>, %x: i32, %m: tensor<4xi1>) {
  // expected-error @+1 {{expects a mask of type 'i1', got 'tensor<4xi1>'}}
  "tile.atomic_store"(%p, %x, %m) : (!tile.ptr<i32>, i32, tensor<4xi1>) -> ()
  return
}

// -----

func.func @atomic_store_2(%p: !tile.ptr<i32>, %x: i32) {
  // expected-error @+1 {{expects the ordering 'release' or 'relaxed', got 'acq_rel'}}
  tile.atomic_store %p, %x {semantic = #tile<semantic acq_rel>} : !tile.ptr<i32>
  return
}

// -----

func.func @atomic_poll_1(%p: !tile.ptr<i8>, %x: i8) {
  // expected-error @+1 {{expects an integer of 16, 32 or 64 bits, got 'i8'}}
  %d = tile.atomic_poll %p, %x : !tile.ptr<i8>
  return
}

// -----

func.func @atomic_poll_2(%p: !tile.ptr<i32>, %x: i32) {
  // expected-error @+1 {{expects the ordering 'acquire' or 'relaxed', got 'acq_rel'}}
  %d = tile.atomic_poll %p, %x {semantic = #tile<semantic acq_rel>} : !tile.ptr<i32>
  return
}

// -----

// expected-error @+1 {{expects one to five dimensions, got 6}}
func.func @desc_1(%d: !tile.desc<2x2x2x2x2x2xf16>) {
  return
}

// -----

// expected-error @+1 {{expects dimensions of positive sizes}}
func.func @desc_1_sizes(%d: !tile.desc<2x0xf16>) {
  return
}

// -----

// expected-error @+1 {{expects integers or floats of 8 to 64 bits as elements, got 'i1'}}
func.func @desc_2(%d: !tile.desc<8xi1>) {
  return
}

// -----

// expected-error @+1 {{expects floats where the padding is NaN, got 'i32'}}
func.func @desc_3(%d: !tile.desc<8xi32, nan>) {
  return
}

// -----

// expected-error @+1 {{expects elements of type 'f32' to round, got 'f16'}}
func.func @desc_3_tf32(%d: !tile.desc<8xf16, tf32>) {
  return
}

// -----

// expected-error @+1 {{expects 'nan' or 'tf32', got 'inf'}}
func.func @desc_word(%d: !tile.desc<8xf16, inf>) {
  return
}

// -----

func.func @make_descriptor_1(%p: !tile.ptr<f16>, %n: i32, %s: i64) {
  // expected-error @+1 {{expects one size for each of 2 dimensions, got 1}}
  %d = tile.make_descriptor %p sizes[%n] strides[%s] : !tile.ptr<f16> -> !tile.desc<4x8xf16>
  return
}

// -----

func.func @make_descriptor_2(%p: !tile.ptr<f16>, %n: i32, %s: i64) {
  // expected-error @+1 {{expects strides of all dimensions but the last, 1, got 2}}
  %d = tile.make_descriptor %p sizes[%n, %n] strides[%s, %s] : !tile.ptr<f16> -> !tile.desc<4x8xf16>
  return
}

// -----

func.func @make_descriptor_3(%p: !tile.ptr<f32>, %n: i32) {
  // expected-error @+1 {{expects a pointer to 'f16', got '!tile.ptr<f32>'}}
  %d = tile.make_descriptor %p sizes[%n] strides[] : !tile.ptr<f32> -> !tile.desc<8xf16>
  return
}

// -----

func.func @descriptor_size_1(%d: !tile.desc<8xf16>) {
  // expected-error @+1 {{expects a dimension below 1, got 1}}
  %n = tile.descriptor_size %d dim 1 : !tile.desc<8xf16>
  return
}

// -----

func.func @descriptor_stride_1(%d: !tile.desc<4x8xf16>) {
  // expected-error @+1 {{expects a dimension before the last of 2, got 1}}
  %n = tile.descriptor_stride %d dim 1 : !tile.desc<4x8xf16>
  return
}

// -----

func.func @descriptor_load_1(%d: !tile.desc<4x8xf16>, %i: i32) {
  // expected-error @+1 {{expects one index for each of 2 dimensions, got 1}}
  %x = tile.descriptor_load %d[%i] : !tile.desc<4x8xf16>
  return
}

// -----

func.func @descriptor_store_1(%d: !tile.desc<4x8xf16>, %i: i32, %x: tensor<4x8xf16>) {
  // expected-error @+1 {{expects one index for each of 2 dimensions, got 3}}
  tile.descriptor_store %d[%i, %i, %i], %x : !tile.desc<4x8xf16>
  return
}

// -----

func.func @descriptor_reduce_1(%d: !tile.desc<4x8xf16>, %i: i32, %x: tensor<4x8xf16>) {
  // expected-error @+1 {{expects one index for each of 2 dimensions, got 1}}
  tile.descriptor_reduce fadd %d[%i], %x : !tile.desc<4x8xf16>
  return
}

// -----

func.func @descriptor_reduce_2(%d: !tile.desc<8xf16>, %i: i32, %x: tensor<8xf16>) {
  // expected-error @+1 {{expects a kind that combines, got 'exchange'}}
  tile.descriptor_reduce exchange %d[%i], %x : !tile.desc<8xf16>
  return
}

// -----

func.func @descriptor_gather_1(%d: !tile.desc<4x8xf16>, %r: tensor<8xi32>, %i: i32) {
  // expected-error @+1 {{expects a descriptor whose blocks are one row, got '!tile.desc<4x8xf16>'}}
  %x = tile.descriptor_gather %d[%r, %i] : !tile.desc<4x8xf16>, tensor<8xi32> -> tensor<8x8xf16>
  return
}

// -----

func.func @descriptor_gather_2(%d: !tile.desc<1x8xf16>, %r: tensor<8xi32>, %i: i32) {
  // expected-error @+1 {{expects a block of type 'tensor<8x8xf16>', got 'tensor<4x8xf16>'}}
  %x = tile.descriptor_gather %d[%r, %i] : !tile.desc<1x8xf16>, tensor<8xi32> -> tensor<4x8xf16>
  return
}

// -----

func.func @descriptor_scatter_1(%d: !tile.desc<8xf16>, %r: tensor<8xi32>, %i: i32, %x: tensor<8x8xf16>) {
  // expected-error @+1 {{expects a descriptor whose blocks are one row, got '!tile.desc<8xf16>'}}
  tile.descriptor_scatter %d[%r, %i], %x : !tile.desc<8xf16>, tensor<8xi32>, tensor<8x8xf16>
  return
}

// -----

func.func @descriptor_scatter_2(%d: !tile.desc<1x8xf16>, %r: tensor<8xi32>, %i: i32, %x: tensor<8x8xf32>) {
  // expected-error @+1 {{expects a block of type 'tensor<8x8xf16>', got 'tensor<8x8xf32>'}}
  tile.descriptor_scatter %d[%r, %i], %x : !tile.desc<1x8xf16>, tensor<8xi32>, tensor<8x8xf32>
  return
}

// -----

// expected-error @+1 {{expects 'tile.check_bounds' as a unit attribute of a module}}
func.func @check_bounds() attributes {tile.check_bounds} {
  return
}
