// RUN: tile-opt %s -split-input-file --tile-expand-descriptors | FileCheck %s

// Accesses by descriptors that stay: a loop's dot reads through ones that the host makes.

#target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32, on_chip_bytes = 65536 : i32}>
module attributes {tile.target = #target, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @product
func.func @product(%pa: !tile.ptr<f16>, %db: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f16>, %k: i32 {tile.divisibility = 16 : i32},
                   %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %stride = arith.extsi %k : i32 to i64
  // CHECK-DAG: %[[A:.*]] = tile.make_descriptor %arg0 sizes[%arg6, %arg6] strides[%{{.*}}] {tile.block_copy}
  // CHECK-DAG: %[[B:.*]] = tile.make_descriptor %arg1 sizes[%arg2, %arg3] strides[%arg4] {tile.block_copy}
  // CHECK-DAG: %[[C:.*]] = tile.make_descriptor %arg5 {{.*}} {tile.block_copy}
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %dc = tile.make_descriptor %pc sizes[%k, %k] strides[%stride] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  // CHECK: scf.for
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    // CHECK: tile.descriptor_load %[[A]][%{{.*}}, %{{.*}}] {tile.block_copy}
    // CHECK: tile.descriptor_load %[[B]][%{{.*}}, %{{.*}}] {tile.block_copy}
    %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<64x64xf16>
    %b = tile.descriptor_load %db[%i, %c0] : !tile.desc<64x64xf16>
    %d = tile.dot %a, %b, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %h = arith.truncf %r : tensor<64x64xf32> to tensor<64x64xf16>
  // CHECK: tile.descriptor_store %[[C]][%{{.*}}, %{{.*}}], %{{.*}} {tile.block_copy}
  tile.descriptor_store %dc[%c0, %c0], %h : !tile.desc<64x64xf16>
  return
}

// What feeds a dot may be changed on the way; loads beside it are copied as well,
// sums of floats are stored so, others are not.
// CHECK-LABEL: func.func @beside
func.func @beside(%da: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %db: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %dc: !tile.desc<64x64xf32> {tile.divisibility = 16 : i32},
                  %di: !tile.desc<64x64xi32> {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}, %acc: tensor<64x64xf32>, %ones: tensor<64x64xi32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  // CHECK: tile.descriptor_load {{.*}} {tile.block_copy}
  %q = tile.descriptor_load %da[%c0, %c0] : !tile.desc<64x64xf16>
  // CHECK: scf.for
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    // CHECK: tile.descriptor_load {{.*}} {tile.block_copy}
    %b = tile.descriptor_load %db[%i, %c0] : !tile.desc<64x64xf16>
    %twice = arith.addf %b, %b : tensor<64x64xf16>
    %t = tile.transpose %twice order [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %q, %t, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  // CHECK: tile.descriptor_reduce fadd {{.*}} {tile.block_copy}
  tile.descriptor_reduce fadd %dc[%c0, %c0], %r : !tile.desc<64x64xf32>
  // CHECK: tile.atomic_rmw umax
  tile.descriptor_reduce umax %di[%c0, %c0], %ones : !tile.desc<64x64xi32>
  return
}

// A copy writes whole pieces of 16 bytes: where a row may end within one, pointers store.
// CHECK-LABEL: func.func @rows_of_any_length
// CHECK: tile.descriptor_load {{.*}} {tile.block_copy}
// CHECK-NOT: tile.descriptor_store
// CHECK: tile.store
// CHECK: return
func.func @rows_of_any_length(%da: !tile.desc<64x64xf16>, %dc: !tile.desc<64x64xf32>, %k: i32, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.descriptor_store %dc[%c0, %c0], %r : !tile.desc<64x64xf32>
  return
}

// A loop without dots is not worth a thread of its own.
// CHECK-LABEL: func.func @no_dot
// CHECK-NOT: tile.descriptor_load
// CHECK: return
func.func @no_dot(%da: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}, %acc: tensor<64x64xf16>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf16>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<64x64xf16>
    %d = arith.addf %a, %s : tensor<64x64xf16>
    scf.yield %d : tensor<64x64xf16>
  }
  return
}

// Nor is a dot without a loop.
// CHECK-LABEL: func.func @no_loop
// CHECK-NOT: tile.descriptor_load
// CHECK: return
func.func @no_loop(%da: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %a = tile.descriptor_load %da[%c0, %c0] : !tile.desc<64x64xf16>
  %d = tile.dot %a, %a, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  return
}

// The host cannot make what depends on the program's number; the other operand is copied still.
// CHECK-LABEL: func.func @of_the_program
func.func @of_the_program(%pa: !tile.ptr<f16>, %db: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %stride = arith.extsi %k : i32 to i64
  %p = tile.program_id 0 : i32
  %own = tile.addptr %pa, %p : !tile.ptr<f16>, i32
  %da = tile.make_descriptor %own sizes[%k, %k] strides[%stride] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  // CHECK: scf.for
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    // CHECK: tile.load
    // CHECK: tile.descriptor_load {{.*}} {tile.block_copy}
    %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<64x64xf16>
    %b = tile.descriptor_load %db[%i, %c0] : !tile.desc<64x64xf16>
    %d = tile.dot %a, %b, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  return
}

// The thread that fetches runs loops that count, and computes from numbers, also of tables that
// the kernel does not write.
// CHECK-LABEL: func.func @placed_by_table
// CHECK: tile.descriptor_load {{.*}} {tile.block_copy}
// CHECK: return
func.func @placed_by_table(%da: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %p: !tile.ptr<i32>, %k: i32 {tile.divisibility = 16 : i32}, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %j = tile.load %p : !tile.ptr<i32>
    %a = tile.descriptor_load %da[%j, %i] : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  return
}

// What is read again and again until it changes may be a flag, behind which arrays are.
// CHECK-LABEL: func.func @behind_a_flag
// CHECK-NOT: tile.block_copy
// CHECK: return
func.func @behind_a_flag(%da: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %p: !tile.ptr<i32>, %k: i32 {tile.divisibility = 16 : i32}, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %flag = tile.load %p volatile : !tile.ptr<i32>
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  return
}

// CHECK-LABEL: func.func @placed_by_memory
// CHECK-NOT: tile.descriptor_load
// CHECK: return
func.func @placed_by_memory(%da: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %p: !tile.ptr<i32>, %k: i32 {tile.divisibility = 16 : i32}, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %j = tile.load %p : !tile.ptr<i32>
    %a = tile.descriptor_load %da[%j, %i] : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    tile.store %p, %i : !tile.ptr<i32>
    scf.yield %d : tensor<64x64xf32>
  }
  return
}

// CHECK-LABEL: func.func @in_a_branch
// CHECK-NOT: tile.descriptor_load
// CHECK: return
func.func @in_a_branch(%da: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %flag: i1, %k: i32 {tile.divisibility = 16 : i32}, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %y = scf.if %flag -> tensor<64x64xf32> {
      %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<64x64xf16>
      %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    } else {
      scf.yield %s : tensor<64x64xf32>
    }
    scf.yield %y : tensor<64x64xf32>
  }
  return
}

// A loop that counts may be in one that does not, but buffers go around with iterations of the former.
// CHECK-LABEL: func.func @in_a_while
// CHECK-NOT: tile.descriptor_load
// CHECK: scf.while
// CHECK: scf.for
// CHECK: tile.descriptor_load {{.*}} {tile.block_copy}
// CHECK-NOT: tile.descriptor_load
// CHECK: return
func.func @in_a_while(%da: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %r:2 = scf.while (%i = %c0, %s = %acc) : (i32, tensor<64x64xf32>) -> (i32, tensor<64x64xf32>) {
    %more = arith.cmpi slt, %i, %k : i32
    scf.condition(%more) %i, %s : i32, tensor<64x64xf32>
  } do {
  ^bb0(%i: i32, %s: tensor<64x64xf32>):
    %t = scf.for %j = %c0 to %k step %c64 iter_args(%u = %s) -> (tensor<64x64xf32>) : i32 {
      %a = tile.descriptor_load %da[%j, %i] : !tile.desc<64x64xf16>
      %d = tile.dot %a, %a, %u : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %b = tile.descriptor_load %da[%c0, %i] : !tile.desc<64x64xf16>
    %e = tile.dot %b, %b, %t : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %next = arith.addi %i, %c64 : i32
    scf.yield %next, %e : i32, tensor<64x64xf32>
  }
  return
}

// Neither as many rows as one copy moves, nor whole groups of 16 bytes.
// CHECK-LABEL: func.func @no_box
// CHECK-NOT: tile.descriptor_load
// CHECK: return
func.func @no_box(%da: !tile.desc<512x16xf16> {tile.divisibility = 16 : i32}, %db: !tile.desc<16x4xf16> {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}, %acc: tensor<512x4xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %r = scf.for %i = %c0 to %k step %c16 iter_args(%s = %acc) -> (tensor<512x4xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<512x16xf16>
    %b = tile.descriptor_load %db[%i, %c0] : !tile.desc<16x4xf16>
    %d = tile.dot %a, %b, %s : tensor<512x16xf16>, tensor<16x4xf16> -> tensor<512x4xf32>
    scf.yield %d : tensor<512x4xf32>
  }
  return
}

// Only kernels are launched with descriptors.
// CHECK-LABEL: func.func @no_kernel
// CHECK-NOT: tile.descriptor_load
// CHECK: return
func.func @no_kernel(%da: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}, %acc: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}
}

// -----

// Where not all fits, stores give way first.
#target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32, on_chip_bytes = 28672 : i32}>
module attributes {tile.target = #target, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @small
func.func @small(%da: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %dc: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    // CHECK: tile.descriptor_load {{.*}} {tile.block_copy}
    %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %h = arith.truncf %r : tensor<64x64xf32> to tensor<64x64xf16>
  // CHECK: tile.store
  tile.descriptor_store %dc[%c0, %c0], %h : !tile.desc<64x64xf16>
  return
}

// Loops of the same blocks share buffers, those of others do not.
// CHECK-LABEL: func.func @two_loops
// CHECK-COUNT-2: tile.descriptor_load {{.*}} {tile.block_copy}
// CHECK-LABEL: func.func @two_kinds
// CHECK-NOT: tile.descriptor_load
// CHECK: return
func.func @two_loops(%da: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %t = scf.for %i = %c0 to %k step %c64 iter_args(%s = %r) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%i, %c0] : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  return
}
func.func @two_kinds(%da: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %db: !tile.desc<64x64xbf16> {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %t = scf.for %i = %c0 to %k step %c64 iter_args(%s = %r) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %db[%i, %c0] : !tile.desc<64x64xbf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  return
}
}

// -----

// Fewer warps than roles are made of.
#target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32, on_chip_bytes = 65536 : i32}>
module attributes {tile.target = #target, tile.num_warps = 2 : i32} {
// CHECK-LABEL: func.func @few_warps
// CHECK-NOT: tile.descriptor_load
// CHECK: return
func.func @few_warps(%da: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  return
}
}

// -----

// A machine without such copies.
#target = #tile.target<"any", "second", {lanes = 32 : i32, on_chip_bytes = 65536 : i32}>
module attributes {tile.target = #target, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @no_copies
// CHECK-NOT: tile.descriptor_load
// CHECK: return
func.func @no_copies(%da: !tile.desc<64x64xf16> {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}, %acc: tensor<64x64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  return
}
}
