"""Conversions between all pairs of types, bit by bit."""

import ml_dtypes
import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from number_formats import FORMATS, NUMBERS, WIDE, convert, decode, same_bits, some_bits, storage


@tw.jit
def cast_kernel(x, outs, n, SOURCE: tl.constexpr, TYPES: tl.constexpr, ROUNDING: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    bits = tl.load(x + i, mask=i < n)
    value = bits != 0 if SOURCE == tl.int1 else bits.to(SOURCE, bitcast=True)
    for k in tl.static_range(len(TYPES)):
        result = value.to(TYPES[k], fp_downcast_rounding=ROUNDING)
        if TYPES[k] == tl.int1:
            tl.store(outs[k] + i, result.to(tl.uint8), mask=i < n)
        else:
            tl.store(outs[k] + i, result.to(outs[k].dtype.element_ty, bitcast=True), mask=i < n)


def run(bits, source, types, rounding=None):
    outs = tuple(np.zeros(bits.size, storage(to)) for to in types)
    cast_kernel[(tw.cdiv(bits.size, 1024),)](bits, outs, bits.size, SOURCE=source, TYPES=tuple(types),
                                             ROUNDING=rounding, BLOCK=1024)
    return outs


def check(bits, source, types, rounding=None):
    for to, out in zip(types, run(bits, source, types, rounding), strict=True):
        expected = convert(bits, source, to, rounding == "rtz")
        wrong = ~same_bits(out, expected, to)
        if to is tl.float8e4b15 and source.is_floating():  # no NaN: the sign of what one becomes is the processor's
            wrong &= ~(np.isnan(decode(bits, source)) & ((out ^ expected) & 0x7F == 0))
        shown = [tuple(hex(v) for v in row) for row in zip(bits[wrong][:5], out[wrong], expected[wrong], strict=False)]
        assert not wrong.any(), f"{source} to {to}: {wrong.sum()} of {wrong.size}: (from, got, expected) {shown}"


@pytest.mark.parametrize("source", NUMBERS, ids=str)
def test_all_pairs(rng, admits, source):
    if not admits(source):
        pytest.skip("not a type of this target")
    check(some_bits(rng, source), source, [to for to in NUMBERS if admits(to)])


@pytest.mark.parametrize("source", [tl.float16, tl.bfloat16, *WIDE], ids=str)
def test_rounding_towards_zero(rng, admits, source):
    narrower = [to for to in [*FORMATS, *WIDE]
                if to.primitive_bitwidth < source.primitive_bitwidth and admits(to)]
    bits = some_bits(rng, source)
    check(bits, source, narrower, "rtz")
    check(bits, source, narrower, "rtne")


ARRAYS = {tl.float8e5: "float8_e5m2", tl.float8e4nv: "float8_e4m3fn", tl.float8e5b16: "float8_e5m2fnuz",
          tl.float8e4b8: "float8_e4m3fnuz", tl.bfloat16: "bfloat16"}


@tw.jit
def double_kernel(x, wide, out, n):
    i = tl.program_id(0) * 256 + tl.arange(0, 256)
    value = tl.load(x + i, mask=i < n, other=1.0)
    tl.store(wide + i, value)
    tl.store(out + i, value.to(tl.float32) * 2, mask=i < n)


@pytest.mark.parametrize("type", ARRAYS, ids=str)
def test_arrays_of_narrow_floats(rng, admits, type):
    if not admits(type):
        pytest.skip("not a type of this target")
    dtype, size = np.dtype(getattr(ml_dtypes, ARRAYS[type])), 250
    bits = rng.choice(some_bits(rng, type), 256)
    x, wide, out = bits.view(dtype), np.zeros(256, np.float32), np.zeros(256, dtype)
    double_kernel[(1,)](x, wide, out, size)
    expected = np.where(np.arange(256) < size, decode(bits, type), 1).astype(np.float32)
    assert same_bits(wide.view(np.uint32), expected.view(np.uint32), tl.float32).all()
    doubled = convert((expected * 2).view(np.uint32), tl.float32, type)
    assert same_bits(out.view(bits.dtype)[:size], doubled[:size], type).all() and not out.view(bits.dtype)[size:].any()


@tw.jit
def bitcast_kernel(x, out, TYPES: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i)
    for k in tl.static_range(len(TYPES)):
        value = value.to(TYPES[k], bitcast=True)
    tl.store(out + i, value.to(x.dtype.element_ty, bitcast=True))


@pytest.mark.parametrize("width", [8, 16, 32, 64])
def test_bit_casts_change_no_bit(rng, device, admits, width):
    if device == "interpreter" and width == 8:
        pytest.skip("the interpreter holds values, among them one NaN")
    types = [type for type in NUMBERS if type.primitive_bitwidth == width and admits(type)]
    orders = [types, types[::-1]]
    bits = some_bits(rng, types[0], 4096)[: (4096 if width > 8 else 256)]
    for order in orders:
        out = np.zeros_like(bits)
        bitcast_kernel[(bits.size // 256,)](bits, out, TYPES=tuple(order), BLOCK=256)
        assert np.array_equal(out, bits)


@tw.jit
def constant_kernel(out, VALUE: tl.constexpr, TYPES: tl.constexpr):
    for k in tl.static_range(len(TYPES)):
        tl.store(out[k] + tl.arange(0, 4), tl.full((4,), VALUE, TYPES[k]).to(out[k].dtype.element_ty, bitcast=True))
        assigned = VALUE
        scalar = tl.to_tensor(assigned).to(TYPES[k])
        tl.store(out[k] + 4, scalar.to(out[k].dtype.element_ty, bitcast=True))


@pytest.mark.parametrize("value", [0.0, -0.0, 1.0, -1.75, 0.3, 448.0, 1e6, float("inf"), float("nan"), 3, 100])
def test_constants_are_rounded_alike(admits, value):
    types = [type for type in [*FORMATS, *WIDE] if admits(type)]
    outs = tuple(np.zeros(5, storage(type)) for type in types)
    constant_kernel[(1,)](outs, VALUE=value, TYPES=tuple(types))
    single = np.full(5, value, np.float32)
    for type, out in zip(types, outs, strict=True):
        expected = np.full(5, value, np.float64).view(np.uint64) if type is tl.float64 else convert(
            single.view(np.uint32), tl.float32, type)
        if type is tl.float64:  # an assigned number is an fp32 first
            expected[4:] = single[4:].astype(np.float64).view(np.uint64)
        assert same_bits(out, expected, type).all(), (type, out, expected)
