// RUN: tile-opt %s --tile-to-cpu='arch=x86-64-v3 stop-after=loops' | FileCheck %s --check-prefix=LOOPS
// RUN: tile-opt %s --tile-to-cpu='arch=x86-64-v3 stop-after=loops' | tile-opt --tile-to-cpu='arch=x86-64-v3 from=loops' | FileCheck %s --check-prefix=LLVM
// RUN: tile-opt %s --tile-to-cpu='arch=x86-64-v4' | FileCheck %s --check-prefix=WIDE
// RUN: not tile-opt %s --tile-to-cpu='arch=z80' 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// LOOPS: tile.target = #tile.target<"cpu", "x86-64-v3", {{.*}}vector_bytes = 32 : i32, vector_registers = 16 : i32
// LOOPS-NOT: tile.
// LOOPS: func.func @k({{.*}}) attributes {tile.kernel}
// LOOPS-NOT: tile.
// LOOPS: llvm.store

// LLVM: llvm.func @k(%{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.noalias}, %{{.*}}: !llvm.ptr {llvm.noalias})
// LLVM-NOT: scf.
// LLVM-NOT: arith.
// LLVM: llvm.return

// WIDE: vector_bytes = 64 : i32, vector_registers = 32 : i32

// UNKNOWN: target 'cpu' has no architecture 'z80'; it has host, x86-64-v3, x86-64-v4
func.func @k(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %p = tile.program_id 0 : i32
  %q = func.call @next(%p) : (i32) -> i32
  tile.store %x, %q : !tile.ptr<i32>
  return
}
func.func private @next(%i: i32) -> i32 {
  %one = arith.constant 1 : i32
  %j = arith.addi %i, %one : i32
  return %j : i32
}
