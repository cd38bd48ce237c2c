"""Tuples and named tuples: built, taken apart, compared, carried, passed and returned."""

import typing

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


class Point(typing.NamedTuple):
    x: typing.Any
    y: typing.Any = 7

    @tw.jit
    def total(self, scale=1):
        return (self.x + self.y) * scale


@tw.jit
def totals(p, out):
    tl.store(out, p.total(scale=3))
    tl.store(out + 1, Point(2).total())


def test_named_tuples_have_methods():
    out = np.zeros(2, np.int32)
    totals[(1,)](Point(3, 4), out)
    assert out.tolist() == [21, 9]


def run(kernel, *args, size=1, dtype=np.int32):
    """What a kernel stores in its last argument."""
    out = np.zeros(size, dtype)
    kernel[(1,)](*args, out)
    return out.tolist()


@tw.jit
def slices(n, out):
    t = (1, 2, n, 4)
    u = t[1:3] + t[::-1][:1] + (t[-1],) + t[tl.slice(0, 2, None)]
    total = 0
    for place, value in enumerate(u):
        total += value * 10**place
    tl.static_assert(len(u) == 6)
    tl.store(out, total)


def test_slices_and_concatenation():
    assert run(slices, 3) == [214432]


@tw.jit
def nested_arguments(args, scale, out):
    (x, n), b, (none, C) = args
    tl.static_assert(none is None)
    tl.static_assert(isinstance(args, tl.tuple) and isinstance(args[2][1], tl.constexpr))
    tl.store(out, (tl.load(x) + n + b + C) * scale[0])


def test_nested_tuples_are_arguments(rng):
    x = rng.integers(0, 100, 1).astype(np.int32)
    value = run(nested_arguments, ((x, 5), 2.5, (None, tl.constexpr(7))), (3,), dtype=np.float32)
    assert value == [(x[0] + 14.5) * 3]


@tw.jit
def index(t, PLACE: tl.constexpr, out):
    tl.store(out, t[PLACE])
    tl.store(out + 1, t[-1] + len(t))


@pytest.mark.parametrize("place", [0, 1, -3])
def test_constants_index_tuples(place):
    assert run(index, (5, 6, 7), place, size=2) == [(5, 6, 7)[place], 10]


@tw.jit
def fibonacci(n, out):
    t = (0, 1)
    for _ in range(n):
        t = (t[1], t[0] + t[1])
    state = (0, (1.0, n))
    while state[1][1] > 0:
        state = (state[0] + 1, (state[1][0] * 2, state[1][1] - 1))
    tl.store(out, t[0])
    tl.store(out + 1, state[1][0] + state[0])


def test_loops_carry_tuples():
    assert run(fibonacci, 10, size=2) == [55, 1034]


@tw.jit
def three(x):
    return x, x + 1, (x + 2, None)


@tw.jit
def swapped(a, b):
    return Point(b, a)


@tw.jit
def results(p, n, out):
    a, b, (c, d) = three(n)
    tl.static_assert(d is None)
    q = swapped(p.x, p.y)
    for _ in range(n):
        q = Point(q.x + 1, q.y)
    if n > 2:
        q = Point(x=q.x * 2, y=q.y)
    r = Point(n)
    made = tl.tuple([q.x, q.y])
    tl.store(out, a * 100 + b * 10 + c)
    tl.store(out + 1, made[0])
    tl.store(out + 2, made[1] + r.y)


def test_functions_return_tuples_and_named_tuples():
    assert run(results, Point(3, 4), 5, size=3) == [567, 18, 10]


@tw.jit
def comparisons(a, b, out):
    t = (a, b)
    bits = 0
    tl.static_assert((1, 2) == (1, 2) and (1, 2) != (1, 3) and (1, 2) < (1, 3))
    tl.static_assert(t != (1, 2, 3))
    if a in (5, 6):
        bits += 1
    if a not in (5, 6):
        bits += 2
    if t == (5, 7):
        bits += 4
    if t != (5, 7):
        bits += 8
    tl.store(out, bits)


@pytest.mark.parametrize("a, b", [(5, 7), (6, 7), (4, 2)])
def test_tuples_are_compared_by_their_values(a, b):
    expected = (1 if a in (5, 6) else 2) + (4 if (a, b) == (5, 7) else 8)
    assert run(comparisons, a, b) == [expected]


@tw.jit
def blocks(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    loaded = [tl.load(p + i) for p in (x, y)]
    zeros = (tl.zeros((BLOCK,), tl.float32),) * 2
    for _ in tl.static_range(2):
        zeros = (zeros[0] + loaded[0], zeros[1] + loaded[1])
    tl.store(out + i, sum(zeros))


def test_tuples_hold_blocks(rng):
    x, y = rng.random((2, 64), np.float32)
    out = np.empty(64, np.float32)
    blocks[(1,)](x, y, out, BLOCK=64)
    np.testing.assert_allclose(out, 2 * x + 2 * y, rtol=1e-6)
