"""Atomic access to global memory: what other programs see as one step."""

from __future__ import annotations

from typing import Any

from ..ast.builder import current
from ..ast.emit import emit, emit_effect
from ..ast.values import is_number, tensor
from ..errors import TileTypeError, list_names
from . import types as t
from .conversion import convert, describe_value, static, to_tensor
from .memory import align_mask, element_value, require_pointer
from .registry import builtin, method
from .types import describe, like

SEMANTICS = ("relaxed", "acquire", "release", "acq_rel")
SCOPES = ("cta", "gpu", "sys")


def _ordering(what: str, sem: Any, scope: Any, known_sem: tuple[str, ...] = SEMANTICS,
              default_sem: str = "acq_rel") -> dict[str, Any]:
    attributes = {}
    for name, kind, value, known, default in (("semantic", "semantic", sem, known_sem, default_sem),
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
    if element.is_floating() and kind != "exchange":
        kind = f"f{kind}"
    elif element.is_int_unsigned() and kind in ("max", "min"):
        kind = f"u{kind}"
    return _atomic(what, kind, pointer, value, mask, ordering)


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
        sem: ``"relaxed"``, ``"acquire"``, ``"release"`` or ``"acq_rel"`` (the default). One that releases comes after
            all that the program has written, by any of its threads, and where it is of one number, such as a lock,
            after what it has read; what follows one that acquires comes after it.
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


# --- ordered access ---------------------------------------------------------------------------------
_ADDRESSABLE = (8, 16, 32, 64)


def _require_ordered(pointer: Any, what: str) -> tensor:
    pointer = require_pointer(pointer, what)
    element = pointer.dtype.element_ty
    if element.is_ptr() or element.is_bool() or element.primitive_bitwidth not in _ADDRESSABLE:
        raise TileTypeError(f"{what}: elements of type {element} are not supported",
                            "supported are numbers of 8 to 64 bits")
    return pointer


@method
def atomic_load(pointer: tensor, mask: Any = None, sem: str | None = None, scope: str | None = None) -> tensor:
    """Read elements in order with other accesses.

    Args:
        pointer: A pointer or a block of pointers.
        mask: Where it is false no access is made, and the result is 0.
        sem: ``"acquire"`` (the default) or ``"relaxed"``.
        scope: ``"cta"``, ``"gpu"`` (the default) or ``"sys"``.
    """
    pointer = _require_ordered(pointer, "atomic_load")
    attributes = _ordering("atomic_load", sem, scope, ("acquire", "relaxed"), "acquire")
    pointer, mask = align_mask(pointer, mask, "atomic_load")
    operands = [pointer] + ([mask] if mask is not None else [])
    return emit("tile.atomic_load", operands, like(pointer.type, pointer.dtype.element_ty), attributes)


@method
def atomic_store(pointer: tensor, val: Any, mask: Any = None, sem: str | None = None,
                 scope: str | None = None) -> None:
    """Write elements in order with other accesses.

    Args:
        pointer: A pointer or a block of pointers.
        val: What to write.
        mask: Where it is false no access is made.
        sem: ``"release"`` (the default) or ``"relaxed"``.
        scope: ``"cta"``, ``"gpu"`` (the default) or ``"sys"``.
    """
    pointer = _require_ordered(_atomic_pointer(pointer, "atomic_store"), "atomic_store")
    attributes = _ordering("atomic_store", sem, scope, ("release", "relaxed"), "release")
    pointer, mask = align_mask(pointer, mask, "atomic_store")
    operands = [pointer, element_value(val, pointer, "atomic_store", "value")]
    emit_effect("tile.atomic_store", operands + ([mask] if mask is not None else []), attributes)


@builtin
def atomic_poll(pointer: tensor, expected_value: Any, sem: str | None = None, scope: str | None = None,
                timeout_ns: Any = None) -> tensor:
    """Read an element again and again until it has a value; whether it had it in time.

    Args:
        pointer: The address of an integer of 16, 32 or 64 bits.
        expected_value: What to wait for.
        sem: ``"acquire"`` (the default) or ``"relaxed"``.
        scope: ``"cta"``, ``"gpu"`` (the default) or ``"sys"``.
        timeout_ns: Nanoseconds after which to give up; without it the wait is endless.
    """
    what = "atomic_poll"
    pointer = require_pointer(pointer, what)
    element = pointer.dtype.element_ty
    if pointer.type.is_block():
        raise TileTypeError(f"{what}: expects a single pointer, got {describe(pointer.type)}")
    if not element.is_int() or element.primitive_bitwidth not in (16, 32, 64):
        raise TileTypeError(f"{what}: integers of 16, 32 or 64 bits are supported, got {element}")
    operands = [pointer, element_value(expected_value, pointer, what, "expected value")]
    if timeout_ns is not None:
        timeout = to_tensor(timeout_ns) if is_number(timeout_ns) else timeout_ns
        if not isinstance(timeout, tensor) or timeout.type.is_block() or not timeout.dtype.is_int():
            raise TileTypeError(f"{what}: timeout_ns must be an integer, got {describe_value(timeout_ns)}")
        operands.append(convert(timeout, t.int64))
    attributes = _ordering(what, sem, scope, ("acquire", "relaxed"), "acquire")
    return emit("tile.atomic_poll", operands, t.int1, attributes)
