"""Elementwise instructions on every target against numpy, special values included."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from emulator_elementwise import (
    THREADS,
    Case,
    element_count,
    fma,
    mismatch,
    module,
    numpy_type,
    random_values,
)
from tilewright.runtime.amd.emulator import launch

_CDNA = ("gfx942", "gfx950")
_FLOATS = {"half": "f16", "float": "f32", "double": "f64"}
# Rounding to nothing less than the type's own precision.
_ULP = {"half": 1e-3, "float": 3e-7, "double": 1e-15}


def _wide(function):
    """A function of x computed in f64."""
    return lambda x, y: function(x.astype(np.float64))


def _float_cases(ir: str) -> list[Case]:
    s, t = _FLOATS[ir], ir
    ulp = _ULP[ir]

    def case(name: str, body: str, reference, tolerance: float = 0.0, result: str = t) -> Case:
        return Case(f"{name}_{s}", t, result, body, reference, tolerance)

    return [
        case("add", f"fadd {t} %x, %y", lambda x, y: x + y),
        case("sub", f"fsub {t} %x, %y", lambda x, y: x - y),
        case("mul", f"fmul {t} %x, %y", lambda x, y: x * y),
        case("div", f"fdiv {t} %x, %y", lambda x, y: x / y, 0.0 if t == "double" else ulp),
        case("fma", f"call {t} @llvm.fma.{s}({t} %x, {t} %y, {t} %x)", fma),
        case("sqrt", f"call {t} @llvm.sqrt.{s}({t} %x)", lambda x, y: np.sqrt(x), ulp),
        case("maxnum", f"call {t} @llvm.maxnum.{s}({t} %x, {t} %y)", lambda x, y: np.fmax(x, y)),
        case("minnum", f"call {t} @llvm.minnum.{s}({t} %x, {t} %y)", lambda x, y: np.fmin(x, y)),
        case("maximum", f"call {t} @llvm.maximum.{s}({t} %x, {t} %y)", np.maximum),
        case("minimum", f"call {t} @llvm.minimum.{s}({t} %x, {t} %y)", np.minimum),
        case("floor", f"call {t} @llvm.floor.{s}({t} %x)", lambda x, y: np.floor(x)),
        case("ceil", f"call {t} @llvm.ceil.{s}({t} %x)", lambda x, y: np.ceil(x)),
        case("trunc", f"call {t} @llvm.trunc.{s}({t} %x)", lambda x, y: np.trunc(x)),
        case("rint", f"call {t} @llvm.rint.{s}({t} %x)", lambda x, y: np.rint(x)),
        case("abs_neg", f"%a = call {t} @llvm.fabs.{s}({t} %x)\n%n = fneg {t} %a\n"
             f"%r = fadd {t} %n, %y", lambda x, y: -np.abs(x) + y),
        case("copysign", f"call {t} @llvm.copysign.{s}({t} %x, {t} %y)", np.copysign),
        case("select", f"%c = fcmp ult {t} %x, %y\n%r = select i1 %c, {t} %x, {t} 2.0",
             lambda x, y: np.where(~(x >= y), x, x.dtype.type(2))),
        case("is_class", f"%c = call i1 @llvm.is.fpclass.{s}({t} %x, i32 146)\n%r = zext i1 %c to i32",
             _is_denormal_or_normal_or_nan, result="i32"),
        *(case(f"cmp_{p}", f"%c = fcmp {p} {t} %x, %y\n%r = zext i1 %c to i32", f, result="i32")
          for p, f in _COMPARISONS.items()),
    ]  # fmt: skip


def _is_denormal_or_normal_or_nan(x: Any, y: Any) -> Any:
    """Class mask 146 = 2 + 16 + 128: quiet NaN, negative denormal, positive denormal."""
    denormal = (x != 0) & (np.abs(x) < np.finfo(x.dtype).tiny)
    return np.isnan(x) | denormal


_COMPARISONS = {
    "oeq": lambda x, y: x == y,
    "one": lambda x, y: (x < y) | (x > y),
    "olt": lambda x, y: x < y,
    "oge": lambda x, y: x >= y,
    "ord": lambda x, y: ~(np.isnan(x) | np.isnan(y)),
    "uno": lambda x, y: np.isnan(x) | np.isnan(y),
    "ueq": lambda x, y: ~((x < y) | (x > y)),
    "une": lambda x, y: x != y,
    "ult": lambda x, y: ~(x >= y),
    "uge": lambda x, y: ~(x < y),
}


def _saturate(dtype: Any):
    info = np.iinfo(dtype)

    def convert(x: Any, y: Any) -> Any:
        wide = np.trunc(x.astype(np.float64))
        clipped = np.clip(wide, float(info.min), float(info.max))
        return np.where(np.isnan(wide), 0, clipped).astype(dtype)

    return convert


def _conversion_cases() -> list[Case]:
    cases = []
    for source, s in _FLOATS.items():
        for target, t in _FLOATS.items():
            if source != target:
                action = (
                    "fpext"
                    if numpy_type(target).itemsize > numpy_type(source).itemsize
                    else "fptrunc"
                )
                body = f"{action} {source} %x to {target}"
                cases.append(Case(f"{s}_to_{t}", source, target, body, lambda x, y: x))
        for bits in (16, 32):
            body = f"call i{bits} @llvm.fptosi.sat.i{bits}.{s}({source} %x)"
            reference = _saturate(f"i{bits // 8}")
            cases.append(Case(f"{s}_to_i{bits}", source, f"i{bits}", body, reference))
            body = f"call i{bits} @llvm.fptoui.sat.i{bits}.{s}({source} %x)"
            reference = _saturate(f"u{bits // 8}")
            cases.append(Case(f"{s}_to_u{bits}", source, f"i{bits}", body, reference))
        for bits in (8, 16, 32, 64):
            for sign, letter in (("si", "i"), ("ui", "u")):
                cases.append(_from_integer(bits, sign, letter, source))
    cases.append(
        Case("f32_to_bf16", "float", "bfloat", "fptrunc float %x to bfloat", lambda x, y: x)
    )
    cases.append(Case("bf16_to_f32", "bfloat", "float", "fpext bfloat %x to float", lambda x, y: x))
    cases.append(Case("add_bf16", "bfloat", "bfloat", "fadd bfloat %x, %y",
                      lambda x, y: x.astype(np.float32) + y.astype(np.float32)))  # fmt: skip
    return cases


def _from_integer(bits: int, sign: str, letter: str, target: str) -> Case:
    dtype = np.dtype(f"{letter}{bits // 8}")
    body = f"{sign}tofp i{bits} %x to {target}"
    name = f"{letter}{bits}_to_{_FLOATS[target]}"
    # LLVM converts 64 bits to f16 through f32, which rounds twice.
    tolerance = 1e-3 if bits == 64 and target == "half" else 0.0
    return Case(name, f"i{bits}", target, body, lambda x, y: x.view(dtype), tolerance)


def _unsigned(function):
    return lambda x, y: function(x.view(f"u{x.itemsize}"), y.view(f"u{x.itemsize}"))


def _exact(function):
    """A reference on Python's integers, cut to the type's width."""

    def compute(x: Any, y: Any) -> Any:
        bits = 8 * x.itemsize
        pairs = zip(x.tolist(), y.tolist(), strict=True)
        results = [function(a, b, bits) & ((1 << bits) - 1) for a, b in pairs]
        return np.array(results, f"u{x.itemsize}")

    return compute


def _c_division(a: int, b: int, bits: int) -> int:
    b |= 1
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def _clamped(function):
    def compute(x: Any, y: Any) -> Any:
        info = np.iinfo(x.dtype)
        exact = [function(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
        return np.array([min(max(v, info.min), info.max) for v in exact], x.dtype)

    return compute


def _integer_cases(bits: int) -> list[Case]:
    t = f"i{bits}"

    def case(name: str, body: str, reference) -> Case:
        return Case(f"{name}_{t}", t, t, body, reference)

    def call(name: str, extra: str = "", sources: str = "xy") -> str:
        arguments = ", ".join(f"{t} %{source}" for source in sources)
        return f"call {t} @llvm.{name}.{t}({arguments}{extra})"

    mask = f"%a = and {t} %y, {bits - 1}\n"
    return [
        case("add", f"add {t} %x, %y", lambda x, y: x + y),
        case("sub", f"sub {t} %x, %y", lambda x, y: x - y),
        case("mul", f"mul {t} %x, %y", lambda x, y: x * y),
        case("sdiv", f"%a = or {t} %y, 1\n%r = sdiv {t} %x, %a", _exact(_c_division)),
        case("udiv", f"%a = or {t} %y, 1\n%r = udiv {t} %x, %a", _unsigned(lambda x, y: x // (y | 1))),
        case("urem", f"%a = or {t} %y, 1\n%r = urem {t} %x, %a", _unsigned(lambda x, y: x % (y | 1))),
        case("and_or", f"%a = and {t} %x, %y\n%r = or {t} %a, 85", lambda x, y: (x & y) | 85),
        case("xor", f"xor {t} %x, %y", lambda x, y: x ^ y),
        case("shl", f"{mask}%r = shl {t} %x, %a", lambda x, y: x << (y & (bits - 1))),
        case("lshr", f"{mask}%r = lshr {t} %x, %a", _unsigned(lambda x, y: x >> (y & (bits - 1)))),
        case("ashr", f"{mask}%r = ashr {t} %x, %a", lambda x, y: x >> (y & (bits - 1))),
        case("smin", call("smin"), np.minimum),
        case("smax", call("smax"), np.maximum),
        case("umin", call("umin"), _unsigned(np.minimum)),
        case("umax", call("umax"), _unsigned(np.maximum)),
        case("ctpop", call("ctpop", sources="x"), _exact(lambda a, b, n: (a & ((1 << n) - 1)).bit_count())),
        case("ctlz", call("ctlz", ", i1 false", "x"),
             _exact(lambda a, b, n: n - (a & ((1 << n) - 1)).bit_length())),
        case("cttz", call("cttz", ", i1 false", "x"),
             _exact(lambda a, b, n: ((a | 1 << n) & -(a | 1 << n)).bit_length() - 1)),
        case("bitreverse", call("bitreverse", sources="x"),
             _exact(lambda a, b, n: int(f"{a & ((1 << n) - 1):0{n}b}"[::-1], 2))),
        case("sadd_sat", call("sadd.sat"), _clamped(lambda a, b: a + b)),
        case("ssub_sat", call("ssub.sat"), _clamped(lambda a, b: a - b)),
        case("uadd_sat", call("uadd.sat"), _unsigned(_clamped(lambda a, b: a + b))),
        case("usub_sat", call("usub.sat"), _unsigned(_clamped(lambda a, b: a - b))),
        *(Case(f"icmp_{p}_{t}", t, "i32", f"%c = icmp {p} {t} %x, %y\n%r = zext i1 %c to i32", f)
          for p, f in (("slt", lambda x, y: x < y), ("ule", _unsigned(lambda x, y: x <= y)),
                       ("eq", lambda x, y: x == y), ("ne", lambda x, y: x != y))),
    ]  # fmt: skip


def _high_product(dtype: str):
    return lambda x, y: (x.view(dtype).astype(f"{dtype[0]}8") * y.view(dtype)) >> 32


def _special_integer_cases() -> list[Case]:
    high = "%a = {ext} i32 %x to i64\n%b = {ext} i32 %y to i64\n%p = mul i64 %a, %b\n"
    high += "%h = lshr i64 %p, 32\n%r = trunc i64 %h to i32"
    mul24 = (
        "%a = shl i32 %x, 8\n%b = {shift} i32 %a, 8\n%c = shl i32 %y, 8\n%d = {shift} i32 %c, 8\n"
    )
    mul24 += "%p = mul i32 %b, %d\n%r = add i32 %p, %x"
    signed24 = lambda v: (v << 8) >> 8  # noqa: E731
    unsigned24 = lambda v: v & 0xFFFFFF  # noqa: E731
    return [
        Case("mulhi_s", "i32", "i32", high.format(ext="sext"), _high_product("i4")),
        Case("mulhi_u", "i32", "i32", high.format(ext="zext"), _high_product("u4")),
        Case("mad24_s", "i32", "i32", mul24.format(shift="ashr"),
             lambda x, y: signed24(x) * signed24(y) + x),
        Case("mad24_u", "i32", "i32", mul24.format(shift="lshr"),
             lambda x, y: unsigned24(x) * unsigned24(y) + x),
        Case("funnel", "i32", "i32", "call i32 @llvm.fshr.i32(i32 %x, i32 %y, i32 %x)",
             _exact(lambda a, b, n: (((a << 32) | (b & 0xFFFFFFFF)) & (1 << 64) - 1) >> (a & 31))),
        Case("bswap", "i32", "i32", "call i32 @llvm.bswap.i32(i32 %x)", lambda x, y: x.byteswap()),
        Case("field", "i32", "i32", "%a = lshr i32 %x, 5\n%r = and i32 %a, 63",
             lambda x, y: (x >> 5) & 63),
        Case("signed_field", "i32", "i32", "%a = shl i32 %x, 20\n%r = ashr i32 %a, 23",
             lambda x, y: (x << 20) >> 23),
        Case("median", "i32", "i32",
             "%a = call i32 @llvm.smax.i32(i32 %x, i32 -12)\n%r = call i32 @llvm.smin.i32(i32 %a, i32 17)",
             lambda x, y: np.clip(x, -12, 17)),
        Case("add3", "i32", "i32", "%a = add i32 %x, %y\n%b = add i32 %a, %x\n%c = shl i32 %b, 3\n"
             "%d = or i32 %c, %y\n%r = xor i32 %d, %b",
             lambda x, y: (((x + y + x) << 3) | y) ^ (x + y + x)),
    ]  # fmt: skip


def _packed_cases() -> list[Case]:
    h, w, f = "<2 x half>", "<2 x i16>", "<2 x float>"
    return [
        Case("pk_add_f16", h, h, f"fadd {h} %x, %y", lambda x, y: x + y),
        Case("pk_fma_f16", h, h, f"call {h} @llvm.fma.v2f16({h} %x, {h} %y, {h} %x)", fma),
        Case("pk_max_f16", h, h, f"call {h} @llvm.maxnum.v2f16({h} %x, {h} %y)", np.fmax),
        Case("pk_neg_f16", h, h, f"%n = fneg {h} %y\n%r = fmul {h} %x, %n", lambda x, y: x * -y),
        Case("pk_constant_f16", h, h, f"fadd {h} %x, <half 1.0, half 1.0>", lambda x, y: x + x.dtype.type(1)),
        Case("pk_swap_f16", h, h, f"%s = shufflevector {h} %y, {h} poison, <2 x i32> <i32 1, i32 0>\n"
             f"%r = fadd {h} %x, %s", lambda x, y: x + y.reshape(-1, 2)[:, ::-1].ravel()),
        Case("pk_mul_i16", w, w, f"mul {w} %x, %y", lambda x, y: x * y),
        Case("pk_shift_i16", w, w, f"%a = and {w} %y, <i16 15, i16 15>\n%r = ashr {w} %x, %a",
             lambda x, y: x >> (y & 15)),
        Case("pk_min_u16", w, w, f"call {w} @llvm.umin.v2i16({w} %x, {w} %y)", _unsigned(np.minimum)),
        Case("pk_fma_f32", f, f, f"call {f} @llvm.fma.v2f32({f} %x, {f} %y, {f} %x)", fma),
        Case("pk_add_f32", f, f, f"%n = fneg {f} %y\n%r = fadd {f} %x, %n", lambda x, y: x - y),
    ]  # fmt: skip


def _native(name: str, function, tolerance: float = 3e-7) -> Case:
    body = f"call float @llvm.amdgcn.{name}.f32(float %x)"
    return Case(f"native_{name}", "float", "float", body, function, tolerance)


def _flushed(function):
    """A native function: denormals are zero on the way in and out."""

    def compute(x: Any, y: Any) -> Any:
        tiny = np.finfo(np.float32).tiny
        source = np.where(np.abs(x) < tiny, np.copysign(0, x), x).astype(np.float64)
        result = function(source)
        return np.where(np.abs(result) < tiny, np.copysign(0, result), result)

    return compute


def _math_cases() -> list[Case]:
    return [
        _native("exp2", _flushed(np.exp2)),
        _native("log", _flushed(np.log2)),
        _native("rcp", _flushed(lambda x: 1 / x)),
        _native("rsq", _flushed(lambda x: 1 / np.sqrt(x))),
        *(Case(name, "float", "float", f"call float @llvm.{name}.f32(float %x)", _wide(function), 1e-6)
          for name, function in (("exp2", np.exp2), ("log2", np.log2), ("exp", np.exp))),
        Case("ldexp", "float", "float", "%e = call i32 @llvm.fptosi.sat.i32.f32(float %y)\n"
             "%r = call float @llvm.ldexp.f32.i32(float %x, i32 %e)",
             lambda x, y: np.ldexp(x, np.clip(_saturate("i4")(y, y), -2000, 2000))),
        Case("med3", "float", "float",
             "call float @llvm.amdgcn.fmed3.f32(float %x, float %y, float 1.0)", _median),
        Case("pkrtz", "float", "i32", "%h = call <2 x half> @llvm.amdgcn.cvt.pkrtz(float %x, float %y)\n"
             "%r = bitcast <2 x half> %h to i32", _round_to_zero_pair),
    ]  # fmt: skip


def _median(x: Any, y: Any) -> Any:
    smallest = np.fmin(np.fmin(x, y), np.float32(1))
    ordered = np.sort(np.stack([x, y, np.ones_like(x)]), axis=0)[1]
    return np.where(np.isnan(x) | np.isnan(y), smallest, ordered)


def _round_to_zero_pair(x: Any, y: Any) -> Any:
    def halves(v: Any) -> Any:
        half = v.astype(np.float16)
        above = np.abs(half.astype(np.float64)) > np.abs(v.astype(np.float64))
        half = np.where(above, np.nextafter(half, np.float16(0)), half)
        return half.view(np.uint16).astype(np.uint32)

    return halves(x) | halves(y) << 16


def _fp8_cases() -> list[Case]:
    cases = []
    for arch in ("gfx942", "gfx950", "gfx1200"):
        for name in ("fp8", "bf8"):
            dtype = _fp8_type(name, arch)
            body = f"call i32 @llvm.amdgcn.cvt.pk.{name}.f32(float %x, float %y, i32 0, i1 false)"
            cases.append(
                Case(f"to_{name}_{arch}", "float", "i32", body, _encode(dtype), 0, (arch,))
            )
            body = f"call float @llvm.amdgcn.cvt.f32.{name}(i32 %x, i32 2)"
            cases.append(
                Case(f"from_{name}_{arch}", "i32", "float", body, _decode(dtype), 0, (arch,))
            )
    return cases


def _fp8_type(name: str, arch: str) -> Any:
    base = {"fp8": "float8_e4m3", "bf8": "float8_e5m2"}[name]
    suffix = "fnuz" if arch == "gfx942" else "fn" if name == "fp8" else ""
    return np.dtype(getattr(ml_dtypes, base + suffix))


def _encode(dtype: Any):
    def compute(x: Any, y: Any) -> Any:
        # What a NaN's sign becomes is not defined; the kernel's inputs have positive ones alone.
        low, high = (v.astype(dtype).view(np.uint8).astype(np.uint32) for v in (x, y))
        return low | high << 8

    return compute


def _decode(dtype: Any):
    return lambda x, y: (x >> 16).astype(np.uint8).view(dtype).astype(np.float32)


GROUPS: dict[str, list[Case]] = {
    **{f"float_{s}": _float_cases(ir) for ir, s in _FLOATS.items()},
    **{f"integer_{bits}": _integer_cases(bits) for bits in (16, 32, 64)},
    "conversions": _conversion_cases(),
    "special_integers": _special_integer_cases(),
    "packed": _packed_cases(),
    "math": _math_cases(),
    "fp8": _fp8_cases(),
}


@pytest.mark.parametrize("group", GROUPS)
def test_matches_numpy(group, arch, assemble, rng):
    cases = [case for case in GROUPS[group] if case.runs_on(arch)]
    if not cases:
        pytest.skip(f"{arch} has none of them")
    code_object = assemble(module(cases, arch), arch)
    problems = []
    for case in cases:
        x, y = (random_values(rng, case.source) for _ in range(2))
        result = np.zeros(THREADS * element_count(case.result), numpy_type(case.result))
        launch(code_object, case.name, (1,), (THREADS,), [x, y, result])
        with np.errstate(all="ignore"):
            expected = np.asarray(case.reference(x, y))
            problems.append(mismatch(case, result, expected))
    assert not any(problems), "\n".join(filter(None, problems))
