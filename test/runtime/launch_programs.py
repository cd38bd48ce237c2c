"""Postfix programs of a launch: a model of their arithmetic, random ones, and recipes that hold them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

CONSTANT, ARGUMENT, SIGN_EXTEND, ZERO_EXTEND, ADD, SUBTRACT, MULTIPLY, DIVIDE, REMAINDER, MAXIMUM, MINIMUM, \
    SHIFT_LEFT, SHIFT_RIGHT = range(13)
WIDTHS = (8, 16, 32, 64)
LEAST = -2**63


def sign_extend(value: int, bits: int) -> int:
    """The lowest bits as a signed integer."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def quotient(left: int, right: int) -> int:
    """Toward zero; the dividend where the divisor is zero."""
    if right == 0:
        return left
    size = abs(left) // abs(right)
    return size if (left < 0) == (right < 0) else -size


_OPERATIONS = {
    ADD: lambda a, b, bits: a + b,
    SUBTRACT: lambda a, b, bits: a - b,
    MULTIPLY: lambda a, b, bits: a * b,
    DIVIDE: lambda a, b, bits: quotient(a, b),
    REMAINDER: lambda a, b, bits: 0 if b == 0 else a - b * quotient(a, b),
    MAXIMUM: lambda a, b, bits: max(a, b),
    MINIMUM: lambda a, b, bits: min(a, b),
    SHIFT_LEFT: lambda a, b, bits: a << b % bits,
    SHIFT_RIGHT: lambda a, b, bits: a >> b % bits,
}


def evaluate(program: Sequence[int], slots: Sequence[int]) -> int:
    """What a program gives for 64-bit arguments."""
    stack: list[int] = []
    for opcode, value in zip(program[::2], program[1::2], strict=True):
        if opcode == CONSTANT:
            stack.append(value)
        elif opcode == ARGUMENT:
            stack.append(sign_extend(slots[value], 64))
        elif opcode == SIGN_EXTEND:
            stack.append(sign_extend(stack.pop(), value))
        elif opcode == ZERO_EXTEND:
            stack.append(sign_extend(stack.pop() & ((1 << value) - 1), 64))
        else:
            right, left = stack.pop(), stack.pop()
            stack.append(sign_extend(_OPERATIONS[opcode](left, right, value), value))
    (result,) = stack
    return result


def random_integer(source: random.Random) -> int:
    """Any 64-bit integer; those at the edges of widths are likely."""
    edge = 1 << (source.choice(WIDTHS) - 1)
    return source.choice([0, 1, -1, 2, 63, 64, -edge, edge - 1, source.randint(-100, 100),
                          source.randint(-edge, edge - 1)])


def random_program(source: random.Random, arguments: int, depth: int = 5) -> list[int]:
    """A program that reads the first so many arguments."""
    opcode = source.choice([CONSTANT, ARGUMENT]) if depth == 0 else source.randrange(SHIFT_RIGHT + 1)
    if opcode == CONSTANT:
        return [CONSTANT, random_integer(source)]
    if opcode == ARGUMENT:
        return [ARGUMENT, source.randrange(arguments)]
    operands = 1 if opcode in (SIGN_EXTEND, ZERO_EXTEND) else 2
    parts = [random_program(source, arguments, depth - 1) for _ in range(operands)]
    return [*sum(parts, []), opcode, source.choice(WIDTHS)]


def make_recipe(**changes: Any) -> dict[str, Any]:
    """A map of 64 rows of 32 halves at argument 0, one copy of which takes 16 rows."""
    recipe = {"element": "f16", "rank": 2, "block": [16, 32], "swizzle": 64, "nan_padding": False, "tf32": False,
              "base": [ARGUMENT, 0], "sizes": [[CONSTANT, 64], [CONSTANT, 32]], "strides": [[CONSTANT, 32]]}
    return {**recipe, **changes}


def expose(program: Sequence[int]) -> list[dict[str, Any]]:
    """Maps whose addresses tell a program's result: its lower 60 bits, and its upper 60."""
    shift = [CONSTANT, 4, SHIFT_LEFT, 64]
    flat = {"rank": 1, "block": [32], "sizes": [[CONSTANT, 32]], "strides": []}
    return [make_recipe(base=[*program, *shift], **flat),
            make_recipe(base=[*program, CONSTANT, 4, SHIFT_RIGHT, 64, *shift], **flat)]


def exposed_addresses(result: int) -> list[int]:
    """The addresses of `expose` for a program's result."""
    return [(result << 4) % 2**64, result % 2**64 & ~15]
