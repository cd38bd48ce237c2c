"""Scans, sorts and histograms of blocks whose sizes are no powers of two, against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from kernels import Kernel

RNG = np.random.default_rng()


def kernel(rows: int, columns: int, element: str, body: str, results: list[tuple[str, int]]) -> Kernel:
    """Load a block `%v`, run `body`, store its results `%r0`, ... : element type, columns."""
    parameters = "".join(f", %y{i}: !tile.ptr<{type}>" for i, (type, _) in enumerate(results))
    return Kernel(f"""
func.func @collective(%x: !tile.ptr<{element}>{parameters}) attributes {{tile.kernel}} {{
{addresses("x", rows, columns, element)}
  %v = tile.load %xp : tensor<{rows}x{columns}x!tile.ptr<{element}>>
{body}
{"".join(addresses(f"y{i}", rows, count, type) + f'''
  tile.store %y{i}p, %r{i} : tensor<{rows}x{count}x!tile.ptr<{type}>>
''' for i, (type, count) in enumerate(results))}
  return
}}""")


def addresses(name: str, rows: int, columns: int, element: str) -> str:
    """Pointers `%<name>p` to the elements of an array in row-major order."""
    full, n = f"tensor<{rows}x{columns}x", name
    return f"""
  %{n}i = tile.arange 0 : tensor<{rows}xi32>
  %{n}j = tile.arange 0 : tensor<{columns}xi32>
  %{n}i1 = tile.expand_dims %{n}i axis 1 : tensor<{rows}xi32> -> tensor<{rows}x1xi32>
  %{n}j1 = tile.expand_dims %{n}j axis 0 : tensor<{columns}xi32> -> tensor<1x{columns}xi32>
  %{n}s = arith.constant dense<{columns}> : tensor<{rows}x1xi32>
  %{n}i2 = arith.muli %{n}i1, %{n}s : tensor<{rows}x1xi32>
  %{n}i3 = tile.broadcast %{n}i2 : tensor<{rows}x1xi32> -> {full}i32>
  %{n}j3 = tile.broadcast %{n}j1 : tensor<1x{columns}xi32> -> {full}i32>
  %{n}o = arith.addi %{n}i3, %{n}j3 : {full}i32>
  %{n}b = tile.splat %{n} : {full}!tile.ptr<{element}>>
  %{n}p = tile.addptr %{n}b, %{n}o : {full}!tile.ptr<{element}>>, {full}i32>"""


SHAPES = [(5, 7), (1, 100), (3, 100), (70, 1), (33, 65), (2, 200)]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("shape", SHAPES)
def test_scan(shape, axis, reverse):
    rows, columns = shape
    # The first element that is not zero: associative, not commutative.
    body = f"""
  %r0 = tile.scan(%v) axis {axis} {"reverse" if reverse else ""} {{
  ^bb0(%a: i32, %b: i32):
    %zero = arith.constant 0 : i32
    %n = arith.cmpi ne, %a, %zero : i32
    %f = arith.select %n, %a, %b : i32
    tile.yield %f : i32
  }} : (tensor<{rows}x{columns}xi32>) -> tensor<{rows}x{columns}xi32>"""
    x = RNG.integers(-1, 2, shape).astype(np.int32)
    y = np.empty_like(x)
    kernel(rows, columns, "i32", body, [("i32", columns)])(x, y)
    expected = np.flip(x, axis).copy() if reverse else x.copy()
    along = np.moveaxis(expected, axis, 0)
    for i in range(1, shape[axis]):
        along[i] = np.where(along[i - 1] != 0, along[i - 1], along[i])
    np.testing.assert_array_equal(y, np.flip(expected, axis) if reverse else expected)


@pytest.mark.parametrize("element, dtype", [("i8", np.uint8), ("i32", np.uint32), ("i64", np.uint64)])
@pytest.mark.parametrize("shape, count", [((5, 7), 7), ((1, 100), 100), ((3, 100), 9), ((70, 1), 1), ((2, 200), 3)])
def test_sort(shape, count, element, dtype):
    rows, columns = shape
    block, result = f"tensor<{rows}x{columns}x{element}>", f"tensor<{rows}x{count}x{element}>"
    places = f"tensor<{rows}x{count}xi32>"
    body = f"""
  %r0 = tile.sort %v unsigned : {block} -> {result}
  %r1, %r2 = tile.sort %v unsigned : {block} -> {result}, {places}"""
    x = RNG.integers(0, 200, shape).astype(dtype)
    y, z, where = np.empty((rows, count), dtype), np.empty((rows, count), dtype), np.empty((rows, count), np.int32)
    kernel(rows, columns, element, body, [(element, count), (element, count), ("i32", count)])(x, y, z, where)
    order = np.argsort(x, 1, kind="stable")[:, :count]
    np.testing.assert_array_equal(where, order)
    np.testing.assert_array_equal(y, np.take_along_axis(x, order, 1))
    np.testing.assert_array_equal(z, y)


@pytest.mark.parametrize("size, bins", [(7, 5), (100, 33), (200, 100)])
def test_histogram(size, bins):
    body = f"""
  %flat = tile.reshape %v : tensor<1x{size}xi32> -> tensor<{size}xi32>
  %h = tile.histogram %flat : tensor<{size}xi32> -> tensor<{bins}xi32>
  %r0 = tile.reshape %h : tensor<{bins}xi32> -> tensor<1x{bins}xi32>"""
    x = RNG.integers(-2, bins + 2, (1, size)).astype(np.int32)
    y = np.empty((1, bins), np.int32)
    kernel(1, size, "i32", body, [("i32", bins)])(x, y)
    np.testing.assert_array_equal(y[0], np.bincount(x[(x >= 0) & (x < bins)], minlength=bins))
