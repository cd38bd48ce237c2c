"""Functions of the language that are written in it."""

from __future__ import annotations

from typing import Any

from ..ast.constants import constexpr
from ..ast.values import BoundMethod, tensor
from ..jit import JITFunction, constexpr_function, jit
from .arithmetic import where
from .math import exp, fdiv, maximum, minimum
from .reductions import max, sum
from .types import float32


@constexpr_function
def _log2(i: int) -> int:
    """The logarithm to base two of a power of two, for programs with networks of their own."""
    return i.bit_length() - 1


@constexpr_function
def _is_power_of_two(i: int) -> bool:
    """Whether a number is a power of two."""
    return i > 0 and i & (i - 1) == 0


@jit
def _sum_combine(a, b):
    """A combine function of `reduce`, which programs name."""
    return a + b


@jit
def _prod_combine(a, b):
    """A combine function of `reduce`, which programs name."""
    return a * b


@jit
def _xor_combine(a, b):
    """A combine function of `reduce`, which programs name."""
    return a ^ b


@jit
def _or_combine(a, b):
    """A combine function of `reduce`, which programs name."""
    return a | b


@jit
def _elementwise_max(a, b):
    """A combine function of `reduce`, which programs name."""
    return maximum(a, b)


@jit
def _elementwise_min(a, b):
    """A combine function of `reduce`, which programs name."""
    return minimum(a, b)


@jit
def cdiv(x, div):
    """``x / div`` of integers, rounded up."""
    return (x + (div - 1)) // div


@jit
def sigmoid(x):
    """``1 / (1 + exp(-x))``; of half types fp32, as quotients are."""
    if isinstance(x, tensor) and (x.dtype.is_fp16() or x.dtype.is_bf16()):
        x = x.to(float32)  # the exponential of a half may be infinite
    return 1 / (1 + exp(-x))


@jit
def softmax(x, dim: constexpr = None, keep_dims: constexpr = None, ieee_rounding: constexpr = False):
    """``exp(x)`` divided by its sum along a dimension, the first one by default."""
    axis: constexpr = 0 if dim is None else dim
    shifted = x - max(x, axis, keep_dims=True)
    numerator = exp(shifted)
    return fdiv(numerator, sum(numerator, axis, keep_dims=True), ieee_rounding)


@jit
def swizzle2d(i, j, size_i, size_j, size_g):
    """A place in a grid of ``size_i`` rows and ``size_j`` columns, reordered for reuse of caches.

    Places that follow each other row by row go down the columns of groups of ``size_g``
    rows. Gives the new row and column.
    """
    place = i * size_j + j
    places_in_group = size_g * size_j
    group = place // places_in_group
    first = group * size_g
    rows = minimum(size_i - first, size_g)
    inside = place % places_in_group
    return first + inside % rows, inside // rows


@jit
def _argmax_combine(value1, index1, value2, index2, tie_break_left: constexpr):
    """The larger value with its index; of equal ones that of the smaller index."""
    tie = value1 == value2 and index1 < index2 if tie_break_left else False
    first = value1 > value2 or tie
    return where(first, value1, value2), where(first, index1, index2)


@jit
def _argmax_combine_tie_break_left(value1, index1, value2, index2):
    return _argmax_combine(value1, index1, value2, index2, True)


@jit
def _argmax_combine_tie_break_fast(value1, index1, value2, index2):
    return _argmax_combine(value1, index1, value2, index2, False)


@jit
def _argmin_combine(value1, index1, value2, index2, tie_break_left: constexpr):
    """The smaller value with its index; of equal ones that of the smaller index."""
    tie = value1 == value2 and index1 < index2 if tie_break_left else False
    first = value1 < value2 or tie
    return where(first, value1, value2), where(first, index1, index2)


@jit
def _argmin_combine_tie_break_left(value1, index1, value2, index2):
    return _argmin_combine(value1, index1, value2, index2, True)


@jit
def _argmin_combine_tie_break_fast(value1, index1, value2, index2):
    return _argmin_combine(value1, index1, value2, index2, False)


class _Method:
    """Makes a function of this module a method of values."""

    def __init__(self, function: JITFunction) -> None:
        self.function = function

    def __get__(self, receiver: tensor | None, owner: type) -> Any:
        return self.function if receiver is None else BoundMethod(self.function, receiver)


for _function in (cdiv, sigmoid, softmax):
    setattr(tensor, _function.__name__, _Method(_function))


def __getattr__(name: str) -> Any:
    """Programs look here for functions that other modules hold."""
    import sys

    language = sys.modules[__package__]
    if not name.startswith("_") and hasattr(language, name):
        return getattr(language, name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
