// RUN: tile-opt %s --split-input-file --tile-assign-layouts --tile-select-matmul-units --tile-remove-conversions --cse --tile-specialize-warps | FileCheck %s

#target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, block_copy_box = 256 : i32, lanes = 32 : i32, on_chip_bytes = 232448 : i32, program_registers = 65536 : i32, role_warps = 4 : i32, units = [#nvidia.wgmma<f16>]}>

// Behind a loop that multiplies each warp stores the rows that it has; the descriptor is for boxes of these.
// CHECK-DAG: #[[ACC:.+]] = #tile.layout<[128, 128]: register = {{.*}}, lane = {{.*}}, warp = {{\[\[}}16, 0], [32, 0], [64, 0]]>
// CHECK: tile.launch_descriptors = [{{.*}}block = array<i64: 128, 64>{{.*}}block = array<i64: 16, 64>
// CHECK-LABEL: func.func @behind
// CHECK: scf.for
// CHECK: tile.dot
// CHECK: tile.await_block_stores in_flight 0 by_warps
// CHECK-NEXT: tile.buffer_store %{{.*}} : tensor<128x128xf16, #[[ACC]]>
// CHECK-NEXT: tile.block_store %{{.*}} parts(#[[ACC]])
// CHECK-NEXT: tile.await_block_stores in_flight 0 by_warps
module attributes {tile.target = #target, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
func.func @behind(%pa: !tile.ptr<f16>, %pc: !tile.ptr<f16>, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %dc = tile.make_descriptor %pc sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] {tile.block_copy} : !tile.desc<128x64xf16>
    %t = tile.transpose %a order [1, 0] : tensor<128x64xf16> -> tensor<64x128xf16>
    %d = tile.dot %a, %t, %s : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %h = arith.truncf %r : tensor<128x128xf32> to tensor<128x128xf16>
  tile.descriptor_store %dc[%c0, %c0], %h {tile.block_copy} : !tile.desc<128x128xf16>
  return
}
}

// -----

#target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, block_copy_box = 256 : i32, lanes = 32 : i32, on_chip_bytes = 232448 : i32, program_registers = 65536 : i32, role_warps = 4 : i32, units = [#nvidia.wgmma<f16>]}>

// Among products one thread stores the whole block: boxes are few and large.
// CHECK: tile.launch_descriptors = [{{.*}}block = array<i64: 128, 64>{{.*}}block = array<i64: 128, 32>
// CHECK-LABEL: func.func @among
// CHECK: tile.await_block_stores in_flight 0{{$}}
// CHECK: tile.block_store %{{.*}} kind fadd :
module attributes {tile.target = #target, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
func.func @among(%pa: !tile.ptr<f16>, %pc: !tile.ptr<f32>, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %dc = tile.make_descriptor %pc sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  scf.for %i = %c0 to %k step %c64 : i32 {
    %a = tile.descriptor_load %da[%c0, %i] {tile.block_copy} : !tile.desc<128x64xf16>
    %t = tile.transpose %a order [1, 0] : tensor<128x64xf16> -> tensor<64x128xf16>
    %d = tile.dot %a, %t, %zero : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    tile.descriptor_reduce fadd %dc[%c0, %i], %d {tile.block_copy} : !tile.desc<128x128xf32>
  }
  return
}
}

// -----

#target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, block_copy_box = 256 : i32, lanes = 32 : i32, on_chip_bytes = 232448 : i32, program_registers = 65536 : i32, role_warps = 4 : i32, units = [#nvidia.wgmma<f16>]}>

// Blocks that a program stores one after the other are at one place or apart, as far as warps have parts of them: rows of
// all of them begin at multiples of 128.
// CHECK-LABEL: func.func @apart
// CHECK: tile.block_store %{{.*}} parts(
module attributes {tile.target = #target, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
func.func @apart(%pa: !tile.ptr<f16>, %pc: !tile.ptr<f16>, %k: i32, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %step = arith.constant 128 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %dc = tile.make_descriptor %pc sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  scf.for %j = %c0 to %n step %c1 : i32 {
    %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) : i32 {
      %a = tile.descriptor_load %da[%c0, %i] {tile.block_copy} : !tile.desc<128x64xf16>
      %t = tile.transpose %a order [1, 0] : tensor<128x64xf16> -> tensor<64x128xf16>
      %d = tile.dot %a, %t, %s : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    %h = arith.truncf %r : tensor<128x128xf32> to tensor<128x128xf16>
    %row = arith.muli %j, %step : i32
    tile.descriptor_store %dc[%row, %j], %h {tile.block_copy} : !tile.desc<128x128xf16>
  }
  return
}
}

// -----

#target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, block_copy_box = 256 : i32, lanes = 32 : i32, on_chip_bytes = 232448 : i32, program_registers = 65536 : i32, role_warps = 4 : i32, units = [#nvidia.wgmma<f16>]}>

// They may meet in rows of different warps: each waits until all have written what they stored before the last block, and
// the last one too where the next one lies over it.
// CHECK-LABEL: func.func @meeting
// CHECK: %[[TURNS:.+]] = tile.signal_alloc arrivals 8 : !tile.signals<1>
// CHECK-NEXT: tile.roles
// CHECK: scf.for %[[J:.+]] = {{.*}} iter_args({{.*}}, %[[PHASE:[^ ]+]] = %c0{{[^ ]*}}, %[[LASTROW:[^ ]+]] = %c-2147483648{{[^ ]*}}, %[[LASTCOLUMN:[^ ]+]] = %c-2147483648
// CHECK: %[[ROW:.+]] = arith.muli %[[J]]
// CHECK: %[[NEXT:.+]] = arith.xori %[[PHASE]]
// CHECK-NEXT: tile.acquire %[[TURNS]][%{{.+}}] phase %[[NEXT]]
// CHECK-NEXT: tile.await_block_stores in_flight 0 by_warps written
// CHECK-NEXT: tile.arrive %[[TURNS]]
// CHECK: arith.subi %[[ROW]], %[[LASTROW]]
// CHECK: %[[ROWS:.+]] = arith.cmpi ult
// CHECK: arith.subi %[[J]], %[[LASTCOLUMN]]
// CHECK: %[[COLUMNS:.+]] = arith.cmpi ult
// CHECK: %[[MEETS:.+]] = arith.andi %{{.+}}, %[[COLUMNS]]
// CHECK-NEXT: scf.if %[[MEETS]] {
// CHECK-NEXT: tile.acquire %[[TURNS]][%{{.+}}] phase %[[PHASE]]
// CHECK-NEXT: }
// CHECK-NEXT: tile.buffer_store
// CHECK-NEXT: tile.block_store %{{.*}} parts(
// CHECK: scf.yield {{.*}} %[[NEXT]], %[[ROW]], %[[J]]
module attributes {tile.target = #target, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
func.func @meeting(%pa: !tile.ptr<f16>, %pc: !tile.ptr<f16>, %k: i32, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %step = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %dc = tile.make_descriptor %pc sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  scf.for %j = %c0 to %n step %c1 : i32 {
    %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) : i32 {
      %a = tile.descriptor_load %da[%c0, %i] {tile.block_copy} : !tile.desc<128x64xf16>
      %t = tile.transpose %a order [1, 0] : tensor<128x64xf16> -> tensor<64x128xf16>
      %d = tile.dot %a, %t, %s : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    %h = arith.truncf %r : tensor<128x128xf32> to tensor<128x128xf16>
    %row = arith.muli %j, %step : i32
    tile.descriptor_store %dc[%row, %j], %h {tile.block_copy} : !tile.desc<128x128xf16>
  }
  return
}
}

// -----

#target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, block_copy_box = 256 : i32, lanes = 32 : i32, on_chip_bytes = 232448 : i32, program_registers = 65536 : i32, role_warps = 4 : i32, units = [#nvidia.wgmma<f16>]}>

// The array begins elsewhere each time: indices tell whether blocks meet where the next one is of the same array, else the
// bytes of both arrays do.
// CHECK-LABEL: func.func @elsewhere
// CHECK: scf.for {{.*}} -> (i32, i32, i32, i64, i64, i32, i32, i64, i32, i32)
// CHECK: tile.await_block_stores in_flight 0 by_warps written
// CHECK: %[[BEGIN:.+]] = tile.ptr_to_int
// CHECK: %[[END:.+]] = arith.addi %[[BEGIN]]
// CHECK: arith.cmpi ne, %[[BEGIN]], %[[LASTBEGIN:[^ ]+]]
// CHECK: arith.cmpi ne, %[[END]], %[[LASTEND:[^ ]+]]
// CHECK-COUNT-3: arith.cmpi ne
// CHECK: arith.cmpi ult, %[[BEGIN]], %[[LASTEND]]
// CHECK: arith.cmpi ult, %[[LASTBEGIN]], %[[END]]
// CHECK: tile.block_store %{{.*}} parts(
module attributes {tile.target = #target, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
func.func @elsewhere(%pa: !tile.ptr<f16>, %pc: !tile.ptr<f16>, %k: i32, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %step = arith.constant 128 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  scf.for %j = %c0 to %n step %c1 : i32 {
    %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) : i32 {
      %a = tile.descriptor_load %da[%c0, %i] {tile.block_copy} : !tile.desc<128x64xf16>
      %t = tile.transpose %a order [1, 0] : tensor<128x64xf16> -> tensor<64x128xf16>
      %d = tile.dot %a, %t, %s : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    %h = arith.truncf %r : tensor<128x128xf32> to tensor<128x128xf16>
    %pe = tile.addptr %pc, %j : !tile.ptr<f16>, i32
    %dc = tile.make_descriptor %pe sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<128x128xf16>
    %row = arith.muli %j, %step : i32
    tile.descriptor_store %dc[%row, %j], %h {tile.block_copy} : !tile.desc<128x128xf16>
  }
  return
}
}

// -----

#target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, block_copy_box = 256 : i32, lanes = 32 : i32, on_chip_bytes = 232448 : i32, program_registers = 65536 : i32, role_warps = 4 : i32, units = [#nvidia.wgmma<f16>]}>

// Warps do not come by in turns: one thread stores all blocks, in order.
// CHECK-LABEL: func.func @sometimes
// CHECK: tile.await_block_stores in_flight 0 written
// CHECK-NOT: parts(
// CHECK: return
module attributes {tile.target = #target, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
func.func @sometimes(%pa: !tile.ptr<f16>, %pc: !tile.ptr<f16>, %k: i32, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %step = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %dc = tile.make_descriptor %pc sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  scf.for %j = %c0 to %n step %c1 : i32 {
    %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) : i32 {
      %a = tile.descriptor_load %da[%c0, %i] {tile.block_copy} : !tile.desc<128x64xf16>
      %t = tile.transpose %a order [1, 0] : tensor<128x64xf16> -> tensor<64x128xf16>
      %d = tile.dot %a, %t, %s : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    %h = arith.truncf %r : tensor<128x128xf32> to tensor<128x128xf16>
    %row = arith.muli %j, %step : i32
    %odd = arith.trunci %j : i32 to i1
    scf.if %odd {
      tile.descriptor_store %dc[%row, %j], %h {tile.block_copy} : !tile.desc<128x128xf16>
    }
  }
  return
}
}

// -----

#target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, block_copy_box = 256 : i32, lanes = 32 : i32, on_chip_bytes = 232448 : i32, program_registers = 65536 : i32, role_warps = 4 : i32, units = [#nvidia.wgmma<f16>]}>

// What is added behind a product is read from on-chip memory as threads have the product, which no layout costs more; what
// pointers load is not: the product goes there.
// CHECK-DAG: #[[ACC:.+]] = #tile.layout<[128, 128]: register = {{.*}}, lane = {{.*}}, warp = {{\[\[}}16, 0], [32, 0], [64, 0]]>
// CHECK-LABEL: func.func @added
// CHECK: %[[PRODUCT:.+]]:3 = scf.for {{.*}} -> (tensor<128x128xf32, #[[ACC]]>
// CHECK: %[[MOVED:.+]] = tile.convert_layout %[[PRODUCT]]#0
// CHECK: %[[ADDEND:.+]] = tile.buffer_load {{.*}} -> tensor<128x128xf16, #[[ACC]]>
// CHECK-NEXT: %[[WIDE:.+]] = arith.extf %[[ADDEND]]
// CHECK-NEXT: %[[SUM:.+]] = arith.addf %[[PRODUCT]]#0, %[[WIDE]]
// CHECK: tile.buffer_store %[[SUM]]
// CHECK: tile.block_store %{{.*}} parts(#[[ACC]])
// CHECK: arith.addf %[[MOVED]]
module attributes {tile.target = #target, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
func.func @added(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %px: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %de = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %dc = tile.make_descriptor %pc sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %zero) -> (tensor<128x128xf32>) : i32 {
    %a = tile.descriptor_load %da[%c0, %i] {tile.block_copy} : !tile.desc<128x64xf16>
    %t = tile.transpose %a order [1, 0] : tensor<128x64xf16> -> tensor<64x128xf16>
    %d = tile.dot %a, %t, %s : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %e = tile.descriptor_load %de[%c0, %c0] {tile.block_copy} : !tile.desc<128x128xf16>
  %w = arith.extf %e : tensor<128x128xf16> to tensor<128x128xf32>
  %x = arith.addf %r, %w : tensor<128x128xf32>
  tile.descriptor_store %dc[%c0, %c0], %x {tile.block_copy} : !tile.desc<128x128xf32>
  %n = tile.arange 0 : tensor<128xi32>
  %n2 = tile.expand_dims %n axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %m2 = tile.expand_dims %n axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %side = arith.constant dense<128> : tensor<128x128xi32>
  %nb = tile.broadcast %n2 : tensor<128x1xi32> -> tensor<128x128xi32>
  %mb = tile.broadcast %m2 : tensor<1x128xi32> -> tensor<128x128xi32>
  %rows = arith.muli %nb, %side : tensor<128x128xi32>
  %places = arith.addi %rows, %mb : tensor<128x128xi32>
  %ps = tile.splat %px : tensor<128x128x!tile.ptr<f32>>
  %q = tile.addptr %ps, %places : tensor<128x128x!tile.ptr<f32>>, tensor<128x128xi32>
  %v = tile.load %q : tensor<128x128x!tile.ptr<f32>>
  %y = arith.addf %r, %v : tensor<128x128xf32>
  tile.store %q, %y : tensor<128x128x!tile.ptr<f32>>
  return
}
}
