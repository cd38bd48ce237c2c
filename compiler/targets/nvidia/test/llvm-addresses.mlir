// RUN: tile-translate %s --target nvidia:sm_90a --from scheduled --emit llvmir | FileCheck %s

#block = #tile.layout<[4, 32]: register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]>
#rows = #tile.layout<[4]: register = [[1], [2]], lane = [[0], [0], [0], [0], [0]]>
#row = #tile.layout<[4, 1]: register = [[1, 0], [2, 0]], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]]>
#columns = #tile.layout<[32]: register = [], lane = [[1], [2], [4], [8], [16]]>
#column = #tile.layout<[1, 32]: register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]>

#memory = #tile.layout<[4, 32]: offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0]]>
module attributes {tile.num_warps = 1 : i32,
    tile.target = #tile.target<"nvidia", "sm_90a", {lanes = 32 : i32, access_bits = 128 : i32}>} {

// The column, which a thread's addresses have in common, and what the loop adds come first: one
// pointer. Rows are extended and scaled where they are added.
// CHECK-LABEL: define {{.*}}@advance(
// CHECK-SAME: ptr addrspace(1){{[^%]*}}[[BASE:%[0-9]+]]
// CHECK-DAG: [[THREAD:%[0-9]+]] = getelementptr i8, ptr addrspace(1) [[BASE]], i64 %{{[0-9]+}}
// CHECK: phi i64
// CHECK: [[ALL:%[0-9]+]] = getelementptr i8, ptr addrspace(1) [[THREAD]], i64
// CHECK-COUNT-3: getelementptr i8, ptr addrspace(1) [[ALL]], i64
// CHECK-NOT: getelementptr
// CHECK: br
func.func @advance(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %stride: i32, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0 : i64
  %step = arith.constant 32 : i64
  %none = arith.constant dense<0.0> : tensor<4x32xf32, #block>
  %i = tile.arange 0 : tensor<4xi32, #rows>
  %j = tile.arange 0 : tensor<32xi32, #columns>
  %ie = tile.expand_dims %i axis 1 : tensor<4xi32, #rows> -> tensor<4x1xi32, #row>
  %je = tile.expand_dims %j axis 0 : tensor<32xi32, #columns> -> tensor<1x32xi32, #column>
  %ss = tile.splat %stride : tensor<4x1xi32, #row>
  %offsets = arith.muli %ie, %ss : tensor<4x1xi32, #row>
  %ps = tile.splat %p : tensor<4x1x!tile.ptr<f32>, #row>
  %pr = tile.addptr %ps, %offsets : tensor<4x1x!tile.ptr<f32>, #row>, tensor<4x1xi32, #row>
  %pb = tile.broadcast %pr : tensor<4x1x!tile.ptr<f32>, #row> -> tensor<4x32x!tile.ptr<f32>, #block>
  %jb = tile.broadcast %je : tensor<1x32xi32, #column> -> tensor<4x32xi32, #block>
  %pointers = tile.addptr %pb, %jb : tensor<4x32x!tile.ptr<f32>, #block>, tensor<4x32xi32, #block>
  %sum:2 = scf.for %k = %c0 to %n step %c1 iter_args(%o = %zero, %s = %none) -> (i64, tensor<4x32xf32, #block>) : i32 {
    %os = tile.splat %o : tensor<4x32xi64, #block>
    %at = tile.addptr %pointers, %os : tensor<4x32x!tile.ptr<f32>, #block>, tensor<4x32xi64, #block>
    %x = tile.load %at : tensor<4x32x!tile.ptr<f32>, #block>
    %t = arith.addf %s, %x : tensor<4x32xf32, #block>
    %next = arith.addi %o, %step : i64
    scf.yield %next, %t : i64, tensor<4x32xf32, #block>
  }
  %qs = tile.splat %q : tensor<4x32x!tile.ptr<f32>, #block>
  %qj = tile.addptr %qs, %jb : tensor<4x32x!tile.ptr<f32>, #block>, tensor<4x32xi32, #block>
  tile.store %qj, %sum#1 : tensor<4x32x!tile.ptr<f32>, #block>
  return
}

// Copies are faster by sums that are ready, as long as registers hold them.
// CHECK-LABEL: define {{.*}}@copy(
// CHECK: [[O:%[0-9]+]] = phi i64
// CHECK-COUNT-4: getelementptr float, ptr addrspace(1) {{%[0-9]+}}, i64 [[O]]
// CHECK-NOT: getelementptr
// CHECK-COUNT-4: call void @llvm.nvvm.cp.async
// CHECK: br
func.func @copy(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %stride: i32, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0 : i64
  %step = arith.constant 32 : i64
  %buffer = tile.buffer_alloc offset 0 : !tile.buffer<4x32xf32, #memory>
  %i = tile.arange 0 : tensor<4xi32, #rows>
  %j = tile.arange 0 : tensor<32xi32, #columns>
  %ie = tile.expand_dims %i axis 1 : tensor<4xi32, #rows> -> tensor<4x1xi32, #row>
  %je = tile.expand_dims %j axis 0 : tensor<32xi32, #columns> -> tensor<1x32xi32, #column>
  %ss = tile.splat %stride : tensor<4x1xi32, #row>
  %offsets = arith.muli %ie, %ss : tensor<4x1xi32, #row>
  %ps = tile.splat %p : tensor<4x1x!tile.ptr<f32>, #row>
  %pr = tile.addptr %ps, %offsets : tensor<4x1x!tile.ptr<f32>, #row>, tensor<4x1xi32, #row>
  %pb = tile.broadcast %pr : tensor<4x1x!tile.ptr<f32>, #row> -> tensor<4x32x!tile.ptr<f32>, #block>
  %jb = tile.broadcast %je : tensor<1x32xi32, #column> -> tensor<4x32xi32, #block>
  %pointers = tile.addptr %pb, %jb : tensor<4x32x!tile.ptr<f32>, #block>, tensor<4x32xi32, #block>
  %last = scf.for %k = %c0 to %n step %c1 iter_args(%o = %zero) -> (i64) : i32 {
    %os = tile.splat %o : tensor<4x32xi64, #block>
    %at = tile.addptr %pointers, %os : tensor<4x32x!tile.ptr<f32>, #block>, tensor<4x32xi64, #block>
    %copy = tile.async_copy %at, %buffer : tensor<4x32x!tile.ptr<f32>, #block> -> !tile.buffer<4x32xf32, #memory>
    %group = tile.commit(%copy) : !tile.pending<!tile.buffer<4x32xf32, #memory>>
    %done = tile.await(%group) in_flight 0 : !tile.pending<!tile.buffer<4x32xf32, #memory>>
    %next = arith.addi %o, %step : i64
    scf.yield %next : i64
  }
  %x = tile.buffer_load %buffer : !tile.buffer<4x32xf32, #memory> -> tensor<4x32xf32, #block>
  %qs = tile.splat %q : tensor<4x32x!tile.ptr<f32>, #block>
  %qj = tile.addptr %qs, %jb : tensor<4x32x!tile.ptr<f32>, #block>, tensor<4x32xi32, #block>
  tile.store %qj, %x : tensor<4x32x!tile.ptr<f32>, #block>
  return
}
}
