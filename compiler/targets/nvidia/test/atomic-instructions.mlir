// RUN: tile-translate %s --target nvidia:sm_90a --emit ptx | FileCheck %s

// CHECK-LABEL: .entry scopes(
func.func @scopes(%p: !tile.ptr<i32>, %x: i32, %f: !tile.ptr<f32>, %y: f32, %h: !tile.ptr<f16>, %z: f16,
                  %l: !tile.ptr<i64>, %w: i64) attributes {tile.kernel} {
  // Who does not look at what was there learns nothing: a fence before it is enough.
  // CHECK: fence.acq_rel.sys
  // CHECK: atom.relaxed.sys.global.add.u32
  %a = tile.atomic_rmw add %p, %x {scope = #tile<scope sys>} : !tile.ptr<i32>
  // CHECK-NOT: fence
  // CHECK: atom.relaxed.sys.global.add.f32
  %b = tile.atomic_rmw fadd %f, %y {scope = #tile<scope sys>, semantic = #tile<semantic relaxed>} : !tile.ptr<f32>
  // CHECK: atom.relaxed.sys.global.max.s64
  %c = tile.atomic_rmw max %l, %w {scope = #tile<scope sys>, semantic = #tile<semantic relaxed>} : !tile.ptr<i64>
  // CHECK-DAG: atom.relaxed.sys.global.exch.b64
  %d = tile.atomic_rmw exchange %l, %w {scope = #tile<scope sys>, semantic = #tile<semantic relaxed>} : !tile.ptr<i64>
  // CHECK-DAG: atom.relaxed.sys.global.add.noftz.f16
  %e = tile.atomic_rmw fadd %h, %z {scope = #tile<scope sys>, semantic = #tile<semantic relaxed>} : !tile.ptr<f16>
  // CHECK-DAG: atom.global.add.noftz.f16
  %g = tile.atomic_rmw fadd %h, %z {semantic = #tile<semantic relaxed>} : !tile.ptr<f16>
  return
}

// CHECK-LABEL: .entry extrema(
func.func @extrema(%f: !tile.ptr<f32>, %y: f32) attributes {tile.kernel} {
  // CHECK: atom.global.max.s32
  // CHECK: atom.global.min.u32
  %a = tile.atomic_rmw fmax %f, %y {semantic = #tile<semantic relaxed>} : !tile.ptr<f32>
  // CHECK: atom.global.min.s32
  // CHECK: atom.global.max.u32
  %b = tile.atomic_rmw fmin %f, %y {semantic = #tile<semantic relaxed>} : !tile.ptr<f32>
  return
}

// CHECK-LABEL: .entry ordered(
func.func @ordered(%p: !tile.ptr<f32>, %q: !tile.ptr<i32>, %x: i32, %ns: i64) attributes {tile.kernel} {
  // CHECK: ld.relaxed.gpu.global.b32
  // CHECK: fence.acq_rel.gpu
  %a = tile.atomic_load %p : !tile.ptr<f32>
  // CHECK: fence.acq_rel.sys
  // CHECK: st.relaxed.sys.global.b32
  tile.atomic_store %p, %a {scope = #tile<scope sys>} : !tile.ptr<f32>
  // CHECK: globaltimer
  // CHECK: ld.relaxed.gpu.global.b32
  // CHECK: globaltimer
  // CHECK: fence.acq_rel.gpu
  %c = tile.atomic_poll %q, %x timeout %ns : !tile.ptr<i32>
  // CHECK: ld.relaxed.cta.global.b32
  %d = tile.atomic_load %q {scope = #tile<scope cta>, semantic = #tile<semantic relaxed>} : !tile.ptr<i32>
  // CHECK: st.relaxed.gpu.global.b32
  tile.atomic_store %q, %d {semantic = #tile<semantic relaxed>} : !tile.ptr<i32>
  return
}

// CHECK-LABEL: .entry descriptor(
// CHECK: ld.global{{.*}}.v4.b32
// CHECK: st.global{{.*}}.v4.b32
func.func @descriptor(%d: !tile.desc<32x64xf16> {tile.divisibility = 16 : i32},
                      %e: !tile.desc<32x64xf16> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %pid = tile.program_id 0 : i32
  %c64 = arith.constant 64 : i32
  %c0 = arith.constant 0 : i32
  %j = arith.muli %pid, %c64 : i32
  %x = tile.descriptor_load %d[%c0, %j] : !tile.desc<32x64xf16>
  tile.descriptor_store %e[%c0, %j], %x : !tile.desc<32x64xf16>
  return
}
