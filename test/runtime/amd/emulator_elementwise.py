"""Kernels that compute one result per thread from one or two values, made from one line of IR."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np

THREADS = 128
NUMPY_TYPES: dict[str, Any] = {
    "half": np.float16,
    "bfloat": ml_dtypes.bfloat16,
    "float": np.float32,
    "double": np.float64,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
}
_TEMPLATE = """
define amdgpu_kernel void @{name}(ptr addrspace(1) %px, ptr addrspace(1) %py, ptr addrspace(1) %pr) #0 {{
  %t = call i32 @llvm.amdgcn.workitem.id.x()
  %i = zext i32 %t to i64
  %gx = getelementptr {source}, ptr addrspace(1) %px, i64 %i
  %gy = getelementptr {source}, ptr addrspace(1) %py, i64 %i
  %gr = getelementptr {result}, ptr addrspace(1) %pr, i64 %i
  %x = load {source}, ptr addrspace(1) %gx
  %y = load {source}, ptr addrspace(1) %gy
{body}
  store {result} %r, ptr addrspace(1) %gr
  ret void
}}
"""
_ATTRIBUTES = 'attributes #0 = { nounwind "amdgpu-flat-work-group-size"="128,128" }\n'


@dataclass(frozen=True)
class Case:
    """A kernel and what it computes.

    ``tolerance`` is relative; zero asks for equal values.
    """

    name: str
    source: str
    result: str
    body: str
    reference: Callable[[Any, Any], Any]
    tolerance: float = 0.0
    targets: tuple[str, ...] = ()
    """Targets that have it; all when empty."""

    def text(self) -> str:
        lines = self.body.strip().splitlines()
        if len(lines) == 1 and not lines[0].startswith("%"):
            lines = [f"%r = {lines[0]}"]
        body = "\n".join(f"  {line.strip()}" for line in lines)
        return _TEMPLATE.format(name=self.name, source=self.source, result=self.result, body=body)

    def runs_on(self, arch: str) -> bool:
        return not self.targets or arch in self.targets


def module(cases: list[Case], arch: str) -> str:
    """One module with all the cases that ``arch`` has."""
    return "".join(case.text() for case in cases if case.runs_on(arch)) + _ATTRIBUTES


def element_count(ir_type: str) -> int:
    """Elements of a type such as ``<2 x half>``."""
    return int(ir_type[1:].split()[0]) if ir_type.startswith("<") else 1


def numpy_type(ir_type: str) -> Any:
    return np.dtype(NUMPY_TYPES[ir_type.strip("<>").split()[-1]])


def random_values(rng: np.random.Generator, ir_type: str) -> np.ndarray:
    """Values over the whole range of a type, with its special ones among them."""
    count, dtype = THREADS * element_count(ir_type), numpy_type(ir_type)
    if dtype.kind == "i":
        info = np.iinfo(dtype)
        values = rng.integers(info.min, info.max, count, dtype, endpoint=True)
        small = rng.integers(-20, 20, count // 4).astype(dtype)
        values[: count // 4] = small
        special = np.array([0, 1, -1, info.max, info.min], dtype)
    else:
        info = ml_dtypes.finfo(dtype)
        with np.errstate(over="ignore"):
            magnitude = 2.0 ** rng.uniform(info.minexp / 2, info.maxexp / 2, count)
            values = (rng.standard_normal(count) * magnitude).astype(dtype)
            values[: count // 2] = (rng.standard_normal(count // 2) * 8).astype(dtype)
        tiny = float(info.smallest_normal)
        special = np.array(
            [0, -0.0, 1, -1, np.inf, -np.inf, np.nan, tiny, tiny / 2, float(info.max), 0.5, 2.5]
        ).astype(dtype)
    places = rng.permutation(count)[: len(special)]
    values[places] = special
    return values


def fma(x: Any, y: Any) -> Any:
    """x * y + x with one rounding."""
    result = x * y + x
    for lane in np.flatnonzero(np.isfinite(x) & np.isfinite(y)):
        exact = Fraction(float(x[lane])) * Fraction(float(y[lane])) + Fraction(float(x[lane]))
        if exact:
            result[lane] = _nearest(exact, x.dtype.type)
    return result


def _nearest(exact: Fraction, dtype: Any) -> Any:
    """The value of ``dtype`` nearest to ``exact``, of two the even one."""
    try:
        guess = dtype(float(exact))
    except OverflowError:
        return dtype(np.inf if exact > 0 else -np.inf)
    if not np.isfinite(guess):
        return guess
    candidates = [np.nextafter(guess, dtype(-np.inf)), guess, np.nextafter(guess, dtype(np.inf))]
    finite = [value for value in candidates if np.isfinite(value)]
    bits = f"u{guess.itemsize}"
    return min(finite, key=lambda v: (abs(Fraction(float(v)) - exact), int(v.view(bits)) & 1))


def mismatch(case: Case, got: Any, expected: Any) -> str | None:
    """What is wrong with a result, or None; NaNs equal one another."""
    if got.dtype.kind in "iu":
        wrong = got != expected.astype(got.dtype)
    else:
        actual, wanted = got.astype(np.float64), expected.astype(got.dtype).astype(np.float64)
        error = np.abs(actual - wanted)
        close = (actual == wanted) | (np.isnan(actual) & np.isnan(wanted))
        limit = case.tolerance * np.abs(wanted)
        if case.tolerance:  # one unit in the last place of the smallest numbers
            limit = np.maximum(limit, float(np.finfo(got.dtype).smallest_subnormal))
        wrong = ~(close | (np.isfinite(actual) & (error <= limit)))
    if not wrong.any():
        return None
    first = int(np.flatnonzero(wrong)[0])
    return (
        f"{case.name}: {int(wrong.sum())} wrong, first [{first}]: {got[first]} != {expected[first]}"
    )
