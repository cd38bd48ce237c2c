"""Functions under libdevice's names, against numpy."""

import math

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from random_arrays import FLOATS, same, some, ulp_error
from tilewright.language.extra import libdevice

SIZE = 500
FUNCTIONS = {
    "acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh, "atan": np.arctan,
    "atanh": np.arctanh, "cbrt": np.cbrt, "cosh": np.cosh, "erfc": np.vectorize(math.erfc), "expm1": np.expm1,
    "log10": np.log10, "log1p": np.log1p, "sinh": np.sinh, "tan": np.tan, "tanh": np.tanh, "trunc": np.trunc,
    "rint": np.rint, "nearbyint": np.rint,
    "round": lambda x: np.where(np.isfinite(x), np.copysign(np.floor(np.abs(x) + 0.5), x), x),
}
TESTS = {"isnan": np.isnan, "isinf": np.isinf, "finitef": np.isfinite, "isfinited": np.isfinite}
BITS = {"popc": lambda v: bin(v).count("1"), "clz": lambda v: 32 - v.bit_length(),
        "ffs": lambda v: (v & -v).bit_length()}


@tw.jit
def unary_kernel(x, out, n, NAME: tl.constexpr):
    i = tl.program_id(0) * 128 + tl.arange(0, 128)
    tl.store(out + i, getattr(libdevice, NAME)(tl.load(x + i, mask=i < n)), mask=i < n)


@tw.jit
def binary_kernel(x, y, out, n, NAME: tl.constexpr):
    i = tl.program_id(0) * 128 + tl.arange(0, 128)
    value = getattr(libdevice, NAME)(tl.load(x + i, mask=i < n), tl.load(y + i, mask=i < n))
    tl.store(out + i, value, mask=i < n)


def run(name, x, dtype, *others):
    out = np.empty(x.shape, dtype)
    kernel = binary_kernel if others else unary_kernel
    kernel[(tw.cdiv(x.size, 128),)](x, *others, out, x.size, NAME=name)
    return out


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(rng, name, dtype):
    x = some(rng, dtype, SIZE)
    with np.errstate(all="ignore"):
        exact = FUNCTIONS[name](x.astype(np.float64))
    assert ulp_error(run(name, x, dtype), exact) <= 5.0


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
@pytest.mark.parametrize("name", TESTS)
def test_classification(rng, name, dtype):
    x = some(rng, dtype, SIZE)
    assert same(run(name, x, bool), TESTS[name](x.astype(np.float64)))


@pytest.mark.parametrize("name, reference", [("atan2", np.arctan2), ("copysign", np.copysign), ("fmod", np.fmod),
                                             ("pow", np.power)])
def test_functions_of_two(rng, name, reference):
    x, y = some(rng, np.dtype("float32"), SIZE), some(rng, np.dtype("float32"), SIZE)
    with np.errstate(all="ignore"):
        exact = reference(x.astype(np.float64), y.astype(np.float64))
    assert ulp_error(run(name, x, np.float32, y), exact) <= 4.0


@pytest.mark.parametrize("name", BITS)
def test_bits(rng, name):
    x = some(rng, np.dtype("uint32"), SIZE)
    assert run(name, x, np.int32).tolist() == [BITS[name](int(value)) for value in x]


def test_names_under_vendors():
    assert tl.extra.cuda.libdevice is libdevice and tl.extra.hip.libdevice is libdevice
    assert all(getattr(libdevice, name).__doc__ for name in libdevice.__all__)
