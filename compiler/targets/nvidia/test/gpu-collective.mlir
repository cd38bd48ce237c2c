// RUN: tile-opt %s -convert-tile-to-gpu -canonicalize -cse | FileCheck %s
// RUN: tile-translate %s --target nvidia:sm_90a --from scheduled --emit ptx | FileCheck %s --check-prefix=PTX

#line = #tile.layout<[1024]: register = [[1], [2], [512]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]>
#mixed = #tile.layout<[256]: register = [[64]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [128]]>
#rows = #tile.layout<[4, 128]: register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], warp = [[1, 0], [2, 0]]>
#bins = #tile.layout<[64]: lane = [[1], [2], [4], [8], [16]], warp = [[32], [0]]>

module attributes {tile.num_warps = 4 : i32,
    tile.target = #tile.target<"nvidia", "sm_90a", {lanes = 32 : i32, access_bits = 128 : i32}>} {

// Registers in turn; lanes by steps, then the lane before and the last one; one
// exchange for all warps and for the registers outside of them.
// CHECK-LABEL: func.func @scan
// CHECK-COUNT-3: arith.addi %{{.*}}, %{{.*}} : vector<2xi32>
// CHECK-COUNT-14: gpu.shuffle idx
// CHECK-NOT: gpu.shuffle
// CHECK-COUNT-2: gpu.barrier
// CHECK-NOT: gpu.barrier
// PTX: .visible .entry scan(
// PTX-COUNT-14: shfl.sync.idx.b32
// PTX-COUNT-2: bar.sync 0
func.func @scan(%p: !tile.ptr<i32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<1024xi32, #line>
  %ps = tile.splat %p : tensor<1024x!tile.ptr<i32>, #line>
  %q = tile.addptr %ps, %i : tensor<1024x!tile.ptr<i32>, #line>, tensor<1024xi32, #line>
  %x = tile.load %q : tensor<1024x!tile.ptr<i32>, #line>
  %y = tile.scan(%x) axis 0 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  } : (tensor<1024xi32, #line>) -> tensor<1024xi32, #line>
  tile.store %q, %y : tensor<1024x!tile.ptr<i32>, #line>
  return
}

// A row lies in one warp: no barrier.
// CHECK-LABEL: func.func @rows
// CHECK-NOT: gpu.barrier
// CHECK-COUNT-6: gpu.shuffle idx
// CHECK-NOT: gpu.barrier
// CHECK: return
func.func @rows(%x: tensor<4x128xf32, #rows>) -> tensor<4x128xf32, #rows> {
  %y = tile.scan(%x) axis 1 reverse {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<4x128xf32, #rows>) -> tensor<4x128xf32, #rows>
  return %y : tensor<4x128xf32, #rows>
}

// A register between the warps: another layout on the way.
// CHECK-LABEL: func.func @mixed
// CHECK: llvm.store
// CHECK: llvm.load
// CHECK: gpu.shuffle idx
// CHECK: llvm.store
// CHECK: llvm.load
func.func @mixed(%x: tensor<256xi32, #mixed>) -> tensor<256xi32, #mixed> {
  %y = tile.scan(%x) axis 0 {
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  } : (tensor<256xi32, #mixed>) -> tensor<256xi32, #mixed>
  return %y : tensor<256xi32, #mixed>
}

// Every comparison is of unsigned words; between lanes one shuffle a register.
// CHECK-LABEL: func.func @sort
// CHECK: arith.minui
// CHECK: arith.maxui
// CHECK: gpu.shuffle xor
// CHECK: arith.cmpi ult
// PTX: .visible .entry sort(
// PTX: min.u32
// PTX: shfl.sync.bfly.b32
func.func @sort(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<1024xi32, #line>
  %ps = tile.splat %p : tensor<1024x!tile.ptr<i32>, #line>
  %q = tile.addptr %ps, %i : tensor<1024x!tile.ptr<i32>, #line>, tensor<1024xi32, #line>
  %x = tile.load %q : tensor<1024x!tile.ptr<i32>, #line>
  %y = tile.sort %x unsigned : tensor<1024xi32, #line> -> tensor<1024xi32, #line>
  tile.store %q, %y : tensor<1024x!tile.ptr<i32>, #line>
  return
}

// Places share a word with keys of 32 bits.
// CHECK-LABEL: func.func @places
// CHECK: arith.shli %{{.*}} : vector<{{.*}}xi64>
// CHECK: arith.minui %{{.*}} : vector<{{.*}}xi64>
// CHECK: arith.trunci %{{.*}} : vector<{{.*}}xi64> to vector<{{.*}}xi32>
func.func @places(%x: tensor<4x128xi32, #rows>) -> (tensor<4x128xi32, #rows>, tensor<4x128xi32, #rows>) {
  %y, %i = tile.sort %x unsigned : tensor<4x128xi32, #rows> -> tensor<4x128xi32, #rows>, tensor<4x128xi32, #rows>
  return %y, %i : tensor<4x128xi32, #rows>, tensor<4x128xi32, #rows>
}

// CHECK-LABEL: func.func @histogram
// CHECK: gpu.barrier
// CHECK: llvm.store
// CHECK: gpu.barrier
// CHECK: llvm.atomicrmw add %{{.*}}, %{{.*}} syncscope("block") monotonic : !llvm.ptr<3>, i32
// CHECK: gpu.barrier
// CHECK: llvm.load
// PTX: .visible .entry histogram(
// PTX: {{atom|red}}{{.*}}.shared{{.*}}.add.u32
func.func @histogram(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<1024xi32, #line>
  %h = tile.histogram %i : tensor<1024xi32, #line> -> tensor<64xi32, #bins>
  %j = tile.arange 0 : tensor<64xi32, #bins>
  %ps = tile.splat %p : tensor<64x!tile.ptr<i32>, #bins>
  %q = tile.addptr %ps, %j : tensor<64x!tile.ptr<i32>, #bins>, tensor<64xi32, #bins>
  tile.store %q, %h : tensor<64x!tile.ptr<i32>, #bins>
  return
}
}
