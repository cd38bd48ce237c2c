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
  // CHECK: "@$3 red.relaxed.cta.global.add.noftz.v2.f16x2 [$0], {$1, $2};", "l,r,r,b,~{memory}"
  nvidia.add %h, %q if %m scope cta : vector<4xf16>, !llvm.ptr<1>
  return
}
}

// -----

// What all processors of the system observe is written as text; LLVM has the other scopes.
// CHECK-LABEL: llvm.func @system(
func.func @system(%p: !llvm.ptr<1>, %x: i32, %f: f32, %h: f16, %l: i64) -> i1 {
  // CHECK: "atom.relaxed.sys.global.add.u32 $0, [$1], $2;", "=r,l,r,~{memory}"
  %0 = llvm.atomicrmw add %p, %x monotonic : !llvm.ptr<1>, i32
  // CHECK: "atom.acq_rel.sys.global.add.f32 $0, [$1], $2;", "=r,l,r,~{memory}"
  %1 = llvm.atomicrmw fadd %p, %f acq_rel : !llvm.ptr<1>, f32
  // CHECK: "atom.relaxed.sys.global.add.noftz.f16 $0, [$1], $2;", "=h,l,h,~{memory}"
  %2 = llvm.atomicrmw fadd %p, %h monotonic : !llvm.ptr<1>, f16
  // CHECK: "atom.relaxed.sys.global.max.s64 $0, [$1], $2;", "=l,l,l,~{memory}"
  %3 = llvm.atomicrmw max %p, %l monotonic : !llvm.ptr<1>, i64
  // CHECK: llvm.atomicrmw umin %{{.*}}, %{{.*}} syncscope("device") monotonic
  %4 = llvm.atomicrmw umin %p, %x syncscope("device") monotonic : !llvm.ptr<1>, i32
  // CHECK: "atom.relaxed.sys.global.cas.b32 $0, [$1], $2, $3;", "=r,l,r,r,~{memory}"
  %5 = llvm.cmpxchg %p, %x, %0 monotonic monotonic : !llvm.ptr<1>, i32
  %6 = llvm.extractvalue %5[1] : !llvm.struct<(i32, i1)>
  return %6 : i1
}

// -----

// CHECK-LABEL: llvm.func @quotients(
func.func @quotients(%x: f32, %y: f32, %v: vector<1xf32>) -> (f32, f32, vector<1xf32>, f32) {
  // CHECK: %[[SIZE:.*]] = llvm.intr.fabs(%[[Y:.*]]) : (f32) -> f32
  // CHECK: %[[SMALL:.*]] = llvm.fcmp "olt" %[[SIZE]]
  // CHECK: %[[LARGE:.*]] = llvm.fcmp "ogt" %[[SIZE]]
  // CHECK: llvm.select %[[SMALL]]
  // CHECK: %[[SCALE:.*]] = llvm.select %[[LARGE]]
  // CHECK-NEXT: %[[X:.*]] = llvm.fmul %{{.*}}, %[[SCALE]]
  // CHECK-NEXT: %[[D:.*]] = llvm.fmul %[[Y]], %[[SCALE]]
  // CHECK-NEXT: %[[INVERSE:.*]] = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%[[D]])
  // CHECK-NEXT: llvm.fmul %[[X]], %[[INVERSE]]
  %0 = arith.divf %x, %y fastmath<afn> : f32
  // CHECK: llvm.fdiv
  %1 = arith.divf %x, %y : f32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"
  %2 = arith.divf %v, %v fastmath<afn> : vector<1xf32>
  // No scale where numbers are known to need none.
  // CHECK-NOT: llvm.select
  // CHECK: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"
  // CHECK-NOT: llvm.select
  // CHECK: llvm.return
  %3 = arith.divf %x, %y fastmath<afn,arcp> : f32
  return %0, %1, %2, %3 : f32, f32, vector<1xf32>, f32
}
