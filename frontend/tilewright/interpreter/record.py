"""A kernel as a list of operations in Python, made by the same lowering that makes IR.

`Recorder` is the compiler's own walk over the kernel; only what its builder creates differs: plain
objects with the user's place in the source, instead of MLIR. Before each statement it leaves a mark
with the variables of all functions that are being run, where a debugger can stop.
"""

from __future__ import annotations

import ast
import builtins
import pdb
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from types import SimpleNamespace
from typing import Any

from ..ast.builder import Builder, BuildOptions, building
from ..ast.frame import RESULT, Frame
from ..ast.lowering import Lowering
from ..ast.module import Argument, flatten
from ..ast.values import Value, tensor
from ..errors import CompilationError
from ..language.descriptors import tensor_descriptor
from ..language.types import (
    block_type,
    dtype,
    float8e4b15,
    like,
    pointer_type,
    tensor_descriptor_type,
    uint8,
)

MARK = "debug.mark"
BREAK = "debug.break"


class Result:
    """What an operation gives, or a block takes; while the program runs, the key of its value."""

    __slots__ = ("type",)

    def __init__(self, type: dtype) -> None:
        self.type = type


class Block:
    """Operations in order, with arguments."""

    def __init__(self, types: Sequence[dtype]) -> None:
        self.arguments = [Result(type) for type in types]
        self.operations: list[Operation] = []

    def append_to(self, region: Region) -> None:
        """Move to another operation."""
        region.blocks.items.append(self)


class _Blocks:
    def __init__(self) -> None:
        self.items: list[Block] = []

    def append(self, *types: dtype, arg_locs: Any = None) -> Block:
        self.items.append(Block(types))
        return self.items[-1]

    def __getitem__(self, place: int) -> Block:
        return self.items[place]

    def __len__(self) -> int:
        return len(self.items)


class Region:
    """A part of an operation with a block of its own."""

    def __init__(self) -> None:
        self.blocks = _Blocks()


class Operation:
    """One step: an operation of the IR by its name, with the place in the source that it is for."""

    __slots__ = ("name", "operands", "results", "attributes", "regions", "frame", "node", "block", "evaluate")

    def __init__(self, name: str, operands: Sequence[Result], types: Sequence[dtype],
                 attributes: Mapping[str, Any] | None, regions: int, frame: Frame, node: ast.AST) -> None:
        self.name = name
        self.operands = list(operands)
        self.results = [Result(type) for type in types]
        self.attributes = attributes or {}
        self.regions = [Region() for _ in range(regions)]
        self.frame = frame
        self.node = node
        self.block: Block | None = None
        self.evaluate: Callable[..., Any] | None = None

    def erase(self) -> None:
        """Take the operation out of its block."""
        assert self.block is not None
        self.block.operations.remove(self)

    @property
    def operation(self) -> Operation:
        """Itself, as MLIR's views of an operation have it."""
        return self

    def body(self, place: int = 0) -> Block:
        """The block of a region."""
        return self.regions[place].blocks[0]


class _Session:
    """Stands for a session of the IR: types and attributes are what describes them."""

    unknown = None
    unit = True
    i1, i32, i64 = "i1", "i32", "i64"

    def __init__(self) -> None:
        self.context = nullcontext()
        self.ir = SimpleNamespace(RankedTensorType=block_type)

    def ir_type(self, type: dtype) -> dtype:
        """The type itself, but float8e4b15 is a byte as it is in the IR."""
        scalar = type.scalar
        if scalar is float8e4b15:
            return like(type, uint8)
        if scalar.is_ptr() and scalar.element_ty is float8e4b15:
            return like(type, pointer_type(uint8, scalar.address_space, scalar.const))
        return type

    def attribute(self, text: str) -> str:
        return text

    def integer(self, value: int, bits: int = 32) -> int:
        return value

    def string(self, value: str) -> str:
        return value


class RecordingBuilder(Builder):
    """Writes operations in Python."""

    def __init__(self, options: BuildOptions) -> None:
        self.session = _Session()  # type: ignore[assignment]
        self.ir = self.session.ir
        self.options = options
        self.block: Any = None
        self.position = lambda: None
        self.place: Callable[[], tuple[Frame, ast.AST]] | None = None
        self.constants: dict[Result, bool | int | float] = {}
        self._known: dict[Any, Result] = {}

    def move(self, block: Block) -> None:
        self.block = block

    @contextmanager
    def inside(self, block: Block) -> Iterator[None]:
        saved, self.block = self.block, block
        try:
            yield
        finally:
            self.block = saved

    def create(self, name: str, operands: Sequence[Any] = (), results: Sequence[Any] = (),
               attributes: dict[str, Any] | None = None, regions: int = 0) -> Operation:
        assert self.place is not None
        op = Operation(name, operands, results, attributes, regions, *self.place())
        op.block = self.block
        self.block.operations.append(op)
        return op

    def constant(self, type: dtype, value: bool | int | float) -> Result:
        key = (type, value.__class__, repr(value))
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Result(type)
            self.constants[found] = value
        return found


class Recorder(Lowering):
    """The lowering, with marks where a debugger can stop."""

    def __init__(self, builder: RecordingBuilder, function: Any) -> None:
        super().__init__(builder, function)
        builder.position = lambda: None
        builder.place = lambda: (self.frame, self.frame.node)

    def statement(self, node: ast.stmt) -> None:
        self.frame.node = node
        self._mark(MARK)
        super().statement(node)

    def python_builtin(self, name: str) -> Any:
        return breakpoint if name == "breakpoint" else super().python_builtin(name)

    def call_value(self, function: Value, positional: Sequence[Value], named: dict[str, Value]) -> Value:
        if function is builtins.breakpoint or function is pdb.set_trace:
            return self._mark(BREAK)
        return super().call_value(function, positional, named)

    def _mark(self, name: str) -> None:
        frames = []
        frame: Frame | None = self.frame
        node: ast.AST | None = self.frame.node
        while frame is not None:
            frames.append((frame, node, {name: value for name, value in frame.scope.items()
                                         if name != RESULT and not name.startswith("$")}))
            node, frame = frame.call_node, frame.caller
        self.builder.create(name, (), (), {"frames": frames[::-1]})


class Program:
    """A kernel to be run: its operations, and what its parameters become."""

    def __init__(self, function: Any, entry: Block, constants: dict[Result, Any], options: BuildOptions) -> None:
        self.function = function
        self.entry = entry
        self.constants = constants
        self.options = options


def record(function: Any, arguments: Mapping[str, Any], options: BuildOptions) -> Program:
    """A kernel's operations for types and constants of its parameters, as `build_module` takes them.

    Raises:
        CompilationError: With the place in the source, the same as compiling does.
    """
    builder = RecordingBuilder(options)
    recorder = Recorder(builder, function)
    entry = Block([argument.type for argument in flatten(tuple(arguments.values()))])
    builder.move(entry)
    values = iter(entry.arguments)
    try:
        with building(builder):
            recorder.run({name: _bind(value, values) for name, value in arguments.items()})
    except CompilationError as error:
        recorder.frame.locate(error)
        raise error.with_traceback(None) from None
    return Program(function, entry, builder.constants, options)


def _bind(value: Any, results: Iterator[Result]) -> Value:
    if isinstance(value, Argument):
        passed = tensor(next(results), value.type)
        return tensor_descriptor(passed) if isinstance(value.type, tensor_descriptor_type) else passed
    if isinstance(value, tuple):
        items = [_bind(item, results) for item in value]
        return type(value)._make(items) if hasattr(value, "_make") else tuple(items)
    return value
