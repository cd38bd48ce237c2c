// RUN: tile-opt %s -convert-tile-to-gpu -canonicalize -cse | FileCheck %s
// RUN: tile-translate %s --target nvidia:sm_80 --from scheduled --emit ptx | FileCheck %s --check-prefix=PTX

#layout = #tile.layout<[64]: register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[0], [0]]>

module attributes {tile.num_warps = 4 : i32,
    tile.target = #tile.target<"nvidia", "sm_80", {lanes = 32 : i32, access_bits = 128 : i32}>} {
// CHECK-LABEL: func.func @print
// CHECK-COUNT-2: gpu.printf "pid (%d, %d, %d) idx (%2d) x 100%%: %d\0A"
// CHECK: gpu.printf "pid (%d, %d, %d) idx () x 100%%: %g\0A"
// CHECK: gpu.printf "pid (%d, %d, %d) idx () 0x%08x\0A"
// CHECK: gpu.printf "pid (%d, %d, %d) here\0A"
// PTX: .extern .func {{.*}} vprintf
// PTX: call.uni {{.*}} vprintf
func.func @print(%f: f16, %u: i8) attributes {tile.kernel} {
  %x = tile.arange 0 : tensor<64xi32, #layout>
  tile.print "x 100%: " %x, %f signedness [true, true] : tensor<64xi32, #layout>, f16
  tile.print "" %u signedness [false] hex : i8
  tile.print "here" signedness []
  return
}

// CHECK-LABEL: func.func @assert
// CHECK: %[[ALL:.*]] = vector.reduction <and>
// CHECK: scf.if
// CHECK: gpu.printf "{{.*}}gpu-print.mlir:{{[0-9]+}}: assertion failed in pid (%d, %d, %d): small\0A"
// CHECK: llvm.intr.trap
func.func @assert(%n: i32) attributes {tile.kernel} {
  %x = tile.arange 0 : tensor<64xi32, #layout>
  %ns = tile.splat %n : tensor<64xi32, #layout>
  %m = arith.cmpi slt, %x, %ns : tensor<64xi32, #layout>
  tile.assert %m, "small" : tensor<64xi1, #layout>
  return
}
}
