"""Statements and expressions of Python in kernels."""

import enum
import math

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

HALF_PI = tl.constexpr(math.pi / 2)


class Mode(enum.Enum):
    SUM = 1
    PRODUCT = 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


def run(kernel, *args, size=1, dtype=np.int32):
    """What a kernel stores in its last argument."""
    out = np.zeros(size, dtype)
    kernel[(1,)](*args, out)
    return out.tolist()


@tw.jit
def ranges(n, out):
    total = 0
    for i in tl.static_range(10, 0, -3):
        doubled: tl.constexpr = i * 2
        tl.static_assert(isinstance(i, tl.constexpr))
        if i == 4:
            total += 1000
        total += doubled
    tl.store(out, total)
    digits = 0
    for i in range(n, 0, -2):
        digits = digits * 10 + i
    for i in tl.range(5, -1, -1, num_stages=2):
        digits += i
    for _ in range(5, 5):
        digits += 10000
    tl.store(out + 1, digits)


def test_ranges_count_up_and_down():
    assert run(ranges, 7, size=2) == [1000 + 2 * (10 + 7 + 4 + 1), 7531 + 15]


@tw.jit
def options(n, out):
    total = 0
    for i in tl.range(0, n, 1, num_stages=3, loop_unroll_factor=2, disallow_acc_multi_buffer=True, flatten=True,
                      warp_specialize=True, disable_licm=True):
        total += i
    while tl.condition(total > 5, disable_licm=True):
        total -= 1
    tl.store(out, total)


def test_options_of_loops_leave_the_result():
    assert run(options, 7) == [5]


@tw.jit
def walrus(n, out):
    if (v := n + 1) > 2:
        tl.store(out, v)
    tl.store(out + 1, (w := 5) + w)


def test_walrus():
    assert run(walrus, 3, size=2) == [4, 10]


@tw.jit
def strings(N: tl.constexpr, DTYPE: tl.constexpr, out):
    """A docstring."""
    tl.static_print(f"N={N} {DTYPE} {N * 2:>5}", N, sep="|")
    tl.static_print(tl.zeros((8, 2), tl.float32))
    tl.static_assert(N == 4, f"N must be 4, got {N}")
    tl.store(out, N)


def test_strings_of_constants(capsys):
    assert run(strings, 4, tl.float32) == [4]
    assert capsys.readouterr().out == "N=4 fp32     8|4\nfp32[8, 2]\n"


@tw.jit
def comprehensions(n, out):
    t = [n + i for i in (1, 2, 3) if i != 2]
    u = [a * b for a, b in ((1, 2), (3, 4))]
    tl.store(out, t[0] + t[1] + u[0] + u[1])


def test_comprehensions():
    assert run(comprehensions, 3) == [4 + 6 + 2 + 12]


@tw.jit
def conditions(a, b, c, none, P: tl.constexpr, out):
    bits = 0
    if a < b < c:
        bits += 1
    if a < b > c:
        bits += 2
    if a == 1 and b == 2 or c == 100:
        bits += 4
    if not (a > b):
        bits += 8
    if P is not None and P > 3:
        bits += 16
    if none is None or tl.load(none) == 2:
        bits += 32
    tl.store(out, bits)


@pytest.mark.parametrize("a, b, c, p", [(1, 2, 3, None), (3, 5, 4, 4), (9, 5, 100, 2)])
def test_conditions(a, b, c, p):
    bits = [a < b < c, a < b > c, a == 1 and b == 2 or c == 100, not a > b, p is not None and p > 3, True]
    assert run(conditions, a, b, c, None, p) == [sum(bit << i for i, bit in enumerate(bits))]


@tw.jit
def augmented(n, out):
    v = n
    v += 1
    v -= 2
    v *= 3
    v //= 2
    v %= 7
    v <<= 3
    v >>= 1
    v &= 0xFF
    v |= 1
    v ^= 2
    f = v.to(tl.float32)
    f /= 2
    tl.store(out, v)
    tl.store(out + 1, f)


def test_augmented_assignment():
    v = 30
    v += 1
    v -= 2
    v *= 3
    v //= 2
    v %= 7
    v <<= 3
    v >>= 1
    v &= 0xFF
    v |= 1
    v ^= 2
    assert run(augmented, 30, size=2, dtype=np.float32) == [v, v / 2]


@tw.jit
def choices(n, P: tl.constexpr, out):
    a = n if n > 2 else 0
    b = 1.5 if P else (1, 2)
    c = None if P else n
    tl.static_assert(c is None)
    d = n + 1 if n > 100 else n - 1
    tl.store(out, a)
    tl.store(out + 1, b * 2)
    tl.store(out + 2, d)


def test_conditional_expressions():
    assert run(choices, 3, True, size=3) == [3, 3, 2]


@tw.jit
def numbers(out):
    tl.store(out, math.pi)
    tl.store(out + 1, HALF_PI * 2)
    tl.store(out + 2, float("inf"))
    tl.store(out + 3, -float("inf"))
    tl.store(out + 4, float("-inf"))
    tl.store(out + 5, math.sqrt(4) + math.log2(8))
    tl.store(out + 6, round(3.7) + int(2.9) + abs(-1))
    NAN: tl.constexpr = float("nan")
    tl.store(out + 7, NAN)


def test_numbers():
    values = run(numbers, size=8, dtype=np.float64)
    expected = [math.pi, math.pi, math.inf, -math.inf, -math.inf, 5, 7, math.nan]
    np.testing.assert_allclose(values, expected, rtol=1e-6)


@tw.jit
def types(x, DTYPE: tl.constexpr, out):
    v = tl.load(x).to(DTYPE)
    b = tl.arange(0, 8)
    ELEMENT: tl.constexpr = x.dtype.element_ty
    tl.static_assert(v.dtype == DTYPE and DTYPE.value == DTYPE and DTYPE.is_fp16())
    tl.static_assert(ELEMENT.is_floating() and ELEMENT.primitive_bitwidth == 32)
    tl.static_assert(x.dtype.is_ptr() and x.type.is_ptr() and x.dtype == tl.pointer_type(tl.float32))
    tl.static_assert(b.type.is_block() and b.shape[0] == 8 and b.type.shape[0] == 8 and len(b.shape) == 1)
    tl.static_assert(b.numel == 8 and b.numel.value == 8)
    tl.static_assert(b.type.scalar == tl.int32 and b.type.element_ty == tl.int32 and b.dtype.is_int_signed())
    tl.static_assert(tl.block_type(tl.float32, [8]) == b.to(tl.float32).type)
    tl.static_assert(isinstance(v, tl.tensor) and isinstance(x.dtype, tl.pointer_type))
    tl.static_assert(isinstance(DTYPE, tl.dtype) and isinstance(3, int) and not isinstance(v, tl.constexpr))
    if DTYPE in (tl.float16, tl.bfloat16):
        tl.store(out, tl.float32.primitive_bitwidth)


def test_types_are_constants(rng):
    assert run(types, np.ones(1, np.float32), tl.float16) == [32]


@tw.jit
def built_in(n, LIST: tl.constexpr, out):
    tl.store(out, min(n, 2, 5))
    tl.store(out + 1, max(n, 10))
    tl.store(out + 2, abs(-n))
    tl.store(out + 3, sum(LIST) + sum((n, 2)))
    tl.store(out + 4, max((1, 9, 3)) + list(range(3))[2] + len(LIST))
    tl.store(out + 5, sorted(LIST)[0] + sum(reversed(LIST)[:1]))
    tl.static_assert(all((True, 1)) and not any((0, False)) and bool(1) and str(3) == "3")
    if any((n == 3, False)) and all((n > 1, True)):
        tl.store(out + 6, divmod(7, 2)[1])


def test_functions_of_python():
    assert run(built_in, 3, [3, 1, 2], size=7) == [2, 10, 3, 6 + 5, 9 + 2 + 3, 3, 1]


@tw.jit
def modes(mode: tl.constexpr, level: tl.constexpr, name: tl.constexpr, out):
    if mode == Mode.SUM:
        tl.store(out, 1)
    elif mode == Mode.PRODUCT:
        tl.store(out, 2)
    if level == Level.HIGH:
        tl.store(out + 1, level)
    if name == "relu":
        tl.store(out + 2, 1)


def test_enumerations_and_strings_are_constants():
    assert run(modes, Mode.PRODUCT, Level.HIGH, "relu", size=3) == [2, 2, 1]
    assert run(modes, Mode.SUM, Level.LOW, "gelu", size=3) == [1, 0, 0]


@tw.jit
def shifted(x, amount, out):
    tl.store(out, (tl.load(x) >> tl.load(amount)).to(tl.int64))


def test_a_shift_keeps_the_sign_of_its_left_side():
    amount = np.ones(1, np.uint32)
    assert run(shifted, np.full(1, -8, np.int32), amount, dtype=np.int64) == [2**32 - 4]
    assert run(shifted, np.full(1, -8, np.int8), amount.astype(np.int64), dtype=np.int64) == [-4]
    assert run(shifted, np.full(1, 248, np.uint8), amount.astype(np.int8), dtype=np.int64) == [124]


@tw.jit
def pinned(a: int, b: float, c: bool, d: "tl.int64", e: tl.uint8, NONE: tl.constexpr, out):
    tl.static_assert(a.dtype == tl.int32 and b.dtype == tl.float32 and c.dtype == tl.int1)
    tl.static_assert(d.dtype == tl.int64 and e.dtype == tl.uint8 and NONE is None)
    tl.store(out, a + d + c.to(tl.int32) + e)


def test_annotations_pin_types():
    assert run(pinned, 1, 1, True, 1, 1, None) == [4]


LOG = []


class Logged:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        LOG.append(f"+{self.name}")
        return 7

    def __exit__(self, *error):
        LOG.append(f"-{self.name}")


def logged(name, _semantic=None):
    return Logged(name.value)


logged.__triton_builtin__ = True


@tw.aggregate
class Scope:
    out: tl.tensor

    @tw.jit
    def __enter__(self):
        tl.store(self.out + 1, 5)
        return self.out

    @tw.jit
    def __exit__(self, kind, error, trace):
        tl.store(self.out + 2, tl.load(self.out))


@tw.jit
def with_blocks(n, out):
    v = 0
    with logged("a") as x, logged("b"):
        for i in range(n):
            if i == 3:
                break
            v += x
    with Scope(out) as p:
        tl.store(p, v)


def test_with_enters_and_leaves():
    LOG.clear()
    assert run(with_blocks, 7, size=3) == [21, 5, 21]
    assert LOG == ["+a", "+b", "-b", "-a"]
