"""Values through branches, loops, jumps and calls."""

import typing

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def collatz_kernel(start, steps):
    i = tl.program_id(0)
    n = tl.load(start + i)
    count = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        count += 1
    tl.store(steps + i, count)


def collatz(n):
    count = 0
    while n != 1:
        n, count = (n // 2 if n % 2 == 0 else 3 * n + 1), count + 1
    return count


def test_while_and_if():
    start = np.arange(1, 30, dtype=np.int64)
    steps = np.empty(29, np.int32)
    collatz_kernel[(29,)](start, steps)
    assert steps.tolist() == [collatz(n) for n in range(1, 30)]


@tw.jit
def find_kernel(x, n, found, visited, wanted):
    place = -1
    count = 0
    for i in range(n):
        value = tl.load(x + i)
        if value < 0:
            continue
        count += 1
        if value == wanted:
            place = i
            break
    tl.store(found, place)
    tl.store(visited, count)


@pytest.mark.parametrize("wanted", [5, 7, 99])
def test_break_and_continue(wanted):
    x = np.array([3, -1, 5, -2, 7, 1], np.int32)
    found, visited = np.empty(1, np.int32), np.empty(1, np.int32)
    find_kernel[(1,)](x, 6, found, visited, wanted)
    place = x.tolist().index(wanted) if wanted in x else -1
    assert found[0] == place
    assert visited[0] == (x[:place + 1] >= 0).sum() if place >= 0 else (x >= 0).sum()


@tw.jit
def classify(value):
    if value < 0:
        return -1.0
    if value == 0:
        return 0.0
    for i in range(10):
        if i * i >= value:
            return i + 0.5
    return 100.0


@tw.jit
def classify_kernel(x, out):
    i = tl.program_id(0)
    tl.store(out + i, classify(tl.load(x + i)))


def test_early_returns():
    x = np.array([-3, 0, 1, 10, 81, 82], np.int32)
    out = np.empty(6, np.float32)
    classify_kernel[(6,)](x, out)
    assert out.tolist() == [-1.0, 0.0, 1.5, 4.5, 9.5, 100.0]


@tw.jit
def range_kernel(out, start, end, STEP: tl.constexpr):
    place = 0
    for i in range(start, end, STEP):
        tl.store(out + place, i)
        place += 1
    tl.store(out + 63, place)


@pytest.mark.parametrize("start, end, step", [(0, 10, 1), (3, 11, 4), (10, 0, -3), (5, 5, 1), (7, 3, 1), (3, 7, -1)])
def test_ranges(start, end, step):
    out = np.full(64, -9, np.int32)
    range_kernel[(1,)](out, start, end, STEP=step)
    wanted = list(range(start, end, step))
    assert out[63] == len(wanted) and out[:len(wanted)].tolist() == wanted


@tw.jit
def nested_kernel(out, n):
    total = 0
    for i in range(n):
        for j in range(i):
            if j == 3:
                break
            for k in tl.static_range(4):
                if k == 2:
                    continue
                total += i * 100 + j * 10 + k
        if i == 6:
            break
    tl.store(out, total)


def test_nested_loops():
    out = np.empty(1, np.int32)
    nested_kernel[(1,)](out, 9)
    assert out[0] == sum(i * 100 + j * 10 + k for i in range(7) for j in range(min(i, 3)) for k in (0, 1, 3))


class Pair(typing.NamedTuple):
    low: typing.Any
    high: typing.Any


@tw.jit
def tuple_kernel(x, pair, out):
    best = Pair(tl.load(x), tl.load(x))
    for i in range(pair.low, pair.high):
        value = tl.load(x + i)
        best = Pair(min(best.low, value), max(best.high, value))
    tl.store(out, best.low)
    tl.store(out + 1, best.high)


def test_tuples_around_a_loop(rng):
    x = rng.standard_normal(50).astype(np.float32)
    out = np.empty(2, np.float32)
    tuple_kernel[(1,)](x, Pair(1, 40), out)
    assert out.tolist() == [x[:40].min(), x[:40].max()]


@tw.jit
def ternary_kernel(x, out, n):
    i = tl.arange(0, 64)
    scale = 2.0 if n > 10 else (0.5 if n > 5 else -1.0)
    tl.store(out + i, tl.load(x + i) * scale)


@pytest.mark.parametrize("n, scale", [(20, 2.0), (7, 0.5), (3, -1.0)])
def test_conditional_expressions(rng, n, scale):
    x, out = rng.standard_normal(64).astype(np.float32), np.empty(64, np.float32)
    ternary_kernel[(1,)](x, out, n)
    assert np.array_equal(out, x * np.float32(scale))


@tw.jit
def short_circuit_kernel(x, n, out):
    i = 0
    while i < n and tl.load(x + i, mask=i < n, other=0) != 0:
        i += 1
    tl.store(out, i)


@pytest.mark.parametrize("values", [[1, 2, 0, 3], [1, 1], [0]])
def test_conditions_joined_by_and(values):
    x, out = np.array(values, np.int32), np.empty(1, np.int32)
    short_circuit_kernel[(1,)](x, len(values), out)
    assert out[0] == (values.index(0) if 0 in values else len(values))


@tw.jit
def one_element_kernel(x, out):
    one = tl.load(x + tl.arange(0, 1))
    if one > 0:
        tl.store(out, 1)
    if one[:, None] > 5 and one > 0:
        tl.store(out + 1, 1)
    while one > 0:
        one -= 1
        tl.atomic_add(out + 2, 1)
    tl.store(out + 3, 7 if one == 0 else 8)


@pytest.mark.parametrize("value", [-1, 3, 9])
def test_a_block_of_one_element_is_a_condition(value):
    out = np.zeros(4, np.int32)
    one_element_kernel[(1,)](np.full(1, value, np.int32), out)
    assert out.tolist() == [value > 0, value > 5, max(value, 0), 7 if value >= 0 else 8]


@tw.jit
def chosen_place(n, c):
    if c:
        if n >= 0:
            if n > 3:
                return -1
        first = n
        pair = (n, n + 1)
    else:
        first = 2 * n
        pair = (1, 2)
    return first + pair[0] + pair[1]


@tw.jit
def values_of_paths_kernel(x, out, n, c, C: tl.constexpr):
    tl.store(out, chosen_place(n, C))
    tl.store(out + 1, chosen_place(n, c > 0))
    steps = 0
    for i in range(n):
        if c > 0:
            if i % 3 == 0:
                continue
            value = i * 2
            place = x + i
        else:
            value = i
            place = x + i
        tl.store(place, value)
        steps += 1
    if C:
        if steps > 2:
            return
        last = steps
    else:
        last = 10 + steps
    tl.store(out + 2, last)


@pytest.mark.parametrize("n", [0, 2, 3, 6])
@pytest.mark.parametrize("c", [0, 2])
@pytest.mark.parametrize("constant", [False, True])
def test_variables_of_paths_that_do_not_jump(n, c, constant):
    x, out = np.full(8, -1, np.int32), np.full(3, -1, np.int32)
    values_of_paths_kernel[(1,)](x, out, n, c, constant)

    def place(c):
        return (-1 if n > 3 else 3 * n + 1) if c else 2 * n + 3

    steps = [i for i in range(n) if not (c and i % 3 == 0)]
    assert out[:2].tolist() == [place(constant), place(c)]
    assert x.tolist() == [i * (2 if c else 1) if i in steps else -1 for i in range(8)]
    assert out[2] == (10 + len(steps) if not constant else len(steps) if len(steps) <= 2 else -1)


@tw.jit
def turned_kernel(x, out, n, SIDE: tl.constexpr):
    i = tl.arange(0, SIDE)
    block = tl.load(x + i[:, None] * SIDE + i[None, :])
    for _ in range(3):
        for _ in range(n):
            block = block * 3
        block = tl.trans(block) + 1
    tl.store(out + i[:, None] * SIDE + i[None, :], block)


@pytest.mark.parametrize("side", [4, 32])
def test_what_a_loop_leaves_changes_places(rng, side):
    """Elements move while what they were is still needed, as an inner loop has left it."""
    x = rng.integers(-9, 10, (side, side)).astype(np.int32)
    for n in range(3):
        out, expected = np.empty_like(x), x
        turned_kernel[(1,)](x, out, n, SIDE=side)
        for _ in range(3):
            expected = (expected * 3**n).T + 1
        assert (out == expected).all()


@tw.jit
def same_each_time_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    block = tl.load(x + i)
    first, second = i * 3, i * 5
    for _ in range(n):
        first = tl.sum(block) + block
        second = tl.max(block * 2) - first
    tl.store(out + i, first)
    tl.store(out + BLOCK + i, second)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_what_is_the_same_in_all_iterations(rng, n):
    """Such values leave the loop, and stand behind the sums that they are computed from."""
    i, x = np.arange(128, dtype=np.int32), rng.integers(-9, 10, 128).astype(np.int32)
    out = np.empty((2, 128), np.int32)
    same_each_time_kernel[(1,)](x, out, n, BLOCK=128)
    first = x.sum() + x
    assert (out == (np.stack((first, (2 * x).max() - first)) if n else np.stack((i * 3, i * 5)))).all()
