// RUN: tile-opt %s -split-input-file -verify-diagnostics --tile-expand-descriptors

func.func @argument(%x: !tile.ptr<f16> {tile.read_only}, %n: i32, %value: tensor<16x16xf16>) attributes {tile.kernel} {
  %stride = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %x sizes[%n, %n] strides[%stride] : !tile.ptr<f16> -> !tile.desc<16x16xf16>
  // expected-error @+1 {{the descriptor's array is read-only: its pointer is const}}
  tile.descriptor_store %d[%n, %n], %value : !tile.desc<16x16xf16>
  return
}

// -----

func.func @address(%address: i64, %n: i32, %value: tensor<16x16xf16>) attributes {tile.kernel} {
  %x = tile.int_to_ptr %address {tile.read_only} : i64 -> !tile.ptr<f16>
  %stride = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %x sizes[%n, %n] strides[%stride] : !tile.ptr<f16> -> !tile.desc<16x16xf16>
  // expected-error @+1 {{the descriptor's array is read-only: its pointer is const}}
  tile.descriptor_reduce fadd %d[%n, %n], %value : !tile.desc<16x16xf16>
  return
}
