"""Accesses to the arrays of a launch: the values are the interpreter's, the order of threads is watched.

Only accesses within a program are compared. Atomic accesses are in order among themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from ..descriptors import Description
from ..machine import EVALUATORS
from ..memory import Addresses, Buffer
from ..record import Operation
from .clocks import Agents
from .report import Report
from .roles import Role, schedules
from .shadow import Access, Shadow
from .types import layout_of

Array = Any
LARGEST = 1 << 22  # bytes of an array that is watched


class Arrays:
    """What is remembered of all arrays of a launch, from program to program."""

    agents: Agents

    def __init__(self, report: Report) -> None:
        self.report = report
        self.shadows: dict[int, Shadow] = {}
        self.program = (0, 0, 0)

    def begin_program(self, program: tuple[int, int, int], agents: Agents) -> None:
        """Another program begins: it is not compared with those before."""
        self.program, self.agents = program, agents
        for shadow in self.shadows.values():
            shadow.forget(program, agents)

    def shadow(self, buffer: Buffer | None) -> Shadow | None:
        """What watches an array; None if its size is not known, or too large."""
        if buffer is None or not 0 < buffer.end - buffer.start <= LARGEST:
            return None
        found = self.shadows.get(buffer.start)
        if found is None:
            found = self.shadows[buffer.start] = Shadow(f"'{buffer.name}'", buffer.end - buffer.start, 1, self.agents,
                                                        self.report)
            found.program = self.program
        return found


def _granules(addresses: Array, buffer: Buffer, size: int) -> Array:
    """The bytes of elements, those of one behind each other."""
    return ((addresses.reshape(-1) - buffer.start)[:, None] + np.arange(size)).reshape(-1)


def note_accesses(role: Role, op: Any, pointers: Addresses, mask: Any, is_write: bool, is_atomic: bool = False,
                  place: int = 0, stream: Callable[[Any], tuple[int, int]] | None = None) -> None:
    """Note what the threads that hold a block of pointers, or all of them for one pointer, do there.

    Args:
        place: The operand that is the pointers.
        stream: The agent and epoch of a warp's access, if they are not the warp's own.
    """
    shadow = role.world.arrays.shadow(pointers.buffer)
    if shadow is None:
        return
    assert pointers.buffer is not None
    shadow.begin()
    size = max(1, op.operands[place].type.scalar.element_ty.primitive_bitwidth // 8)
    flat, layout = pointers.array.reshape(-1), layout_of(op.kind(place))
    active = np.broadcast_to(np.asarray(True if mask is None else mask), pointers.array.shape).reshape(-1)
    # What is outside is an error as soon as it is accessed.
    active = active & (flat >= pointers.buffer.start) & (flat + size <= pointers.buffer.end)
    holders = layout.holders(op.operands[place].type.shape) if layout else None
    one_writes = is_write or is_atomic
    for number, warp in enumerate(role.warps):
        if holders is None:
            if one_writes and number:
                break  # the first thread does it for all
            elements, lanes = np.flatnonzero(active), np.full(1, 0 if one_writes else -1, np.int16)[:active.sum()]
        elif number < len(holders.elements):
            chosen = active[holders.elements[number]]
            if one_writes:
                chosen = chosen & holders.owned[number]
            elements, lanes = holders.elements[number][chosen], holders.lanes[number][chosen]
        else:
            break
        agent, epoch = stream(warp) if stream else (warp.agent, warp.epoch)
        access = Access(op, warp, agent, epoch, is_atomic=is_atomic)
        if is_write and len(elements):
            warp.wrote = warp.epoch
        touch = shadow.write if is_write else shadow.read
        touch(access, shadow.note(access), _granules(flat[elements], pointers.buffer, size), np.repeat(lanes, size))


def note_block(role: Role, access: Access, desc: Description, places: Addresses, inside: Array, size: int,
               is_write: bool) -> tuple[Shadow, int] | None:
    """Note what a unit does to a block of an array; gives what `Shadow.finish` needs."""
    shadow = role.world.arrays.shadow(desc.base.buffer)
    if shadow is None:
        return None
    assert desc.base.buffer is not None
    shadow.begin()
    number = shadow.note(access)
    addresses = places.array[np.broadcast_to(inside, places.array.shape)]
    (shadow.write if is_write else shadow.read)(access, number, _granules(addresses, desc.base.buffer, size), None)
    return shadow, number


def _mask_of(op: Any, operands: Any, before: int) -> Any:
    """The mask behind the first operands, if there is one."""
    return operands[before] if len(operands) > before else None


@schedules("tile.load")
def _load(role: Role, op: Any, pointers: Addresses, *rest: Any) -> Any:
    segments = [int(part) for part in op.attributes["operandSegmentSizes"].partition(":")[2].strip(" >").split(",")]
    is_volatile_scalar = "isVolatile" in op.attributes and not op.results[0].type.is_block()
    note_accesses(role, op, pointers, rest[0] if segments[1] else None, False, is_atomic=is_volatile_scalar)
    return EVALUATORS["tile.load"](role, op, pointers, *rest)


@schedules("tile.store")
def _store(role: Role, op: Any, pointers: Addresses, *rest: Any) -> None:
    note_accesses(role, op, pointers, _mask_of(op, rest, 1), True)
    EVALUATORS["tile.store"](role, op, pointers, *rest)


def _watch_atomic(name: str, before: int, is_write: bool) -> None:
    @schedules(name)
    def evaluate(role: Role, op: Operation, pointers: Addresses, *rest: Any) -> Any:
        if _releases(op):
            _check_release(role, op)
        note_accesses(role, op, pointers, _mask_of(op, rest, before), is_write, is_atomic=True)
        return EVALUATORS[name](role, op, pointers, *rest)


def _releases(op: Operation) -> bool:
    """Whether an atomic operation tells others what the program has written."""
    semantic = str(op.attributes.get("semantic", "acquire" if op.name == "tile.atomic_load" else "release"))
    return "release" in semantic or "acq_rel" in semantic


def _check_release(role: Role, op: Operation) -> None:
    """Report warps whose writes a thread that acts does not know of."""
    acting = role.warps if layout_of(op.kind(0)) else role.warps[:1]
    for warp, other in product(acting, role.warps):
        if other is not warp and other.wrote > warp.known[other.agent]:
            role.world.find("race", f"{op.name} of {role.world.agents.names[warp.agent]} tells others of writes by "
                            f"{role.world.agents.names[other.agent]} that may not be done", op)
            return


_watch_atomic("tile.atomic_rmw", 1, True)
_watch_atomic("tile.atomic_cas", 2, True)
_watch_atomic("tile.atomic_load", 0, False)
_watch_atomic("tile.atomic_store", 1, True)
