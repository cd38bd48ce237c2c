// Code that was inlined says where it stands itself, and nothing is said unless asked for. Memory that it was the first
// to use is of no function.
// RUN: tile-translate %s --target=nvidia:sm_90a --from=llvm --line-info | FileCheck %s
// RUN: tile-translate %s --target=nvidia:sm_90a --from=llvm | FileCheck %s --check-prefix=PLAIN

// CHECK: .loc [[FILE:[0-9]+]] 7 14
// CHECK: add{{.*}}s32
// CHECK: .file [[FILE]] "/folder/kernel.py"
// PLAIN-NOT: .loc
#callee = loc("/folder/kernel.py":7:14)
#caller = loc("/folder/kernel.py":20:4)
llvm.mlir.global external @memory() {addr_space = 3 : i32} : !llvm.array<0 x i8> loc(callsite(#callee at #caller))
llvm.func @kernel(%x: i32, %y: i32, %out: !llvm.ptr<1>) attributes {nvvm.kernel} {
  %sum = llvm.add %x, %y : i32 loc(callsite(#callee at #caller))
  llvm.store %sum, %out : i32, !llvm.ptr<1> loc(#caller)
  llvm.return loc(#caller)
} loc("/folder/kernel.py":3:1)
