// RUN: tile-opt %s --split-input-file --tile-assign-layouts --tile-select-matmul-units --tile-remove-conversions --cse --tile-specialize-warps | FileCheck %s

#target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, block_copy_box = 256 : i32, lanes = 32 : i32, on_chip_bytes = 232448 : i32, program_registers = 65536 : i32, role_warps = 4 : i32, units = [#nvidia.wgmma<f16>]}>

// Threads of the fetching role copy rows that a table names, beside copies of whole blocks: they compute the addresses
// again, in as many registers more as there are fewer warps.
// CHECK-LABEL: func.func @gathered
// One arrival for what is expected, and one of each thread. What threads exchange to store the product goes through
// half as much memory, in two passes: there is room for all stages.
// CHECK: %[[FULL:.+]] = tile.signal_alloc arrivals 129 : !tile.signals<3>
// CHECK: tile.roles warps [8, 4] registers [{{[0-9]+}}, 56] threads [256, 128]
// CHECK: tile.acquire %[[FULL]][{{.*}} publish of(
// CHECK-NOT: tile.load
// CHECK: tile.dot
// CHECK: }, {
// CHECK: %[[ROW:.+]] = tile.load %{{.*}} : tensor<128x!tile.ptr<i32>, #[[ROWS:.+]]>
// CHECK: tile.expand_dims %[[ROW]]
// CHECK: scf.for
// CHECK: %[[V:.+]]:2 = tile.acquire
// CHECK-NEXT: tile.expect %[[FULL]][{{.*}}] bytes 32768
// CHECK-NEXT: tile.block_copy %{{.*}}, %[[V]]#1 signal
// CHECK-NEXT: %[[COPY:.+]] = tile.async_copy %{{.*}}, %[[V]]#0 mask
// CHECK-NEXT: tile.arrive_copies(%[[COPY]] : {{.*}}) at %[[FULL]]
module attributes {tile.target = #target, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
func.func @gathered(%table: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %k: i32 {tile.divisibility = 16 : i32}, %out: tensor<128x256x!tile.ptr<f32>>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %n = arith.constant 256 : i32
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %none = arith.constant dense<0.0> : tensor<128x64xf16>
  %stride = arith.constant 256 : i64
  %db = tile.make_descriptor %b sizes[%k, %n] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x256xf16>
  %i = tile.arange 0 : tensor<128xi32>
  %t = tile.splat %table : tensor<128x!tile.ptr<i32>>
  %ti = tile.addptr %t, %i : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %row = tile.load %ti : tensor<128x!tile.ptr<i32>>
  %row1 = tile.expand_dims %row axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %ks = tile.splat %k : tensor<128x1xi32>
  %begin = arith.muli %row1, %ks : tensor<128x1xi32>
  %begins = tile.broadcast %begin : tensor<128x1xi32> -> tensor<128x64xi32>
  %j = tile.arange 0 : tensor<64xi32>
  %j1 = tile.expand_dims %j axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tile.broadcast %j1 : tensor<1x64xi32> -> tensor<128x64xi32>
  %offsets = arith.addi %begins, %columns : tensor<128x64xi32>
  %as = tile.splat %a : tensor<128x64x!tile.ptr<f16>>
  %pa = tile.addptr %as, %offsets : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
  %r = scf.for %at = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) : i32 {
    %ats = tile.splat %at : tensor<128x64xi32>
    %p = tile.addptr %pa, %ats : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
    %left = arith.subi %k, %at : i32
    %lefts = tile.splat %left : tensor<128x64xi32>
    %mask = arith.cmpi slt, %columns, %lefts : tensor<128x64xi32>
    %x = tile.load %p mask %mask other %none : tensor<128x64x!tile.ptr<f16>>
    %y = tile.descriptor_load %db[%at, %c0] {tile.block_copy} : !tile.desc<64x256xf16>
    %d = tile.dot %x, %y, %s : tensor<128x64xf16>, tensor<64x256xf16> -> tensor<128x256xf32>
    scf.yield %d : tensor<128x256xf32>
  }
  tile.store %out, %r : tensor<128x256x!tile.ptr<f32>>
  return
}
}

// -----

// Without copies of whole blocks, programs of several groups of warps get the role, if its threads copy all that the
// loop multiplies. Others get it where they ask for it. No stride tells the rows of a apart: each is there twice.
#target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, block_copy_box = 256 : i32, lanes = 32 : i32, on_chip_bytes = 232448 : i32, program_registers = 65536 : i32, role_warps = 4 : i32, units = [#nvidia.wgmma<f16>]}>
module attributes {tile.target = #target, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
// CHECK-LABEL: func.func @pointers
// CHECK: tile.signal_alloc arrivals 128
// CHECK: tile.roles warps [8, 4]
// CHECK-NOT: tile.expect
// CHECK: tile.async_copy
// CHECK: tile.async_copy
// CHECK-NEXT: tile.arrive_copies(%{{.*}}, %{{.*}} :
func.func @pointers(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %k: i32, %out: tensor<128x256x!tile.ptr<f32>>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %an = tile.arange 0 : tensor<128xi32>
  %two = arith.constant dense<2> : tensor<128xi32>
  %ai = arith.divsi %an, %two : tensor<128xi32>
  %ai1 = tile.expand_dims %ai axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %as = arith.constant dense<64> : tensor<128x1xi32>
  %ab = arith.muli %ai1, %as : tensor<128x1xi32>
  %ab1 = tile.broadcast %ab : tensor<128x1xi32> -> tensor<128x64xi32>
  %aj = tile.arange 0 : tensor<64xi32>
  %aj1 = tile.expand_dims %aj axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %aj2 = tile.broadcast %aj1 : tensor<1x64xi32> -> tensor<128x64xi32>
  %ao = arith.addi %ab1, %aj2 : tensor<128x64xi32>
  %ap = tile.splat %a : tensor<128x64x!tile.ptr<f16>>
  %pa = tile.addptr %ap, %ao : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
  %bi = tile.arange 0 : tensor<64xi32>
  %bi1 = tile.expand_dims %bi axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %bs = arith.constant dense<64> : tensor<64x1xi32>
  %bb = arith.muli %bi1, %bs : tensor<64x1xi32>
  %bb1 = tile.broadcast %bb : tensor<64x1xi32> -> tensor<64x256xi32>
  %bj = tile.arange 0 : tensor<256xi32>
  %bj1 = tile.expand_dims %bj axis 0 : tensor<256xi32> -> tensor<1x256xi32>
  %bj2 = tile.broadcast %bj1 : tensor<1x256xi32> -> tensor<64x256xi32>
  %bo = arith.addi %bb1, %bj2 : tensor<64x256xi32>
  %bp = tile.splat %b : tensor<64x256x!tile.ptr<f16>>
  %pb = tile.addptr %bp, %bo : tensor<64x256x!tile.ptr<f16>>, tensor<64x256xi32>
  %r = scf.for %at = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32>) : i32 {
    %x = tile.load %pa : tensor<128x64x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<64x256x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %s : tensor<128x64xf16>, tensor<64x256xf16> -> tensor<128x256xf32>
    scf.yield %d : tensor<128x256xf32>
  }
  tile.store %out, %r : tensor<128x256x!tile.ptr<f32>>
  return
}

// Iterations that are short do not get it.
// CHECK-LABEL: func.func @short
// CHECK-NOT: tile.roles
func.func @short(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %k: i32, %out: tensor<128x64x!tile.ptr<f32>>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %an = tile.arange 0 : tensor<128xi32>
  %two = arith.constant dense<2> : tensor<128xi32>
  %ai = arith.divsi %an, %two : tensor<128xi32>
  %ai1 = tile.expand_dims %ai axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %as = arith.constant dense<64> : tensor<128x1xi32>
  %ab = arith.muli %ai1, %as : tensor<128x1xi32>
  %ab1 = tile.broadcast %ab : tensor<128x1xi32> -> tensor<128x64xi32>
  %aj = tile.arange 0 : tensor<64xi32>
  %aj1 = tile.expand_dims %aj axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %aj2 = tile.broadcast %aj1 : tensor<1x64xi32> -> tensor<128x64xi32>
  %ao = arith.addi %ab1, %aj2 : tensor<128x64xi32>
  %ap = tile.splat %a : tensor<128x64x!tile.ptr<f16>>
  %pa = tile.addptr %ap, %ao : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
  %bi = tile.arange 0 : tensor<64xi32>
  %bi1 = tile.expand_dims %bi axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %bs = arith.constant dense<64> : tensor<64x1xi32>
  %bb = arith.muli %bi1, %bs : tensor<64x1xi32>
  %bb1 = tile.broadcast %bb : tensor<64x1xi32> -> tensor<64x64xi32>
  %bj = tile.arange 0 : tensor<64xi32>
  %bj1 = tile.expand_dims %bj axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %bj2 = tile.broadcast %bj1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %bo = arith.addi %bb1, %bj2 : tensor<64x64xi32>
  %bp = tile.splat %b : tensor<64x64x!tile.ptr<f16>>
  %pb = tile.addptr %bp, %bo : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %r = scf.for %at = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<128x64xf32>) : i32 {
    %x = tile.load %pa : tensor<128x64x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %s : tensor<128x64xf16>, tensor<64x64xf16> -> tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  }
  tile.store %out, %r : tensor<128x64x!tile.ptr<f32>>
  return
}

// An operand that is written may have changed since.
// CHECK-LABEL: func.func @written
// CHECK-NOT: tile.roles
// CHECK: return
func.func @written(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %an = tile.arange 0 : tensor<128xi32>
  %two = arith.constant dense<2> : tensor<128xi32>
  %ai = arith.divsi %an, %two : tensor<128xi32>
  %ai1 = tile.expand_dims %ai axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %as = arith.constant dense<64> : tensor<128x1xi32>
  %ab = arith.muli %ai1, %as : tensor<128x1xi32>
  %ab1 = tile.broadcast %ab : tensor<128x1xi32> -> tensor<128x64xi32>
  %aj = tile.arange 0 : tensor<64xi32>
  %aj1 = tile.expand_dims %aj axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %aj2 = tile.broadcast %aj1 : tensor<1x64xi32> -> tensor<128x64xi32>
  %ao = arith.addi %ab1, %aj2 : tensor<128x64xi32>
  %ap = tile.splat %a : tensor<128x64x!tile.ptr<f16>>
  %pa = tile.addptr %ap, %ao : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
  %bi = tile.arange 0 : tensor<64xi32>
  %bi1 = tile.expand_dims %bi axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %bs = arith.constant dense<64> : tensor<64x1xi32>
  %bb = arith.muli %bi1, %bs : tensor<64x1xi32>
  %bb1 = tile.broadcast %bb : tensor<64x1xi32> -> tensor<64x64xi32>
  %bj = tile.arange 0 : tensor<64xi32>
  %bj1 = tile.expand_dims %bj axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %bj2 = tile.broadcast %bj1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %bo = arith.addi %bb1, %bj2 : tensor<64x64xi32>
  %bp = tile.splat %b : tensor<64x64x!tile.ptr<f16>>
  %pb = tile.addptr %bp, %bo : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  scf.for %at = %c0 to %k step %c64 : i32 {
    %r = scf.for %to = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<128x64xf32>) : i32 {
      %x = tile.load %pa : tensor<128x64x!tile.ptr<f16>>
      %y = tile.load %pb : tensor<64x64x!tile.ptr<f16>>
      %d = tile.dot %x, %y, %s : tensor<128x64xf16>, tensor<64x64xf16> -> tensor<128x64xf32>
      scf.yield %d : tensor<128x64xf32>
    }
    %h = arith.truncf %r : tensor<128x64xf32> to tensor<128x64xf16>
    tile.store %pa, %h : tensor<128x64x!tile.ptr<f16>>
  }
  return
}
}

// -----

#target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, block_copy_box = 256 : i32, lanes = 32 : i32, on_chip_bytes = 232448 : i32, program_registers = 65536 : i32, role_warps = 4 : i32, units = [#nvidia.wgmma<f16>]}>
module attributes {tile.target = #target, tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
// CHECK-LABEL: func.func @asked
// CHECK: tile.roles warps [4, 4]
// CHECK: tile.arrive_copies
func.func @asked(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %k: i32, %out: tensor<64x64x!tile.ptr<f32>>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ai = tile.arange 0 : tensor<64xi32>
  %ai1 = tile.expand_dims %ai axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %as = arith.constant dense<64> : tensor<64x1xi32>
  %ab = arith.muli %ai1, %as : tensor<64x1xi32>
  %ab1 = tile.broadcast %ab : tensor<64x1xi32> -> tensor<64x64xi32>
  %aj = tile.arange 0 : tensor<64xi32>
  %aj1 = tile.expand_dims %aj axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %aj2 = tile.broadcast %aj1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %ao = arith.addi %ab1, %aj2 : tensor<64x64xi32>
  %ap = tile.splat %a : tensor<64x64x!tile.ptr<f16>>
  %pa = tile.addptr %ap, %ao : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %r = scf.for %at = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) : i32 {
    %x = tile.load %pa : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %x, %x, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  } {tile.warp_specialize}
  tile.store %out, %r : tensor<64x64x!tile.ptr<f32>>
  return
}

// CHECK-LABEL: func.func @not_asked
// CHECK-NOT: tile.roles
// CHECK: return
func.func @not_asked(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %k: i32, %out: tensor<64x64x!tile.ptr<f32>>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ai = tile.arange 0 : tensor<64xi32>
  %ai1 = tile.expand_dims %ai axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %as = arith.constant dense<64> : tensor<64x1xi32>
  %ab = arith.muli %ai1, %as : tensor<64x1xi32>
  %ab1 = tile.broadcast %ab : tensor<64x1xi32> -> tensor<64x64xi32>
  %aj = tile.arange 0 : tensor<64xi32>
  %aj1 = tile.expand_dims %aj axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %aj2 = tile.broadcast %aj1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %ao = arith.addi %ab1, %aj2 : tensor<64x64xi32>
  %ap = tile.splat %a : tensor<64x64x!tile.ptr<f16>>
  %pa = tile.addptr %ap, %ao : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %r = scf.for %at = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<64x64xf32>) : i32 {
    %x = tile.load %pa : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %x, %x, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %out, %r : tensor<64x64x!tile.ptr<f32>>
  return
}
}

// -----

// A mask that compares wide numbers, others for each copy, takes registers as an address does: 8 copies of rows of 16 bytes
// to a thread take 32 of them, those of the other operand 8.
#target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, block_copy_box = 256 : i32, lanes = 32 : i32, on_chip_bytes = 232448 : i32, program_registers = 65536 : i32, role_warps = 4 : i32, units = [#nvidia.wgmma<f16>]}>
module attributes {tile.target = #target, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
// CHECK-LABEL: func.func @wide_masks
// CHECK: tile.roles warps [8, 4] registers [{{[0-9]+}}, 80]
func.func @wide_masks(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %k: i32, %rows: i64, %out: tensor<128x64x!tile.ptr<f32>>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %ai = tile.arange 0 : tensor<128xi32>
  %ai1 = tile.expand_dims %ai axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %as = arith.constant dense<64> : tensor<128x1xi32>
  %ab = arith.muli %ai1, %as : tensor<128x1xi32>
  %ab1 = tile.broadcast %ab : tensor<128x1xi32> -> tensor<128x64xi32>
  %aj = tile.arange 0 : tensor<64xi32>
  %aj1 = tile.expand_dims %aj axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %aj2 = tile.broadcast %aj1 : tensor<1x64xi32> -> tensor<128x64xi32>
  %ao = arith.addi %ab1, %aj2 : tensor<128x64xi32>
  %ap = tile.splat %a : tensor<128x64x!tile.ptr<f16>>
  %pa = tile.addptr %ap, %ao : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
  %bi = tile.arange 0 : tensor<64xi32>
  %bi1 = tile.expand_dims %bi axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %bs = arith.constant dense<64> : tensor<64x1xi32>
  %bb = arith.muli %bi1, %bs : tensor<64x1xi32>
  %bb1 = tile.broadcast %bb : tensor<64x1xi32> -> tensor<64x64xi32>
  %bj = tile.arange 0 : tensor<64xi32>
  %bj1 = tile.expand_dims %bj axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %bj2 = tile.broadcast %bj1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %bo = arith.addi %bb1, %bj2 : tensor<64x64xi32>
  %bp = tile.splat %b : tensor<64x64x!tile.ptr<f16>>
  %pb = tile.addptr %bp, %bo : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %row = arith.extsi %ai1 : tensor<128x1xi32> to tensor<128x1xi64>
  %end = tile.splat %rows : tensor<128x1xi64>
  %inside = arith.cmpi slt, %row, %end : tensor<128x1xi64>
  %mask = tile.broadcast %inside : tensor<128x1xi1> -> tensor<128x64xi1>
  %r = scf.for %at = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<128x64xf32>) : i32 {
    %x = tile.load %pa mask %mask : tensor<128x64x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %s : tensor<128x64xf16>, tensor<64x64xf16> -> tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  } {tile.warp_specialize}
  tile.store %out, %r : tensor<128x64x!tile.ptr<f32>>
  return
}
}

// -----

// One of 32 bits takes one register beside an address that differs by 64: 8 copies take 24 of them.
#target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, block_copy_box = 256 : i32, lanes = 32 : i32, on_chip_bytes = 232448 : i32, program_registers = 65536 : i32, role_warps = 4 : i32, units = [#nvidia.wgmma<f16>]}>
module attributes {tile.target = #target, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
// CHECK-LABEL: func.func @wide_addresses
// CHECK: tile.roles warps [8, 4] registers [{{[0-9]+}}, 72]
func.func @wide_addresses(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %k: i32, %rows: i32, %out: tensor<128x64x!tile.ptr<f32>>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %ai = tile.arange 0 : tensor<128xi32>
  %ai1 = tile.expand_dims %ai axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %as = arith.constant dense<64> : tensor<128x1xi32>
  %ab = arith.muli %ai1, %as : tensor<128x1xi32>
  %ab1 = tile.broadcast %ab : tensor<128x1xi32> -> tensor<128x64xi32>
  %aj = tile.arange 0 : tensor<64xi32>
  %aj1 = tile.expand_dims %aj axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %aj2 = tile.broadcast %aj1 : tensor<1x64xi32> -> tensor<128x64xi32>
  %ao = arith.addi %ab1, %aj2 : tensor<128x64xi32>
  %ap = tile.splat %a : tensor<128x64x!tile.ptr<f16>>
  %aw = arith.extsi %ao : tensor<128x64xi32> to tensor<128x64xi64>
  %pa = tile.addptr %ap, %aw : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi64>
  %bi = tile.arange 0 : tensor<64xi32>
  %bi1 = tile.expand_dims %bi axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %bs = arith.constant dense<64> : tensor<64x1xi32>
  %bb = arith.muli %bi1, %bs : tensor<64x1xi32>
  %bb1 = tile.broadcast %bb : tensor<64x1xi32> -> tensor<64x64xi32>
  %bj = tile.arange 0 : tensor<64xi32>
  %bj1 = tile.expand_dims %bj axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %bj2 = tile.broadcast %bj1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %bo = arith.addi %bb1, %bj2 : tensor<64x64xi32>
  %bp = tile.splat %b : tensor<64x64x!tile.ptr<f16>>
  %pb = tile.addptr %bp, %bo : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %end = tile.splat %rows : tensor<128x1xi32>
  %inside = arith.cmpi slt, %ai1, %end : tensor<128x1xi32>
  %mask = tile.broadcast %inside : tensor<128x1xi1> -> tensor<128x64xi1>
  %r = scf.for %at = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<128x64xf32>) : i32 {
    %x = tile.load %pa mask %mask : tensor<128x64x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %s : tensor<128x64xf16>, tensor<64x64xf16> -> tensor<128x64xf32>
    scf.yield %d : tensor<128x64xf32>
  } {tile.warp_specialize}
  tile.store %out, %r : tensor<128x64x!tile.ptr<f32>>
  return
}
}
