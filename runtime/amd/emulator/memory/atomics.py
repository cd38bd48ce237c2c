"""Atomic operations on memory: one lane after another, each gets the value before its own."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..errors import UnsupportedInstruction
from ..values.float_functions import maximum_number, minimum_number
from ..values.numeric import bf16_to_f32, f32_to_bf16
from ..wave import Wave
from .spaces import Memory


class Atomic(NamedTuple):
    """An atomic operation: the numpy type it works in, and old, operand -> new."""

    dtype: Any
    function: Callable[[Any, Any], Any]
    size: int


def _increment(old: Any, limit: Any) -> Any:
    return np.where(old >= limit, 0, old + 1)


def _decrement(old: Any, limit: Any) -> Any:
    return np.where((old == 0) | (old > limit), limit, old - 1)


def _add_bf16(old: Any, value: Any) -> Any:
    return f32_to_bf16(bf16_to_f32(old) + bf16_to_f32(value))


_FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda old, value: old + value,
    "sub": lambda old, value: old - value,
    "swap": lambda old, value: value,
    "and": lambda old, value: old & value,
    "or": lambda old, value: old | value,
    "xor": lambda old, value: old ^ value,
    "min": np.minimum,
    "max": np.maximum,
    "inc": _increment,
    "dec": _decrement,
}
_FLOAT_FUNCTIONS = {"min": minimum_number, "max": maximum_number}
# Operation, an optional number of bits or type, an optional x2 for 64 bits.
_NAME = re.compile(
    r"(?:wrx|storex)?(pk_add|add|sub|rsub|swap|chg|and|or|xor|[sufi]?min|[sufi]?max|inc|dec|csub)"
    r"(?:_num)?(?:_(?:rtn_)?([uifb]\d+|bf16))?(_x2)?"
)


def parse_atomic(name: str) -> Atomic:
    """The operation meant by a mnemonic without its memory's prefix, such as ``add_f32``."""
    match = _NAME.fullmatch(name.replace("_rtn", ""))
    if match is None:
        raise UnsupportedInstruction(f"atomic {name!r}")
    operation, suffix, wide = match[1].replace("chg", "swap"), match[2] or "b32", match[3]
    if operation == "pk_add":
        return _packed_add(suffix)
    letter = suffix[0]
    if operation[0] in "sufi" and operation[1:] in ("min", "max"):
        letter, operation = operation[0].replace("s", "i"), operation[1:]
    size = 8 if wide or suffix.endswith("64") else 4
    dtype = np.dtype(f"{letter.replace('b', 'u')}{size}")
    functions = _FUNCTIONS | _FLOAT_FUNCTIONS if letter == "f" else _FUNCTIONS
    if operation not in functions:
        raise UnsupportedInstruction(f"atomic {name!r}")
    return Atomic(dtype, functions[operation], size)


def _packed_add(suffix: str) -> Atomic:
    if suffix == "bf16":
        return Atomic(np.dtype(np.uint16), _add_bf16, 4)
    return Atomic(np.dtype(np.float16), _FUNCTIONS["add"], 4)


def update(memory: Memory, wave: Wave, addresses: Any, data: Any, atomic: Atomic) -> Any:
    """Perform ``atomic`` for each address; returns the old bytes."""
    old = np.empty((len(addresses), atomic.size), np.uint8)
    for lane in range(len(addresses)):
        address = addresses[lane : lane + 1]
        old[lane] = memory.load_atomic(wave, address, atomic.size)[0]
        operand = np.ascontiguousarray(data[lane, : atomic.size]).view(atomic.dtype)
        result = atomic.function(old[lane].view(atomic.dtype), operand)
        new = np.asarray(result).astype(atomic.dtype).view(np.uint8)
        memory.store_atomic(wave, address, new.reshape(1, -1))
    return old


def compare_and_swap(memory: Memory, wave: Wave, addresses: Any, new: Any, expected: Any) -> Any:
    """Store ``new`` where memory holds ``expected``; returns the old bytes."""
    old = np.empty_like(new)
    for lane in range(len(addresses)):
        address = addresses[lane : lane + 1]
        old[lane] = memory.load_atomic(wave, address, new.shape[1])[0]
        if np.array_equal(old[lane], expected[lane]):
            memory.store_atomic(wave, address, new[lane : lane + 1])
    return old
