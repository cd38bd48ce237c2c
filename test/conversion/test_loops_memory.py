"""Values that kernels on the CPU gather, scatter, transpose and add atomically."""

import numpy as np
import pytest
from kernels import Kernel

RNG = np.random.default_rng()


def pointers(name: str, base: str, offsets: str, size: str, element: str) -> str:
    return f"""
  %{name}s = tile.splat {base} : tensor<{size}x!tile.ptr<{element}>>
  %{name} = tile.addptr %{name}s, {offsets} : tensor<{size}x!tile.ptr<{element}>>, tensor<{size}xi32>"""


@pytest.mark.parametrize("size", [64, 100])
def test_gather_and_scatter(size):
    kernel = Kernel(f"""
func.func @k(%x: !tile.ptr<f32>, %at: !tile.ptr<i32>, %to: !tile.ptr<i32>,
             %y: !tile.ptr<f32>) attributes {{tile.kernel}} {{
  %i = tile.arange 0 : tensor<{size}xi32>
  {pointers("ap", "%at", "%i", size, "i32")}
  {pointers("tp", "%to", "%i", size, "i32")}
  %a = tile.load %ap : tensor<{size}x!tile.ptr<i32>>
  %t = tile.load %tp : tensor<{size}x!tile.ptr<i32>>
  {pointers("xp", "%x", "%a", size, "f32")}
  {pointers("yp", "%y", "%t", size, "f32")}
  %v = tile.load %xp : tensor<{size}x!tile.ptr<f32>>
  tile.store %yp, %v : tensor<{size}x!tile.ptr<f32>>
  return
}}""")
    x, y = RNG.standard_normal(1000).astype(np.float32), np.zeros(size, np.float32)
    at, to = RNG.integers(0, 1000, size, dtype=np.int32), RNG.permutation(size).astype(np.int32)
    kernel(x, at, to, y)
    np.testing.assert_array_equal(y[to], x[at])


@pytest.mark.parametrize("n", [1, 50, 64, 200])
def test_a_remainder_wraps_around_inside_a_chunk(n):
    kernel = Kernel(f"""
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %n: i32) attributes {{tile.kernel}} {{
  %i = tile.arange 7 : tensor<256xi32>
  %j = tile.arange 0 : tensor<256xi32>
  %ns = tile.splat %n : tensor<256xi32>
  %r = arith.remsi %i, %ns : tensor<256xi32>
  {pointers("xp", "%x", "%r", "256", "f32")}
  {pointers("yp", "%y", "%j", "256", "f32")}
  %v = tile.load %xp : tensor<256x!tile.ptr<f32>>
  tile.store %yp, %v : tensor<256x!tile.ptr<f32>>
  return
}}""")
    x, y = RNG.standard_normal(n).astype(np.float32), np.zeros(256, np.float32)
    kernel(x, y, np.int32(n))
    np.testing.assert_array_equal(y, x[np.arange(7, 263) % n])


@pytest.mark.parametrize("rows, columns", [(16, 16), (64, 128), (5, 70)])
def test_transpose(rows, columns):
    n = rows * columns
    kernel = Kernel(f"""
func.func @k(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {{tile.kernel}} {{
  %i = tile.arange 0 : tensor<{n}xi32>
  {pointers("xp", "%x", "%i", n, "f32")}
  {pointers("yp", "%y", "%i", n, "f32")}
  %v = tile.load %xp : tensor<{n}x!tile.ptr<f32>>
  %m = tile.reshape %v : tensor<{n}xf32> -> tensor<{rows}x{columns}xf32>
  %t = tile.transpose %m order [1, 0] : tensor<{rows}x{columns}xf32> -> tensor<{columns}x{rows}xf32>
  %f = tile.reshape %t : tensor<{columns}x{rows}xf32> -> tensor<{n}xf32>
  tile.store %yp, %f : tensor<{n}x!tile.ptr<f32>>
  return
}}""")
    x, y = RNG.standard_normal((rows, columns), np.float32), np.zeros(n, np.float32)
    kernel(x, y)
    np.testing.assert_array_equal(y.reshape(columns, rows), x.T)


@pytest.mark.parametrize("element, dtype", [("f32", np.float32), ("f64", np.float64), ("f16", np.float16)])
def test_atomic_addition_of_floats(element, dtype):
    kernel = Kernel(f"""
func.func @k(%x: !tile.ptr<{element}>, %sum: !tile.ptr<{element}>, %n: i32) attributes {{tile.kernel}} {{
  %i = tile.arange 0 : tensor<100xi32>
  %ns = tile.splat %n : tensor<100xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<100xi32>
  %c3 = arith.constant dense<3> : tensor<100xi32>
  %bin = arith.remui %i, %c3 : tensor<100xi32>
  {pointers("xp", "%x", "%i", "100", element)}
  {pointers("sp", "%sum", "%bin", "100", element)}
  %v = tile.load %xp mask %m : tensor<100x!tile.ptr<{element}>>
  %old = tile.atomic_rmw fadd %sp, %v mask %m : tensor<100x!tile.ptr<{element}>>
  return
}}""")
    for n in (0, 1, 77, 100):
        x = RNG.integers(-4, 5, n).astype(dtype)
        total = np.zeros(3, dtype)
        kernel(x, total, np.int32(n))
        np.testing.assert_array_equal(total, [x[i::3].sum() for i in range(3)])


def test_atomics_give_the_old_values():
    kernel = Kernel(f"""
func.func @k(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>, %z: !tile.ptr<i32>) attributes {{tile.kernel}} {{
  %i = tile.arange 0 : tensor<80xi32>
  {pointers("xp", "%x", "%i", "80", "i32")}
  {pointers("yp", "%y", "%i", "80", "i32")}
  {pointers("zp", "%z", "%i", "80", "i32")}
  %max = tile.atomic_rmw max %xp, %i : tensor<80x!tile.ptr<i32>>
  tile.store %yp, %max : tensor<80x!tile.ptr<i32>>
  %five = arith.constant dense<5> : tensor<80xi32>
  %cas = tile.atomic_cas %xp, %i, %five : tensor<80x!tile.ptr<i32>>
  tile.store %zp, %cas : tensor<80x!tile.ptr<i32>>
  return
}}""")
    x = RNG.integers(0, 160, 80, dtype=np.int32)
    before, i = x.copy(), np.arange(80)
    y, z = np.zeros((2, 80), np.int32)
    kernel(x, y, z)
    np.testing.assert_array_equal(y, before)
    np.testing.assert_array_equal(z, np.maximum(before, i))
    np.testing.assert_array_equal(x, np.where(np.maximum(before, i) == i, 5, before))


def test_booleans_in_memory():
    kernel = Kernel(f"""
func.func @k(%x: !tile.ptr<i1>, %y: !tile.ptr<i1>) attributes {{tile.kernel}} {{
  %i = tile.arange 0 : tensor<70xi32>
  {pointers("xp", "%x", "%i", "70", "i1")}
  {pointers("yp", "%y", "%i", "70", "i1")}
  %true = arith.constant dense<true> : tensor<70xi1>
  %v = tile.load %xp : tensor<70x!tile.ptr<i1>>
  %not = arith.xori %v, %true : tensor<70xi1>
  tile.store %yp, %not : tensor<70x!tile.ptr<i1>>
  return
}}""")
    x, y = RNG.random(70) < 0.5, np.zeros(70, bool)
    kernel(x, y)
    np.testing.assert_array_equal(y, ~x)
