"""Reads the IR of a kernel at stage `scheduled` into the operations that evaluators run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ...ast.builder import session
from ...errors import Position, TilewrightError
from ..formats import fit, numpy_type
from ..record import Block, Operation, Result
from .types import BufferType, parse_type, plain

_PLACE = re.compile(r'"([^"]*)":(\d+):(\d+)')


class Given(Result):
    """A value with its type in the IR."""

    __slots__ = ("kind",)

    def __init__(self, kind: Any) -> None:
        super().__init__(plain(kind))
        self.kind = kind


class Step(Operation):
    """An operation of the IR.

    Attributes:
        place: The user's line that it is for.
        number: Its place in the module, in the order of the text.
    """

    __slots__ = ("place", "number")

    def __init__(self, name: str, operands: Sequence[Result], attributes: dict[str, Any], regions: int,
                 place: Position, number: int) -> None:
        super().__init__(name, operands, (), attributes, regions, None, None)  # type: ignore[arg-type]
        self.place = place
        self.number = number

    def kind(self, operand: int) -> Any:
        """The type of an operand, as the IR has it."""
        return self.operands[operand].kind  # type: ignore[attr-defined]

    def __str__(self) -> str:
        return f"{self.name} ({self.place})"


@dataclass
class Kernel:
    """A kernel of stage `scheduled`.

    Attributes:
        name: Its symbol.
        entry: Its operations; the arguments are the kernel's.
        constants: Values that do not depend on the program.
        warps: Of a program.
        lanes: Of a warp.
        on_chip_bytes: What buffers with places take.
        facts: Attributes of the module, by name.
        steps: All operations.
    """

    name: str
    entry: Block
    warps: int
    lanes: int
    on_chip_bytes: int
    facts: dict[str, Any]
    constants: dict[Result, Any] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)

    @property
    def launch_warps(self) -> int:
        """Warps that a program is launched with: those of roles too."""
        return self.facts.get("tile.launch_warps", self.warps)

    @property
    def parts(self) -> int:
        """Thread blocks that share a program."""
        return self.facts.get("tile.num_ctas", 1)

    @property
    def descriptors(self) -> list[dict[str, Any]]:
        """What the host makes at launch: the last arguments."""
        return self.facts.get("tile.launch_descriptors", [])

    @property
    def takes_turns(self) -> bool:
        """Whether fewer programs than the grid has are launched, each for several of them."""
        return "tile.launch_grid" in self.facts

    @property
    def passed(self) -> list[Result]:
        """The arguments that are passed."""
        made = len(self.descriptors) + (3 if self.takes_turns else 0)
        return self.entry.arguments[:len(self.entry.arguments) - made]

    @cached_property
    def places(self) -> dict[int, int]:
        """Where on chip the allocations without a place begin, by number: behind those that have one."""
        places, end = {}, self.on_chip_bytes
        for step in self.steps:
            if step.name == "tile.buffer_alloc" and "offset" not in step.attributes:
                places[step.number] = end = -(-end // 1024) * 1024
                end += step.results[0].kind.bytes  # type: ignore[attr-defined]
        places[-1] = end
        return places

    @property
    def total_bytes(self) -> int:
        """On-chip memory with all buffers."""
        return self.places[-1]

    @property
    def function(self) -> Any:
        """What names the kernel in messages of assertions."""
        return _Named(self.name)


class _Named:
    def __init__(self, name: str) -> None:
        self.__name__ = name


def read_kernel(source: Any) -> Kernel:
    """The kernel of a module: its text, a compiled kernel, or the module itself."""
    if hasattr(source, "operation"):
        return _Reader(source).kernel()
    located = getattr(getattr(source, "asm", None), "located", None)
    text = source if located is None else located("scheduled")
    current = session()
    with current.context:
        return _Reader(current.ir.Module.parse(text)).kernel()


class _Reader:
    """Goes through a module."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.values: dict[Any, Given] = {}
        self.constants: dict[Result, Any] = {}
        self.steps: list[Step] = []

    def kernel(self) -> Kernel:
        functions = [op.operation for op in self.module.body.operations if op.operation.name == "func.func"]
        kernels = [op for op in functions if "tile.kernel" in op.attributes] or functions
        if not kernels:
            raise TilewrightError("the module has no kernel")
        facts = {name: _structure(attribute) for name, attribute in _named(self.module.operation)}
        target = str(facts.get("tile.target", ""))
        lanes = re.search(r"\blanes = (\d+)", target)
        entry = self.block(kernels[0].regions[0].blocks[0])
        return Kernel(kernels[0].attributes["sym_name"].value, entry, facts.get("tile.num_warps", 4),
                      int(lanes[1]) if lanes else 32, facts.get("tile.shared_bytes", 0), facts, self.constants,
                      self.steps)

    def block(self, block: Any) -> Block:
        made = Block(())
        for argument in block.arguments:
            made.arguments.append(self.define(argument))
        for op in block.operations:
            self.operation(op.operation, made)
        return made

    def define(self, value: Any) -> Given:
        """A value that operands may name from now on."""
        self.values[value] = Given(parse_type(str(value.type)))
        return self.values[value]

    def operation(self, op: Any, block: Block) -> None:
        if op.name == "arith.constant":
            result = self.define(op.results[0])
            self.constants[result] = _constant(op.attributes["value"], result.type)
            return
        step = Step(op.name, [self.values[operand] for operand in op.operands], self.attributes(op),
                    len(op.regions), _place(op.location), len(self.steps))
        self.steps.append(step)
        step.block = block
        for region, source in zip(step.regions, op.regions, strict=True):
            for inner in source.blocks:
                region.blocks.items.append(self.block(inner))
        step.results = [self.define(result) for result in op.results]
        block.operations.append(step)

    def attributes(self, op: Any) -> dict[str, Any]:
        return {name: _attribute(attribute) for name, attribute in _named(op)}


def _named(op: Any) -> list[tuple[str, Any]]:
    """The attributes of an operation."""
    return [(name, op.attributes[name]) for name in op.attributes]


def _structure(attribute: Any) -> Any:
    """An attribute with lists and dictionaries as Python has them."""
    name = type(attribute).__name__
    if name == "ArrayAttr":
        return [_structure(each) for each in attribute]
    if name == "DictAttr":
        return {each.name: _structure(each.attr) for each in attribute}
    return list(attribute) if name == "DenseI64ArrayAttr" else _attribute(attribute)


def _attribute(attribute: Any) -> Any:
    """Numbers, booleans and strings as Python has them; the text of others."""
    name = type(attribute).__name__
    if name in ("IntegerAttr", "BoolAttr", "StringAttr", "FloatAttr"):
        return attribute.value
    return str(attribute)


def _constant(attribute: Any, type: Any) -> Any:
    """The value of a constant."""
    if isinstance(type, BufferType):
        raise TilewrightError("a buffer cannot be a constant")
    name = attribute.__class__.__name__
    if not name.startswith("Dense"):
        return fit(np.asarray(attribute.value), type)
    if attribute.is_splat:
        return np.broadcast_to(fit(np.asarray(attribute.get_splat_value().value), type), type.shape)
    return fit(np.array(list(attribute), numpy_type(type)).reshape(type.shape), type)


def _place(location: Any) -> Position:
    """The innermost line that a location names."""
    found = _PLACE.search(str(location))
    return Position(found[1], int(found[2]), int(found[3])) if found else Position("<unknown>", 0, 0)


def numbers_of(text: str) -> list[int]:
    """The integers of an attribute such as `array<i64: 1, 2>`."""
    return [int(number) for number in re.findall(r"-?\d+", text.partition(":")[2])]
