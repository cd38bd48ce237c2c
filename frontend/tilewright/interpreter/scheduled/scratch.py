"""Operations that exchange data between threads through memory of their own.

Which thread writes what there is the conversion's business, and it orders these accesses by itself.
What others rely on is said by `tile-insert-barriers`: all threads meet when such an operation begins,
or, where its memory is said to be free, between its writes and its reads, or, where that is a
conversion, not at all: each warp then has its own part. The reads may still go on when it has ended.
Atomic operations act before they exchange what they found.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from .layouts import Layout
from .shadow import Access
from .types import layout_of, plain

ATTRIBUTE = "tile.scratch_offset"
FREE_ATTRIBUTE = "scratch_is_free"
PASSES_ATTRIBUTE = "scratch_passes"
# A reduction of several blocks has parts of them all there at once where this suffices; the conversion's limit, which
# counts padding too, is twice as much.
BYTES_AT_ONCE = 4096


def comes_later(op: Any) -> bool:
    """Whether an operation does its work before it exchanges data."""
    return op.name.startswith("tile.atomic_") or op.name in ("tile.load", "tile.timer")


def exchange(role: Any, op: Any) -> None:
    """Note the accesses of an operation with scratch memory."""
    is_free = FREE_ATTRIBUTE in op.attributes
    is_within_warps = is_free and op.name == "tile.convert_layout"
    if not is_free:
        role.meet()
    memory = role.world.memory
    start, size = op.attributes[ATTRIBUTE], scratch_bytes(op)
    if start + size > len(memory.content):
        role.world.find("out of bounds", f"{op.name} needs bytes {start} to {start + size} of "
                        f"{len(memory.content)} on chip", op)
        return
    granules = np.arange(start // memory.granule, -(-(start + size) // memory.granule))
    memory.begin()
    for warp in role.warps if is_within_warps else role.warps[:1]:
        access = Access(op, warp, warp.agent, warp.epoch, owner=op, is_within_warps=is_within_warps)
        memory.write(access, memory.note(access), granules, None)
    if is_free and not is_within_warps:
        role.meet()
        memory.begin()
    for warp in role.warps:
        access = Access(op, warp, warp.agent, warp.epoch, owner=op)
        memory.hold(access, memory.note(access), granules)


def scratch_bytes(op: Any) -> int:
    """How many bytes an operation exchanges through: at least so many, where the conversion may need more."""
    count = _COUNTS.get(op.name, _results)
    return count(op)


def _element_bytes(type: Any) -> int:
    return max(1, plain(type).scalar.primitive_bitwidth // 8)


def _block(op: Any, place: int = 0) -> int:
    """An operand as a whole."""
    return prod(plain(op.kind(place)).shape) * _element_bytes(op.kind(place))


def _results(op: Any) -> int:
    return max(prod(result.type.shape) * _element_bytes(result.type) for result in op.results)


def _smallest_result(op: Any) -> int:
    return min(prod(result.type.shape) * _element_bytes(result.type) for result in op.results)


def _covered(layout: Layout) -> list[int]:
    """The sizes that a layout covers, padding included."""
    sizes = list(layout.tile)
    for _, count, dim in layout.repeats:
        if dim is not None:
            sizes[dim] *= count
    return sizes


def _conversion(op: Any) -> int:
    source, result = layout_of(op.kind(0)), layout_of(op.results[0].kind)
    assert source is not None and result is not None
    sizes = map(max, _covered(source), _covered(result))
    return prod(sizes) * _element_bytes(op.kind(0)) // op.attributes.get(PASSES_ATTRIBUTE, 1)


def _warps(op: Any) -> int:
    """How many warps share the axis."""
    layout, axis = layout_of(op.kind(0)), op.attributes["axis"]
    assert layout is not None
    warps = 1 << sum(column[axis] != 0 for column in layout.bases.get("warp", ()))
    return warps * prod(count for name, count, dim in layout.repeats if name == "warp" and dim == axis)


def _partial(op: Any) -> list[int]:
    """Of each block: one result of each warp along the axis."""
    shape = plain(op.kind(0)).shape
    others = prod(shape) // shape[op.attributes["axis"]]
    return [_warps(op) * others * _element_bytes(operand.type) for operand in op.operands]


def _reduction(op: Any) -> int:
    """Results of several blocks lie beside each other where warps exchange few."""
    sizes = _partial(op)
    return sum(sizes) if _warps(op) > 1 and sum(sizes) <= BYTES_AT_ONCE else max(sizes)


_COUNTS = {
    "tile.convert_layout": _conversion, "tile.reduce": _reduction,
    "tile.scan": lambda op: max(_partial(op)),
    "tile.gather": _block, "tile.extract": _block, "tile.reshape": _block, "tile.sort": _smallest_result,
    "tile.dot": lambda op: max(_block(op, 0), _block(op, 1)),
    "tile.descriptor_alloc": lambda op: 8, "tile.descriptor_set": lambda op: 128,
    "tile.histogram": lambda op: 4 * prod(op.results[0].type.shape),
}
