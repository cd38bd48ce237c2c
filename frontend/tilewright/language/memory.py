"""Access to global memory through pointers."""

from __future__ import annotations

from typing import Any

from ..ast.builder import current
from ..ast.emit import emit, emit_effect
from ..ast.values import is_number, tensor
from ..errors import TileTypeError, list_names
from . import types as t
from .arithmetic import truth
from .block_pointers import block_pointer, checked_dims, padding_value, resolve
from .conversion import (
    broadcast_into,
    broadcast_shape,
    cast,
    constant_like,
    convert,
    describe_value,
    static,
    to_tensor,
)
from .registry import builtin, method
from .types import describe, like

LOAD_CACHES = {"": "none", ".ca": "ca", ".cg": "cg", ".cs": "cs", ".cv": "cv"}
STORE_CACHES = {"": "none", ".wb": "wb", ".cg": "cg", ".cs": "cs", ".wt": "wt"}
EVICTIONS = {"": "normal", "evict_normal": "normal", "evict_first": "evict_first", "evict_last": "evict_last"}


def _access_attributes(what: str, caches: dict[str, str], cache: Any, eviction: Any) -> dict[str, Any]:
    """The attributes of an access that differ from their defaults."""
    cache, eviction = static(cache, f"{what}: cache_modifier"), static(eviction, f"{what}: eviction_policy")
    attributes = {}
    session = current().session
    for name, value, known, kind in (("cache", cache, caches, "cache"), ("eviction", eviction, EVICTIONS, "eviction")):
        if value not in known:
            argument = "cache_modifier" if name == "cache" else "eviction_policy"
            allowed = list_names(repr(each) for each in known)
            raise TileTypeError(f"{what}: {argument} must be one of {allowed}, got {value!r}")
        if known[value] not in ("none", "normal"):
            attributes[name] = session.attribute(f"#tile<{kind} {known[value]}>")
    return attributes


def require_pointer(pointer: Any, what: str) -> tensor:
    """The pointer operand of an access."""
    if not isinstance(pointer, tensor) or not pointer.dtype.is_ptr():
        raise TileTypeError(f"{what}: expects a pointer, got {describe_value(pointer)}",
                            "an address is a pointer parameter plus offsets, such as x + tl.arange(0, BLOCK)")
    return pointer


def match_shape(value: tensor, pointer: tensor, what: str, role: str) -> tensor:
    """An operand repeated to the pointer's shape."""
    if value.shape == pointer.shape:
        return value
    if not pointer.type.is_block():
        count = "x".join(str(size) for size in value.shape)
        raise TileTypeError(
            f"{what}: the pointer is a single address, while the {role} is a block of {count}",
            "one address is accessed for the whole program: the offset is a scalar",
            f"tl.arange is missing from the offset: for one address per element, add tl.arange(0, {value.shape[-1]}) "
            "to it (for example offset = pid * BLOCK + tl.arange(0, BLOCK))")
    if broadcast_shape(value.shape, pointer.shape) != pointer.shape:
        raise TileTypeError(f"{what}: the {role} does not fit the pointer: {describe(value.type)} "
                            f"and {describe(pointer.type)}")
    return broadcast_into(value, pointer.shape)


def align_mask(pointer: tensor, mask: Any, what: str) -> tuple[tensor, tensor | None]:
    """Pointer and mask with the pointer's shape; a block of masks spreads no single address."""
    if mask is None:
        return pointer, None
    mask = truth(mask)
    if pointer.type.is_block():
        shape = broadcast_shape(pointer.shape, mask.shape)
        if shape is not None and shape != pointer.shape:
            pointer = broadcast_into(pointer, shape)
    return pointer, match_shape(mask, pointer, what, "mask")


def element_value(value: Any, pointer: tensor, what: str, role: str) -> tensor:
    """A value as the pointer's elements."""
    element = pointer.dtype.element_ty
    if is_number(value) and element.is_ptr():
        value = cast(to_tensor(value), t.int64)
        return match_shape(convert(value, element), pointer, what, role)
    if is_number(value):
        return constant_like(like(pointer.type, element), _as_element(value, element))
    if not isinstance(value, tensor):
        raise TileTypeError(f"{what}: the {role} must be a number or a value of the program, "
                            f"got {describe_value(value)}")
    if value.dtype.is_ptr() != element.is_ptr():
        raise TileTypeError(f"{what}: {describe(value.type)} does not go through {describe(pointer.type)}")
    return match_shape(convert(value, element), pointer, what, role)


def _as_element(value: bool | int | float, element: t.dtype) -> bool | int | float:
    """A number converted as `cast` would."""
    if element.is_floating():
        return float(value)
    if element.is_bool():
        return bool(value)
    if isinstance(value, float):
        low, high = element.range
        return 0 if value != value else int(min(max(value, low), high))
    return int(value)


@builtin
def load(pointer: tensor, mask: Any = None, other: Any = None, boundary_check: tuple = (),
         padding_option: str = "", cache_modifier: str = "", eviction_policy: str = "",
         volatile: bool = False) -> tensor:
    """Read the elements that pointers address.

    Args:
        pointer: A pointer, a block of pointers, or a block pointer.
        mask: Where it is false no access is made.
        other: The result where the mask is false; 0 without it.
        boundary_check: Of a block pointer, the dimensions along which the block may reach beyond the array.
        padding_option: Of a block pointer, what is beyond: ``"zero"``, or ``"nan"`` for floats.
        cache_modifier: ``""``, ``".ca"``, ``".cg"``, ``".cs"`` or ``".cv"``.
        eviction_policy: ``""``, ``"evict_first"`` or ``"evict_last"``.
        volatile: Make the access even if another one could give the value, past the caches, whatever the
            modifiers say.
    """
    if isinstance(pointer, block_pointer):
        _refuse_mask("load", mask, other)
        other = padding_value(pointer, padding_option, "load")
        pointer, mask = resolve(pointer, checked_dims(pointer, boundary_check, "load"))
        other = None if mask is None else other
    else:
        pointer = require_pointer(pointer, "load")
        _refuse_block_pointer_arguments("load", boundary_check, padding_option)
    if mask is None and other is not None:
        raise TileTypeError("load: 'other' is given without 'mask'",
                            "'other' is the result of lanes whose mask is false; pass mask=, or drop other=")
    attributes = _access_attributes("load", LOAD_CACHES, cache_modifier, eviction_policy)
    segments = [1, int(mask is not None), int(other is not None)]
    pointer, mask = align_mask(pointer, mask, "load")
    operands = [pointer] + ([mask] if mask is not None else [])
    if other is not None:
        operands.append(element_value(other, pointer, "load", "other"))
    session = current().session
    attributes["operandSegmentSizes"] = session.attribute(f"array<i32: {', '.join(map(str, segments))}>")
    if static(volatile, "load: volatile"):
        attributes["isVolatile"] = session.unit
    return emit("tile.load", operands, like(pointer.type, pointer.dtype.element_ty), attributes)


def _refuse_mask(what: str, *arguments: Any) -> None:
    if any(argument is not None for argument in arguments):
        raise TileTypeError(f"{what}: mask and other belong to blocks of pointers",
                            "of a block pointer, boundary_check says where the block may reach beyond the array")


def _refuse_block_pointer_arguments(what: str, boundary_check: Any, padding_option: Any) -> None:
    if any(isinstance(each, tensor) or each for each in (boundary_check, padding_option)):
        raise TileTypeError(f"{what}: boundary_check and padding_option belong to block pointers",
                            "give a mask instead, such as mask=offsets < n")


@method
def store(pointer: tensor, value: Any, mask: Any = None, boundary_check: tuple = (), cache_modifier: str = "",
          eviction_policy: str = "") -> None:
    """Write elements where pointers address.

    The value is repeated to the pointer's shape and converted to the element's type.

    Args:
        pointer: A pointer, a block of pointers, or a block pointer.
        value: What to write.
        mask: Where it is false no access is made.
        boundary_check: Of a block pointer, the dimensions along which the block may reach beyond the array.
        cache_modifier: ``""``, ``".wb"``, ``".cg"``, ``".cs"`` or ``".wt"``.
        eviction_policy: ``""``, ``"evict_first"`` or ``"evict_last"``.
    """
    if isinstance(pointer, block_pointer):
        _refuse_mask("store", mask)
        pointer, mask = resolve(pointer, checked_dims(pointer, boundary_check, "store"))
    else:
        pointer = require_pointer(pointer, "store")
        _refuse_block_pointer_arguments("store", boundary_check, "")
    if pointer.dtype.is_const():
        raise TileTypeError("store: the pointer is read-only: its parameter is annotated tl.const",
                            "drop the annotation to write through it")
    attributes = _access_attributes("store", STORE_CACHES, cache_modifier, eviction_policy)
    pointer, mask = align_mask(pointer, mask, "store")
    operands = [pointer, element_value(value, pointer, "store", "value")]
    emit_effect("tile.store", operands + ([mask] if mask is not None else []), attributes)
