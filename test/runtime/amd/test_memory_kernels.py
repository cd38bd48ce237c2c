"""Descriptors, block pointers and atomics compiled for AMD GPUs: their numbers in the emulator."""

from __future__ import annotations

import functools

import ml_dtypes
import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from test_kernels import ARCHS, pytestmark  # noqa: F401 - the mark of this module too
from tilewright.runtime.amd.emulator import CodeObject, launch
from tilewright.tools.tensor_descriptor import TensorDescriptor

TYPES = {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16", "float64": "fp64", "int32": "i32", "uint32": "u32",
         "int64": "i64", "uint64": "u64", "int16": "i16"}
WARPS = 2


@pytest.fixture(params=["gfx942", "gfx1201"])
def arch(request: pytest.FixtureRequest) -> str:
    return request.param


@functools.cache
def _code_object(kernel, signature: tuple, arch: str):
    compiled = tw.compile(kernel, dict(signature), target=f"amd:{arch}", num_warps=WARPS)
    return CodeObject(compiled.asm["hsaco"]), compiled.name


def spell(value) -> str:
    """The type of an argument in a signature."""
    if isinstance(value, TensorDescriptor):
        sizes = ",".join(map(str, value.block_shape))
        return f"tensordesc<{TYPES[value.base.dtype.name]}[{sizes}]{',nan' * (value.padding == 'nan')}>"
    return "*" + TYPES[value.dtype.name] if isinstance(value, np.ndarray) else "i32"


def flat(value) -> list:
    """What an argument is passed as."""
    if isinstance(value, TensorDescriptor):
        return [value.base, *value.shape, *value.strides[:-1]]
    return [value]


def run(kernel, arch: str, grid: tuple[int, ...], args: dict, **constants) -> None:
    """Compile for the arguments' types and launch; arrays change in place."""
    signature = {name: spell(value) for name, value in args.items()}
    code, name = _code_object(kernel, tuple((signature | constants).items()), arch)
    launch(code, name, grid, (ARCHS[arch] * WARPS,), [each for value in args.values() for each in flat(value)])


@tw.jit
def copy_blocks(source, target, BM: tl.constexpr, BN: tl.constexpr):
    i, j = tl.program_id(0) * BM - 3, tl.program_id(1) * BN
    target.store([i, j], source.load([i, j]))


@pytest.mark.parametrize("dtype", ["float32", "float16", "int64"])
def test_host_descriptors(arch, rng, dtype):
    x = rng.integers(-100, 100, (21, 40)).astype(dtype)
    out = np.zeros_like(x)
    source, target = (TensorDescriptor.from_tensor(each, [8, 32]) for each in (x, out))
    run(copy_blocks, arch, (3, 2), {"source": source, "target": target}, BM=8, BN=32)
    np.testing.assert_array_equal(out, x)


@tw.jit
def padded_block(x, out, m, n, i, j):
    desc = tl.make_tensor_descriptor(x, [m, n], [n, 1], [8, 16], padding_option="nan")
    rows, columns = tl.arange(0, 8), tl.arange(0, 16)
    tl.store(out + rows[:, None] * 16 + columns[None, :], desc.load([i, j]))


def test_padding(arch, rng):
    x, out = rng.normal(size=(10, 20)).astype(np.float32), np.zeros((8, 16), np.float32)
    run(padded_block, arch, (1,), {"x": x, "out": out, "m": 10, "n": 20, "i": 6, "j": -4})
    expected = np.full((8, 16), np.nan, np.float32)
    expected[:4, 4:] = x[6:, :12]
    np.testing.assert_array_equal(out, expected)


@tw.jit
def gather_rows(desc, index, out, column):
    rows = tl.load(index + tl.arange(0, 16))
    block = desc.gather(rows, column)
    desc.atomic_add([0, 0], tl.full((1, 32), 1, desc.dtype))
    columns = tl.arange(0, 32)
    tl.store(out + tl.arange(0, 16)[:, None] * 32 + columns[None, :], block)


def test_gather_and_reduce(arch, rng):
    x = rng.integers(-50, 50, (30, 64)).astype(np.float32)
    start, rows, out = x.copy(), rng.integers(1, 40, 16).astype(np.int32), np.ones((16, 32), np.float32)
    desc = TensorDescriptor.from_tensor(x, [1, 32])
    run(gather_rows, arch, (1,), {"desc": desc, "index": rows, "out": out, "column": 32})
    inside = rows < 30
    np.testing.assert_array_equal(out, np.where(inside[:, None], start[np.minimum(rows, 29), 32:], 0))
    np.testing.assert_array_equal(x[0, :32], start[0, :32] + 1)


@tw.jit
def sum_of_blocks(x, out, n, BLOCK: tl.constexpr):
    source = tl.make_block_ptr(x, (n,), (1,), (0,), (BLOCK,), (0,))
    total = tl.zeros((BLOCK,), tl.float32)
    for _ in range(0, n, BLOCK):
        total += tl.load(source, boundary_check=(0,), padding_option="zero")
        source = tl.advance(source, (BLOCK,))
    tl.store(out, tl.sum(total, 0))


def test_block_pointers(arch, rng):
    x, out = rng.integers(-50, 50, 700).astype(np.float32), np.zeros(1, np.float32)
    run(sum_of_blocks, arch, (1,), {"x": x, "out": out, "n": 700}, BLOCK=256)
    assert out[0] == x.sum()


@tw.jit
def combine(x, out, old, n, OP: tl.constexpr, SEM: tl.constexpr, SCOPE: tl.constexpr):
    i = tl.arange(0, 128)
    tl.store(old + i, OP(out + i, tl.load(x + i), mask=i < n, sem=SEM, scope=SCOPE))


CASES = [(tl.atomic_add, np.add, ["int32", "uint64", "float32", "float64", "float16", "bfloat16"]),
         (tl.atomic_max, np.maximum, ["int32", "uint32", "int64", "float32", "float64"]),
         (tl.atomic_min, np.minimum, ["int32", "uint32", "uint64", "float32", "float64"]),
         (tl.atomic_xor, np.bitwise_xor, ["int32", "uint64"]),
         (tl.atomic_xchg, lambda old, new: new, ["int64", "float32"])]


@pytest.mark.parametrize("op, reference, dtype", [(op, reference, dtype) for op, reference, types in CASES
                                                  for dtype in types], ids=lambda each: getattr(each, "__name__", each))
def test_atomics(arch, rng, op, reference, dtype):
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    low = 0 if kind.kind == "u" else -100
    x, start = rng.integers(low, 100, 128).astype(kind), rng.integers(low, 100, 128).astype(kind)
    for sem, scope in ((None, None), ("relaxed", "cta"), ("acquire", "sys")):
        out, old = start.copy(), np.zeros(128, kind)
        run(combine, arch, (1,), {"x": x, "out": out, "old": old, "n": 100}, OP=op, SEM=sem, SCOPE=scope)
        live = np.arange(128) < 100
        np.testing.assert_array_equal(out, np.where(live, reference(start, x), start))
        np.testing.assert_array_equal(old, np.where(live, start, 0))


@tw.jit
def ordered(x, out, flag):
    i = tl.arange(0, 64)
    value = tl.atomic_load(x + i, mask=i < 50)
    tl.atomic_store(out + i, value, mask=i < 60, sem="relaxed", scope="cta")
    tl.atomic_cas(flag, 0, 7)
    tl.store(flag + 1, tl.atomic_poll(flag, 7))


@pytest.mark.parametrize("dtype", ["int32", "float16", "int64"])
def test_ordered_accesses(arch, rng, dtype):
    x, out, flag = rng.integers(1, 100, 64).astype(dtype), np.full(64, -1, dtype), np.zeros(2, np.int32)
    run(ordered, arch, (1,), {"x": x, "out": out, "flag": flag})
    i = np.arange(64)
    np.testing.assert_array_equal(out, np.where(i < 50, x, np.where(i < 60, 0, -1)))
    assert flag.tolist() == [7, 1]
