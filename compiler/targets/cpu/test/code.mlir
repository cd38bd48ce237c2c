// RUN: tile-translate %s --target=cpu:x86-64-v4 --emit=asm | FileCheck %s --check-prefixes=CHECK,V4
// RUN: tile-translate %s --target=cpu:x86-64-v3 --emit=asm | FileCheck %s --check-prefixes=CHECK,V3
// RUN: tile-translate %s --target=cpu:x86-64-v4 --emit=llvmir | FileCheck %s --check-prefix=IR
// RUN: tile-translate %s --target=cpu:x86-64-v3 --emit=object | llvm-readobj --symbols - | FileCheck %s --check-prefix=OBJECT
// RUN: tile-translate %s --target=cpu --emit=library | llvm-readobj --file-header --dyn-symbols - | FileCheck %s --check-prefix=LIBRARY

// One vector register of 16 (8) lanes at a time, two (four) to a chunk of this body; bf16
// is rounded without a call of a library.
// CHECK-LABEL: scale:
// CHECK-NOT: call
// V4-COUNT-2: vmulps {{.*}}%zmm
// V3-COUNT-4: vmulps {{.*}}%ymm
// CHECK: retq

// IR: define void @scale(ptr noalias %{{.*}}, ptr noalias %{{.*}}, ptr noalias %{{.*}}) #[[ATTRIBUTES:[0-9]+]]
// IR: fmul <32 x float>
// IR: attributes #[[ATTRIBUTES]] = {{.*}}"prefer-vector-width"="512"

// OBJECT: Name: scale
// LIBRARY: Type: SharedObject
// LIBRARY: Name: scale
func.func @scale(%x: !tile.ptr<bf16>, %s: f32) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<1024xi32>
  %xs = tile.splat %x : tensor<1024x!tile.ptr<bf16>>
  %p = tile.addptr %xs, %i : tensor<1024x!tile.ptr<bf16>>, tensor<1024xi32>
  %v = tile.load %p : tensor<1024x!tile.ptr<bf16>>
  %w = arith.extf %v : tensor<1024xbf16> to tensor<1024xf32>
  %ss = tile.splat %s : tensor<1024xf32>
  %m = arith.mulf %w, %ss : tensor<1024xf32>
  %n = arith.truncf %m : tensor<1024xf32> to tensor<1024xbf16>
  tile.store %p, %n : tensor<1024x!tile.ptr<bf16>>
  return
}
