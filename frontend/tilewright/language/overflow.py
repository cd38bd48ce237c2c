"""Sums, differences and products that are checked to fit their type, in kernels that are debugged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ast.builder import current
from ..ast.emit import emit, emit_effect
from ..ast.values import tensor
from . import arithmetic
from . import types as t
from .conversion import constant_like, convert
from .registry import builtin
from .types import like

# operation: its name for users, what computes it, the operation on integers
_CHECKED: dict[Callable[..., tensor], tuple[str, str]] = {
    arithmetic.add: ("add", "arith.addi"), arithmetic.sub: ("sub", "arith.subi"), arithmetic.mul: ("mul", "arith.muli"),
}
_SGE, _SLE = 5, 3


def check(operation: Callable[..., tensor], x: Any, y: Any) -> None:
    """Assert that a result fits, where the options ask for it and the type has at most 32 bits."""
    if not current().options.sanitize_overflow or operation not in _CHECKED:
        return
    if any(isinstance(each, tensor) and each.dtype.is_ptr() for each in (x, y)):
        return
    name, op = _CHECKED[operation]
    x, y = arithmetic.align(*arithmetic.promote(x, y, name), name)
    type = x.dtype
    if not type.is_int() or type.is_bool() or type.primitive_bitwidth > 32:
        return
    if x.constant is not None and y.constant is not None:
        return
    wide = like(x.type, t.int64)
    result = emit(op, [convert(x, t.int64), convert(y, t.int64)], wide)
    low, high = type.range
    conditions = [emit("arith.cmpi", [result, constant_like(wide, limit)], like(x.type, t.int1),
                       {"predicate": current().session.integer(predicate, 64)})
                  for limit, predicate in ((low, _SGE), (high, _SLE))]
    fits = emit("arith.andi", conditions, like(x.type, t.int1))
    message = f"{type} overflow detected for operation {name}"
    emit_effect("tile.assert", [fits], {"message": current().session.string(message)})


def _checked(operation: Callable[..., tensor], doc: str) -> Callable[..., tensor]:
    def run(x: Any, y: Any, sanitize_overflow: bool = True) -> tensor:
        if sanitize_overflow:
            check(operation, x, y)
        return operation(x, y)

    run.__name__ = run.__qualname__ = _CHECKED[operation][0]
    run.__doc__ = f"""{doc}

    With the options ``debug`` and ``sanitize_overflow``, integers of at most 32 bits are checked to fit,
    unless ``sanitize_overflow`` is false here.
    """
    return builtin(run)


add = _checked(arithmetic.add, "``x + y``; an integer added to a pointer counts elements.")
sub = _checked(arithmetic.sub, "``x - y``; an integer subtracted from a pointer counts elements.")
mul = _checked(arithmetic.mul, "``x * y``.")
