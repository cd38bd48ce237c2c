// RUN: tile-opt %s -split-input-file --tile-specialize-warps | FileCheck %s

#target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32, on_chip_bytes = 131072 : i32, program_registers = 65536 : i32}>

// Programs of equal work take turns: what the next one reads comes while this one stores. The launch passes the sides of
// the grid, behind the arguments and before descriptors.
// CHECK: module attributes {{.*}}tile.launch_grid
module attributes {tile.target = #target, tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
// CHECK-LABEL: func.func @turns
// CHECK-SAME: (%{{.*}}: !tile.ptr<f16>, %{{.*}}: i32, %{{.*}}: tensor<64x64xf32>, %{{.*}}: !tile.ptr<f32>, %[[X:.*]]: i32, %[[Y:.*]]: i32, %[[Z:.*]]: i32, %{{.*}}: !tile.desc<64x64xf16>
func.func @turns(%pa: !tile.ptr<f16>, %k: i32, %acc: tensor<64x64xf32>, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  // CHECK: tile.roles
  // CHECK: %[[XY:.*]] = arith.muli %[[X]], %[[Y]]
  // CHECK: %[[ALL:.*]] = arith.muli %[[XY]], %[[Z]]
  // CHECK: %[[FIRST:.*]] = tile.program_id 0
  // CHECK: %[[STEP:.*]] = tile.num_programs 0
  // CHECK: scf.for %[[P:.*]] = %[[FIRST]] to %[[ALL]] step %[[STEP]] iter_args
  // CHECK: %[[PX:.*]] = arith.remui %[[P]], %[[X]]
  // CHECK: %[[ROW:.*]] = arith.divui %[[P]], %[[X]]
  // CHECK: %[[PY:.*]] = arith.remui %[[ROW]], %[[Y]]
  // CHECK: arith.addi %[[PX]], %[[PY]]
  // CHECK: scf.for
  // CHECK: tile.acquire
  // CHECK: tile.store
  // CHECK: }, {
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args
  // CHECK: arith.remui
  // CHECK: scf.for
  // CHECK: tile.block_copy
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %x = tile.program_id 0 : i32
  %y = tile.program_id 1 : i32
  %place = arith.addi %x, %y : i32
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%place, %i] {tile.block_copy} : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %p = tile.addptr %out, %place : !tile.ptr<f32>, i32
  %ps = tile.splat %p : tensor<64x64x!tile.ptr<f32>>
  tile.store %ps, %r : tensor<64x64x!tile.ptr<f32>>
  return
}
}

// -----

#target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32, on_chip_bytes = 131072 : i32, program_registers = 65536 : i32}>
// CHECK-LABEL: module
// CHECK-NOT: tile.launch_grid
module attributes {tile.target = #target, tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
// Some have more to do than others, and it is not known which.
// CHECK-LABEL: func.func @unequal
func.func @unequal(%pa: !tile.ptr<f16>, %k: i32, %acc: tensor<64x64xf32>, %out: tensor<64x64x!tile.ptr<f32>>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %x = tile.program_id 0 : i32
  %part = arith.remsi %x, %k : i32
  %end = arith.muli %part, %c64 : i32
  %r = scf.for %i = %c0 to %end step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%x, %i] {tile.block_copy} : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %out, %r : tensor<64x64x!tile.ptr<f32>>
  return
}

// Its programs take turns by themselves.
// CHECK-LABEL: func.func @persistent
func.func @persistent(%pa: !tile.ptr<f16>, %k: i32, %acc: tensor<64x64xf32>, %out: tensor<64x64x!tile.ptr<f32>>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %x = tile.program_id 0 : i32
  %n = tile.num_programs 0 : i32
  %place = arith.muli %x, %n : i32
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%place, %i] {tile.block_copy} : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %out, %r : tensor<64x64x!tile.ptr<f32>>
  return
}

// Programs that others may wait for.
// CHECK-LABEL: func.func @tells
func.func @tells(%pa: !tile.ptr<f16>, %k: i32, %acc: tensor<64x64xf32>, %out: tensor<64x64x!tile.ptr<f32>>, %lock: !tile.ptr<i32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %x = tile.program_id 0 : i32
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%x, %i] {tile.block_copy} : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %out, %r : tensor<64x64x!tile.ptr<f32>>
  %old = tile.atomic_rmw add %lock, %x : !tile.ptr<i32>
  return
}

// A program begins with a load that its own warps wait for.
// CHECK-LABEL: func.func @begins
func.func @begins(%pa: !tile.ptr<f16>, %k: i32, %first: tensor<64x64x!tile.ptr<f32>>, %out: tensor<64x64x!tile.ptr<f32>>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %x = tile.program_id 0 : i32
  %acc = tile.load %first : tensor<64x64x!tile.ptr<f32>>
  %r = scf.for %i = %c0 to %k step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%x, %i] {tile.block_copy} : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %out, %r : tensor<64x64x!tile.ptr<f32>>
  return
}
}

// -----

#target = #tile.target<"any", "first", {lanes = 32 : i32, block_copy_box = 256 : i32, role_warps = 4 : i32, on_chip_bytes = 131072 : i32, program_registers = 65536 : i32}>

// What programs have to do grows along the second axis. Those of some rows along it are done together, and of all of
// these first what is the most, then what is the least of all the next ones; every second turn of the thread blocks goes
// the other way round.
// CHECK: module attributes {{.*}}tile.launch_grid
module attributes {tile.target = #target, tile.num_warps = 4 : i32, tile.num_stages = 3 : i32} {
// CHECK-LABEL: func.func @grows
// CHECK-SAME: %[[X:[a-z0-9]+]]: i32, %[[Y:[a-z0-9]+]]: i32, %[[Z:[a-z0-9]+]]: i32, %{{.*}}: !tile.desc<64x64xf16>
func.func @grows(%pa: !tile.ptr<f16>, %k: i32, %acc: tensor<64x64xf32>, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  // CHECK: tile.roles
  // CHECK: %[[ALL:.*]] = arith.muli %{{.*}}, %[[Z]]
  // CHECK: %[[BLOCKS:.*]] = tile.num_programs 0
  // CHECK: scf.for %[[P:.*]] = %{{.*}} to %[[ALL]] step %[[BLOCKS]]
  // CHECK: %[[TURN:.*]] = arith.divui %[[P]], %[[BLOCKS]]
  // CHECK: %[[ODD:.*]] = arith.trunci %[[TURN]]
  // CHECK: arith.select %[[ODD]]
  // CHECK: %[[ROWS:.*]] = arith.divui %[[ALL]], %[[Y]]
  // CHECK: %[[MOST:.*]] = arith.subi %[[Y]], %{{.*}}
  // CHECK: %[[PY:.*]] = arith.select
  // CHECK: %[[PX:.*]] = arith.remui %{{.*}}, %[[X]]
  // CHECK: arith.addi %[[PX]], %[[PY]]
  // CHECK: scf.for
  // CHECK: tile.unequal_programs
  // CHECK: }, {
  // CHECK: scf.for
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %stride = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %pa sizes[%k, %k] strides[%stride] {tile.block_copy} : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %x = tile.program_id 0 : i32
  %y = tile.program_id 1 : i32
  %place = arith.addi %x, %y : i32
  %next = arith.addi %y, %c1 : i32
  %behind = arith.muli %next, %c64 : i32
  %end = arith.minsi %behind, %k : i32
  %r = scf.for %i = %c0 to %end step %c64 iter_args(%s = %acc) -> (tensor<64x64xf32>) : i32 {
    %a = tile.descriptor_load %da[%place, %i] {tile.block_copy} : !tile.desc<64x64xf16>
    %d = tile.dot %a, %a, %s : tensor<64x64xf16>, tensor<64x64xf16> -> tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %p = tile.addptr %out, %place : !tile.ptr<f32>, i32
  %ps = tile.splat %p : tensor<64x64x!tile.ptr<f32>>
  tile.store %ps, %r : tensor<64x64x!tile.ptr<f32>>
  return
}
}
