// RUN: tile-opt %s | tile-opt | FileCheck %s

// CHECK-LABEL: func.func @memory
func.func @memory(%p: tensor<128x!tile.ptr<f32>>, %i: tensor<128xi64>, %m: tensor<128xi1>,
                  %x: tensor<128xf32>, %s: !tile.ptr<i32>, %n: i32) {
  // CHECK: tile.addptr %{{.*}}, %{{.*}} : tensor<128x!tile.ptr<f32>>, tensor<128xi64>
  %q = tile.addptr %p, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi64>
  // CHECK: tile.load %{{.*}} : tensor<128x!tile.ptr<f32>>
  %a = tile.load %q : tensor<128x!tile.ptr<f32>>
  // CHECK: tile.load %{{.*}} mask %{{.*}} other %{{.*}} volatile {cache = #tile<cache cg>, eviction = #tile<eviction evict_first>}
  %b = tile.load %q mask %m other %x volatile {cache = #tile<cache cg>, eviction = #tile<eviction evict_first>} : tensor<128x!tile.ptr<f32>>
  // CHECK: tile.store %{{.*}}, %{{.*}} mask %{{.*}} : tensor<128x!tile.ptr<f32>>
  tile.store %q, %b mask %m : tensor<128x!tile.ptr<f32>>
  // CHECK: tile.atomic_rmw fadd %{{.*}}, %{{.*}} mask %{{.*}} : tensor<128x!tile.ptr<f32>>
  %c = tile.atomic_rmw fadd %q, %a mask %m : tensor<128x!tile.ptr<f32>>
  // CHECK: tile.atomic_cas %{{.*}}, %{{.*}}, %{{.*}} : !tile.ptr<i32>
  %d = tile.atomic_cas %s, %n, %n : !tile.ptr<i32>
  // CHECK: tile.ptr_to_int %{{.*}} : !tile.ptr<i32> -> i64
  %e = tile.ptr_to_int %s : !tile.ptr<i32> -> i64
  // CHECK: tile.int_to_ptr %{{.*}} : i64 -> !tile.ptr<f16>
  %f = tile.int_to_ptr %e : i64 -> !tile.ptr<f16>
  // CHECK: tile.cast_ptr %{{.*}} : !tile.ptr<f16> -> !tile.ptr<i8>
  %g = tile.cast_ptr %f : !tile.ptr<f16> -> !tile.ptr<i8>
  return
}

// CHECK-LABEL: func.func @shape
func.func @shape(%x: f32) {
  // CHECK: tile.arange 4 : tensor<128xi32>
  %a = tile.arange 4 : tensor<128xi32>
  // CHECK: tile.splat %{{.*}} : tensor<128x1xf32>
  %b = tile.splat %x : tensor<128x1xf32>
  // CHECK: tile.broadcast %{{.*}} : tensor<128x1xf32> -> tensor<128x64xf32>
  %c = tile.broadcast %b : tensor<128x1xf32> -> tensor<128x64xf32>
  // CHECK: tile.expand_dims %{{.*}} axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  %d = tile.expand_dims %a axis 1 : tensor<128xi32> -> tensor<128x1xi32>
  // CHECK: tile.reshape %{{.*}} : tensor<128x64xf32> -> tensor<8192xf32>
  %e = tile.reshape %c : tensor<128x64xf32> -> tensor<8192xf32>
  // CHECK: tile.transpose %{{.*}} order [1, 0] : tensor<128x64xf32> -> tensor<64x128xf32>
  %f = tile.transpose %c order [1, 0] : tensor<128x64xf32> -> tensor<64x128xf32>
  // CHECK: tile.join %{{.*}}, %{{.*}} : tensor<128xi32> -> tensor<128x2xi32>
  %g = tile.join %a, %a : tensor<128xi32> -> tensor<128x2xi32>
  // CHECK: tile.split %{{.*}} : tensor<128x2xi32> -> tensor<128xi32>
  %h:2 = tile.split %g : tensor<128x2xi32> -> tensor<128xi32>
  // CHECK: tile.hint %{{.*}} divisibility [16] contiguity [8] : tensor<128xi32>
  %i = tile.hint %a divisibility [16] contiguity [8] : tensor<128xi32>
  return
}

// CHECK-LABEL: func.func @compute
func.func @compute(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf32>) {
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} precision tf32 : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
  %d = tile.dot %a, %b, %c precision tf32 : tensor<64x32xf32>, tensor<32x64xf32> -> tensor<64x64xf32>
  // CHECK: tile.reduce(%{{.*}}) axis 1 {
  // CHECK: tile.yield %{{.*}} : f32
  // CHECK: } : (tensor<64x64xf32>) -> tensor<64xf32>
  %e = tile.reduce(%d) axis 1 {
  ^bb0(%x: f32, %y: f32):
    %z = arith.addf %x, %y : f32
    tile.yield %z : f32
  } : (tensor<64x64xf32>) -> tensor<64xf32>
  // CHECK: tile.cast %{{.*}} rounding rtz : tensor<64xf32> -> tensor<64xf8E5M2>
  %f = tile.cast %e rounding rtz : tensor<64xf32> -> tensor<64xf8E5M2>
  return
}

// CHECK-LABEL: func.func @control
func.func @control(%m: tensor<64xi1>, %x: tensor<64xi32>) attributes {tile.kernel} {
  // CHECK: tile.program_id 1 : i32
  %p = tile.program_id 1 : i32
  // CHECK: tile.num_programs 2 : i32
  %n = tile.num_programs 2 : i32
  // CHECK: tile.barrier
  tile.barrier
  // CHECK: tile.print "x: " %{{.*}} signedness [true] hex : tensor<64xi32>
  tile.print "x: " %x signedness [true] hex : tensor<64xi32>
  // CHECK: tile.assert %{{.*}}, "negative" : tensor<64xi1>
  tile.assert %m, "negative" : tensor<64xi1>
  return
}

// CHECK-LABEL: func.func @loop_options
func.func @loop_options(%n: i32) {
  // CHECK: } {tile.disable_licm, tile.loop_unroll_factor = 2 : i32, tile.num_stages = 3 : i32}
  scf.for %i = %n to %n step %n : i32 {
  } {tile.disable_licm, tile.loop_unroll_factor = 2 : i32, tile.num_stages = 3 : i32}
  return
}
