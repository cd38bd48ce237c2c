"""Output and checks, while compiling and while the program runs."""

from __future__ import annotations

import builtins
from typing import Any

from ..ast.builder import current
from ..ast.emit import emit_effect
from ..ast.values import is_number, is_static, tensor, unwrap
from ..errors import CompilationError, CompileTimeAssertionFailure, TileTypeError
from .arithmetic import logical_or, not_, truth
from .conversion import broadcast_together, describe_value, is_signed, to_tensor
from .registry import builtin


@builtin
def static_print(*values: Any, sep: str = " ", end: str = "\n", file: Any = None, flush: bool = False) -> None:
    """Print while compiling; values of the program print as their types."""
    builtins.print(*[unwrap(value) for value in values], sep=sep, end=end, file=file, flush=flush)


@builtin
def static_assert(cond: Any, msg: str = "") -> None:
    """Stop compiling where a compile-time condition does not hold."""
    if not is_static(cond):
        raise TileTypeError(f"static_assert: the condition must be known while compiling, got {describe_value(cond)}",
                            "tl.device_assert checks while the program runs")
    if not unwrap(cond):
        message = f": {unwrap(msg)}" if is_static(msg) and unwrap(msg) else ""
        raise CompileTimeAssertionFailure(f"static assertion failed{message}")


@builtin
def device_print(prefix: str, *args: Any, hex: bool = False) -> None:
    """Print values while the program runs, each element once with its indices."""
    if not isinstance(prefix, str):
        raise TileTypeError(f"device_print: the first argument is a text, got {describe_value(prefix)}")
    if any(not char.isprintable() for char in prefix):
        raise CompilationError("device_print: the text must be printable, on one line")
    if not args:
        return _print(prefix, [], hex)
    label = f"{prefix.rstrip(' ').removesuffix(':')}: "
    if len(label) > 2 and not label.startswith(" "):
        label = f" {label}"
    for place, arg in enumerate(args):
        _print(f"{label}(operand {place}) " if len(args) > 1 else label, [to_tensor(arg)], hex)


def _print(prefix: str, values: list[tensor], hex: Any) -> None:
    signs = ": " + ", ".join("true" if is_signed(value.dtype) else "false" for value in values) if values else ""
    session = current().session
    attributes = {"prefix": session.string(prefix), "signedness": session.attribute(f"array<i1{signs}>")}
    if unwrap(hex):
        attributes["hex"] = session.unit
    emit_effect("tile.print", values, attributes)


def python_print(*values: Any, sep: str = " ", hex: bool = False) -> None:
    """Python's `print` in a kernel: a leading text stands before each value."""
    if values and isinstance(values[0], str):
        device_print(values[0] + (sep if len(values) > 1 else ""), *values[1:], hex=hex)
    else:
        device_print("", *values, hex=hex)


@builtin
def device_assert(cond: Any, msg: str = "", mask: Any = None) -> None:
    """Stop the program where a condition does not hold; checked with ``debug=True`` only.

    Args:
        cond: A boolean, or a block of them.
        msg: What to say.
        mask: Which elements to check; all without it.
    """
    if is_number(cond):
        cond = to_tensor(bool(cond))
    condition = truth(cond)
    if not current().options.debug:
        return
    if mask is not None:
        condition, mask = broadcast_together([condition, truth(mask)], "device_assert")
        condition = logical_or(condition, not_(mask))
    emit_effect("tile.assert", [tensor(condition.handle, condition.type)],
                {"message": current().session.string(str(unwrap(msg)))})


