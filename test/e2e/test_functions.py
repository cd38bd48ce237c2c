"""Functions as values: arguments, constants, closures, recursion, and what they return."""

import dataclasses

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


class Sizes:
    """What programs keep helpers of the host in."""

    @staticmethod
    def padded(n):
        return tw.next_power_of_2(getattr(n, "value", n))


@tw.jit
def calls_of_modules(n, N: tl.constexpr, out):
    P: tl.constexpr = Sizes.padded(N)
    i = tl.arange(0, P)
    tl.store(out + i, P, mask=i < N)
    tl.store(out + N, tw.cdiv(n, 4))
    C: tl.constexpr = tw.cdiv(N, 4)
    tl.store(out + N + 1, C)


@pytest.mark.parametrize("n", [0, 1, 7, 8, 9])
def test_functions_of_the_host_are_reached_by_their_owner(n):
    assert run(calls_of_modules, n, 5, size=7) == [8] * 5 + [-(-n // 4), 2]
    assert [tw.next_power_of_2(each) for each in (-3, 0, 1, 2, 3, 64, 65)] == [0, 0, 1, 2, 4, 64, 128]


@dataclasses.dataclass(frozen=True)
class Tile:
    m: int
    n: int

    def elements(self):
        return self.m * self.n

    @property
    def half(self):
        return self.m // 2


LIMITS = tl.constexpr({"rows": 3, "inner": {"columns": 4}})


@tw.jit
def reads_objects(tile: tl.constexpr, out):
    C: tl.constexpr = LIMITS["inner"]["columns"]
    tl.store(out, tile.elements() + tile.half)
    tl.store(out + 1, LIMITS.get("depth", 7) + LIMITS.get("rows") + C)


def test_methods_of_constants():
    assert run(reads_objects, Tile(4, 8), size=2) == [34, 14]


@tl.core.extern
def sine(x, _semantic=None):
    return tl.core.extern_elementwise("", "", [x], {(tl.core.dtype("fp32"),): ("__nv_sinf", tl.core.dtype("fp32")),
                                                    (tl.core.dtype("fp64"),): ("__nv_sin", tl.core.dtype("fp64"))},
                                      is_pure=True, _semantic=_semantic)


@tl.core.builtin
def at_least(x, low, _semantic=None):
    assert isinstance(low, tl.constexpr) and isinstance(x, tl.tensor)
    wide = tl.cast(x, tl.float32, _semantic=_semantic)
    return tl.maximum(wide, tl.core.full(x.shape, low, tl.float32, _semantic=_semantic), _semantic=_semantic)


@tw.jit
def calls_functions_for_the_compiler(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    value = tl.load(x + i)
    tl.store(out + i, sine(value))
    tl.store(out + N + i, at_least(value, 1))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_functions_that_hand_on_what_the_compiler_gave_them(rng, dtype):
    x = rng.normal(size=16).astype(dtype)
    out = np.zeros((2, 16), dtype)
    calls_functions_for_the_compiler[(1,)](x, out, 16)
    np.testing.assert_allclose(out[0], np.sin(x.astype(np.float64)), rtol=1e-5)
    assert np.array_equal(out[1], np.maximum(x.astype(np.float32), 1))


def external(symbol, operands, dtype="fp32"):
    """A function of a library by its symbol."""
    type = tl.core.dtype(dtype)

    @tl.core.extern
    def call(*values, _semantic=None):
        return tl.core.extern_elementwise("", "", list(values), {(type,) * operands: (symbol, type)}, is_pure=True,
                                          _semantic=_semantic)

    return call


@tw.jit
def external_kernel(x, y, out, function: tl.constexpr, OPERANDS: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, N)
    if OPERANDS == 1:
        tl.store(out + i, function(tl.load(x + i)))
    else:
        tl.store(out + i, function(tl.load(x + i), tl.load(y + i)))


@pytest.mark.parametrize("symbol, operands, reference", [
    ("__nv_fabsf", 1, np.abs), ("__nv_powf", 2, np.power), ("__nv_fmodf", 2, np.fmod), ("__nv_log1pf", 1, np.log1p),
    ("__ocml_exp_f32", 1, np.exp), ("__nv_fadd_rn", 2, np.add), ("__nv_fsqrt_rn", 1, np.sqrt),
    ("__nv_fmaxf", 2, np.maximum), ("__nv_atan2f", 2, np.arctan2), ("__nv_isnanf", 1, np.isnan)])
def test_functions_of_libraries_by_their_symbols(rng, symbol, operands, reference):
    x, y, out = (rng.uniform(0.1, 3, 16).astype(np.float32) for _ in range(3))
    external_kernel[(1,)](x, y, out, external(symbol, operands), operands, 16)
    np.testing.assert_allclose(out, reference(*(each.astype(np.float64) for each in (x, y)[:operands])), rtol=1e-5)


def test_symbols_that_no_function_has():
    x = np.ones(16, np.float32)
    with pytest.raises(tw.CompilationError, match="no function for the symbol '__nv_nothing'"):
        external_kernel[(1,)](x, x, x, external("__nv_nothing", 1), 1, 16)
    with pytest.raises(tw.CompilationError, match=r"no symbol for \(fp32\), there are symbols for \(fp64\)"):
        external_kernel[(1,)](x, x, x, external("__nv_sin", 1, "fp64"), 1, 16)
