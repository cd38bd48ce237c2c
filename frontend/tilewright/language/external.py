"""Functions of libraries by their symbols: those of the vendors' libraries for mathematics, computed here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..ast.values import tensor
from ..errors import TileTypeError
from . import math
from .arithmetic import promote
from .conversion import broadcast_together, cast, describe_value, static, to_tensor
from .registry import builtin
from .types import dtype

# Symbols without their library's prefix whose functions have other names here than the rules find.
_RENAMED = {"fabs": "abs", "fabsf": "abs", "llabs": "abs", "fmaxf": "maximum", "fmax": "maximum", "fminf": "minimum",
            "fmin": "minimum", "mul64hi": "mulhi", "umul64hi": "mulhi", "powi": "pow", "powif": "pow",
            "fast_fdividef": "fast_dividef", "fdividef": "fast_dividef", "rsqrtf": "rsqrt"}


@builtin
def extern_elementwise(lib_name: str, lib_path: str, args: Sequence[Any],
                       arg_type_symbol_dict: Mapping[tuple, tuple[str, dtype]], is_pure: bool) -> tensor:
    """Call a function of a library for each element.

    The functions of NVIDIA's libdevice (``__nv_sinf``) and AMD's OCML (``__ocml_sin_f32``) are offered, on
    every target, as `libdevice` has them; no library is read.

    Args:
        lib_name: The library's name, which may be empty.
        lib_path: Its file, which may be empty.
        args: The operands, which are broadcast together.
        arg_type_symbol_dict: For each tuple of element types the symbol, and the type of its result.
        is_pure: Whether calls that are not needed may be left out, as those of these functions may.
    """
    operands = [to_tensor(each) for each in args]
    table = static(arg_type_symbol_dict, "extern_elementwise: arg_type_symbol_dict")
    if not operands or not table or any(len(types) != len(operands) for types in table):
        raise TileTypeError(f"extern_elementwise: expects symbols for {len(operands)} operands, at least one")
    operands = broadcast_together(operands, "extern_elementwise")
    chosen = tuple(each.dtype for each in operands)
    if chosen not in table and len(operands) > 1:
        operands = _promoted(operands)
        chosen = tuple(each.dtype for each in operands)
    if chosen not in table:
        offered = ", ".join(f"({', '.join(map(str, types))})" for types in table)
        raise TileTypeError(f"extern_elementwise: no symbol for ({', '.join(map(str, chosen))}), there are symbols "
                            f"for {offered}")
    symbol, type = table[chosen]
    result = _find(symbol)(*operands)
    return cast(result, type)


def _promoted(operands: list[tensor]) -> list[tensor]:
    """Operands of one type."""
    common = operands[0]
    for each in operands[1:]:
        common, _ = promote(common, each, "extern_elementwise")
    return [cast(each, common.dtype) for each in operands]


def _find(symbol: str) -> Callable[..., tensor]:
    from .extra import libdevice

    for name in _candidates(symbol):
        if name in libdevice.__all__:
            return getattr(libdevice, name)
        if name in ("maximum", "minimum"):
            return getattr(math, name)
    raise TileTypeError(f"extern_elementwise: there is no function for the symbol {describe_value(symbol)}",
                        "offered are the functions of libdevice (__nv_...) and of OCML (__ocml_..._f32)")


def _candidates(symbol: str) -> Iterator[str]:
    """Names that the function of a symbol may have here."""
    match = re.fullmatch(r"__nv_(\w+)|__ocml_(\w+)_f(?:16|32|64)", symbol)
    if match is None:
        return
    name = match[1] or match[2]
    yield _RENAMED.get(name, name)
    yield re.sub(r"f?(_r[nzdu])$", r"\1", name)          # fmaf_rn
    yield re.sub(r"^[df](\w+_r[nzdu])$", r"\1", name)    # dadd_rn, fadd_rn
    yield re.sub(r"(?:f|d|ll)$", "", name)               # sinf, isnand, clzll
    yield re.sub(r"^u", "", name)                        # umulhi
