"""What kernels print, and how they stop where an assertion does not hold."""

import ctypes

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.runtime.errors import DeviceAssertionError


@pytest.fixture
def printed_once(device):
    if device == "scheduled":
        pytest.skip("each of several schedules prints")


@tw.jit
def print_kernel(x, n):
    tl.device_print("x: ", tl.load(x + tl.arange(0, 4)))
    print("n is", n)


@pytest.mark.usefixtures("printed_once")
def test_prints_each_element_with_its_place(capfd):
    print_kernel[(2,)](np.array([1.5, -2.0, np.inf, 0.0], np.float32), 7)
    ctypes.CDLL(None).fflush(None)  # a GPU's lines come through C's buffer
    lines = capfd.readouterr().out.splitlines()
    for program in range(2):
        for place, value in enumerate(("1.5", "-2", "inf", "0")):
            assert f"pid ({program}, 0, 0) idx ({place}) x: {value}" in lines
        assert f"pid ({program}, 0, 0) idx () n is: 7" in lines
    assert len(lines) == 10


@tw.jit
def print_more_kernel(x, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.device_print("", tl.load(x + i), i)
    tl.device_print("done")
    print(i)


@pytest.mark.usefixtures("printed_once")
def test_indices_stand_in_columns(capfd):
    print_more_kernel[(1,)](np.arange(24, dtype=np.float32), 2, 12)
    ctypes.CDLL(None).fflush(None)
    lines = capfd.readouterr().out.splitlines()
    for place in range(24):
        index = f"pid (0, 0, 0) idx ({place // 12}, {place % 12:2})"
        for expected in (f"{index}: (operand 0) {place}", f"{index}: (operand 1) {place}", f"{index}: {place}"):
            assert lines.count(expected) == 1
    assert lines.count("pid (0, 0, 0) done") == 1 and len(lines) == 73


@tw.jit
def assert_kernel(x, n):
    i = tl.arange(0, 4)
    tl.device_assert(tl.load(x + i) > 0, "must be positive", mask=i < n)
    assert n > 1, "n is small"


@pytest.mark.cpu_only(reason="an assertion that fails on a GPU ends all work of the process there")
def test_assertions_hold_or_name_the_line():
    x = np.array([1, 2, -3, 4], np.float32)
    line = assert_kernel.source.first_line + 3
    assert_kernel[(1,)](x, 2, debug=True)
    assert_kernel[(1,)](x, 4)  # checked in debug mode only
    with pytest.raises(DeviceAssertionError, match=f"test_debugging.py:{line}:.*must be positive"):
        assert_kernel[(1,)](x, 4, debug=True)
    with pytest.raises(DeviceAssertionError, match=f"test_debugging.py:{line + 1}:.*n is small"):
        assert_kernel[(1,)](x, 1, debug=True)


# --- what debug mode checks besides -------------------------------------------------------------------
@tw.jit
def overflow_kernel(x, y, out, OP: tl.constexpr):
    i = tl.arange(0, 4)
    a, b = tl.load(x + i), tl.load(y + i)
    if OP == "add":
        c = a + b
    elif OP == "sub":
        c = a - b
    elif OP == "mul":
        c = a * b
    elif OP == "function":
        c = tl.mul(a, b)
    else:
        c = tl.add(a, b, sanitize_overflow=False)
    tl.store(out + i, c)


@pytest.mark.cpu_only(reason="an assertion that fails on a GPU ends all work of the process there")
@pytest.mark.parametrize("dtype, low, high", [("int32", -2**31, 2**31 - 1), ("uint32", 0, 2**32 - 1),
                                              ("int16", -2**15, 2**15 - 1), ("int8", -128, 127), ("uint8", 0, 255)])
def test_sums_and_products_that_do_not_fit(dtype, low, high):
    def run(op, a, b, **options):
        x, y, out = (np.full(4, value, dtype) for value in (1, 1, 0))
        x[2], y[2] = a, b
        overflow_kernel[(1,)](x, y, out, OP=op, debug=True, **options)
        return out

    for op, name, a, b in (("add", "add", high, 1), ("sub", "sub", low, 1), ("mul", "mul", high, 2),
                           ("function", "mul", high, 2)):
        with pytest.raises(DeviceAssertionError, match=f"{dtype} overflow detected for operation {name}") as caught:
            run(op, a, b)
        assert isinstance(caught.value, RuntimeError) and isinstance(caught.value, AssertionError)
        run(op, a, b, sanitize_overflow=False)
    assert run("unchecked", high, 1)[2] == np.array(low, dtype)
    assert run("add", high - 1, 1)[2] == high and run("sub", low + 1, 1)[2] == low


@tw.jit
def plus(a, b):
    return a + b


@tw.jit
def sums_kernel(x, out, seed, N: tl.constexpr):
    i = tl.arange(0, N)
    values = tl.load(x + i)
    tl.store(out, tl.reduce(values, 0, plus))
    tl.store(out + 1 + i, tl.associative_scan(values, 0, plus))
    tl.store(out + 1 + N + i, tl.randint(seed, i).to(tl.int32, bitcast=True))
    tl.store(out + 1 + 2 * N + i, tl.rand(seed, i).to(tl.int32, bitcast=True))


@pytest.mark.parametrize("seed", [3, 2**40 + 1])
def test_combine_functions_and_random_numbers_are_not_checked(seed):
    x = np.full(16, 2**30, np.int32)
    plain, checked = np.zeros((2, 49), np.int32)
    sums_kernel[(1,)](x, plain, seed, 16)
    sums_kernel[(1,)](x, checked, seed, 16, debug=True)
    assert np.array_equal(plain, checked) and plain[0] == 0


@tw.jit
def bounds_kernel(x, out, n, at, OP: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    if OP == "load":
        value = tl.load(x + i, mask=i < n)
    else:
        value = tl.zeros((BLOCK,), tl.float32)
    pointer = out + i
    if OP == "loop":
        for _ in range(n):
            pointer += BLOCK
            tl.store(pointer, value, mask=i < 1)
    elif OP == "atomic":
        tl.atomic_add(out + at, 1.0)
    elif OP == "cas":
        tl.atomic_cas(out + at, 0.0, 1.0)
    elif OP == "scalar":
        tl.store(out + at, tl.load(x + at))
    elif OP == "descriptor":
        desc = tl.make_tensor_descriptor(out, [n], [1], [BLOCK])
        desc.store([0], value)
    else:
        tl.store(out + i, value, mask=i < n)


@pytest.mark.cpu_only(reason="arrays' bounds are known on the CPU")
@pytest.mark.parametrize("op, good, bad, name", [
    ("load", (100, 0), (101, 0), "x"), ("store", (100, 0), (101, 0), "out"), ("loop", (1, 0), (2, 0), "out"),
    ("atomic", (0, 99), (0, 100), "out"), ("cas", (0, 99), (0, -1), "out"), ("scalar", (0, 0), (0, 1 << 20), "x"),
    ("descriptor", (100, 0), (101, 0), "out")])
def test_accesses_outside_of_arrays(op, good, bad, name):
    x, out = np.ones(100, np.float32), np.zeros(100 if op != "load" else 128, np.float32)
    bounds_kernel[(1,)](x, out, *good, OP=op, BLOCK=64 if op == "loop" else 128, debug=True)
    with pytest.raises(DeviceAssertionError, match=f"test_debugging.py:.*outside of the array of argument '{name}'"):
        bounds_kernel[(1,)](x, out, *bad, OP=op, BLOCK=64 if op == "loop" else 128, debug=True)


@pytest.mark.cpu_only(reason="arrays' bounds are known on the CPU")
def test_views_may_reach_into_their_array():
    x = np.arange(200, dtype=np.float32)
    out = np.zeros(1, np.float32)
    shifted_kernel[(1,)](x[50:60], out, -3, debug=True)
    assert out[0] == 47
    with pytest.raises(DeviceAssertionError, match="outside of the array of argument 'x'"):
        shifted_kernel[(1,)](x[50:60], out, 150, debug=True)


@tw.jit
def shifted_kernel(x, out, offset):
    tl.store(out, tl.load(x + offset))
