// The wait for what a loop leaves in flight stands directly behind it; what needs the loop stays before.
// RUN: tile-translate %s --target=nvidia:sm_90a --from=llvm --emit=llvmir | FileCheck %s

// CHECK-LABEL: @behind(
// CHECK: wgmma.mma_async
// CHECK: br i1
// CHECK: {{^[0-9]+:}}
// CHECK-NEXT: call float asm sideeffect "wgmma.wait_group.sync.aligned 0;"
// CHECK-NEXT: shl i32
llvm.func @behind(%n: i32, %x: i32, %p: !llvm.ptr<1>) {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %three = llvm.mlir.constant(3 : i32) : i32
  %none = llvm.mlir.constant(0.0 : f32) : f32
  %place = llvm.shl %x, %three : i32
  llvm.br ^loop(%zero, %none : i32, f32)
^loop(%i: i32, %sum: f32):
  %more = llvm.inline_asm has_side_effects "wgmma.mma_async $0;", "=f,0" %sum : (f32) -> f32
  %next = llvm.add %i, %one : i32
  %goes_on = llvm.icmp "slt" %next, %n : i32
  llvm.cond_br %goes_on, ^loop(%next, %more : i32, f32), ^exit
^exit:
  %all = llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;", "=f,0,~{memory}" %more : (f32) -> f32
  %there = llvm.getelementptr %p[%place] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  llvm.store %all, %there : f32, !llvm.ptr<1>
  llvm.return
}

// CHECK-LABEL: @beside(
// CHECK: wgmma.mma_async
// CHECK: shl i32
// CHECK: fadd float
// CHECK: wgmma.wait_group
llvm.func @beside(%n: i32, %x: i32, %p: !llvm.ptr<1>) {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %three = llvm.mlir.constant(3 : i32) : i32
  %none = llvm.mlir.constant(0.0 : f32) : f32
  %place = llvm.shl %x, %three : i32
  llvm.br ^loop(%zero, %none, %none : i32, f32, f32)
^loop(%i: i32, %sum: f32, %count: f32):
  %more = llvm.inline_asm has_side_effects "wgmma.mma_async $0;", "=f,0" %sum : (f32) -> f32
  %half = llvm.mlir.constant(0.5 : f32) : f32
  %counted = llvm.fmul %count, %half : f32
  %next = llvm.add %i, %one : i32
  %goes_on = llvm.icmp "slt" %next, %n : i32
  llvm.cond_br %goes_on, ^loop(%next, %more, %counted : i32, f32, f32), ^exit
^exit:
  %last = llvm.fadd %counted, %half : f32
  %all = llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;", "=f,0,~{memory}" %more : (f32) -> f32
  %both = llvm.fadd %all, %last : f32
  %there = llvm.getelementptr %p[%place] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  llvm.store %both, %there : f32, !llvm.ptr<1>
  llvm.return
}
