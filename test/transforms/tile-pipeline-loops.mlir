// RUN: tile-opt %s -split-input-file --tile-assign-layouts --tile-remove-conversions --tile-pipeline-loops --canonicalize | FileCheck %s

// Three stages: two copies ahead, three blocks of memory, one group in flight while waiting.
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32, async_copy_bytes = array<i64: 4, 8, 16>}>, tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
// CHECK-LABEL: func.func @feeds_dot
// CHECK: %[[STACK:.+]] = tile.buffer_alloc : !tile.buffer<3x64x32xf16, #[[MEMORY:.+]]>
// CHECK: %[[ENTERED:.+]] = arith.cmpi sgt, %[[N:.+]], %c0_i32
// CHECK: %[[P0:.+]] = tile.async_copy
// CHECK: %[[Q0:.+]] = tile.commit(%[[P0]])
// The second copy is made only where there is a second iteration.
// CHECK: %[[MORE:.+]] = arith.cmpi ugt, %[[N]], %c1_i32
// CHECK: %[[SECOND:.+]] = arith.andi %[[ENTERED]], %[[MORE]]
// CHECK: %[[MASK:.+]] = tile.splat %[[SECOND]]
// CHECK: %[[P1:.+]] = tile.async_copy %{{.*}}, %{{.*}} mask %[[MASK]]
// CHECK: %[[Q1:.+]] = tile.commit(%[[P1]])
// CHECK: scf.for %[[I:.+]] = %c0_i32 to %[[N]] step %c1_i32 iter_args(%[[ACC:.+]] = %{{.*}}, %[[AHEAD:.+]] = %{{.*}}, %[[SLOT:.+]] = %c2_i32, %[[NEXT:.+]] = %[[Q0]], %[[LATER:.+]] = %[[Q1]])
// CHECK: %[[BLOCK:.+]] = tile.await(%[[NEXT]]) in_flight 1
// CHECK: %[[LEFT:.+]] = arith.subi %[[N]], %[[I]]
// CHECK: %[[VALID:.+]] = arith.cmpi ugt, %[[LEFT]], %c2_i32
// CHECK: %[[MOVED:.+]] = tile.addptr %[[AHEAD]]
// CHECK: %[[COPY:.+]] = scf.if %[[VALID]]
// CHECK: %[[VIEW:.+]] = tile.buffer_view %[[STACK]][%[[SLOT]]]
// CHECK: tile.async_copy %[[AHEAD]], %[[VIEW]] :
// CHECK: else
// CHECK: %[[VIEW:.+]] = tile.buffer_view %[[STACK]][%[[SLOT]]]
// CHECK: tile.async_copy %[[AHEAD]], %[[VIEW]] mask
// CHECK: %[[NEW:.+]] = tile.commit(%[[COPY]])
// CHECK: %[[UP:.+]] = arith.addi %[[SLOT]], %c1_i32
// CHECK: %[[END:.+]] = arith.cmpi eq, %[[UP]], %c3_i32
// CHECK: %[[NEXTSLOT:.+]] = arith.select %[[END]], %c0_i32, %[[UP]]
// CHECK: %[[A:.+]] = tile.buffer_load %[[BLOCK]]
// CHECK: arith.extf %[[A]]
// CHECK: tile.dot
// CHECK: scf.yield %{{.*}}, %[[MOVED]], %[[NEXTSLOT]], %[[LATER]], %[[NEW]]
// CHECK: tile.await({{.*}}) in_flight 0
func.func @feeds_dot(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: tensor<32x16xf32>, %n: i32) -> tensor<64x16xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %c32 = arith.constant dense<32> : tensor<64x1xi32>
  %step = arith.constant dense<2048> : tensor<64x32xi32>
  %i = tile.arange 0 : tensor<64xi32>
  %j = tile.arange 0 : tensor<32xi32>
  %i2 = tile.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %is = arith.muli %i2, %c32 : tensor<64x1xi32>
  %j2 = tile.expand_dims %j axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %ib = tile.broadcast %is : tensor<64x1xi32> -> tensor<64x32xi32>
  %jb = tile.broadcast %j2 : tensor<1x32xi32> -> tensor<64x32xi32>
  %o = arith.addi %ib, %jb : tensor<64x32xi32>
  %xs = tile.splat %x : tensor<64x32x!tile.ptr<f16>>
  %p = tile.addptr %xs, %o : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
  %last, %sum = scf.for %k = %c0 to %n step %c1 iter_args(%pk = %p, %acc = %zero) -> (tensor<64x32x!tile.ptr<f16>>, tensor<64x16xf32>) : i32 {
    %a = tile.load %pk : tensor<64x32x!tile.ptr<f16>>
    %wide = arith.extf %a : tensor<64x32xf16> to tensor<64x32xf32>
    %d = tile.dot %wide, %b, %acc : tensor<64x32xf32>, tensor<32x16xf32> -> tensor<64x16xf32>
    %next = tile.addptr %pk, %step : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
    scf.yield %next, %d : tensor<64x32x!tile.ptr<f16>>, tensor<64x16xf32>
  }
  return %sum : tensor<64x16xf32>
}

// A mask along one side: the last place that is inside says that all are.
// CHECK-LABEL: func.func @masked
// CHECK-SAME: %[[N:[^ ]+]]: i32
// CHECK: scf.for
// CHECK: %[[EXISTS:.+]] = arith.cmpi ugt
// CHECK: %[[LEFT:.+]] = arith.subi %[[N]]
// CHECK: %[[INSIDE:.+]] = arith.cmpi sgt, %[[LEFT]], %c31_i32
// CHECK: %[[WHOLE:.+]] = arith.andi %[[EXISTS]], %[[INSIDE]]
// CHECK: scf.if %[[WHOLE]]
// CHECK: tile.async_copy %{{.*}}, %{{[^ ]+}} :
// CHECK: else
// CHECK: tile.async_copy %{{.*}}, %{{.*}} mask
func.func @masked(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: tensor<32x16xf32>, %n: i32 {tile.divisibility = 16 : i32}) -> tensor<64x16xf32> {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %none = arith.constant dense<0.0> : tensor<64x32xf16>
  %row = arith.constant dense<2048> : tensor<64x1xi32>
  %step = arith.constant dense<32> : tensor<64x32xi32>
  %i = tile.arange 0 : tensor<64xi32>
  %j = tile.arange 0 : tensor<32xi32>
  %i2 = tile.expand_dims %i axis 1 : tensor<64xi32> -> tensor<64x1xi32>
  %is = arith.muli %i2, %row : tensor<64x1xi32>
  %j2 = tile.expand_dims %j axis 0 : tensor<32xi32> -> tensor<1x32xi32>
  %ib = tile.broadcast %is : tensor<64x1xi32> -> tensor<64x32xi32>
  %jb = tile.broadcast %j2 : tensor<1x32xi32> -> tensor<64x32xi32>
  %o = arith.addi %ib, %jb : tensor<64x32xi32>
  %xs = tile.splat %x : tensor<64x32x!tile.ptr<f16>>
  %p = tile.addptr %xs, %o : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
  %last, %sum = scf.for %k = %c0 to %n step %c32 iter_args(%pk = %p, %acc = %zero) -> (tensor<64x32x!tile.ptr<f16>>, tensor<64x16xf32>) : i32 {
    %left = arith.subi %n, %k : i32
    %lefts = tile.splat %left : tensor<1x32xi32>
    %inside = arith.cmpi slt, %j2, %lefts : tensor<1x32xi32>
    %m = tile.broadcast %inside : tensor<1x32xi1> -> tensor<64x32xi1>
    %a = tile.load %pk mask %m other %none : tensor<64x32x!tile.ptr<f16>>
    %wide = arith.extf %a : tensor<64x32xf16> to tensor<64x32xf32>
    %d = tile.dot %wide, %b, %acc : tensor<64x32xf32>, tensor<32x16xf32> -> tensor<64x16xf32>
    %next = tile.addptr %pk, %step : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
    scf.yield %next, %d : tensor<64x32x!tile.ptr<f16>>, tensor<64x16xf32>
  }
  return %sum : tensor<64x16xf32>
}
}

// -----

// A loop that asks itself pipelines loads that feed no dot; an index is loaded early.
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32, async_copy_bytes = array<i64: 4, 8, 16>}>, tile.num_warps = 4 : i32} {
// Copies write zeros where a mask is false: what else was asked for comes after
// them. A store through another argument does not matter.
// CHECK-LABEL: func.func @other
// CHECK: scf.for
// CHECK: %[[READ:.+]] = tile.buffer_load
// CHECK: arith.select %{{.*}}, %[[READ]], %{{.*}}
// CHECK: tile.store
func.func @other(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32, %m: i32 {tile.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<1024xf32>
  %r = tile.arange 0 : tensor<1024xi32>
  %ms = tile.splat %m : tensor<1024xi32>
  %mask = arith.cmpi slt, %r, %ms : tensor<1024xi32>
  %xs = tile.splat %x : tensor<1024x!tile.ptr<f32>>
  %p = tile.addptr %xs, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %ys = tile.splat %y : tensor<1024x!tile.ptr<f32>>
  %q = tile.addptr %ys, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  scf.for %k = %c0 to %n step %c1 : i32 {
    %a = tile.load %p mask %mask other %one : tensor<1024x!tile.ptr<f32>>
    tile.store %q, %a : tensor<1024x!tile.ptr<f32>>
  } {tile.num_stages = 3 : i32}
  return
}

// The first copies do not wait for a load that stands before the loop.
// Sums in another array, which nobody asks for, neither write what is copied nor tell of others' writes.
// CHECK-LABEL: func.func @sums_elsewhere
// CHECK: tile.async_copy
// CHECK: scf.for
// CHECK: tile.async_copy
// CHECK: tile.atomic_rmw fadd
func.func @sums_elsewhere(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tile.arange 0 : tensor<1024xi32>
  %xs = tile.splat %x : tensor<1024x!tile.ptr<f32>>
  %p = tile.addptr %xs, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %ys = tile.splat %y : tensor<1024x!tile.ptr<f32>>
  %q = tile.addptr %ys, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  scf.for %k = %c0 to %n step %c1 : i32 {
    %a = tile.load %p : tensor<1024x!tile.ptr<f32>>
    %old = tile.atomic_rmw fadd %q, %a : tensor<1024x!tile.ptr<f32>>
  } {tile.num_stages = 2 : i32}
  return
}

// CHECK-LABEL: func.func @early
// CHECK-COUNT-2: tile.async_copy
// CHECK: tile.load %{{.*}} : tensor<1024x!tile.ptr<f32>
// CHECK: scf.for
func.func @early(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) -> tensor<1024xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c1024 = arith.constant 1024 : i32
  %r = tile.arange 0 : tensor<1024xi32>
  %xs = tile.splat %x : tensor<1024x!tile.ptr<f32>>
  %ys = tile.splat %y : tensor<1024x!tile.ptr<f32>>
  %q = tile.addptr %ys, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %first = tile.load %q : tensor<1024x!tile.ptr<f32>>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %first) -> (tensor<1024xf32>) : i32 {
    %at = arith.muli %k, %c1024 : i32
    %ats = tile.splat %at : tensor<1024xi32>
    %o = arith.addi %ats, %r : tensor<1024xi32>
    %p = tile.addptr %xs, %o : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %a = tile.load %p : tensor<1024x!tile.ptr<f32>>
    %s = arith.addf %acc, %a : tensor<1024xf32>
    scf.yield %s : tensor<1024xf32>
  } {tile.num_stages = 3 : i32}
  return %sum : tensor<1024xf32>
}

// A volatile load may tell that there is something to copy: the copies wait for it.
// CHECK-LABEL: func.func @told
// CHECK-NOT: tile.async_copy
// CHECK: tile.load %{{.*}} volatile : tensor<1024x!tile.ptr<f32>
// CHECK-COUNT-2: tile.async_copy
// CHECK: scf.for
func.func @told(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) -> tensor<1024xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c1024 = arith.constant 1024 : i32
  %r = tile.arange 0 : tensor<1024xi32>
  %xs = tile.splat %x : tensor<1024x!tile.ptr<f32>>
  %ys = tile.splat %y : tensor<1024x!tile.ptr<f32>>
  %q = tile.addptr %ys, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %first = tile.load %q volatile : tensor<1024x!tile.ptr<f32>>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %first) -> (tensor<1024xf32>) : i32 {
    %at = arith.muli %k, %c1024 : i32
    %ats = tile.splat %at : tensor<1024xi32>
    %o = arith.addi %ats, %r : tensor<1024xi32>
    %p = tile.addptr %xs, %o : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %a = tile.load %p : tensor<1024x!tile.ptr<f32>>
    %s = arith.addf %acc, %a : tensor<1024xf32>
    scf.yield %s : tensor<1024xf32>
  } {tile.num_stages = 3 : i32}
  return %sum : tensor<1024xf32>
}

// CHECK-LABEL: func.func @asks
// CHECK: tile.buffer_alloc : !tile.buffer<2x1024xf32
// CHECK: scf.for
// CHECK: tile.await({{.*}}) in_flight 0
// The index of an iteration that does not exist is not read.
// CHECK: %[[VALID:.+]] = arith.cmpi ugt
// CHECK: %[[INDEX:.+]] = tile.load %{{.*}} mask %[[VALID]] : !tile.ptr<i32>
// CHECK: %[[HINT:.+]] = tile.hint %[[INDEX]] divisibility [16] : i32
// CHECK: %[[FROM:.+]] = tile.addptr %{{.*}}, %[[HINT]]
// CHECK: tile.async_copy
// CHECK: tile.buffer_load
// CHECK: arith.addf
// CHECK: } {tile.disable_licm}
func.func @asks(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %indices: !tile.ptr<i32>, %n: i32) -> tensor<1024xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %r = tile.arange 0 : tensor<1024xi32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<1024xf32>) : i32 {
    %ip = tile.addptr %indices, %k : !tile.ptr<i32>, i32
    %any = tile.load %ip : !tile.ptr<i32>
    %index = tile.hint %any divisibility [16] : i32
    %from = tile.addptr %x, %index : !tile.ptr<f32>, i32
    %xs = tile.splat %from : tensor<1024x!tile.ptr<f32>>
    %p = tile.addptr %xs, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
    %a = tile.load %p : tensor<1024x!tile.ptr<f32>>
    %s = arith.addf %acc, %a : tensor<1024xf32>
    scf.yield %s : tensor<1024xf32>
  } {tile.num_stages = 2 : i32, tile.disable_licm}
  return %sum : tensor<1024xf32>
}
}

// -----

// What a branch of the body uses is read before it.
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32, async_copy_bytes = array<i64: 4, 8, 16>}>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @branch
// CHECK: scf.for
// CHECK: %[[A:.+]] = tile.buffer_load
// CHECK: scf.if
// CHECK-NEXT: arith.addf %{{.*}}, %[[A]]
func.func @branch(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) -> tensor<1024xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<1024xf32>
  %r = tile.arange 0 : tensor<1024xi32>
  %xs = tile.splat %x : tensor<1024x!tile.ptr<f32>>
  %p = tile.addptr %xs, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<1024xf32>) : i32 {
    %a = tile.load %p : tensor<1024x!tile.ptr<f32>>
    %flag = arith.cmpi slt, %k, %c1 : i32
    %t = scf.if %flag -> tensor<1024xf32> {
      %s = arith.addf %acc, %a : tensor<1024xf32>
      scf.yield %s : tensor<1024xf32>
    } else {
      scf.yield %acc : tensor<1024xf32>
    }
    scf.yield %t : tensor<1024xf32>
  } {tile.num_stages = 2 : i32}
  return %sum : tensor<1024xf32>
}
}

// -----

// A cast that narrows stays behind the copy: nothing is exchanged between threads in the loop.
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32, async_copy_bytes = array<i64: 4, 8, 16>}>, tile.num_warps = 4 : i32, tile.num_stages = 2 : i32} {
// CHECK-LABEL: func.func @narrowing
// CHECK: tile.buffer_alloc : !tile.buffer<2x64x32xf32
// CHECK: scf.for
// CHECK-NOT: tile.convert_layout
// CHECK: %[[A:.+]] = tile.buffer_load
// CHECK: %[[H:.+]] = arith.truncf %[[A]]
// CHECK: tile.dot %[[H]]
// CHECK: scf.yield
func.func @narrowing(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %b: tensor<32x16xf16>, %n: i32) -> tensor<64x16xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %r = tile.arange 0 : tensor<2048xi32>
  %o = tile.reshape %r : tensor<2048xi32> -> tensor<64x32xi32>
  %h = tile.hint %o divisibility [32, 32] contiguity [1, 32] : tensor<64x32xi32>
  %xs = tile.splat %x : tensor<64x32x!tile.ptr<f32>>
  %p = tile.addptr %xs, %h : tensor<64x32x!tile.ptr<f32>>, tensor<64x32xi32>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x16xf32> : i32 {
    %a = tile.load %p : tensor<64x32x!tile.ptr<f32>>
    %narrow = arith.truncf %a : tensor<64x32xf32> to tensor<64x32xf16>
    %d = tile.dot %narrow, %b, %acc : tensor<64x32xf16>, tensor<32x16xf16> -> tensor<64x16xf32>
    scf.yield %d : tensor<64x16xf32>
  }
  return %sum : tensor<64x16xf32>
}
}

// -----

// Copies go along the array's fastest dimension, whatever comes first among a thread's registers.
// CHECK: #[[ROWS:.+]] = #tile.layout<[16, 16]: offset = {{\[\[}}0, 1], [0, 2]
#columns = #tile.layout<[16, 16]: register = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4], [0, 8]], lane = [[0, 0], [0, 0], [4, 0], [8, 0], [0, 0]], warp = [[0, 0], [0, 0]]>
module attributes {tile.target = #tile.target<"any", "first", {lanes = 32 : i32, async_copy_bytes = array<i64: 4, 8, 16>}>, tile.num_warps = 4 : i32} {
// CHECK-LABEL: func.func @runs
// CHECK: tile.buffer_alloc : !tile.buffer<2x16x16xf32, #[[ROWS]]>
func.func @runs(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) -> tensor<16x16xf32, #columns> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32, #columns>
  %rows = arith.constant dense<64> : tensor<16x16xi32, #columns>
  %i = tile.arange 0 : tensor<16xi32, #tile.layout<[16]: register = [[1], [2], [0], [0], [0], [0]], lane = [[0], [0], [4], [8], [0]], warp = [[0], [0]]>>
  %i1 = tile.expand_dims %i axis 1 : tensor<16xi32, #tile.layout<[16]: register = [[1], [2], [0], [0], [0], [0]], lane = [[0], [0], [4], [8], [0]], warp = [[0], [0]]>> -> tensor<16x1xi32, #tile.layout<[16, 1]: register = [[1, 0], [2, 0], [0, 0], [0, 0], [0, 0], [0, 0]], lane = [[0, 0], [0, 0], [4, 0], [8, 0], [0, 0]], warp = [[0, 0], [0, 0]]>>
  %i2 = tile.broadcast %i1 : tensor<16x1xi32, #tile.layout<[16, 1]: register = [[1, 0], [2, 0], [0, 0], [0, 0], [0, 0], [0, 0]], lane = [[0, 0], [0, 0], [4, 0], [8, 0], [0, 0]], warp = [[0, 0], [0, 0]]>> -> tensor<16x16xi32, #columns>
  %j = tile.arange 0 : tensor<16xi32, #tile.layout<[16]: register = [[0], [0], [1], [2], [4], [8]], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]]>>
  %j1 = tile.expand_dims %j axis 0 : tensor<16xi32, #tile.layout<[16]: register = [[0], [0], [1], [2], [4], [8]], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]]>> -> tensor<1x16xi32, #tile.layout<[1, 16]: register = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4], [0, 8]], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]]>>
  %j2 = tile.broadcast %j1 : tensor<1x16xi32, #tile.layout<[1, 16]: register = [[0, 0], [0, 0], [0, 1], [0, 2], [0, 4], [0, 8]], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], warp = [[0, 0], [0, 0]]>> -> tensor<16x16xi32, #columns>
  %far = arith.muli %i2, %rows : tensor<16x16xi32, #columns>
  %o = arith.addi %far, %j2 : tensor<16x16xi32, #columns>
  %xs = tile.splat %x : tensor<16x16x!tile.ptr<f32>, #columns>
  %p = tile.addptr %xs, %o : tensor<16x16x!tile.ptr<f32>, #columns>, tensor<16x16xi32, #columns>
  %sum = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x16xf32, #columns>) : i32 {
    %a = tile.load %p : tensor<16x16x!tile.ptr<f32>, #columns>
    %s = arith.addf %acc, %a : tensor<16x16xf32, #columns>
    scf.yield %s : tensor<16x16xf32, #columns>
  } {tile.num_stages = 2 : i32}
  return %sum : tensor<16x16xf32, #columns>
}
}
