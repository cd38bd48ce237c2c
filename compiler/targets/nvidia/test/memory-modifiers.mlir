// RUN: tile-translate %s --target nvidia:sm_90a --emit ptx | FileCheck %s

// What a program asks of an access is in the instruction.

// CHECK-LABEL: .entry loads(
func.func @loads(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32, %o: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<512xi32>
  %ns = tile.splat %n : tensor<512xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<512xi32>
  %ps = tile.splat %p : tensor<512x!tile.ptr<f32>>
  %q = tile.addptr %ps, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %os = tile.splat %o : tensor<512x!tile.ptr<f32>>
  %r = tile.addptr %os, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  // CHECK: ld.global.cg.v4.b32
  %a = tile.load %q {cache = #tile<cache cg>} : tensor<512x!tile.ptr<f32>>
  // CHECK: st.global.wt.v4.b32
  tile.store %r, %a {cache = #tile<cache wt>} : tensor<512x!tile.ptr<f32>>
  // CHECK: ld.global.ca.v4.b32
  %b = tile.load %q {cache = #tile<cache ca>} : tensor<512x!tile.ptr<f32>>
  // CHECK: st.global.wb.v4.b32
  tile.store %r, %b {cache = #tile<cache wb>} : tensor<512x!tile.ptr<f32>>
  // CHECK: ld.global.cs.v4.b32
  %c = tile.load %q {cache = #tile<cache cs>} : tensor<512x!tile.ptr<f32>>
  // CHECK: st.global.cg.v4.b32
  tile.store %r, %c {cache = #tile<cache cg>} : tensor<512x!tile.ptr<f32>>
  // CHECK: ld.global.cv.v4.b32
  %d = tile.load %q {cache = #tile<cache cv>} : tensor<512x!tile.ptr<f32>>
  // CHECK: st.global.cs.v4.b32
  tile.store %r, %d {cache = #tile<cache cs>} : tensor<512x!tile.ptr<f32>>
  // CHECK: ld.global.L1::evict_first.v4.b32
  %e = tile.load %q {eviction = #tile<eviction evict_first>} : tensor<512x!tile.ptr<f32>>
  // CHECK: st.global.L1::evict_last.v4.b32
  tile.store %r, %e {eviction = #tile<eviction evict_last>} : tensor<512x!tile.ptr<f32>>
  // CHECK: createpolicy.fractional.L2::evict_last.b64 policy, 1.0; ld.global.cg.L2::cache_hint.v4.b32 {{.*}}, policy;
  %f = tile.load %q {cache = #tile<cache cg>, eviction = #tile<eviction evict_last>} : tensor<512x!tile.ptr<f32>>
  // CHECK: createpolicy.fractional.L2::evict_first.b64 policy, 1.0; st.global.cs.L2::cache_hint.v4.b32 {{.*}}, policy;
  tile.store %r, %f {cache = #tile<cache cs>, eviction = #tile<eviction evict_first>} : tensor<512x!tile.ptr<f32>>
  // CHECK: ld.volatile.global.v4.b32
  %g = tile.load %q volatile {cache = #tile<cache cg>} : tensor<512x!tile.ptr<f32>>
  // CHECK: @%p{{[0-9]+}} st.global
  tile.store %r, %g mask %m : tensor<512x!tile.ptr<f32>>
  return
}
