"""float8e4b15, which the IR lacks: conversions by its neighbours' bits.

Its codes are those of an E4M3 with bias 15: the upper byte of an fp16 without the first bit of the
exponent. There is neither an infinity nor NaN; what narrows is bounded by 1.75, NaN included.
"""

from __future__ import annotations

from typing import Any

from ..ast.emit import emit
from ..ast.values import tensor
from . import types as t
from .types import like

LARGEST = 1.75
"""What larger magnitudes become: the code of all ones is left out."""


def widen(x: tensor) -> tensor:
    """The value as fp16, exactly."""
    from .conversion import cast, convert

    code = convert(tensor(x.handle, like(x.type, t.uint8)), t.uint16)
    return cast((code & 0x80) << 8 | (code & 0x7F) << 7, t.float16, bitcast=True)


def narrow(x: tensor, attributes: dict[str, Any]) -> tensor:
    """An fp32 or fp64 as float8e4b15, rounded as the attributes of a cast say."""
    from .conversion import cast, convert
    from .math import abs, minimum

    integer = t.uint64 if x.dtype is t.float64 else t.uint32
    sign = convert(cast(x, integer, bitcast=True) >> (integer.primitive_bitwidth - 8), t.uint8) & 0x80
    # The neighbour's bias is less by 7, so that 2^7 times the value has the same code.
    scaled = minimum(abs(x), LARGEST) * 128.0
    code = cast(emit("tile.cast", [scaled], like(x.type, t.float8e4b8), attributes), t.uint8, bitcast=True)
    return tensor((code | sign).handle, like(x.type, t.float8e4b15))
