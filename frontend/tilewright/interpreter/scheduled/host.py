"""Descriptors that the host makes of the arguments of a launch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..descriptors import Description
from ..memory import Addresses


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _quotient(x: int, y: int) -> int:
    if y == 0:
        return x
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


# By code: two numbers are taken, and one is left.
_BINARY: dict[int, Callable[[int, int], int]] = {
    4: lambda x, y: x + y, 5: lambda x, y: x - y, 6: lambda x, y: x * y, 7: _quotient,
    8: lambda x, y: 0 if y == 0 else x - _quotient(x, y) * y, 9: max, 10: min,
    11: lambda x, y: x << (y & 63), 12: lambda x, y: x >> (y & 63),
}


def evaluate(program: Sequence[int], arguments: Sequence[Any]) -> int:
    """What an expression of `tile.launch_descriptors` gives: pairs of a code and a number, run on a stack."""
    stack: list[int] = []
    for code, number in zip(program[::2], program[1::2], strict=True):
        if code == 0:
            stack.append(number)
        elif code == 1:
            value = arguments[number]
            stack.append(int(value.array if isinstance(value, Addresses) else value))
        elif code == 2:
            stack.append(_signed(stack.pop(), number))
        elif code == 3:
            stack.append(stack.pop() & ((1 << number) - 1))
        else:
            y, x = stack.pop(), stack.pop()
            stack.append(_signed(_BINARY[code](x, y), number))
    assert len(stack) == 1
    return stack[0]


def make_descriptor(stated: Mapping[str, Any], arguments: Sequence[Any]) -> Description:
    """A descriptor as the module states it."""
    base = evaluate(stated["base"], arguments)
    buffers = [value.buffer for value in arguments if isinstance(value, Addresses) and value.buffer is not None]
    owner = next((buffer for buffer in buffers if buffer.start <= base < buffer.end), None)
    return Description(Addresses(np.asarray(base, np.int64), owner),
                       tuple(evaluate(size, arguments) for size in stated["sizes"]),
                       tuple(evaluate(stride, arguments) for stride in stated["strides"]))
