"""Descriptors that a program makes itself, in places of global memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..descriptors import Description
from ..record import Operation
from .roles import Role, schedules
from .shadow import Access, Shadow

Array = Any
_LANE = np.zeros(1, np.int16)  # one thread does all that is done to them


class MadeDescriptor:
    """A descriptor in its place: a `Description` that changes.

    Attributes:
        base: The address of the array.
        sizes: Its sizes.
        strides: Its strides.
        place: Its number among those of its program.
        shadow: What was done to the places of the program.
        is_published: Whether copies see what was made last.
    """

    def __init__(self, place: int, shadow: Shadow, like: Description) -> None:
        self.base, self.sizes, self.strides = like.base, (0,) * len(like.sizes), like.strides  # not made yet
        self.place = place
        self.shadow = shadow
        self.is_published = False

    def read(self, access: Access) -> int:
        """A copy that `access` tells of reads it; gives the number of the access."""
        number = self.shadow.note(access)
        self.shadow.begin()
        self.shadow.read(access, number, np.asarray([self.place]), _LANE)
        return number

    def write(self, role: Role, op: Any) -> None:
        """A thread of a role writes it."""
        warp = role.warps[0]
        access = Access(op, warp, warp.agent, warp.epoch)
        self.shadow.begin()
        self.shadow.write(access, self.shadow.note(access), np.asarray([self.place]), _LANE)


def read_descriptor(role: Role, desc: Description | MadeDescriptor, access: Access) -> Any:
    """Let a copy read its descriptor; gives what tells with an epoch that it is over."""
    if not isinstance(desc, MadeDescriptor):
        return lambda epoch: None
    if not desc.is_published:
        role.world.find("unpublished",
                        f"{access.step.name} of {role.name} uses a descriptor that copies do not see yet", access.step)
    number = desc.read(access)
    return lambda epoch: desc.shadow.finish(number, epoch)


@schedules("tile.descriptor_alloc")
def _allocate(role: Role, op: Operation, *templates: Description) -> Any:
    world = role.world
    shadow = Shadow("a descriptor", len(templates), 1, world.agents, world.report)
    shadow.program = world.program
    made = tuple(MadeDescriptor(i, shadow, like) for i, like in enumerate(templates))
    return made[0] if len(made) == 1 else made


@schedules("tile.descriptor_set")
def _set(role: Role, op: Any, desc: MadeDescriptor, like: Description, base: Any, *numbers: Any) -> None:
    desc.write(role, op)
    rank = (len(numbers) + 1) // 2
    sizes, strides = [int(n) for n in numbers[:rank]], [int(n) for n in numbers[rank:]]
    unit = op.operands[0].type.element_ty.primitive_bitwidth // 8
    if min(sizes) < 1 or int(base.array) % 16 or any(stride * unit % 16 for stride in strides):
        role.world.find("out of bounds", f"{op.name} of {role.name}: no descriptor has sizes {sizes}, strides "
                        f"{strides} and an address of {int(base.array):#x}", op)
    desc.base, desc.sizes, desc.strides = base, tuple(sizes), tuple(strides)
    desc.is_published = False


@schedules("tile.descriptor_publish")
def _publish(role: Role, op: Operation, *descriptors: MadeDescriptor) -> None:
    if "forWarps" in op.attributes:
        role.meet()
    for desc in descriptors:
        desc.is_published = min(desc.sizes) > 0


@schedules("tile.descriptor_free")
def _free(role: Role, op: Operation, *descriptors: MadeDescriptor) -> None:
    for desc in descriptors:
        desc.write(role, op)
