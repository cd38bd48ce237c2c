"""The emulator's parts that need no kernel: parsing, number formats, metadata, race detection."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest
from tilewright.runtime.amd.emulator import DataRace
from tilewright.runtime.amd.emulator.decoding.instruction import parse, parse_operand
from tilewright.runtime.amd.emulator.loading.msgpack import unpack
from tilewright.runtime.amd.emulator.memory.lds_races import RaceDetector
from tilewright.runtime.amd.emulator.values import float_functions as ff
from tilewright.runtime.amd.emulator.values.numeric import FP8_VALUES, bf16_to_f32, encode_fp8, f32_to_bf16

_FP8 = {
    ("fp8", False): ml_dtypes.float8_e4m3fn,
    ("bf8", False): ml_dtypes.float8_e5m2,
    ("fp8", True): ml_dtypes.float8_e4m3fnuz,
    ("bf8", True): ml_dtypes.float8_e5m2fnuz,
}


@pytest.mark.parametrize("key", _FP8)
def test_every_fp8_code_has_its_value(key):
    codes = np.arange(256, dtype=np.uint8)
    np.testing.assert_array_equal(FP8_VALUES[key], codes.view(_FP8[key]).astype(np.float32))


@pytest.mark.parametrize("key", _FP8)
def test_fp8_rounds_to_nearest_even(key, rng):
    values = FP8_VALUES[key]
    finite = np.unique(values[np.isfinite(values)])
    ties = (finite[1:] + finite[:-1]) / 2
    largest = finite[-1]
    beyond = largest * np.array([1.01, 1.03, 1.0625, 1.125, 1.2, 2, -1.0625, -1.125, -4])
    random = (rng.standard_normal(2000) * largest / 8).astype(np.float32)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan]
    x = np.concatenate([finite, ties, beyond, random, special]).astype(np.float32)
    with np.errstate(invalid="ignore"):
        expected = x.astype(_FP8[key])
    codes = encode_fp8(x, *key)
    number = ~np.isnan(expected.astype(np.float32))
    np.testing.assert_array_equal(codes[number], expected.view(np.uint8)[number])
    assert np.isnan(values[codes[~number]]).all()


def test_bf16_rounds_to_nearest_even(rng):
    bits = rng.integers(2**32, size=4000, dtype=np.uint32)
    bits[:1000] = bits[:1000] & 0xFFFF0000 | 0x8000  # ties
    with np.errstate(all="ignore"):
        x = np.concatenate([bits.view(np.float32), [np.inf, np.nan, 3.4e38]]).astype(np.float32)
        expected = x.astype(ml_dtypes.bfloat16).astype(np.float32)
    np.testing.assert_array_equal(bf16_to_f32(f32_to_bf16(x)), expected)


def test_fma_rounds_once():
    # The product is 1 + 2^-11 + 2^-24; rounding it to f32 first would lose the last bit.
    a = np.float32(1 + 2.0**-12)
    assert ff.fma_f32(a, a, np.float32(-1))[0] == np.float32(2.0**-11 + 2.0**-24)
    b = 1 + 2.0**-30
    assert ff.fma_f64(b, b, -1.0)[0] == 2.0**-29 + 2.0**-60
    assert math.isinf(ff.fma_f64(1e308, 10.0, 1.0)[0])
    with np.errstate(invalid="ignore"):
        assert math.isnan(ff.fma_f64(math.inf, 0.0, 1.0)[0])
    assert math.copysign(1, ff.fma_f64(-0.0, 1.0, -0.0)[0]) == -1


def test_minima_order_zeros_and_nans():
    zero, minus, nan = np.float32(0), np.float32(-0.0), np.float32(np.nan)
    for first, second in ((zero, minus), (minus, zero)):
        assert np.signbit(ff.minimum_number(first, second)[0])
        assert not np.signbit(ff.maximum_number(first, second)[0])
    assert ff.maximum_number(nan, zero)[0] == 0
    assert np.isnan(ff.maximum(nan, zero)[0])


@pytest.mark.parametrize(
    "text, expected",
    [
        ("v7", {"kind": "vector", "index": 7, "count": 1}),
        ("a[4:7]", {"kind": "vector", "index": 260, "count": 4}),
        ("ttmp9", {"kind": "scalar", "index": 117}),
        ("s[2:3]", {"kind": "scalar", "index": 2, "count": 2}),
        ("vcc", {"kind": "scalar", "index": 106, "count": 2}),
        ("-|v3|", {"kind": "vector", "index": 3, "negate": True, "absolute": True}),
        ("-v3", {"kind": "vector", "negate": True}),
        ("sext(v1)", {"kind": "vector", "sign_extend": True}),
        ("v2.h", {"kind": "vector", "index": 2, "half": "h"}),
        ("-4.0", {"kind": "constant", "value": -4.0, "negate": False}),
        ("0x3f800000", {"kind": "constant", "value": 0x3F800000}),
        ("lit(0x10)", {"kind": "constant", "value": 16}),
        ("null", {"kind": "scalar", "is_null": True}),
        ("off", {"kind": "off"}),
    ],
)
def test_operands(text, expected):
    operand = parse_operand(text)
    assert {name: getattr(operand, name) for name in expected} == expected


def test_instructions():
    parsed = parse("v_pk_fma_f16 v0, v1, s[2:3], 1.0 op_sel_hi:[1,0,1] clamp")
    assert parsed.mnemonic == "v_pk_fma_f16" and len(parsed.operands) == 4
    assert parsed.bits("op_sel_hi", 3, default=1) == [1, 0, 1]
    assert parsed.bits("op_sel", 3) == [0, 0, 0] and "clamp" in parsed.modifiers
    parsed = parse("ds_swizzle_b32 v1, v2 offset:swizzle(BITMASK_PERM,\"01pip\")")
    assert parsed.modifiers["offset"] == 'swizzle(BITMASK_PERM,"01pip")'
    assert parse("v_add_f32_e64_dpp v0, v1, v2 row_shr:1").mnemonic == "v_add_f32"
    assert parse("buffer_inv sc1").operands == ()


def test_constants_in_each_type():
    assert parse_operand("1.0").constant("f16").view(np.uint16) == 0x3C00
    assert parse_operand("1.0").constant("u32") == 0x3F800000
    assert parse_operand("-1").constant("u64") == 2**64 - 1
    # A 32-bit literal is the high half of an f64; a small integer is not a literal.
    assert parse_operand("0x40080000").constant("f64") == 3.0
    assert parse_operand("1").constant("f64").view(np.uint64) == 1
    assert parse_operand("0.15915494").constant("f64").view(np.uint64) == 0x3FC45F306DC9C882


def test_msgpack():
    data = b"\x83\xa1a\x01\xa1b\x93\xff\xc3\xc0\xd9\x02cd\xcf" + (2**40).to_bytes(8, "big")
    assert unpack(data) == {"a": 1, "b": [-1, True, None], "cd": 2**40}
    with pytest.raises(ValueError, match="ends early"):
        unpack(b"\xa5abc")


def test_races_between_waves():
    index = np.arange(4)
    every, none = np.ones(4, bool), np.zeros(4, bool)
    detector = RaceDetector(8)
    detector.write(0, index, every)
    detector.write(1, index, none)  # a copy of what is there
    detector.reset()
    detector.write(0, index, every)
    detector.read(0, index)  # a wave's own order counts
    with pytest.raises(DataRace, match="wave 1 reads byte 0 of LDS, which wave 0 wrote"):
        detector.read(1, index)
    detector.reset()
    detector.read(1, index)
    detector.read(2, index)
    with pytest.raises(DataRace, match="wave 1 writes byte 0 of LDS, which other waves read"):
        detector.write(1, index, every)
    detector.reset()
    detector.update(0, index)
    detector.update(1, index)  # atomics go together
    with pytest.raises(DataRace, match="other waves updated"):
        detector.read(1, index)
