"""Values of blocks that pass through loops and branches on the CPU."""

import numpy as np
from kernels import Kernel

RNG = np.random.default_rng()

T, P = "tensor<100xf32>", "tensor<100x!tile.ptr<f32>>"
LOAD = f"""
  %i = tile.arange 0 : tensor<100xi32>
  %xs = tile.splat %x : {P}
  %xp = tile.addptr %xs, %i : {P}, tensor<100xi32>
  %ys = tile.splat %y : {P}
  %yp = tile.addptr %ys, %i : {P}, tensor<100xi32>
  %a = tile.load %xp : {P}
  %b = tile.load %yp : {P}
"""


def kernel(body: str) -> Kernel:
    return Kernel(f"""
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) attributes {{tile.kernel}} {{
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  {LOAD}
  {body}
  return
}}""")


def vectors():
    return RNG.standard_normal((2, 100), np.float32)


def test_a_loop_swaps_two_blocks():
    swap = kernel(f"""
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> ({T}, {T}) : i32 {{
    scf.yield %q, %p : {T}, {T}
  }}
  tile.store %xp, %r#0 : {P}
  tile.store %yp, %r#1 : {P}""")
    for n in range(4):
        x, y = vectors()
        x1, y1 = x.copy(), y.copy()
        swap(x1, y1, np.int32(n))
        np.testing.assert_array_equal(x1, y if n % 2 else x)
        np.testing.assert_array_equal(y1, x if n % 2 else y)


def test_a_carried_block_is_reversed_by_reading_other_lanes():
    """Lane 2i takes lane 2i+1 and the other way round, so no lane may be overwritten early."""
    pairs = "tensor<50x2xf32>"
    exchange = kernel(f"""
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%p = %a) -> ({T}) : i32 {{
    %m = tile.reshape %p : {T} -> {pairs}
    %e, %o = tile.split %m : {pairs} -> tensor<50xf32>
    %j = tile.join %o, %e : tensor<50xf32> -> {pairs}
    %f = tile.reshape %j : {pairs} -> {T}
    scf.yield %f : {T}
  }}
  tile.store %yp, %r : {P}""")
    for n in range(3):
        x, y = vectors()
        exchange(x, y, np.int32(n))
        np.testing.assert_array_equal(y, x.reshape(50, 2)[:, ::-1].ravel() if n % 2 else x)


def test_blocks_from_a_branch():
    choose = kernel(f"""
  %is = arith.cmpi sgt, %n, %c0 : i32
  %r = scf.if %is -> ({T}) {{
    %s = arith.addf %a, %b : {T}
    scf.yield %s : {T}
  }} else {{
    scf.yield %a : {T}
  }}
  tile.store %yp, %r : {P}""")
    for n in (0, 1):
        x, y = vectors()
        expected = x + y if n else x
        choose(x, y, np.int32(n))
        np.testing.assert_array_equal(y, expected)


def test_a_while_loop_carries_a_block():
    double = kernel(f"""
  %r:2 = scf.while (%k = %c0, %p = %a) : (i32, {T}) -> (i32, {T}) {{
    %more = arith.cmpi slt, %k, %n : i32
    scf.condition(%more) %k, %p : i32, {T}
  }} do {{
  ^bb0(%k: i32, %p: {T}):
    %s = arith.addf %p, %p : {T}
    %next = arith.addi %k, %c1 : i32
    scf.yield %next, %s : i32, {T}
  }}
  tile.store %yp, %r#1 : {P}""")
    for n in range(4):
        x, y = vectors()
        double(x, y, np.int32(n))
        np.testing.assert_array_equal(y, x * np.float32(2**n))


def test_a_load_stays_before_a_store_to_its_memory():
    shift = Kernel("""
func.func @k(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.arange 0 : tensor<256xi32>
  %j = tile.arange 1 : tensor<256xi32>
  %xs = tile.splat %x : tensor<256x!tile.ptr<f32>>
  %from = tile.addptr %xs, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %to = tile.addptr %xs, %j : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %a = tile.load %from : tensor<256x!tile.ptr<f32>>
  tile.store %to, %a : tensor<256x!tile.ptr<f32>>
  return
}""")
    x = RNG.standard_normal(257).astype(np.float32)
    expected = np.concatenate([x[:1], x[:256]])
    shift(x)
    np.testing.assert_array_equal(x, expected)


def test_a_pointer_block_advances_beyond_its_loop():
    walk = kernel(f"""
  %c100 = arith.constant 100 : i32
  %step = tile.splat %c100 : tensor<100xi32>
  %zero = arith.constant dense<0.0> : {T}
  %r:2 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero, %p = %xp) -> ({T}, {P}) : i32 {{
    %v = tile.load %p : {P}
    %t = arith.addf %s, %v : {T}
    %q = tile.addptr %p, %step : {P}, tensor<100xi32>
    scf.yield %t, %q : {T}, {P}
  }}
  %last = tile.load %r#1 : {P}
  %sum = arith.addf %r#0, %last : {T}
  tile.store %yp, %sum : {P}""")
    for n in (0, 1, 3):
        x = RNG.integers(0, 100, (n + 1, 100)).astype(np.float32)
        y = np.zeros(100, np.float32)
        walk(x, y, np.int32(n))
        np.testing.assert_array_equal(y, x.sum(0))
