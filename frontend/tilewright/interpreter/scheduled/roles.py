"""Roles: groups of warps that run a part of the kernel at the same time as others.

The warps of a role go through its operations together; what they compute is a whole block at a time.
Between roles anything may happen in between any two operations of stage `scheduled` that others can
notice: there a role lets the scheduler decide who goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...errors import CompilationError, InterpreterError
from ..formats import fit
from ..machine import EVALUATORS, Machine
from ..memory import AccessError
from ..record import Block, Operation
from . import scratch
from .clocks import Agents, Warp, meet
from .memory import ChipMemory
from .reader import Kernel, Step, numbers_of
from .report import Report

Walk = Generator["Wait | None", None, Any]
#: What runs operations of stage `scheduled`: evaluators as `machine.EVALUATORS` has them, and those that may wait.
STAGE: dict[str, Callable[..., Any]] = {}
FLOWS: dict[str, Callable[..., Walk]] = {}
_ENDS = ("scf.yield", "scf.condition", "tile.yield", "func.return")


def schedules(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Let a function evaluate operations of stage `scheduled`."""
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        STAGE.update(dict.fromkeys(names, function))
        return function

    return register


def flows(*names: str) -> Callable[[Callable[..., Walk]], Callable[..., Walk]]:
    """The same for a generator: it yields a `Wait`, or None where other roles may go on first."""
    def register(function: Callable[..., Walk]) -> Callable[..., Walk]:
        FLOWS.update(dict.fromkeys(names, function))
        return function

    return register


@dataclass
class Wait:
    """Why a role cannot go on.

    Attributes:
        ready: Whether it can.
        text: What it waits for.
        step: Where.
    """

    ready: Callable[[], bool]
    text: Callable[[], str]
    step: Step


@dataclass
class Schedule:
    """When things happen that may happen at various times.

    Attributes:
        name: `late`, `early`, or the number of a random one.
        rng: For a random one.
    """

    name: str | int
    rng: np.random.Generator = field(init=False)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.name if isinstance(self.name, int) else 0)

    def is_early(self) -> bool:
        """Whether something that was just started ends at once, and not only when it must."""
        return bool(self.rng.integers(2)) if isinstance(self.name, int) else self.name == "early"

    def choose(self, count: int) -> int:
        """Which of some that can go on does."""
        return int(self.rng.integers(count)) if isinstance(self.name, int) else 0


@dataclass
class Cluster:
    """The thread blocks that share a program.

    Attributes:
        worlds: One for each, in the order of their parts.
        in_flight: Copies that signals count, the oldest first: what started each, and what ends it.
        scheduler: Lets all roles run.
        waiting: Programs that wait for those of the other thread blocks.
        meetings: How often all have met.
    """

    worlds: list[World] = field(default_factory=list)
    in_flight: list[tuple[Step, Callable[[], None]]] = field(default_factory=list)
    waiting: list[Role] = field(default_factory=list)
    meetings: int = 0
    scheduler: Scheduler = field(init=False)


class World:
    """What the roles of a thread block share.

    Attributes:
        cluster: With which other thread blocks it shares the program.
        part: Which of them it is.
        memory: On chip.
        arrays: What is remembered of the arrays of the launch.
        roles: All that have begun.
    """

    def __init__(self, cluster: Cluster, kernel: Kernel, grid: tuple[int, int, int], program: tuple[int, int, int],
                 schedule: Schedule, report: Report, agents: Agents, memory: ChipMemory, arrays: Any) -> None:
        self.cluster = cluster
        self.part = len(cluster.worlds)
        cluster.worlds.append(self)
        self.kernel = kernel
        self.grid = grid
        self.program = program
        self.schedule = schedule
        self.report = report
        self.agents = agents
        self.memory = memory
        self.arrays = arrays
        self.values = dict(kernel.constants)
        self.roles: list[Role] = []

    def find(self, kind: str, text: str, step: Step, other: Any = None) -> None:
        """Note something wrong."""
        self.report.add(kind, text, self.program, step, other)


class Role(Machine):
    """Warps that run together.

    Attributes:
        world: What it shares with other roles.
        name: For messages.
        warps: The warps, in the order of layouts.
        is_single_thread: Whether one thread is all of it.
        closed_groups: Groups of copies that are closed.
        started_products: Products that have begun.
        started_stores: Stores of blocks that have begun.
        skipped: Signals of which not all warps have awaited all phases since they met.
        copies: Those in flight.
        products: Those in flight.
        stores: Those in flight.
        is_done: Whether it has ended.
    """

    def __init__(self, world: World, name: str, warps: Sequence[Warp],
                 is_single_thread: bool = False) -> None:
        self.world = world
        self.name = name if world.kernel.parts == 1 else f"{name} of thread block {world.part}"
        self.warps = list(warps)
        self.is_single_thread = is_single_thread
        self.values = world.values
        self.grid = world.grid
        self.program_id = world.program
        self.program = world.kernel  # type: ignore[assignment]
        self.closed_groups = 0
        self.started_products = 0
        self.started_stores = 0
        self.skipped: set[Any] = set()
        self.is_done = False
        self.copies: list[Any] = []
        self.products: list[Any] = []
        self.stores: list[Any] = []
        world.roles.append(self)

    # --- running ----------------------------------------------------------------------------------------
    def walk(self, block: Block, arguments: Sequence[Any]) -> Walk:
        """Run a block; gives the values that it ends with."""
        values = self.values
        values.update(zip(block.arguments, arguments, strict=True))
        for op in block.operations:
            operands = [values[operand] for operand in op.operands]
            if op.name in _ENDS:
                return operands
            flow = FLOWS.get(op.name)
            if flow is not None:
                result = yield from flow(self, op, *operands)
            else:
                result = self.evaluate(op, operands)
            if len(op.results) == 1:
                values[op.results[0]] = result
            elif op.results:
                values.update(zip(op.results, result, strict=True))
        return []

    def evaluate(self, op: Operation, operands: Sequence[Any]) -> Any:
        """Run an operation that needs nobody else."""
        if op.evaluate is None:
            op.evaluate = self.find(op)
        exchanges = scratch.ATTRIBUTE in op.attributes
        if exchanges and not scratch.comes_later(op):
            scratch.exchange(self, op)
        try:
            result = op.evaluate(self, op, *operands)
        except AccessError as error:
            raise self.located(InterpreterError(str(error)), op) from None
        if exchanges and scratch.comes_later(op):
            scratch.exchange(self, op)
        return result

    def find(self, op: Operation) -> Callable[..., Any]:
        found = STAGE.get(op.name) or EVALUATORS.get(op.name)
        if found is None:
            raise self.located(InterpreterError(f"the interpreter of stage 'scheduled' cannot run '{op.name}'"), op)
        return found

    def located(self, error: CompilationError, op: Operation) -> CompilationError:
        error.locate(op.place)  # type: ignore[attr-defined]
        error.attach_note(f"in program {self.program_id} of the grid {self.grid}")
        return error

    def meet(self, publish: bool = False) -> None:
        """All warps of the role meet."""
        meet(self.warps, publish)
        self.skipped.clear()


# --- control flow ------------------------------------------------------------------------------------------
@flows("scf.if")
def _branch(role: Role, op: Operation, condition: Any) -> Walk:
    place = 0 if condition else 1
    if len(op.regions[place].blocks) == 0:
        return ()
    given = yield from role.walk(op.body(place), ())
    return _only(given)


@flows("scf.execute_region")
def _region(role: Role, op: Operation) -> Walk:
    given = yield from role.walk(op.body(), ())
    return _only(given)


@flows("scf.for")
def _count(role: Role, op: Operation, start: Any, end: Any, step: Any, *carried: Any) -> Walk:
    body = op.body()
    kind = body.arguments[0].type
    given: Sequence[Any] = carried
    for index in range(int(start), int(end), int(step)):
        given = yield from role.walk(body, (fit(np.asarray(index), kind), *given))
    return _only(given)


@flows("scf.while")
def _repeat(role: Role, op: Operation, *carried: Any) -> Walk:
    given: Sequence[Any] = carried
    while True:
        condition, *passed = yield from role.walk(op.body(0), given)
        if not condition:
            return _only(passed)
        given = yield from role.walk(op.body(1), passed)


@schedules("tile.part_id")
def _part_id(role: Role, op: Operation) -> Any:
    return np.asarray(role.world.part, np.int32)


def meet_everywhere(role: Role, op: Any) -> Walk:
    """The warps of all thread blocks of the program meet."""
    cluster = role.world.cluster
    cluster.waiting.append(role)
    before = cluster.meetings
    if len(cluster.waiting) < len(cluster.worlds):
        yield Wait(lambda: cluster.meetings > before, lambda: "the other thread blocks of the program", op)
        return
    meet([warp for each in cluster.waiting for warp in each.warps])
    cluster.waiting.clear()
    cluster.meetings += 1


@flows("tile.roles")
def _split(role: Role, op: Any) -> Walk:
    role.meet()
    everywhere = "everywhere" in op.attributes
    if everywhere:
        yield from meet_everywhere(role, op)
    first, parts = 0, []
    for place, (count, threads) in enumerate(zip(numbers_of(op.attributes["warps"]),
                                                 numbers_of(op.attributes["threads"]), strict=True)):
        warps = role.warps[first:first + count]
        first += count
        part = Role(role.world, f"role {place}", warps[:1] if threads == 1 else warps, threads == 1)
        role.world.cluster.scheduler.start(part, part.walk(op.body(place), ()))
        parts.append(part)
    yield Wait(lambda: all(part.is_done for part in parts), lambda: "its roles", op)
    if everywhere:
        yield from meet_everywhere(role, op)


def _only(values: Sequence[Any]) -> Any:
    """Results as an evaluator gives them."""
    return values[0] if len(values) == 1 else tuple(values)


# --- scheduling ----------------------------------------------------------------------------------------------
class Deadlock(Exception):
    """Nobody can go on."""


class Scheduler:
    """Lets roles go on, one at a time."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.tasks: list[tuple[Role, Walk, Wait | None]] = []

    def start(self, role: Role, walk: Walk) -> None:
        """Let a role run from now on."""
        self.tasks.append((role, walk, None))

    def run(self) -> None:
        """Run all roles to their ends.

        Raises:
            Deadlock: With what each of them waits for, which the report has too.
        """
        while self.tasks:
            able = [i for i, (_, _, wait) in enumerate(self.tasks) if wait is None or wait.ready()]
            if self._deliver(bool(able)):
                continue
            if not able:
                self._give_up()
            place = able[self.world.schedule.choose(len(able))]
            role, walk, _ = self.tasks[place]
            try:
                self.tasks[place] = (role, walk, next(walk))
            except StopIteration:
                role.is_done = True
                del self.tasks[place]

    def _deliver(self, someone_is_able: bool) -> bool:
        """Let a copy in flight end, where it is time for it."""
        world, in_flight = self.world, self.world.cluster.in_flight
        if not in_flight or (someone_is_able and not world.schedule.is_early()):
            return False
        in_flight.pop(world.schedule.choose(len(in_flight)))[1]()
        return True

    def _give_up(self) -> None:
        waits = [(role, wait) for role, _, wait in self.tasks if wait is not None]
        waits = [each for each in waits if each[1].step.name != "tile.roles"] or waits
        text = "; ".join(f"{role.name} waits at {wait.step} for {wait.text()}" for role, wait in waits)
        self.world.find("deadlock", text, waits[0][1].step)
        raise Deadlock(text)
