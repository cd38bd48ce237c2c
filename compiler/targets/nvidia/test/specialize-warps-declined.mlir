// RUN: tile-opt %s --split-input-file --tile-assign-layouts --tile-select-matmul-units --tile-remove-conversions --cse --tile-specialize-warps --canonicalize | FileCheck %s

#target = #tile.target<"nvidia", "sm_90a", {access_bits = 128 : i32, async_copy_bytes = array<i64: 4, 8, 16>, block_copy_box = 256 : i32, lanes = 32 : i32, on_chip_bytes = 232448 : i32, program_registers = 65536 : i32, role_warps = 4 : i32, units = [#nvidia.wgmma<f16>]}>

// Loops of which one thread could copy all that products read, by 8 warps with 64 sums a thread: roles do not pay.
module attributes {tile.target = #target, tile.num_warps = 8 : i32, tile.num_stages = 3 : i32} {
// Where programs take a branch: others may be done at once.
// CHECK-LABEL: func.func @in_a_branch
// CHECK-NOT: tile.roles
func.func @in_a_branch(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i32, %k: i32 {tile.divisibility = 16 : i32}, %s: i32 {tile.divisibility = 16 : i32}, %t: i32 {tile.divisibility = 16 : i32}, %out: tensor<128x128x!tile.ptr<f16>>) attributes {tile.kernel} {
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
  %zero2 = arith.constant 0 : i32
  %isIn = arith.cmpi sgt, %k, %zero2 : i32
  scf.if %isIn {
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
  }
  return
}

// Or where they take as many steps as memory tells.
// CHECK-LABEL: func.func @loaded_length
// CHECK-NOT: tile.roles
func.func @loaded_length(%lengths: !tile.ptr<i32>, %a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i32, %k: i32 {tile.divisibility = 16 : i32}, %s: i32 {tile.divisibility = 16 : i32}, %t: i32 {tile.divisibility = 16 : i32}, %out: tensor<128x128x!tile.ptr<f16>>) attributes {tile.kernel} {
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
  %end = tile.load %lengths : !tile.ptr<i32>
  %r = scf.for %at = %c0 to %end step %ck iter_args(%sum = %zero) -> (tensor<128x128xf32>) : i32 {
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

// Or where warps prepare an operand: another program multiplies meanwhile.
// CHECK-LABEL: func.func @prepared
// CHECK-NOT: tile.roles
func.func @prepared(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %m: i32, %k: i32 {tile.divisibility = 16 : i32}, %s: i32 {tile.divisibility = 16 : i32}, %t: i32 {tile.divisibility = 16 : i32}, %out: tensor<128x128x!tile.ptr<f16>>) attributes {tile.kernel} {
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
    %doubled = arith.addf %y, %y : tensor<64x128xf16>
    %d = tile.dot %x, %doubled, %sum : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %h = arith.truncf %r : tensor<128x128xf32> to tensor<128x128xf16>
  tile.store %out, %h : tensor<128x128x!tile.ptr<f16>>
  return
}
}
