"""Operators on all pairs of types: the result's type, and its bits."""

import itertools
import operator

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from number_formats import FORMATS, INTEGERS, NUMBERS, WIDE, convert, decode, same_bits, some_bits, storage

SIZE = 256


# --- the language's side ------------------------------------------------------------------------------
@tw.jit
def add(x, y):
    return x + y


@tw.jit
def sub(x, y):
    return x - y


@tw.jit
def mul(x, y):
    return x * y


@tw.jit
def truediv(x, y):
    return x / y


@tw.jit
def floordiv(x, y):
    return x // y


@tw.jit
def mod(x, y):
    return x % y


@tw.jit
def and_(x, y):
    return x & y


@tw.jit
def or_(x, y):
    return x | y


@tw.jit
def xor(x, y):
    return x ^ y


@tw.jit
def lshift(x, y):
    return x << y


@tw.jit
def rshift(x, y):
    return x >> y


@tw.jit
def eq(x, y):
    return x == y


@tw.jit
def ne(x, y):
    return x != y


@tw.jit
def lt(x, y):
    return x < y


@tw.jit
def le(x, y):
    return x <= y


@tw.jit
def gt(x, y):
    return x > y


@tw.jit
def ge(x, y):
    return x >= y


@tw.jit
def minimum(x, y):
    return tl.minimum(x, y)


@tw.jit
def maximum(x, y):
    return tl.maximum(x, y)


@tw.jit
def minimum_or_nan(x, y):
    return tl.minimum(x, y, propagate_nan=tl.PropagateNan.ALL)


@tw.jit
def maximum_or_nan(x, y):
    return tl.maximum(x, y, tl.PropagateNan.ALL)


@tw.jit
def where(x, y):
    return tl.where(x != 0, x, y)


@tw.jit
def bits_of(x):
    """A value's bits as uint64."""
    if x.dtype == tl.int1:
        return x.to(tl.uint64)
    elif x.dtype.primitive_bitwidth == 8:
        return x.to(tl.uint8, bitcast=True).to(tl.uint64)
    elif x.dtype.primitive_bitwidth == 16:
        return x.to(tl.uint16, bitcast=True).to(tl.uint64)
    elif x.dtype.primitive_bitwidth == 32:
        return x.to(tl.uint32, bitcast=True).to(tl.uint64)
    else:
        return x.to(tl.uint64, bitcast=True)


@tw.jit
def value_of(bits, TYPE: tl.constexpr):
    """The value with these bits."""
    if TYPE == tl.int1:
        return bits != 0
    else:
        return bits.to(TYPE, bitcast=True)


@tw.jit
def binary_kernel(x, ys, out, LEFT: tl.constexpr, OPS: tl.constexpr, RIGHTS: tl.constexpr, PLACES: tl.constexpr,
                  RESULTS: tl.constexpr, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    left = value_of(tl.load(x + i), LEFT)
    for k in tl.static_range(len(OPS)):
        right = value_of(tl.load(ys[PLACES[k]] + i), RIGHTS[k])
        result = OPS[k](left, right)
        tl.static_assert(result.dtype == RESULTS[k])
        tl.store(out + k * SIZE + i, bits_of(result))


# --- numpy's side ---------------------------------------------------------------------------------------
def native(bits, type):
    """Bits as an array that numpy computes with; narrow floats as float64, exactly."""
    if type is tl.int1:
        return bits.astype(bool)
    if type in FORMATS:
        return decode(bits, type).astype(np.float64)
    return bits.view(WIDE.get(type) or INTEGERS[type])


def to_bits(values, type):
    if type is tl.int1:
        return values.astype(np.uint8)
    if type in FORMATS:
        return convert(values.astype(np.float64).view(np.uint64), tl.float64, type)
    return np.ascontiguousarray(values).view(storage(type))


def truncated(x, y):
    """The quotient that rounds towards zero; x // 0 is x, and the smallest integer over -1 itself."""
    y = np.where(y == 0, 1, y).astype(object)
    quotient = abs(x.astype(object)) // abs(y) * np.where((x < 0) == (y < 0), 1, -1)
    mask = (1 << (8 * x.dtype.itemsize)) - 1
    return np.array([int(v) & mask for v in quotient], f"u{x.dtype.itemsize}").view(x.dtype)


def remainder(x, y):
    if x.dtype.kind == "f":
        return np.fmod(x, y)
    return np.where(y == 0, 0, x - truncated(x, y) * y).astype(x.dtype)


def amount(y, type):
    return (y.astype(np.uint64) & np.uint64(type.primitive_bitwidth - 1)).astype(f"i{type.itemsize}")


def choose(function):
    """Which of two operands a function takes, on their bits; narrow floats have codes that no result is rounded to."""
    def chosen(x, y, bits_x, bits_y):
        result = function(x, y)
        return np.where((result == x) | np.isnan(x) & ~(result == y), bits_x, bits_y)

    return chosen


def logical(function, on_booleans):
    return lambda x, y: on_booleans(x, y) if x.dtype == bool else function(x, y)


ARITHMETIC = {add: logical(np.add, np.logical_xor), sub: logical(np.subtract, np.logical_xor), mul: np.multiply}
DIVISION = {truediv: np.divide, floordiv: truncated, mod: remainder}
BITS = {and_: np.bitwise_and, or_: np.bitwise_or, xor: np.bitwise_xor,
        lshift: lambda x, y: np.left_shift(x, y & (8 * y.dtype.itemsize - 1)), rshift: None}
COMPARISON = {each: getattr(operator, each.__name__) for each in (eq, ne, lt, le, gt, ge)}
CHOICE = {minimum: choose(np.fmin), maximum: choose(np.fmax), minimum_or_nan: choose(np.minimum),
          maximum_or_nan: choose(np.maximum), where: None}
GROUPS = {"arithmetic": ARITHMETIC, "division": DIVISION, "bits": BITS, "comparison": COMPARISON, "choice": CHOICE}


def promoted(a, b, division=False):
    """The rules of promotion in order; None where the types do not mix."""
    floats = [x for x in (a, b) if x.is_floating()]
    if not floats:
        # Equal widths: unsigned wins; a boolean is below all.
        return max((a, b), key=lambda x: (x.primitive_bitwidth, x.is_int_unsigned()))
    if tl.float64 in (a, b):
        return tl.float64
    if len(floats) == 1 and floats[0].is_fp8():
        return None
    if division or tl.float32 in (a, b):
        return tl.float32
    if tl.float16 in (a, b):
        return tl.float16
    if tl.bfloat16 in (a, b):
        return tl.bfloat16 if a is b else tl.float32
    return a if a is b else tl.float16


def operand_type(op, a, b):
    """The type that an operator computes in; None where it refuses the two."""
    if op in DIVISION:
        integers = a.is_int() and b.is_int()
        mixed = integers and not a.is_bool() and not b.is_bool() and a.is_int_signed() != b.is_int_signed()
        if mixed or (op is floordiv and not integers) or (integers and tl.int1 in (a, b)):
            return None
        return tl.float32 if integers and op is truediv else promoted(a, b, division=True)
    if op in BITS and not (a.is_int() and b.is_int()):
        return None
    if op in CHOICE and op is not where:  # bf16 is compared in fp32
        a, b = (tl.float32 if x is tl.bfloat16 else x for x in (a, b))
    type = promoted(a, b)
    return None if type is tl.int1 and op in (mul, lshift, rshift) else type


def result_type(op, type):
    return tl.int1 if op in COMPARISON else type


def cases(left, group, admits):
    for op, right in itertools.product(GROUPS[group], NUMBERS):
        type = operand_type(op, left, right)
        if type is not None and admits(left) and admits(right):
            yield op, right, type


def sample(rng, type):
    """Bits of a block, with zeros and equal values among them."""
    bits = rng.choice(some_bits(rng, type, 4096), SIZE)
    bits[:4] = 0
    return bits


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("left", NUMBERS, ids=str)
def test_all_pairs(rng, admits, left, group):
    chosen = list(cases(left, group, admits))
    if not chosen:
        pytest.skip("the type has no such operators here")
    ops, rights, types = zip(*chosen, strict=True)
    x = sample(rng, left)
    order = list(dict.fromkeys(rights))
    ys = tuple(sample(rng, right) for right in order)
    if left in order:
        ys[order.index(left)][::3] = x[::3]
    places = tuple(order.index(right) for right in rights)
    results = tuple(result_type(*pair) for pair in zip(ops, types, strict=True))
    out = np.zeros((len(ops), SIZE), np.uint64)
    binary_kernel[(1,)](x, ys, out, LEFT=left, OPS=ops, RIGHTS=rights, PLACES=places, RESULTS=results, SIZE=SIZE)
    for op, right, place, type, result, found in zip(ops, rights, places, types, results, out, strict=True):
        y = ys[place]
        codes = [convert(bits, source, type) for bits, source in ((x, left), (y, right))]
        operands = [native(code, type) for code in codes]
        if op is where:
            expected = np.where(decode(x, left) != 0, *codes)
        elif op is rshift:  # the left side's sign decides what is shifted in
            signed = left.is_int_signed()
            x_bits = operands[0].view(f"i{type.itemsize}" if signed else operands[0].dtype)
            shifted = np.right_shift(x_bits, amount(operands[1], type).astype(x_bits.dtype))
            expected = shifted.view(storage(type))
        elif op in CHOICE:
            expected = CHOICE[op](*operands, *codes)
        else:
            expected = to_bits(GROUPS[group][op](*operands), result)
        found = found.astype(storage(result))
        equal = same_bits(found, expected, result)
        if op in CHOICE and op is not where:  # of two zeros either
            equal |= (decode(found, result) == 0) & (decode(expected, result) == 0)
        if op is truediv and type is tl.float32:  # two units in the last place
            equal |= np.abs(found.astype(np.int64) - expected.astype(np.int64)) <= 2
        wrong = ~equal
        rows = zip(x[wrong][:5], y[wrong], found[wrong], expected[wrong], strict=False)
        shown = [tuple(map(hex, row)) for row in rows]
        assert not wrong.any(), f"{left} {op.__name__} {right}: {wrong.sum()}: (x, y, got, expected) {shown}"


# --- one operand --------------------------------------------------------------------------------------------
@tw.jit
def unary_kernel(x, negative, absolute, inverted, falsehood, TYPE: tl.constexpr, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    value = value_of(tl.load(x + i), TYPE)
    if TYPE != tl.int1:
        tl.store(negative + i, bits_of(-value))
        tl.store(absolute + i, bits_of(tl.abs(value)))
    if TYPE.is_int():
        tl.store(inverted + i, bits_of(~value))
    tl.store(falsehood + i, bits_of(not value))


@pytest.mark.parametrize("type", NUMBERS, ids=str)
def test_one_operand(rng, admits, type):
    if not admits(type):
        pytest.skip("not a type of this target")
    x = sample(rng, type)
    outs = [np.zeros(SIZE, np.uint64) for _ in range(4)]
    unary_kernel[(1,)](x, *outs, TYPE=type, SIZE=SIZE)
    negative, absolute, inverted, falsehood = (out.astype(storage(type)) for out in outs)
    value = native(x, type)
    assert same_bits(falsehood, (decode(x, type) == 0).astype(falsehood.dtype), tl.int1).all()
    if type in FORMATS:
        form = FORMATS[type]
        keep = (x & (form.sign - 1) == 0) & (not form.has_negative_zero)
        assert same_bits(negative, np.where(keep, x, x ^ form.sign), type).all()
        assert same_bits(absolute, np.where(keep, x, x & (form.sign - 1)), type).all()
    elif type is not tl.int1:
        assert same_bits(negative, to_bits(-value, type), type).all()
        assert same_bits(absolute, to_bits(np.abs(value), type), type).all()
    if type.is_int():
        assert same_bits(inverted, to_bits(~value, type), type).all()


# --- several operands -----------------------------------------------------------------------------------------
@tw.jit
def clamp_kernel(x, low, high, out, kept, TYPE: tl.constexpr, RESULT: tl.constexpr, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    value, least, most = value_of(tl.load(x + i), TYPE), value_of(tl.load(low + i), TYPE), value_of(
        tl.load(high + i), TYPE)
    result = tl.clamp(value, least, most)
    tl.static_assert(result.dtype == RESULT)
    tl.store(out + i, bits_of(result))
    tl.store(kept + i, bits_of(tl.clamp(value, least, most, propagate_nan=tl.PropagateNan.ALL)))


@pytest.mark.parametrize("type", [type for type in NUMBERS if type is not tl.int1 and not type.is_fp8()], ids=str)
def test_clamp(rng, type):
    x, low, high = (sample(rng, type) for _ in range(3))
    a, b = native(low, type), native(high, type)
    if type.is_floating():
        low, high = (np.where(np.isnan(side), 0, bits).astype(bits.dtype) for side, bits in ((a, low), (b, high)))
        a, b = native(low, type), native(high, type)
    low, high = np.where(a <= b, low, high), np.where(a <= b, high, low)
    a, b, value = (native(bits, type) for bits in (low, high, x))
    result = tl.float32 if type is tl.bfloat16 else type
    out, kept = np.zeros(SIZE, np.uint64), np.zeros(SIZE, np.uint64)
    clamp_kernel[(1,)](x, low, high, out, kept, TYPE=type, RESULT=result, SIZE=SIZE)
    minimum, maximum = (np.fmin, np.fmax) if type.is_floating() else (np.minimum, np.maximum)
    expected = minimum(maximum(value, a), b)
    with_nan = np.where(value != value, value, expected)
    for found, wanted in ((out, expected), (kept, with_nan)):
        found = native(found.astype(storage(result)), result)
        assert np.array_equal(found, wanted, equal_nan=type.is_floating())


@tw.jit
def cdiv_kernel(x, y, out, high, SIZE: tl.constexpr, WIDE: tl.constexpr):
    i = tl.arange(0, SIZE)
    a, b = tl.load(x + i), tl.load(y + i)
    tl.store(out + i, tl.cdiv(a, b))
    if WIDE:
        tl.store(high + i, tl.umulhi(a, b))


@pytest.mark.parametrize("type", INTEGERS, ids=str)
def test_cdiv_and_umulhi(rng, type):
    dtype = INTEGERS[type]
    x = (sample(rng, type).view(dtype) // 4).astype(dtype)
    y = np.maximum(np.abs(sample(rng, type).view(dtype) // 4), 1).astype(dtype)
    x = np.abs(x)
    out, high = np.zeros(SIZE, dtype), np.zeros(SIZE, dtype)
    wide = dtype.itemsize >= 4
    cdiv_kernel[(1,)](x, y, out, high, SIZE=SIZE, WIDE=wide)
    assert out.tolist() == [-(-int(a) // int(b)) for a, b in zip(x, y, strict=True)]
    if wide:
        bits = 8 * dtype.itemsize
        assert high.tolist() == [int(a) * int(b) >> bits for a, b in zip(x, y, strict=True)]
