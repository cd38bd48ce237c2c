// RUN: tile-opt %s --split-input-file --tile-assign-layouts --tile-select-matmul-units --tile-remove-conversions --tile-pipeline-loops --tile-place-operands --tile-overlap-dots --canonicalize --tile-plan-buffers --tile-insert-barriers --tile-verify-scheduled | FileCheck %s

// A matmul: copies lie as the unit reads them, and one product is in flight from iteration to iteration, so that
// copies run one iteration less ahead than there are other buffers.
// CHECK-DAG: #[[ACC:.+]] = #tile.layout<[128, 256]: register = {{\[\[}}0, 1], [8, 0], [0, 8], {{.*}}], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [32, 0], [64, 0]]>
// CHECK-DAG: #[[A:.+]] = #tile.layout<[128, 64]: offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0],
// CHECK-DAG: #[[B:.+]] = #tile.layout<[64, 256]: offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0], [0, 64], [0, 128]]>
module attributes {tile.num_stages = 4 : i32, tile.num_warps = 8 : i32,
    tile.target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, lanes = 32 : i32, on_chip_bytes = 232448 : i32, units = [#nvidia.wgmma<f16>, #nvidia.mma_sync<f16>]}>} {
// CHECK-LABEL: func.func @matmul
// CHECK: %[[NONE:.+]] = tile.pend %{{.*}} : tensor<128x256xf32, #[[ACC]]>
// CHECK: %[[LOOP:.+]]:{{[0-9]+}} = scf.for {{.*}} iter_args(%[[SUM:[a-z0-9]+]] = %[[NONE]]
// CHECK: %[[COPY:.+]]:2 = tile.await(%{{.*}}) in_flight {{[12]}}
// CHECK: tile.barrier publish
// CHECK: %[[NEXT:.+]] = tile.async_dot %[[COPY]]#0, %[[COPY]]#1, %[[SUM]] unit(#nvidia.wgmma<f16, n = 256>) : !tile.buffer<128x64xf16, #[[A]]>, !tile.buffer<64x256xf16, #[[B]]>, !tile.pending<
// CHECK-NOT: tile.barrier
// CHECK: %[[LEFT:.+]] = tile.await_dots(%[[NEXT]]) in_flight 1 : {{.*}} -> !tile.pending
// CHECK: scf.if
// CHECK-NOT: tile.addptr
// CHECK: tile.barrier
// CHECK-NEXT: tile.async_copy %[[AT:arg[0-9]+]],
// CHECK: tile.async_copy
// CHECK: tile.async_copy %[[AT]], {{.*}} mask
// CHECK: %[[NEXT_AT:.+]] = tile.addptr
// CHECK: scf.yield %[[LEFT]], {{.*}}%[[NEXT_AT]]
// CHECK: tile.await_dots(%[[LOOP]]#0) in_flight 0 : {{.*}} -> tensor<128x256xf32, #[[ACC]]>
func.func @matmul(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32) -> tensor<128x256xf32> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %i0 = tile.arange 0 : tensor<128xi32>
  %i1 = tile.expand_dims %i0 axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %stride = arith.constant dense<4096> : tensor<128x1xi32>
  %i2 = arith.muli %i1, %stride : tensor<128x1xi32>
  %i3 = tile.broadcast %i2 : tensor<128x1xi32> -> tensor<128x64xi32>
  %k0 = tile.arange 0 : tensor<64xi32>
  %k1 = tile.expand_dims %k0 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %k2 = tile.broadcast %k1 : tensor<1x64xi32> -> tensor<128x64xi32>
  %oa = arith.addi %i3, %k2 : tensor<128x64xi32>
  %r1 = tile.expand_dims %k0 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %stride2 = arith.constant dense<4096> : tensor<64x1xi32>
  %r2 = arith.muli %r1, %stride2 : tensor<64x1xi32>
  %r3 = tile.broadcast %r2 : tensor<64x1xi32> -> tensor<64x256xi32>
  %j0 = tile.arange 0 : tensor<256xi32>
  %j1 = tile.expand_dims %j0 axis 0 : tensor<256xi32> -> tensor<1x256xi32>
  %j2 = tile.broadcast %j1 : tensor<1x256xi32> -> tensor<64x256xi32>
  %ob = arith.addi %r3, %j2 : tensor<64x256xi32>
  %sa = tile.splat %a : tensor<128x64x!tile.ptr<f16>>
  %sb = tile.splat %b : tensor<64x256x!tile.ptr<f16>>
  %pb = tile.addptr %sb, %ob : tensor<64x256x!tile.ptr<f16>>, tensor<64x256xi32>
  %d = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %zero) -> tensor<128x256xf32> : i32 {
    %ks = tile.splat %k : tensor<128x64xi32>
    %at = arith.addi %oa, %ks : tensor<128x64xi32>
    %pa = tile.addptr %sa, %at : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
    %x = tile.load %pa : tensor<128x64x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<64x256x!tile.ptr<f16>>
    %s = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x256xf16> -> tensor<128x256xf32>
    scf.yield %s : tensor<128x256xf32>
  }
  return %d : tensor<128x256xf32>
}

// A product that its own iteration uses: copies start while it is at work, into what the iteration before read. That
// all threads were done with when they met.
// CHECK-LABEL: func.func @scaled
// CHECK: scf.for
// CHECK: %[[COPY:.+]]:2 = tile.await(%{{.*}}) in_flight
// CHECK: tile.barrier publish
// CHECK-NOT: tile.barrier
// CHECK: %[[PRODUCT:.+]] = tile.async_dot %[[COPY]]#0, %[[COPY]]#1
// CHECK: scf.if
// CHECK: tile.async_copy {{.*}} {tile.previous_block}
// CHECK: tile.await_dots(%[[PRODUCT]]) in_flight 0
// CHECK-NEXT: arith.mulf
// CHECK-NOT: tile.barrier
// CHECK: scf.yield
func.func @scaled(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32) -> tensor<128x256xf32> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %two = arith.constant dense<2.0> : tensor<128x256xf32>
  %i0 = tile.arange 0 : tensor<128xi32>
  %i1 = tile.expand_dims %i0 axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %stride = arith.constant dense<4096> : tensor<128x1xi32>
  %i2 = arith.muli %i1, %stride : tensor<128x1xi32>
  %i3 = tile.broadcast %i2 : tensor<128x1xi32> -> tensor<128x64xi32>
  %k0 = tile.arange 0 : tensor<64xi32>
  %k1 = tile.expand_dims %k0 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %k2 = tile.broadcast %k1 : tensor<1x64xi32> -> tensor<128x64xi32>
  %oa = arith.addi %i3, %k2 : tensor<128x64xi32>
  %r1 = tile.expand_dims %k0 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %stride2 = arith.constant dense<4096> : tensor<64x1xi32>
  %r2 = arith.muli %r1, %stride2 : tensor<64x1xi32>
  %r3 = tile.broadcast %r2 : tensor<64x1xi32> -> tensor<64x256xi32>
  %j0 = tile.arange 0 : tensor<256xi32>
  %j1 = tile.expand_dims %j0 axis 0 : tensor<256xi32> -> tensor<1x256xi32>
  %j2 = tile.broadcast %j1 : tensor<1x256xi32> -> tensor<64x256xi32>
  %ob = arith.addi %r3, %j2 : tensor<64x256xi32>
  %sa = tile.splat %a : tensor<128x64x!tile.ptr<f16>>
  %sb = tile.splat %b : tensor<64x256x!tile.ptr<f16>>
  %pb = tile.addptr %sb, %ob : tensor<64x256x!tile.ptr<f16>>, tensor<64x256xi32>
  %d = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %zero) -> tensor<128x256xf32> : i32 {
    %ks = tile.splat %k : tensor<128x64xi32>
    %at = arith.addi %oa, %ks : tensor<128x64xi32>
    %pa = tile.addptr %sa, %at : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
    %x = tile.load %pa : tensor<128x64x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<64x256x!tile.ptr<f16>>
    %product = tile.dot %x, %y, %zero : tensor<128x64xf16>, tensor<64x256xf16> -> tensor<128x256xf32>
    %scaled = arith.mulf %product, %two : tensor<128x256xf32>
    %s = arith.addf %acc, %scaled : tensor<128x256xf32>
    scf.yield %s : tensor<128x256xf32>
  }
  return %d : tensor<128x256xf32>
}
}

// -----

// What is computed lies in registers as operand A, and on chip as operand B; a loaded operand that is used outside a
// loop is stored once. Rows that are too few leave the product to one warp's instruction.
module attributes {tile.num_stages = 1 : i32, tile.num_warps = 4 : i32,
    tile.target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, lanes = 32 : i32, on_chip_bytes = 232448 : i32, units = [#nvidia.wgmma<f16>, #nvidia.mma_sync<f16>]}>} {
// CHECK-LABEL: func.func @placed
// CHECK: %[[X:.+]] = tile.load
// CHECK: %[[BUFFER:.+]] = tile.buffer_alloc
// CHECK: tile.buffer_store %[[X]], %[[BUFFER]]
// CHECK: scf.for
// CHECK: %[[TURNED:.+]] = tile.buffer_transpose %[[BUFFER]] order [1, 0]
// CHECK: tile.barrier publish
// CHECK: %[[P:.+]] = tile.async_dot %[[BUFFER]], %[[TURNED]]
// CHECK: %[[S:.+]] = tile.await_dots(%[[P]]) in_flight 0
// CHECK: %[[H:.+]] = arith.truncf %[[S]]
// CHECK: tile.async_dot %[[H]], %[[BUFFER]], {{.*}} unit(#nvidia.wgmma<f16, n = 64>) : tensor<64x64xf16
func.func @placed(%p: tensor<64x64x!tile.ptr<f16>>, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.load %p : tensor<64x64x!tile.ptr<f16>>
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %t = tile.transpose %x order [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %x, %t, %zero : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %h = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    %o = tile.dot %h, %x, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %o : tensor<64x64xf32>
  }
  return %d : tensor<64x64xf32>
}

// CHECK-LABEL: func.func @few_rows
// CHECK: tile.dot {{.*}} {unit = #nvidia.mma_sync<f16>}
func.func @few_rows(%a: tensor<32x64xf16>, %b: tensor<64x64xf16>, %c: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %d = tile.dot %a, %b, %c : tensor<32x64xf16>, tensor<64x64xf16> -> tensor<32x64xf32>
  return %d : tensor<32x64xf32>
}
}

// -----

// Two products of which one feeds the other: an iteration starts the first one of its number and the second one of the
// number before; what is between them in the program runs beside the second.
module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32,
    tile.target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, lanes = 32 : i32, on_chip_bytes = 232448 : i32, units = [#nvidia.wgmma<f16>, #nvidia.mma_sync<f16>]}>} {
// CHECK-LABEL: func.func @rotated
// CHECK: tile.await({{.*}}) in_flight 1
// CHECK: tile.barrier publish
// CHECK: tile.async_dot
// CHECK: %[[S0:.+]] = tile.await_dots
// CHECK: %[[H0:.+]] = arith.truncf %[[S0]]
// CHECK: %[[LOOP:.+]]:{{[0-9]+}} = scf.for {{.*}} iter_args(%[[H:[a-z0-9]+]] = %[[H0]], %[[SUM:[a-z0-9]+]] = %{{[a-z0-9_]+}}, %[[READY:[a-z0-9]+]] = %{{[a-z0-9#]+}},
// CHECK: %[[NEXT:.+]] = tile.await({{.*}}) in_flight 0
// CHECK: tile.barrier publish
// CHECK: tile.async_copy
// CHECK: %[[P:.+]] = tile.async_dot %{{.*}}, %{{.*}}, %{{.*}} unit
// CHECK: %[[Q:.+]] = tile.async_dot %[[H]], %[[READY]], %[[SUM]] unit
// CHECK: %[[S:.+]] = tile.await_dots(%[[P]]) in_flight 1
// CHECK: %[[H1:.+]] = arith.truncf %[[S]]
// CHECK: %[[SUM1:.+]] = tile.await_dots(%[[Q]]) in_flight 0
// CHECK: scf.yield %[[H1]], %[[SUM1]], %[[NEXT]],
// CHECK: %[[LAST:.+]] = tile.async_dot %[[LOOP]]#0, %[[LOOP]]#2, %[[LOOP]]#1 unit
// CHECK: %[[RESULT:.+]] = tile.await_dots(%[[LAST]]) in_flight 0
// CHECK: arith.select %{{.*}}, %[[RESULT]], %{{.*}}
func.func @rotated(%q: tensor<64x64xf16>, %p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %i0 = tile.arange 0 : tensor<64xi32>
  %i1 = tile.expand_dims %i0 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %stride = arith.constant dense<4096> : tensor<64x1xi32>
  %i2 = arith.muli %i1, %stride : tensor<64x1xi32>
  %i3 = tile.broadcast %i2 : tensor<64x1xi32> -> tensor<64x64xi32>
  %k1 = tile.expand_dims %i0 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %k2 = tile.broadcast %k1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %i3, %k2 : tensor<64x64xi32>
  %sp = tile.splat %p : tensor<64x64x!tile.ptr<f16>>
  %pointers = tile.addptr %sp, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %v = tile.load %pointers : tensor<64x64x!tile.ptr<f16>>
    %s = tile.dot %q, %v, %zero : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    %h = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    %r = tile.dot %h, %v, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %r : tensor<64x64xf32>
  }
  return %d : tensor<64x64xf32>
}
}

// -----

// Waits of which one needs what the other leaves pending stay two.
#acc = #tile.layout<[64, 64]: register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]>
module attributes {tile.num_warps = 4 : i32, tile.num_stages = 1 : i32,
    tile.target = #tile.target<"nvidia", "sm_90a", {lanes = 32 : i32}>} {
// CHECK-LABEL: func.func @two_waits
// CHECK: %[[LEFT:.+]] = tile.await_dots(%{{.*}}) in_flight 1
// CHECK-NEXT: tile.await_dots(%[[LEFT]]) in_flight 0
func.func @two_waits(%p: !tile.pending<tensor<64x64xf32, #acc>>) -> tensor<64x64xf32, #acc> {
  %q = tile.await_dots(%p) in_flight 1 : !tile.pending<tensor<64x64xf32, #acc>> -> !tile.pending<tensor<64x64xf32, #acc>>
  %r = tile.await_dots(%q) in_flight 0 : !tile.pending<tensor<64x64xf32, #acc>> -> tensor<64x64xf32, #acc>
  return %r : tensor<64x64xf32, #acc>
}
}

// -----

// Two products of one accumulator follow each other without a wait between them.
module attributes {tile.num_stages = 1 : i32, tile.num_warps = 4 : i32,
    tile.target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, lanes = 32 : i32, on_chip_bytes = 232448 : i32, units = [#nvidia.wgmma<f16>, #nvidia.mma_sync<f16>]}>} {
// CHECK-LABEL: func.func @chain
// CHECK: %[[FIRST:.+]] = tile.async_dot
// CHECK-NOT: tile.await_dots
// CHECK: %[[BOTH:.+]] = tile.async_dot %{{.*}}, %{{.*}}, %[[FIRST]] {{.*}}, !tile.pending<
// CHECK-NEXT: tile.await_dots(%[[BOTH]]) in_flight 0
func.func @chain(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %c: tensor<64x64xf16>, %d: tensor<64x64xf16>) -> tensor<64x64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.dot %a, %b, %zero : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  %y = tile.dot %c, %d, %x : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
}

// -----

// What one loop reads is not in use while another runs: both have their copies, at one place.
module attributes {tile.num_stages = 2 : i32, tile.num_warps = 4 : i32,
    tile.target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, lanes = 32 : i32, on_chip_bytes = 28672 : i32, units = [#nvidia.wgmma<f16>, #nvidia.mma_sync<f16>]}>} {
// CHECK-LABEL: func.func @in_turn
// CHECK: tile.buffer_alloc offset [[PLACE:[0-9]+]] : !tile.buffer<2x64x64xf16
// CHECK: tile.async_copy
// CHECK: scf.for
// CHECK: tile.async_dot
// CHECK: tile.await_dots({{.*}}) in_flight 0
// CHECK: tile.buffer_alloc offset [[PLACE]] : !tile.buffer<2x64x64xf16
// CHECK: tile.async_copy
// CHECK: scf.for
// CHECK: tile.async_dot
func.func @in_turn(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %width = arith.constant dense<64> : tensor<64x1xi32>
  %i = tile.arange 0 : tensor<64xi32>
  %i1 = tile.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %begin = arith.muli %i1, %width : tensor<64x1xi32>
  %rows = tile.broadcast %begin : tensor<64x1xi32> -> tensor<64x64xi32>
  %k1 = tile.expand_dims %i axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %columns = tile.broadcast %k1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %rows, %columns : tensor<64x64xi32>
  %as = tile.splat %a : tensor<64x64x!tile.ptr<f16>>
  %p = tile.addptr %as, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %x = tile.load %p : tensor<64x64x!tile.ptr<f16>>
  %d = scf.for %k = %c0 to %n step %c64 iter_args(%s = %zero) -> tensor<64x64xf32> : i32 {
    %ks = tile.splat %k : tensor<64x64xi32>
    %pk = tile.addptr %p, %ks : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %y = tile.load %pk : tensor<64x64x!tile.ptr<f16>>
    %r = tile.dot %x, %y, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %r : tensor<64x64xf32>
  }
  %e = scf.for %k = %c0 to %n step %c64 iter_args(%s = %d) -> tensor<64x64xf32> : i32 {
    %ks = tile.splat %k : tensor<64x64xi32>
    %pk = tile.addptr %p, %ks : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %y = tile.load %pk : tensor<64x64x!tile.ptr<f16>>
    %r = tile.dot %x, %y, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %r : tensor<64x64xf32>
  }
  return %e : tensor<64x64xf32>
}
}

// -----

// Where more programs are at work together with less on chip, copies go where threads have read: all meet before, here
// for the product. What that reads has a buffer for each stage.
module attributes {tile.num_stages = 3 : i32, tile.num_warps = 4 : i32,
    tile.target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, lanes = 32 : i32, on_chip_bytes = 232448 : i32, program_registers = 65536 : i32, units = [#nvidia.wgmma<f16>, #nvidia.mma_sync<f16>]}>} {
// CHECK-LABEL: func.func @gated
// CHECK-DAG: tile.buffer_alloc offset {{[0-9]+}} : !tile.buffer<2x64x64xf16
// CHECK-DAG: tile.buffer_alloc offset {{[0-9]+}} : !tile.buffer<3x64x64xf16
// CHECK: scf.for
// CHECK: %[[COPY:.+]]:3 = tile.await
// CHECK: tile.buffer_load %[[COPY]]#0
// CHECK: tile.buffer_load %[[COPY]]#1
// CHECK: tile.barrier publish
// CHECK: %[[PRODUCT:.+]] = tile.async_dot {{.*}}, %[[COPY]]#2
// CHECK-NOT: tile.barrier
// CHECK: tile.async_copy %{{.*}}, %[[COPY]]#0 {tile.read_block}
// CHECK: tile.async_copy %{{.*}}, %[[COPY]]#1 {tile.read_block}
// CHECK: tile.async_copy {{.*}} {tile.previous_block}
// CHECK: tile.await_dots(%[[PRODUCT]])
func.func @gated(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %g: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = tile.arange 0 : tensor<64xi32>
  %k0 = tile.arange 0 : tensor<64xi32>
  %r1 = tile.expand_dims %r axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %r0 = tile.expand_dims %r axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %ka = tile.expand_dims %k0 axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %kb = tile.expand_dims %k0 axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %stride = arith.constant dense<4096> : tensor<64x1xi32>
  %width = arith.constant dense<64> : tensor<64x1xi32>
  %rs = arith.muli %r1, %stride : tensor<64x1xi32>
  %ra = tile.broadcast %rs : tensor<64x1xi32> -> tensor<64x64xi32>
  %ca = tile.broadcast %ka : tensor<1x64xi32> -> tensor<64x64xi32>
  %oa = arith.addi %ra, %ca : tensor<64x64xi32>
  %ks = arith.muli %kb, %width : tensor<64x1xi32>
  %rb = tile.broadcast %ks : tensor<64x1xi32> -> tensor<64x64xi32>
  %cb = tile.broadcast %r0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %ob = arith.addi %rb, %cb : tensor<64x64xi32>
  %sa = tile.splat %a : tensor<64x64x!tile.ptr<f16>>
  %sg = tile.splat %g : tensor<64x64x!tile.ptr<f16>>
  %sb = tile.splat %b : tensor<64x64x!tile.ptr<f16>>
  %pb = tile.addptr %sb, %ob : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %d = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %kt = tile.splat %k : tensor<64x64xi32>
    %at = arith.addi %oa, %kt : tensor<64x64xi32>
    %pa = tile.addptr %sa, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %pg = tile.addptr %sg, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %x = tile.load %pa : tensor<64x64x!tile.ptr<f16>>
    %w = tile.load %pg : tensor<64x64x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<64x64x!tile.ptr<f16>>
    %xw = arith.mulf %x, %w : tensor<64x64xf16>
    %s = tile.dot %xw, %y, %acc : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  return %d : tensor<64x64xf32>
}
}
