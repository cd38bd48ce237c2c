// RUN: tile-opt %s --split-input-file --tile-assign-layouts --tile-select-matmul-units --tile-remove-conversions --cse --tile-specialize-warps --canonicalize | FileCheck %s

// Blocks whose rows lie at one distance, which the host knows, are copied as a whole as long as no row wraps around, no
// element is masked and no offset overflows. A descriptor says the block's sizes, and for the elements of a row that there
// are very many: where a block begins is told along the rows alone. The host gives it what a map can say in any case.
#target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, block_copy_box = 256 : i32, lanes = 32 : i32, on_chip_bytes = 232448 : i32, program_registers = 65536 : i32, role_warps = 4 : i32, units = [#nvidia.wgmma<f16>]}>
// CHECK: tile.launch_descriptors = [{base = array<i64: 1, 0, 2, 64, 0, 16, 9, 64>, block = array<i64: 128, 64>, element = "f16", rank = 2 : i32, sizes = [array<i64: 0, 128>, array<i64: 0, 2147483648>], strides = [array<i64: 0, 1, 1, 4, 2, 32, 6, 64, 0, 8, 9, 64, 0, 4294967296, 10, 64>], swizzle = 128 : i32}, {base = array<i64: 1, 1
module attributes {tile.target = #target, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
// CHECK-LABEL: func.func @wrapped
// CHECK-SAME: %[[M:[a-z0-9]+]]: i32, %[[K:[a-z0-9]+]]: i32 {{{[^}]*}}}, %[[S:[a-z0-9]+]]: i32
// One arrival for what is expected, and one of each thread.
// CHECK: %[[FULL:.+]] = tile.signal_alloc arrivals 129 : !tile.signals<3>
// CHECK: %[[EMPTY:.+]] = tile.signal_alloc arrivals 8 : !tile.signals<3>
// CHECK: tile.roles warps [8, 4]
// CHECK: }, {
// The conditions: here of the mask, of the rows and of the offsets.
// CHECK: %[[REACHED:.+]]:3 = scf.while
// CHECK: %[[LAST:.+]] = arith.addi %[[FIRST:.+]], %c127_i64
// CHECK: arith.cmpi sge, %[[FIRST]], %c0_i64
// CHECK: %[[WIDE:.+]] = arith.extsi %[[M]] : i32 to i64
// CHECK: arith.cmpi slt, %[[LAST]], %[[WIDE]]
// CHECK: arith.cmpi sgt, %{{.*}}, %c63_i32
// CHECK: scf.condition
// The first warp waits alone, and one thread arrives for all.
// CHECK: %[[V:.+]]:2 = tile.acquire %[[EMPTY]][{{.*}}] phase %{{.*}} alone of
// CHECK-NEXT: tile.expect %[[FULL]][{{.*}}] bytes 49152 arrivals 129
// CHECK: tile.block_copy %{{.*}}[%c0_i32, %{{.*}}], %[[V]]#0 signal %[[FULL]]
// Rows of the second block are columns of what is multiplied.
// CHECK: %[[T:.+]] = tile.buffer_transpose %[[V]]#1 order [1, 0]
// CHECK: tile.block_copy %{{.*}}[%c0_i32, %{{.*}}], %[[T]] signal %[[FULL]]
// Threads copy the iterations that are left, having met: what they need is computed here.
// CHECK: %[[LEFT:.+]] = arith.cmpi slt, %[[REACHED]]#0, %[[K]]
// CHECK: scf.if %[[LEFT]]
// CHECK: arith.remsi
// CHECK: tile.barrier
// CHECK-NEXT: scf.for %{{.*}} = %[[REACHED]]#0 to
// CHECK: tile.acquire %[[EMPTY]][{{.*}}] phase %{{.*}} of
// CHECK-NEXT: tile.expect %[[FULL]][{{.*}}] bytes 0 :
// CHECK-NEXT: tile.async_copy
// CHECK-NEXT: tile.async_copy
// CHECK-NEXT: tile.arrive_copies
func.func @wrapped(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i32, %k: i32 {tile.divisibility = 16 : i32}, %s: i32 {tile.divisibility = 16 : i32}, %t: i32 {tile.divisibility = 16 : i32}, %out: tensor<128x256x!tile.ptr<f16>>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %cm = arith.constant 128 : i32
  %ck = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %none = arith.constant dense<0.0> : tensor<128x64xf16>
  %id = tile.program_id 0 : i32
  %first = arith.muli %id, %cm : i32
  %firsts = tile.splat %first : tensor<128xi32>
  %i = tile.arange 0 : tensor<128xi32>
  %rows = arith.addi %firsts, %i : tensor<128xi32>
  %ms = tile.splat %m : tensor<128xi32>
  %wrapped = arith.remsi %rows, %ms : tensor<128xi32>
  %w1 = tile.expand_dims %wrapped axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %ss = tile.splat %s : tensor<128x1xi32>
  %begin = arith.muli %w1, %ss : tensor<128x1xi32>
  %begins = tile.broadcast %begin : tensor<128x1xi32> -> tensor<128x64xi32>
  %j = tile.arange 0 : tensor<64xi32>
  %j1 = tile.expand_dims %j axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %js = tile.broadcast %j1 : tensor<1x64xi32> -> tensor<128x64xi32>
  %ao = arith.addi %begins, %js : tensor<128x64xi32>
  %as = tile.splat %a : tensor<128x64x!tile.ptr<f16>>
  %pa = tile.addptr %as, %ao : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
  %n = tile.arange 0 : tensor<256xi32>
  %n1 = tile.expand_dims %n axis 0 : tensor<256xi32> -> tensor<1x256xi32>
  %ts = tile.splat %t : tensor<1x256xi32>
  %bn = arith.muli %n1, %ts : tensor<1x256xi32>
  %bns = tile.broadcast %bn : tensor<1x256xi32> -> tensor<64x256xi32>
  %j2 = tile.expand_dims %j axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %j3 = tile.broadcast %j2 : tensor<64x1xi32> -> tensor<64x256xi32>
  %bo = arith.addi %bns, %j3 : tensor<64x256xi32>
  %bs = tile.splat %b : tensor<64x256x!tile.ptr<f16>>
  %pb = tile.addptr %bs, %bo : tensor<64x256x!tile.ptr<f16>>, tensor<64x256xi32>
  %r = scf.for %at = %c0 to %k step %ck iter_args(%sum = %zero) -> (tensor<128x256xf32>) : i32 {
    %ats = tile.splat %at : tensor<128x64xi32>
    %p = tile.addptr %pa, %ats : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
    %left = arith.subi %k, %at : i32
    %lefts = tile.splat %left : tensor<128x64xi32>
    %mask = arith.cmpi slt, %js, %lefts : tensor<128x64xi32>
    %x = tile.load %p mask %mask other %none : tensor<128x64x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<64x256x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %sum : tensor<128x64xf16>, tensor<64x256xf16> -> tensor<128x256xf32>
    scf.yield %d : tensor<128x256xf32>
  }
  %h = arith.truncf %r : tensor<128x256xf32> to tensor<128x256xf16>
  tile.store %out, %h : tensor<128x256x!tile.ptr<f16>>
  return
}

// Smaller products gain by this, too.
// CHECK-LABEL: func.func @smaller
// CHECK: tile.roles warps [8, 4]
func.func @smaller(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i32, %k: i32 {tile.divisibility = 16 : i32}, %s: i32 {tile.divisibility = 16 : i32}, %t: i32 {tile.divisibility = 16 : i32}, %out: tensor<128x128x!tile.ptr<f16>>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %cm = arith.constant 128 : i32
  %ck = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %none = arith.constant dense<0.0> : tensor<128x64xf16>
  %id = tile.program_id 0 : i32
  %first = arith.muli %id, %cm : i32
  %firsts = tile.splat %first : tensor<128xi32>
  %i = tile.arange 0 : tensor<128xi32>
  %rows = arith.addi %firsts, %i : tensor<128xi32>
  %ms = tile.splat %m : tensor<128xi32>
  %wrapped = arith.remsi %rows, %ms : tensor<128xi32>
  %w1 = tile.expand_dims %wrapped axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %ss = tile.splat %s : tensor<128x1xi32>
  %begin = arith.muli %w1, %ss : tensor<128x1xi32>
  %begins = tile.broadcast %begin : tensor<128x1xi32> -> tensor<128x64xi32>
  %j = tile.arange 0 : tensor<64xi32>
  %j1 = tile.expand_dims %j axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %js = tile.broadcast %j1 : tensor<1x64xi32> -> tensor<128x64xi32>
  %ao = arith.addi %begins, %js : tensor<128x64xi32>
  %as = tile.splat %a : tensor<128x64x!tile.ptr<f16>>
  %pa = tile.addptr %as, %ao : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
  %n = tile.arange 0 : tensor<128xi32>
  %n1 = tile.expand_dims %n axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %ts = tile.splat %t : tensor<1x128xi32>
  %bn = arith.muli %n1, %ts : tensor<1x128xi32>
  %bns = tile.broadcast %bn : tensor<1x128xi32> -> tensor<64x128xi32>
  %j2 = tile.expand_dims %j axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %j3 = tile.broadcast %j2 : tensor<64x1xi32> -> tensor<64x128xi32>
  %bo = arith.addi %bns, %j3 : tensor<64x128xi32>
  %bs = tile.splat %b : tensor<64x128x!tile.ptr<f16>>
  %pb = tile.addptr %bs, %bo : tensor<64x128x!tile.ptr<f16>>, tensor<64x128xi32>
  %r = scf.for %at = %c0 to %k step %ck iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
    %ats = tile.splat %at : tensor<128x64xi32>
    %p = tile.addptr %pa, %ats : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
    %left = arith.subi %k, %at : i32
    %lefts = tile.splat %left : tensor<128x64xi32>
    %mask = arith.cmpi slt, %js, %lefts : tensor<128x64xi32>
    %x = tile.load %p mask %mask other %none : tensor<128x64x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<64x128x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %sum : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %h = arith.truncf %r : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %out, %h : tensor<128x128x!tile.ptr<f16>>
  return
}
}

// -----

// A program of one group of warps gains where there is room for two.
#target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, block_copy_box = 256 : i32, lanes = 32 : i32, on_chip_bytes = 232448 : i32, program_registers = 65536 : i32, role_warps = 4 : i32, units = [#nvidia.wgmma<f16>]}>
module attributes {tile.target = #target, tile.num_warps = 4 : i32, tile.num_stages = 4 : i32} {
// CHECK-LABEL: func.func @two_programs
// CHECK: tile.roles warps [4, 4]
// CHECK: scf.while
func.func @two_programs(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i32, %k: i32 {tile.divisibility = 16 : i32}, %s: i32 {tile.divisibility = 16 : i32}, %t: i32 {tile.divisibility = 16 : i32}, %out: tensor<128x128x!tile.ptr<f16>>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %cm = arith.constant 128 : i32
  %ck = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %none = arith.constant dense<0.0> : tensor<128x32xf16>
  %id = tile.program_id 0 : i32
  %first = arith.muli %id, %cm : i32
  %firsts = tile.splat %first : tensor<128xi32>
  %i = tile.arange 0 : tensor<128xi32>
  %rows = arith.addi %firsts, %i : tensor<128xi32>
  %ms = tile.splat %m : tensor<128xi32>
  %wrapped = arith.remsi %rows, %ms : tensor<128xi32>
  %w1 = tile.expand_dims %wrapped axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %ss = tile.splat %s : tensor<128x1xi32>
  %begin = arith.muli %w1, %ss : tensor<128x1xi32>
  %begins = tile.broadcast %begin : tensor<128x1xi32> -> tensor<128x32xi32>
  %j = tile.arange 0 : tensor<32xi32>
  %j1 = tile.expand_dims %j axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %js = tile.broadcast %j1 : tensor<1x32xi32> -> tensor<128x32xi32>
  %ao = arith.addi %begins, %js : tensor<128x32xi32>
  %as = tile.splat %a : tensor<128x32x!tile.ptr<f16>>
  %pa = tile.addptr %as, %ao : tensor<128x32x!tile.ptr<f16>>, tensor<128x32xi32>
  %n = tile.arange 0 : tensor<128xi32>
  %n1 = tile.expand_dims %n axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %ts = tile.splat %t : tensor<1x128xi32>
  %bn = arith.muli %n1, %ts : tensor<1x128xi32>
  %bns = tile.broadcast %bn : tensor<1x128xi32> -> tensor<32x128xi32>
  %j2 = tile.expand_dims %j axis 1 : tensor<32xi32> -> tensor<32x1xi32>
  %j3 = tile.broadcast %j2 : tensor<32x1xi32> -> tensor<32x128xi32>
  %bo = arith.addi %bns, %j3 : tensor<32x128xi32>
  %bs = tile.splat %b : tensor<32x128x!tile.ptr<f16>>
  %pb = tile.addptr %bs, %bo : tensor<32x128x!tile.ptr<f16>>, tensor<32x128xi32>
  %r = scf.for %at = %c0 to %k step %ck iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
    %ats = tile.splat %at : tensor<128x32xi32>
    %p = tile.addptr %pa, %ats : tensor<128x32x!tile.ptr<f16>>, tensor<128x32xi32>
    %left = arith.subi %k, %at : i32
    %lefts = tile.splat %left : tensor<128x32xi32>
    %mask = arith.cmpi slt, %js, %lefts : tensor<128x32xi32>
    %x = tile.load %p mask %mask other %none : tensor<128x32x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<32x128x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %sum : tensor<128x32xf16>, tensor<32x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %h = arith.truncf %r : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %out, %h : tensor<128x128x!tile.ptr<f16>>
  return
}

// CHECK-LABEL: func.func @one_program
// CHECK-NOT: tile.roles
func.func @one_program(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i32, %k: i32 {tile.divisibility = 16 : i32}, %s: i32 {tile.divisibility = 16 : i32}, %t: i32 {tile.divisibility = 16 : i32}, %out: tensor<128x128x!tile.ptr<f16>>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %cm = arith.constant 128 : i32
  %ck = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %none = arith.constant dense<0.0> : tensor<128x64xf16>
  %id = tile.program_id 0 : i32
  %first = arith.muli %id, %cm : i32
  %firsts = tile.splat %first : tensor<128xi32>
  %i = tile.arange 0 : tensor<128xi32>
  %rows = arith.addi %firsts, %i : tensor<128xi32>
  %ms = tile.splat %m : tensor<128xi32>
  %wrapped = arith.remsi %rows, %ms : tensor<128xi32>
  %w1 = tile.expand_dims %wrapped axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %ss = tile.splat %s : tensor<128x1xi32>
  %begin = arith.muli %w1, %ss : tensor<128x1xi32>
  %begins = tile.broadcast %begin : tensor<128x1xi32> -> tensor<128x64xi32>
  %j = tile.arange 0 : tensor<64xi32>
  %j1 = tile.expand_dims %j axis 0 : tensor<64xi32> -> tensor<1x64xi32>
  %js = tile.broadcast %j1 : tensor<1x64xi32> -> tensor<128x64xi32>
  %ao = arith.addi %begins, %js : tensor<128x64xi32>
  %as = tile.splat %a : tensor<128x64x!tile.ptr<f16>>
  %pa = tile.addptr %as, %ao : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
  %n = tile.arange 0 : tensor<128xi32>
  %n1 = tile.expand_dims %n axis 0 : tensor<128xi32> -> tensor<1x128xi32>
  %ts = tile.splat %t : tensor<1x128xi32>
  %bn = arith.muli %n1, %ts : tensor<1x128xi32>
  %bns = tile.broadcast %bn : tensor<1x128xi32> -> tensor<64x128xi32>
  %j2 = tile.expand_dims %j axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %j3 = tile.broadcast %j2 : tensor<64x1xi32> -> tensor<64x128xi32>
  %bo = arith.addi %bns, %j3 : tensor<64x128xi32>
  %bs = tile.splat %b : tensor<64x128x!tile.ptr<f16>>
  %pb = tile.addptr %bs, %bo : tensor<64x128x!tile.ptr<f16>>, tensor<64x128xi32>
  %r = scf.for %at = %c0 to %k step %ck iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
    %ats = tile.splat %at : tensor<128x64xi32>
    %p = tile.addptr %pa, %ats : tensor<128x64x!tile.ptr<f16>>, tensor<128x64xi32>
    %left = arith.subi %k, %at : i32
    %lefts = tile.splat %left : tensor<128x64xi32>
    %mask = arith.cmpi slt, %js, %lefts : tensor<128x64xi32>
    %x = tile.load %p mask %mask other %none : tensor<128x64x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<64x128x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %sum : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %h = arith.truncf %r : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %out, %h : tensor<128x128x!tile.ptr<f16>>
  return
}
}
