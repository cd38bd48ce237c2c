"""Functions as values: arguments, constants, closures, recursion, and what they return."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl


@tw.jit
def plus(a, b):
    return a + b


@tw.jit
def times(a, b):
    return a * b


@tw.constexpr_function
def multiples(n, scale=2):
    return [i * scale for i in range(n)]


def run(kernel, *args, size=1):
    """What a kernel stores in its last argument."""
    out = np.zeros(size, np.int32)
    kernel[(1,)](*args, out)
    return out.tolist()


@tw.jit
def applied(n, F: tl.constexpr, g, functions, CHAIN: tl.constexpr, out):
    value = F(g(n, 2), 3)
    for function in functions:
        value = function(value, 2)
    for i in tl.static_range(len(CHAIN)):
        value = CHAIN[i](value, 5)
    tl.store(out, value)


def test_functions_are_arguments_and_items():
    assert run(applied, 4, plus, times, (plus, times), (times, plus)) == [(4 * 2 + 3 + 2) * 2 * 5 + 5]
    assert run(applied, 4, times, plus, (times,), (plus,)) == [(4 + 2) * 3 * 2 + 5]


def make_kernel(function, N, table):
    N = tl.constexpr(N)
    table = tl.constexpr(table)

    @tw.jit
    def inner(x):
        return function(x, N) + table[1]

    @tw.jit
    def kernel(n, out):
        tl.store(out, inner(n))

    return kernel


def test_kernels_read_variables_of_the_enclosing_function():
    assert run(make_kernel(plus, 4, (1, 2)), 3) == [9]
    assert run(make_kernel(times, 4, (1, 3)), 3) == [15]


FUNCTIONS = (plus, times)
OFFSET = 30
TABLE = [1, 2, 3]


@tw.jit
def plain(n, out):
    tl.store(out, n + OFFSET + TABLE[2] + len(TABLE))


def test_plain_variables_of_a_module_can_be_allowed(monkeypatch):
    with pytest.raises(tw.CompilationError, match="'OFFSET' is a variable of the module"):
        run(plain, 4)
    monkeypatch.setenv("TILEWRIGHT_PLAIN_GLOBALS", "1")
    assert run(plain, 4) == [40]


class Operations:
    OFFSET = tl.constexpr(5)

    @staticmethod
    @tw.jit
    def plus(a, b):
        return a + b + Operations.OFFSET


@tw.jit
def by_name(n, out):
    tl.store(out, Operations.plus(n, 1))
    tl.store(out + 1, FUNCTIONS[1](n, 7))


def test_functions_of_classes_and_tuples():
    assert run(by_name, 3, size=2) == [9, 21]
    assert {"plus", "times"} <= {function.__name__ for function in by_name._reachable()}


@tw.jit
def power(x, N: tl.constexpr):
    if N == 0:
        return 1
    return x * power(x, N - 1)


@tw.jit
def tree(x, BEGIN: tl.constexpr, END: tl.constexpr):
    if END - BEGIN == 1:
        return x + BEGIN
    MIDDLE: tl.constexpr = (BEGIN + END) // 2
    return tree(x, BEGIN, MIDDLE) + tree(x, MIDDLE, END)


@tw.jit
def recursive(n, out):
    tl.store(out, power(n, 5))
    tl.store(out + 1, tree(n, 0, 8))


def test_constants_end_recursion():
    assert run(recursive, 3, size=2) == [243, 8 * 3 + 28]


@tw.jit(noinline=True)
def out_of_line(a, b=4, *, scale: tl.constexpr = 2):
    return a * b * scale + 1


@tw.jit
def total(*values, start=0):
    for value in values:
        start += value
    return start


@tw.jit
def arguments(n, out):
    t = (n, n + 1)
    tl.store(out, out_of_line(n))
    tl.store(out + 1, out_of_line(b=n, a=2, scale=3))
    tl.store(out + 2, total(*t, 5, start=100))
    tl.store(out + 3, total())


def test_arguments_have_defaults_names_and_stars():
    assert run(arguments, 3, size=4) == [25, 19, 112, 0]


@tw.jit
def summed(out, *arrays, SCALE: tl.constexpr = 1):
    tl.static_assert(len(arrays) == 3 or len(arrays) == 0)
    value = 0
    for array in arrays:
        value += tl.load(array) if array.dtype.is_ptr() else array
    tl.store(out, value * SCALE)


def test_kernels_take_any_number_of_arguments():
    out = np.zeros(1, np.int32)
    summed[(1,)](out, np.full(1, 3, np.int32), 40, np.full(1, 500, np.int32), SCALE=2)
    assert out[0] == 2 * 543
    summed[(1,)](out)
    assert out[0] == 0


@tw.jit
def by_flag(x, FLAG: tl.constexpr):
    if FLAG:
        return x + 1
    else:
        return (x, x)


@tw.jit
def early(x):
    if x < 0:
        return 0
    if x > 10:
        if x > 100:
            return 3
        return 2
    return 1


@tw.jit
def nothing(out):
    tl.store(out + 2, 9)
    return


@tw.jit
def branches(n, out):
    a = by_flag(n, True)
    b, c = by_flag(a, False)
    tl.store(out, b + c)
    tl.store(out + 1, early(n))
    done = nothing(out)
    tl.static_assert(done is None)
    if n == 11:
        return None
    tl.store(out + 3, 1)


@pytest.mark.parametrize("n", [-1, 5, 11, 500])
def test_functions_return_from_branches(n):
    step = 0 if n < 0 else 1 if n <= 10 else 2 if n <= 100 else 3
    assert run(branches, n, size=4) == [2 * n + 2, step, 9, 0 if n == 11 else 1]


@tw.constexpr_function
def describe(x):
    return (x.dtype.is_floating(), x.shape[0])


@tw.jit
def computed(n, F: tl.constexpr, out):
    table: tl.constexpr = multiples(4, scale=3)
    value = len(table)
    for entry in multiples(3):
        value += entry
    tl.static_assert(describe(tl.zeros((8,), tl.float32)) == (True, 8))
    tl.store(out, value + table[3] + n + F(3)[1])


def test_functions_that_run_while_compiling():
    assert run(computed, 2, multiples) == [4 + 6 + 9 + 2 + 2]


def foreign(function):
    function.__triton_builtin__ = True
    return function


@foreign
def next_power(n, *, _semantic):
    assert isinstance(n, tl.constexpr) and _semantic is not None
    return tl.constexpr(tw.next_power_of_2(n.value))


@foreign
def only_with(mask, value, _semantic=None):
    return tl.constexpr(None) if isinstance(mask, tl.constexpr) and mask.value is None else value


@tw.jit
def calls_foreign(n, N: tl.constexpr, out):
    M: tl.constexpr = next_power(N)
    i = tl.arange(0, M)
    tl.static_assert(only_with(None, 3) is None)
    tl.store(out + i, only_with(i > 2, n), mask=i < N)


def test_functions_written_for_triton():
    assert run(calls_foreign, 4, 7, size=8) == [4] * 7 + [0]
