"""Runs a kernel of stage `scheduled` and reports what it does wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .. import arithmetic, blocks, descriptors  # noqa: F401 - they register what evaluates operations
from ..formats import fit
from ..launch import find_buffer
from ..memory import Addresses, Buffer
from . import buffers, signals  # noqa: F401
from .arrays import Arrays
from .blocks import end_stores
from .clocks import Agents, Warp
from .copies import end_copies
from .host import make_descriptor
from .memory import ChipMemory
from .products import end_products
from .reader import Kernel, read_kernel
from .report import Report
from .roles import Cluster, Deadlock, Role, Schedule, Scheduler, World
from .types import BufferType, PendingType

Array = Any
SCHEDULES: tuple[str | int, ...] = (0, "early", "late")
_MOST_LAUNCHED = 2  # where programs take turns: few, so that each has several


def run_scheduled(source: Any, arguments: Sequence[Any], grid: Sequence[int],
                  schedules: Sequence[str | int] = SCHEDULES) -> Report:
    """Run a kernel at stage `scheduled` with threads, roles and asynchronous operations.

    Args:
        source: A compiled kernel of a target that has the stage, whose findings then name the user's lines; the
            stage's text; or a module of it.
        arguments: What is passed, in the order of the kernel's arguments at that stage, without constants: arrays
            of the CPU, numbers, descriptors. The arrays hold the results of the last schedule.
        grid: The number of programs along each axis; they run one after the other.
        schedules: How often it runs, and when asynchronous operations end then: `"late"`, `"early"`, or any
            time, which a number chooses. What a kernel computes must not depend on it.

    Returns:
        What was found: unordered accesses, waits that are missing or never end, and others; see `Finding`.

    Raises:
        InterpreterError: Where a program accesses memory outside of an array, with the place.
    """
    kernel = read_kernel(source)
    passed = [_pack(value, result.type, f"argument {number}")
              for number, (value, result) in enumerate(zip(arguments, kernel.passed, strict=True))]
    return run_kernel(kernel, passed, grid, schedules)


def run_kernel(kernel: Kernel, arguments: Sequence[Any], grid: Sequence[int],
               schedules: Sequence[str | int] = SCHEDULES) -> Report:
    """The same with arguments as machines hold them."""
    x, y, z = (*grid, 1, 1)[:3]
    sizes = (x, y, z)
    report = Report()
    passed = [_conform(value, result.type) for value, result in zip(arguments, kernel.passed, strict=True)]
    memories = list({value.buffer.start: value.buffer for value in passed
                     if isinstance(value, Addresses) and value.buffer}.values())
    described = [make_descriptor(stated, passed) for stated in kernel.descriptors]
    if kernel.takes_turns:
        passed += [np.asarray(size, np.int32) for size in sizes]
        sizes = (min(_MOST_LAUNCHED, x * y * z), 1, 1)
    passed += described
    before = [memory.bytes().copy() for memory in memories]
    first: list[Array] | None = None
    for number, name in enumerate(schedules):
        for memory, content in zip(memories, before, strict=True):
            if number and memory.writable:
                memory.bytes()[:] = content
        run = _Run(kernel, passed, sizes, Schedule(name), report)
        with np.errstate(all="ignore"):
            for program in _programs(sizes):
                run.run_program(program)
        after = [memory.bytes().copy() for memory in memories]
        first = first or after
        for memory, one, other in zip(memories, first, after, strict=True):
            if not np.array_equal(one, other):
                report.add("values", f"what '{memory.name}' holds in the end depends on when asynchronous operations "
                           f"end: schedules {schedules[0]!r} and {name!r} differ", (0, 0, 0))
    return report


def _conform(value: Any, type: Any) -> Any:
    """Integers as the IR has them: without a sign."""
    if isinstance(value, Addresses) or not isinstance(value, (int, np.ndarray)) or type.is_floating():
        return value
    return fit(np.asarray(value), type)


def _programs(grid: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    for z in range(grid[2]):
        for y in range(grid[1]):
            for x in range(grid[0]):
                yield x, y, z


def _pack(value: Any, type: Any, name: str) -> Any:
    """An argument as roles hold it."""
    if not type.is_ptr():
        return fit(np.asarray(value), type)
    buffer: Buffer = find_buffer(value, name)
    return Addresses(np.asarray(buffer.first, np.int64), buffer)


class _Run:
    """All programs by one schedule."""

    def __init__(self, kernel: Kernel, arguments: Sequence[Any], grid: tuple[int, int, int], schedule: Schedule,
                 report: Report) -> None:
        self.kernel = kernel
        self.arguments = arguments
        self.grid = grid
        self.schedule = schedule
        self.report = report
        self.arrays = Arrays(report)

    def run_program(self, program: tuple[int, int, int]) -> None:
        """Run one of them to its end, or to where nobody can go on."""
        kernel = self.kernel
        agents = Agents(_count_agents(kernel))
        self.arrays.begin_program(program, agents)
        cluster = Cluster()
        for _ in range(kernel.parts):
            memory = ChipMemory(kernel.total_bytes, _granule(kernel), agents, self.report, self.schedule.rng)
            memory.program = program
            World(cluster, kernel, self.grid, program, self.schedule, self.report, agents, memory, self.arrays)
        scheduler = cluster.scheduler = Scheduler(cluster.worlds[0])
        for world in cluster.worlds:
            role = Role(world, "the program", [Warp(agents, number) for number in range(kernel.launch_warps)])
            scheduler.start(role, role.walk(kernel.entry, self.arguments))
        try:
            scheduler.run()
        except Deadlock:
            return
        for each in [each for world in cluster.worlds for each in world.roles]:
            end_copies(each)
            end_products(each)
            end_stores(each)
        for step, end in cluster.in_flight:
            end()
            world.find("not awaited", "the program ends while a copy to on-chip memory is in flight", step)


def _count_agents(kernel: Kernel) -> int:
    count = sum(result.kind.count for step in kernel.steps if step.name == "tile.signal_alloc"
                for result in step.results)
    return 1 + (5 * kernel.launch_warps + count) * kernel.parts


def _granule(kernel: Kernel) -> int:
    """The smallest element of a buffer."""
    kinds = [value.kind for step in kernel.steps for value in step.results]
    kinds = [kind.value if isinstance(kind, PendingType) else kind for kind in kinds]
    return min((kind.element.itemsize for kind in kinds if isinstance(kind, BufferType)), default=4)
