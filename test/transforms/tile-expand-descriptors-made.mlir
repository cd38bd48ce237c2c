// RUN: tile-opt %s -split-input-file -verify-diagnostics --tile-expand-descriptors | FileCheck %s

// Descriptors of what a table says: the program makes them, before the loop that copies.

#target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32, on_chip_bytes = 65536 : i32, descriptor_bytes = 128 : i32}>
module attributes {tile.target = #target, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @grouped
func.func @grouped(%table: !tile.ptr<i64> {tile.read_only}, %count: i32, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  scf.for %problem = %c0 to %count step %c1 : i32 {
    %row = tile.addptr %table, %problem : !tile.ptr<i64>, i32
    %address = tile.load %row : !tile.ptr<i64>
    %pa = tile.int_to_ptr %address {tile.read_only} : i64 -> !tile.ptr<f16>
    %pc = tile.int_to_ptr %address : i64 -> !tile.ptr<f16>
    %a16 = tile.hint %pa divisibility [16] : !tile.ptr<f16>
    %c16 = tile.hint %pc divisibility [16] : !tile.ptr<f16>
    %size = arith.trunci %address : i64 to i32
    %k = tile.hint %size divisibility [8] : i32
    %stride = arith.extsi %k : i32 to i64
    // CHECK-DAG: %[[A:.*]] = tile.make_descriptor {{.*}} {tile.block_copy}
    // CHECK-DAG: %[[C:.*]] = tile.make_descriptor {{.*}} {tile.block_copy}
    %da = tile.make_descriptor %a16 sizes[%k, %k] strides[%stride] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
    %dc = tile.make_descriptor %c16 sizes[%k, %k] strides[%stride] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
    scf.for %tile = %c0 to %k step %c64 : i32 {
      %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
        // CHECK: tile.descriptor_load %[[A]]{{.*}} {tile.block_copy}
        %a = tile.descriptor_load %da[%tile, %i] : !tile.desc<64x64xf16>
        %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
        scf.yield %d : tensor<64x64xf32>
      }
      %h = arith.truncf %r : tensor<64x64xf32> to tensor<64x64xf16>
      // CHECK: tile.descriptor_store %[[C]]{{.*}} {tile.block_copy}
      tile.descriptor_store %dc[%tile, %c0], %h : !tile.desc<64x64xf16>
    }
  }
  return
}

// Stores to an array that nobody knows may be to the one that is read.
// CHECK-LABEL: func.func @written
// CHECK-NOT: tile.block_copy
// CHECK: return
func.func @written(%table: !tile.ptr<i64> {tile.read_only}, %count: i32, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %address = tile.load %table : !tile.ptr<i64>
  %pa = tile.int_to_ptr %address : i64 -> !tile.ptr<f16>
  %a16 = tile.hint %pa divisibility [16] : !tile.ptr<f16>
  %stride = arith.constant 64 : i64
  %da = tile.make_descriptor %a16 sizes[%count, %count] strides[%stride] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  scf.for %tile = %c0 to %count step %c64 : i32 {
    %r = scf.for %i = %c0 to %count step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
      %a = tile.descriptor_load %da[%tile, %i] : !tile.desc<64x64xf16>
      %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %h = arith.truncf %r : tensor<64x64xf32> to tensor<64x64xf16>
    tile.descriptor_store %da[%tile, %c0], %h : !tile.desc<64x64xf16>
  }
  return
}

// One that is made for each copy would take longer than the copy.
// CHECK-LABEL: func.func @each_time
// CHECK-NOT: tile.block_copy
// CHECK: return
func.func @each_time(%table: !tile.ptr<i64> {tile.read_only}, %count: i32, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %stride = arith.constant 64 : i64
  %r = scf.for %i = %c0 to %count step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %page = tile.addptr %table, %i : !tile.ptr<i64>, i32
    %address = tile.load %page : !tile.ptr<i64>
    %pa = tile.int_to_ptr %address {tile.read_only} : i64 -> !tile.ptr<f16>
    %a16 = tile.hint %pa divisibility [16] : !tile.ptr<f16>
    %da = tile.make_descriptor %a16 sizes[%count, %count] strides[%stride] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
    %a = tile.descriptor_load %da[%c0, %c0] : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  return
}

// A base of which nothing is known is aligned, as the language asks for.
// CHECK-LABEL: func.func @loaded
// CHECK: %[[BASE:.+]] = tile.hint {{.*}} divisibility [16]
// CHECK: tile.make_descriptor %[[BASE]]{{.*}} {tile.block_copy}
// CHECK: tile.descriptor_load {{.*}} {tile.block_copy}
// CHECK: return
func.func @loaded(%table: !tile.ptr<i64> {tile.read_only}, %count: i32, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %address = tile.load %table : !tile.ptr<i64>
  %pa = tile.int_to_ptr %address {tile.read_only} : i64 -> !tile.ptr<f16>
  %stride = arith.constant 64 : i64
  %da = tile.make_descriptor %pa sizes[%count, %count] strides[%stride] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %r = scf.for %i = %c0 to %count step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  return
}

// What nobody writes before is read ahead, whatever it is.
// CHECK-LABEL: func.func @anything
// CHECK: tile.descriptor_load {{.*}} {tile.block_copy}
func.func @anything(%table: !tile.ptr<i64>, %out: tensor<64x64x!tile.ptr<f32>>, %count: i32, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %address = tile.load %table : !tile.ptr<i64>
  %pa = tile.int_to_ptr %address : i64 -> !tile.ptr<f16>
  %stride = arith.constant 64 : i64
  %da = tile.make_descriptor %pa sizes[%count, %count] strides[%stride] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %r = scf.for %i = %c0 to %count step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %out, %r : tensor<64x64x!tile.ptr<f32>>
  return
}

// One that lies an element behind such a place is not, and no argument of which that is not known.
// CHECK-LABEL: func.func @unaligned
// CHECK-NOT: tile.block_copy
// CHECK: return
func.func @unaligned(%table: !tile.ptr<i64> {tile.read_only}, %count: i32, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %address = tile.load %table : !tile.ptr<i64>
  %c1 = arith.constant 1 : i32
  %start = tile.int_to_ptr %address {tile.read_only} : i64 -> !tile.ptr<f16>
  %pa = tile.addptr %start, %c1 : !tile.ptr<f16>, i32
  %stride = arith.constant 64 : i64
  %da = tile.make_descriptor %pa sizes[%count, %count] strides[%stride] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %r = scf.for %i = %c0 to %count step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    // expected-remark @+1 {{copies of whole blocks need a base and strides that are known to be multiples of 16 bytes}}
    %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  return
}

// CHECK-LABEL: func.func @unaligned_argument
// CHECK-NOT: tile.block_copy
// CHECK: return
func.func @unaligned_argument(%table: !tile.ptr<i64> {tile.read_only}, %count: i32, %stride: i64, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %address = tile.load %table : !tile.ptr<i64>
  %pa = tile.int_to_ptr %address {tile.read_only} : i64 -> !tile.ptr<f16>
  %da = tile.make_descriptor %pa sizes[%count, %count] strides[%stride] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %r = scf.for %i = %c0 to %count step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    // expected-remark @+1 {{copies of whole blocks need a base and strides that are known to be multiples of 16 bytes}}
    %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  return
}

// The kernel has written the table.
// CHECK-LABEL: func.func @other_table
// CHECK-NOT: tile.block_copy
// CHECK: return
func.func @other_table(%table: !tile.ptr<i64>, %count: i32, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant 0 : i64
  tile.store %table, %zero : !tile.ptr<i64>
  %address = tile.load %table : !tile.ptr<i64>
  %pa = tile.int_to_ptr %address {tile.read_only} : i64 -> !tile.ptr<f16>
  %a16 = tile.hint %pa divisibility [16] : !tile.ptr<f16>
  %stride = arith.constant 64 : i64
  %da = tile.make_descriptor %a16 sizes[%count, %count] strides[%stride] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %r = scf.for %i = %c0 to %count step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  return
}
}

// -----

// A machine whose host makes all descriptors.
#target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32, on_chip_bytes = 65536 : i32}>
module attributes {tile.target = #target, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @no_places
// CHECK-NOT: tile.block_copy
// CHECK: return
func.func @no_places(%table: !tile.ptr<i64> {tile.read_only}, %count: i32, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant 0 : i64
  tile.store %table, %zero : !tile.ptr<i64>
  %address = tile.load %table : !tile.ptr<i64>
  %pa = tile.int_to_ptr %address {tile.read_only} : i64 -> !tile.ptr<f16>
  %a16 = tile.hint %pa divisibility [16] : !tile.ptr<f16>
  %stride = arith.constant 64 : i64
  %da = tile.make_descriptor %a16 sizes[%count, %count] strides[%stride] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %r = scf.for %i = %c0 to %count step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  return
}
}
