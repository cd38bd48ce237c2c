"""Tuples and slices by Triton's names."""

from __future__ import annotations

import builtins
from typing import Any

from ..errors import TileTypeError
from .conversion import describe_value, static, static_int
from .registry import builtin


class _TupleMeta(type):
    """Python's tuples are what kernels hold: `tl.tuple` makes and recognizes them."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, builtins.tuple)

    def __call__(cls, args: Any = (), type: Any = None) -> builtins.tuple:
        if not isinstance(args, (builtins.tuple, list)):
            raise TileTypeError(f"tuple: expects the items in a tuple, got {describe_value(args)}")
        return type._make(args) if hasattr(type, "_make") else builtins.tuple(args)


class tuple(metaclass=_TupleMeta):
    """A tuple of values: ``tl.tuple([a, b])`` is ``(a, b)``; also an annotation of parameters and fields."""

    __tile_builtin__ = True


@builtin
def slice(start: Any, stop: Any = None, step: Any = None) -> builtins.slice:
    """The part of a tuple from ``start`` to ``stop``: ``t[tl.slice(1, 3, None)]`` is ``t[1:3]``."""
    bounds = [static(bound, "slice: a bound") for bound in (start, stop, step)]
    return builtins.slice(*(None if bound is None else static_int(bound, "slice: a bound") for bound in bounds))
