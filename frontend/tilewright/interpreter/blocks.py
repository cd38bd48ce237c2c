"""Operations of the `tile` dialect."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ..language import types as t
from ..language.types import dtype
from ..runtime.errors import DeviceAssertionError
from .formats import fit, numpy_type, signed, unsigned
from .machine import Machine, evaluates
from .memory import Addresses, map_array, map_arrays, read, update, write
from .record import Block, Operation

Array = Any


def _numbers(text: str) -> list[int]:
    """The integers of an attribute such as `array<i64: 1, 2>`."""
    return [int(number) for number in re.findall(r"-?\d+", text.partition(":")[2])]


# --- the grid, shapes ---------------------------------------------------------------------------------------
@evaluates("tile.program_id")
def _program_id(machine: Machine, op: Operation) -> Array:
    return np.asarray(machine.program_id[op.attributes["axis"]], np.int32)


@evaluates("tile.num_programs")
def _num_programs(machine: Machine, op: Operation) -> Array:
    return np.asarray(machine.grid[op.attributes["axis"]], np.int32)


@evaluates("tile.barrier")
def _barrier(machine: Machine, op: Operation) -> None:
    """A program is one thread here."""


@evaluates("tile.hint")
def _hint(machine: Machine, op: Operation, value: Any) -> Any:
    return value


@evaluates("tile.arange")
def _arange(machine: Machine, op: Operation) -> Array:
    start = op.attributes["start"]
    return np.arange(start, start + op.results[0].type.shape[0], dtype=np.int32)


@evaluates("tile.splat", "tile.broadcast")
def _broadcast(machine: Machine, op: Operation, value: Any) -> Any:
    return map_array(value, lambda array: np.broadcast_to(array, op.results[0].type.shape))


@evaluates("tile.expand_dims", "tile.reshape")
def _reshape(machine: Machine, op: Operation, value: Any) -> Any:
    return map_array(value, lambda array: array.reshape(op.results[0].type.shape))


@evaluates("tile.transpose")
def _transpose(machine: Machine, op: Operation, value: Any) -> Any:
    return map_array(value, lambda array: array.transpose(_numbers(op.attributes["order"])))


@evaluates("tile.join")
def _join(machine: Machine, op: Operation, a: Any, b: Any) -> Any:
    return map_arrays([a, b], lambda a, b: np.stack([a, b], axis=-1))


@evaluates("tile.split")
def _split(machine: Machine, op: Operation, value: Any) -> tuple[Any, Any]:
    return map_array(value, lambda array: array[..., 0]), map_array(value, lambda array: array[..., 1])


@evaluates("tile.cat")
def _cat(machine: Machine, op: Operation, a: Any, b: Any) -> Any:
    return map_arrays([a, b], lambda a, b: np.concatenate([a, b], axis=op.attributes["axis"]))


@evaluates("tile.extract")
def _extract(machine: Machine, op: Operation, value: Any) -> Any:
    offsets, strides = _numbers(op.attributes["offsets"]), _numbers(op.attributes["strides"])
    places = [offset + stride * np.arange(size)
              for offset, stride, size in zip(offsets, strides, op.results[0].type.shape, strict=True)]
    return map_array(value, lambda array: array[np.ix_(*places)])


@evaluates("tile.gather")
def _gather(machine: Machine, op: Operation, value: Any, index: Array) -> Any:
    axis = op.attributes["axis"]

    def take(array: Array) -> Array:
        places = np.minimum(unsigned(index), array.shape[axis] - 1).astype(np.int64)
        return np.take_along_axis(array, places, axis)

    return map_array(value, take)


# --- pointers and memory ----------------------------------------------------------------------------------------
@evaluates("tile.addptr")
def _advance(machine: Machine, op: Operation, pointers: Addresses, offset: Array) -> Addresses:
    size = op.results[0].type.scalar.element_ty.itemsize
    return pointers.map(lambda array: array + signed(offset).astype(np.int64) * size)


@evaluates("tile.ptr_to_int")
def _to_integer(machine: Machine, op: Operation, pointers: Addresses) -> Array:
    return pointers.array.astype(np.int64)


@evaluates("tile.int_to_ptr")
def _to_pointer(machine: Machine, op: Operation, number: Array) -> Addresses:
    return Addresses(signed(number), None)


@evaluates("tile.cast_ptr")
def _cast_pointer(machine: Machine, op: Operation, pointers: Addresses) -> Addresses:
    return pointers


@evaluates("tile.load")
def _load(machine: Machine, op: Operation, pointers: Addresses, *rest: Any) -> Any:
    _, masked, other = _numbers(op.attributes["operandSegmentSizes"])
    mask = rest[0] if masked else None
    loaded = read(pointers, mask, op.results[0].type)
    return map_arrays([loaded, rest[1]], lambda x, y: np.where(mask, x, y)) if other else loaded


@evaluates("tile.store")
def _store(machine: Machine, op: Operation, pointers: Addresses, value: Any, mask: Array | None = None) -> None:
    write(pointers, value, mask, op.operands[0].type.scalar.element_ty)


def _by_bits(x: Array) -> Array:
    """Integers that order floats by sign and bits."""
    bits = signed(x)
    return np.where(bits < 0, bits ^ np.iinfo(bits.dtype).max, bits)


_UPDATES = {
    "add": lambda old, new: unsigned(old) + unsigned(new), "fadd": np.add,
    "max": lambda old, new: np.maximum(signed(old), signed(new)),
    "min": lambda old, new: np.minimum(signed(old), signed(new)),
    "umax": lambda old, new: np.maximum(unsigned(old), unsigned(new)),
    "umin": lambda old, new: np.minimum(unsigned(old), unsigned(new)),
    "fmax": lambda old, new: np.where(_by_bits(new) > _by_bits(old), new, old),
    "fmin": lambda old, new: np.where(_by_bits(new) < _by_bits(old), new, old),
    "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor, "exchange": lambda old, new: new,
}


@evaluates("tile.atomic_rmw")
def _atomic(machine: Machine, op: Operation, pointers: Addresses, value: Array, mask: Array | None = None) -> Array:
    return combine(op, pointers, value, mask, op.operands[0].type.scalar.element_ty)


def combine(op: Operation, pointers: Addresses, value: Array, mask: Array | None, element: dtype) -> Array:
    """Combine values with what memory holds, by the operation's kind; gives what it held."""
    kind = op.attributes["kind"].removeprefix("#tile<atomic ").removesuffix(">")

    def change(old: Array, lane: tuple) -> Array:
        new = value[lane].astype(np.asarray(old).dtype)
        return fit(_UPDATES[kind](np.asarray(old), np.asarray(new)), element)

    return update(pointers, mask, element, change)


@evaluates("tile.atomic_cas")
def _exchange(machine: Machine, op: Operation, pointers: Addresses, expected: Array, value: Array) -> Array:
    element = op.operands[0].type.scalar.element_ty
    return update(pointers, None, element,
                  lambda old, lane: value[lane] if np.asarray(old).tobytes() == expected[lane].tobytes() else None)


# --- products, reductions, order ------------------------------------------------------------------------------
@evaluates("tile.dot")
def _dot(machine: Machine, op: Operation, a: Array, b: Array, acc: Array) -> Array:
    return multiply(op, a, b, acc, op.results[0].type)


def multiply(op: Operation, a: Array, b: Array, acc: Array, type: dtype) -> Array:
    """A product of matrices added to accumulators."""
    if type.is_floating():
        wide: Any = np.float64
    else:
        wide = np.int64
        a, b = map(unsigned if "isUnsigned" in op.attributes else signed, (a, b))
    return fit(np.matmul(a.astype(wide), b.astype(wide)) + acc.astype(wide), type)


def _part(values: Sequence[Any], axis: int, part: slice) -> list[Any]:
    """A part of several blocks along a dimension."""
    key = (*[slice(None)] * axis, part)
    return [map_array(value, lambda array: array[key]) for value in values]


def _joined(first: Sequence[Any], second: Sequence[Any], axis: int) -> list[Any]:
    return [map_arrays([a, b], lambda a, b: np.concatenate([a, b], axis)) for a, b in zip(first, second, strict=True)]


@evaluates("tile.reduce")
def _reduce(machine: Machine, op: Operation, *sources: Any) -> Any:
    """Neighbours are combined, then pairs of them, and so on: the order is kept."""
    axis = op.attributes["axis"]
    size = op.operands[0].type.shape[axis]
    total = list(sources)
    while size > 1:
        even = size // 2 * 2
        pairs = _combine(machine, op, _part(total, axis, slice(0, even, 2)), _part(total, axis, slice(1, even, 2)))
        total = _joined(pairs, _part(total, axis, slice(even, size)), axis) if even < size else pairs
        size = (size + 1) // 2
    results = [map_array(value, lambda array: np.take(array, 0, axis)) for value in total]
    return results[0] if len(results) == 1 else tuple(results)


@evaluates("tile.scan")
def _scan(machine: Machine, op: Operation, *sources: Any) -> Any:
    """Each element is combined with what 1, 2, 4, ... before it stands for."""
    axis = op.attributes["axis"]
    size = op.operands[0].type.shape[axis]
    turn = slice(None, None, -1 if "reverse" in op.attributes else 1)
    total = _part(sources, axis, turn)
    distance = 1
    while distance < size:
        later = _combine(machine, op, _part(total, axis, slice(0, size - distance)),
                         _part(total, axis, slice(distance, size)))
        total = _joined(_part(total, axis, slice(0, distance)), later, axis)
        distance *= 2
    results = _part(total, axis, turn)
    return results[0] if len(results) == 1 else tuple(results)


def _combine(machine: Machine, op: Operation, a: list[Any], b: list[Any]) -> list[Any]:
    """Combine many elements at once, or one by one where the function has branches or blocks of its own."""
    body = _of_elements(op)
    shape = np.shape(a[0].array if isinstance(a[0], Addresses) else a[0])
    if body is None:
        return _one_by_one(machine, op, [*a, *b], shape)
    # A function that gives a constant gives one for each.
    return [map_array(value, lambda array: np.broadcast_to(array, shape))
            for value in machine.run_block(body, [*a, *b])]


@lru_cache(maxsize=256)
def _of_elements(op: Operation) -> Block | None:
    """The body of an operation as a block that works on many elements at once, if it can.

    A block that is only made to ask for its type (``x + tl.zeros((1,), tl.int1)``) is left out.
    """
    def works(operations: Sequence[Operation]) -> bool:
        return not any(each.regions or any(result.type.is_block() for result in each.results) for each in operations)

    body = op.body()
    if works(body.operations):
        return body
    used: set[Any] = set()
    kept: list[Operation] = []
    for each in reversed(body.operations):
        if each.name == "tile.yield" or used.intersection(each.results):
            kept.append(each)
            used.update(each.operands)
    if not works(kept):
        return None
    short = Block(())
    short.arguments = body.arguments
    short.operations = kept[::-1]
    return short


def _one_by_one(machine: Machine, op: Operation, values: Sequence[Any], shape: tuple[int, ...]) -> list[Any]:
    """Run a region for each element."""
    given = [machine.run_block(op.body(), [map_array(value, lambda array, lane=lane: array[lane]) for value in values])
             for lane in np.ndindex(*shape)]
    return [map_arrays([each[i] for each in given], lambda *arrays: np.stack(arrays).reshape(shape))
            for i in range(len(given[0]))]


@evaluates("tile.map")
def _map(machine: Machine, op: Operation, *sources: Any) -> Any:
    pack = op.attributes.get("pack", 1)
    shape = op.results[0].type.shape
    rows = [map_array(value, lambda array: array.reshape(-1, pack)) for value in sources]
    packed = [map_array(row, lambda array, i=i: array[:, i]) for row in rows for i in range(pack)]
    given = _one_by_one(machine, op, packed, (int(np.prod(shape)) // pack,))
    results = [map_arrays(given[i * pack:(i + 1) * pack],
                          lambda *arrays: np.stack(arrays, axis=-1).reshape(shape)) for i in range(len(op.results))]
    return results[0] if len(results) == 1 else tuple(results)


@evaluates("tile.sort")
def _sort(machine: Machine, op: Operation, x: Array) -> Any:
    keys = _order(x, op.operands[0].type.is_floating(), "isUnsigned" in op.attributes)
    order = np.argsort(~keys if "descending" in op.attributes else keys, axis=-1, kind="stable")
    order = order[..., :op.results[0].type.shape[-1]]
    ordered = np.take_along_axis(x, order, -1)
    return (ordered, order.astype(np.int32)) if len(op.results) > 1 else ordered


def _order(x: Array, floating: bool, is_unsigned: bool) -> Array:
    """Unsigned integers in the order of the elements: -0 before +0, NaN after all."""
    bits = unsigned(x)
    sign = bits.dtype.type(1 << (8 * bits.dtype.itemsize - 1))
    if not floating:
        return bits if is_unsigned or x.dtype == np.bool_ else bits ^ sign
    return np.where(np.isnan(x), ~bits.dtype.type(0), np.where(bits & sign, ~bits, bits | sign))


@evaluates("tile.histogram")
def _histogram(machine: Machine, op: Operation, x: Array, mask: Array | None = None) -> Array:
    bins = op.results[0].type.shape[0]
    numbers = signed(x).astype(np.int64)
    counted = (numbers >= 0) & (numbers < bins) & (True if mask is None else mask)
    return np.bincount(numbers[counted], minlength=bins).astype(np.int32)


# --- output and checks ---------------------------------------------------------------------------------------
@evaluates("tile.assert")
def _assert(machine: Machine, op: Operation, condition: Array) -> None:
    if np.all(condition):
        return
    position = machine.position(op.frame, op.node)
    lane = tuple(int(each) for each in np.argwhere(~condition)[0]) if np.ndim(condition) else ()
    where = f" for element {lane if len(lane) > 1 else lane[0]}" if lane else ""
    raise DeviceAssertionError(machine.program.function.__name__,
                               f"{op.attributes['message']}{where}, in program {machine.program_id}", str(position))


@evaluates("tile.print")
def _print(machine: Machine, op: Operation, *values: Any) -> None:
    head, prefix = f"pid {machine.program_id}", op.attributes["prefix"]
    if not values:
        print(head + ("" if prefix.startswith(" ") else " ") + prefix)
    for place, value in enumerate(values):
        array = np.asarray(value.array if isinstance(value, Addresses) else value)
        for lane in np.ndindex(*array.shape):
            index = ", ".join(f"{i:{len(str(size - 1))}}" for i, size in zip(lane, array.shape, strict=True))
            print(f"{head} idx ({index}){prefix}{_shown(array[lane], op, place)}")


def _shown(number: Any, op: Operation, place: int) -> str:
    """An element as the runtime of the CPU prints it."""
    type = op.operands[place].type.scalar
    if type.is_bool():
        return str(bool(number))
    if type.is_floating():
        return f"{float(number):.{17 if type is t.float64 else 9 if type is t.float32 else 6}g}"
    if "hex" in op.attributes or type.is_ptr():
        return f"0x{int(unsigned(np.asarray(number))):0{2 * numpy_type(type)().itemsize}x}"
    signs = op.attributes["signedness"].partition(":")[2].strip("> ").split(", ")
    return str(int((signed if signs[place] == "true" else unsigned)(np.asarray(number))))
