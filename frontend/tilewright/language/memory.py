"""Access to global memory through pointers."""

from __future__ import annotations

from typing import Any

from ..ast.builder import current
from ..ast.emit import emit, emit_effect
from ..ast.values import is_number, tensor
from ..errors import TileTypeError, list_names
from . import types as t
from .arithmetic import compare, logical_and, not_, truth, where
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
        pointer: A pointer or a block of pointers.
        mask: Where it is false no access is made.
        other: The result where the mask is false; 0 without it.
        cache_modifier: ``""``, ``".ca"``, ``".cg"``, ``".cs"`` or ``".cv"``.
        eviction_policy: ``""``, ``"evict_first"`` or ``"evict_last"``.
        volatile: Make the access even if another one could give the value.
    """
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
        pointer: A pointer or a block of pointers.
        value: What to write.
        mask: Where it is false no access is made.
        cache_modifier: ``""``, ``".wb"``, ``".cg"``, ``".cs"`` or ``".wt"``.
        eviction_policy: ``""``, ``"evict_first"`` or ``"evict_last"``.
    """
    pointer = require_pointer(pointer, "store")
    _refuse_block_pointer_arguments("store", boundary_check, "")
    if pointer.dtype.is_const():
        raise TileTypeError("store: the pointer is read-only: its parameter is annotated tl.const",
                            "drop the annotation to write through it")
    attributes = _access_attributes("store", STORE_CACHES, cache_modifier, eviction_policy)
    pointer, mask = align_mask(pointer, mask, "store")
    operands = [pointer, element_value(value, pointer, "store", "value")]
    emit_effect("tile.store", operands + ([mask] if mask is not None else []), attributes)


# --- atomics ----------------------------------------------------------------------------------------
SEMANTICS = ("relaxed", "acquire", "release", "acq_rel")
SCOPES = ("cta", "gpu", "sys")


def _ordering(what: str, sem: Any, scope: Any) -> dict[str, Any]:
    attributes = {}
    for name, kind, value, known, default in (("semantic", "semantic", sem, SEMANTICS, "acq_rel"),
                                              ("scope", "scope", scope, SCOPES, "gpu")):
        value = static(value, f"{what}: {'sem' if name == 'semantic' else 'scope'}")
        if value is None or value == default:
            continue
        if value not in known:
            raise TileTypeError(f"{what}: {'sem' if name == 'semantic' else 'scope'} must be one of "
                                f"{list_names(known)}, got {value!r}")
        attributes[name] = current().session.attribute(f"#tile<{kind} {value}>")
    return attributes


def _atomic_pointer(pointer: Any, what: str) -> tensor:
    pointer = require_pointer(pointer, what)
    if pointer.dtype.is_const():
        raise TileTypeError(f"{what}: the pointer is read-only: its parameter is annotated tl.const")
    return pointer


def _atomic(what: str, kind: str, pointer: tensor, value: tensor, mask: tensor | None, ordering: dict) -> tensor:
    attributes = {"kind": current().session.attribute(f"#tile<atomic {kind}>"), **ordering}
    operands = [pointer, value] + ([mask] if mask is not None else [])
    return emit("tile.atomic_rmw", operands, like(pointer.type, pointer.dtype.element_ty), attributes)


def _check_atomic_type(what: str, element: t.dtype, allowed: tuple[t.dtype, ...]) -> None:
    if element not in allowed:
        raise TileTypeError(f"{what}: elements of type {element} are not supported",
                            f"supported are {list_names(str(each) for each in allowed)}")


_INTS = (t.int32, t.uint32, t.int64, t.uint64)
_FLOATS = (t.float32, t.float64)


def _simple_atomic(what: str, kind: str, allowed: tuple[t.dtype, ...], pointer: Any, val: Any, mask: Any, sem: Any,
                   scope: Any) -> tensor:
    pointer = _atomic_pointer(pointer, what)
    element = pointer.dtype.element_ty
    _check_atomic_type(what, element, allowed)
    ordering = _ordering(what, sem, scope)
    pointer, mask = align_mask(pointer, mask, what)
    value = element_value(val, pointer, what, "value")
    if kind in ("max", "min") and element.is_floating():
        return _float_extremum(what, kind, pointer, value, mask, ordering)
    if element.is_floating() and kind == "add":
        kind = "fadd"
    if element.is_int_unsigned() and kind in ("max", "min"):
        kind = f"u{kind}"
    return _atomic(what, kind, pointer, value, mask, ordering)


def _float_extremum(what: str, kind: str, pointer: tensor, value: tensor, mask: tensor | None,
                    ordering: dict) -> tensor:
    """Maximum or minimum of floats by their bits.

    The bits of positive floats order as signed integers, those of negative ones in
    reverse as unsigned integers: each lane does the one that its sign asks for.
    """
    element = pointer.dtype.element_ty
    signed, unsigned = (t.int32, t.uint32) if element is t.float32 else (t.int64, t.uint64)
    bits = convert_bits(value, signed)
    positive = compare(">=", bits, 0)
    negative = not_(positive)
    if mask is not None:
        positive, negative = logical_and(mask, positive), logical_and(mask, negative)
    address = convert(pointer, t.pointer_type(signed))
    up, down = ("max", "umin") if kind == "max" else ("min", "umax")
    old_positive = _atomic(what, up, address, bits, positive, ordering)
    address = convert(pointer, t.pointer_type(unsigned))
    old_negative = _atomic(what, down, address, convert(bits, unsigned), negative, ordering)
    old = where(positive, old_positive, convert(old_negative, signed))
    return convert_bits(old, element)


def convert_bits(value: tensor, type: t.dtype) -> tensor:
    """The same bits as another type of equal width."""
    return cast(value, type, bitcast=True)


def _define(name: str, kind: str, allowed: tuple[t.dtype, ...], summary: str) -> Any:
    def atomic(pointer: tensor, val: Any, mask: Any = None, sem: str | None = None, scope: str | None = None) -> tensor:
        return _simple_atomic(name, kind, allowed, pointer, val, mask, sem, scope)

    atomic.__name__ = atomic.__qualname__ = name
    atomic.__doc__ = f"""{summary} as one step; gives the old values.

    Lanes whose mask is false make no access and give 0.

    Args:
        pointer: A pointer or a block of pointers to {list_names(str(each) for each in allowed)}.
        val: The operand.
        mask: Which lanes act.
        sem: ``"relaxed"``, ``"acquire"``, ``"release"`` or ``"acq_rel"`` (the default).
        scope: ``"cta"``, ``"gpu"`` (the default) or ``"sys"``.
    """
    return method(atomic)


atomic_add = _define("atomic_add", "add", (*_INTS, t.float16, t.bfloat16, *_FLOATS), "Add to memory")
atomic_max = _define("atomic_max", "max", (*_INTS, *_FLOATS), "Raise memory to a value where that is larger")
atomic_min = _define("atomic_min", "min", (*_INTS, *_FLOATS), "Lower memory to a value where that is smaller")
atomic_and = _define("atomic_and", "and", _INTS, "Bitwise and into memory")
atomic_or = _define("atomic_or", "or", _INTS, "Bitwise or into memory")
atomic_xor = _define("atomic_xor", "xor", _INTS, "Bitwise exclusive or into memory")
atomic_xchg = _define("atomic_xchg", "exchange", (*_INTS, *_FLOATS), "Exchange memory with a value")


@method
def atomic_cas(pointer: tensor, cmp: Any, val: Any, sem: str | None = None, scope: str | None = None) -> tensor:
    """Write ``val`` where memory holds ``cmp``, as one step; gives the old values."""
    pointer = _atomic_pointer(pointer, "atomic_cas")
    element = pointer.dtype.element_ty
    if element.primitive_bitwidth not in (16, 32, 64):
        raise TileTypeError(f"atomic_cas: elements of 16, 32 or 64 bits are supported, got {element}")
    operands = [pointer, element_value(cmp, pointer, "atomic_cas", "cmp"),
                element_value(val, pointer, "atomic_cas", "value")]
    return emit("tile.atomic_cas", operands, like(pointer.type, element), _ordering("atomic_cas", sem, scope))
