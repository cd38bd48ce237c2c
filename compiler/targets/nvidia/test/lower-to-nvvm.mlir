// RUN: tile-opt %s -split-input-file -nvidia-lower-to-nvvm | FileCheck %s

module attributes {tile.num_warps = 4 : i32} {
// CHECK-LABEL: llvm.func @add(
// CHECK-SAME: %{{.*}}: !llvm.ptr<1> {llvm.align = 16 : i64}
// CHECK-SAME: attributes {nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>}
func.func @add(%x: !llvm.ptr<1> {llvm.align = 16 : i64}, %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  // CHECK: nvvm.read.ptx.sreg.tid.x range <i32, 0, 128> : i32
  %t = gpu.thread_id x upper_bound 128
  // CHECK: nvvm.read.ptx.sreg.ctaid.y : i32
  %b = gpu.block_id y
  %tid = arith.index_cast %t : index to i32
  %i = arith.index_cast %b : index to i64
  %q = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  %m = arith.cmpi slt, %tid, %n : i32
  %zero = arith.constant dense<0.0> : vector<4xf32>
  // CHECK: llvm.inline_asm has_side_effects
  // CHECK-SAME: "@$5 ld.global.L1::evict_first.v4.b32 {$0, $1, $2, $3}, [$4];", "=r,=r,=r,=r,l,b,0,1,2,3,~{memory}"
  %v = nvidia.load %q if %m else %zero eviction evict_first : !llvm.ptr<1> -> vector<4xf32>
  // CHECK: "@$3 st.global.cs.v2.b32 [$0], {$1, $2};", "l,r,r,b,~{memory}"
  %h = arith.truncf %v : vector<4xf32> to vector<4xf16>
  nvidia.store %h, %q if %m cache cs : vector<4xf16>, !llvm.ptr<1>
  // CHECK: "ld.volatile.global.b8 $0, [$1];", "=h,l,~{memory}"
  %c = nvidia.load %q volatile : !llvm.ptr<1> -> i8
  // CHECK: "st.global.b8 [$0], $1;", "l,h,~{memory}"
  nvidia.store %c, %q : i8, !llvm.ptr<1>
  return
}
}
