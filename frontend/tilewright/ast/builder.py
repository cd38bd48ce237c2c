"""Building IR: one context a thread, types and attributes made once, a current place and position."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ..language.types import dtype

_state = threading.local()

# Modules that one context serves before it is replaced: what MLIR has interned
# (types, attributes, names of files) lives as long as its context.
MODULES_OF_A_CONTEXT = 1000


class Session:
    """An MLIR context and what is costly to make in it again."""

    def __init__(self) -> None:
        from ..mlir import ir
        from ..mlir._mlir_libs import _tileDialect

        self.ir = ir
        self.context = ir.Context()
        self.pointer = _tileDialect.PtrType
        self.types: dict[dtype, Any] = {}
        self.attributes: dict[tuple[Any, ...], Any] = {}
        self.modules = 0
        with self.context:
            self.unknown = ir.Location.unknown()
            self.i32 = ir.IntegerType.get_signless(32)
            self.i64 = ir.IntegerType.get_signless(64)
            self.i1 = ir.IntegerType.get_signless(1)
            self.unit = ir.UnitAttr.get()

    def ir_type(self, type: dtype) -> Any:
        """The IR's type of a value."""
        found = self.types.get(type)
        if found is None:
            found = self.types[type] = self._make_type(type)
        return found

    def _make_type(self, type: dtype) -> Any:
        ir = self.ir
        if type.is_block():
            return ir.RankedTensorType.get(type.shape, self.ir_type(type.scalar), loc=self.unknown)
        if type.is_ptr():
            return self.pointer.get(self.ir_type(type.element_ty), loc=self.unknown)
        return ir.Type.parse(type.ir, self.context)

    def attribute(self, text: str) -> Any:
        """An attribute from its text."""
        key = ("text", text)
        found = self.attributes.get(key)
        if found is None:
            found = self.attributes[key] = self.ir.Attribute.parse(text, self.context)
        return found

    def integer(self, value: int, bits: int = 32) -> Any:
        """An integer attribute."""
        key = (bits, value)
        found = self.attributes.get(key)
        if found is None:
            type = self.i32 if bits == 32 else self.i64
            found = self.attributes[key] = self.ir.IntegerAttr.get(type, value)
        return found

    def string(self, value: str) -> Any:
        """A string attribute."""
        return self.ir.StringAttr.get(value, self.context)

    def number(self, type: dtype, value: bool | int | float) -> Any:
        """The value of a constant of a type: an element, or the same in a whole block."""
        key = (type, value.__class__, repr(value))
        found = self.attributes.get(key)
        if found is None:
            found = self.attributes[key] = self._make_number(type, value)
        return found

    def _make_number(self, type: dtype, value: bool | int | float) -> Any:
        ir = self.ir
        if type.is_block():
            return ir.DenseElementsAttr.get_splat(self.ir_type(type), self.number(type.scalar, value))
        if type.is_floating():
            return ir.FloatAttr.get(self.ir_type(type), float(value), loc=self.unknown)
        bits = type.primitive_bitwidth
        wrapped = int(value) & ((1 << bits) - 1)
        if wrapped >> (bits - 1):
            wrapped -= 1 << bits
        return ir.IntegerAttr.get(self.ir_type(type), wrapped)


def session() -> Session:
    """The session of this thread."""
    found = getattr(_state, "session", None)
    if found is None or found.modules >= MODULES_OF_A_CONTEXT:
        found = _state.session = Session()
    return found


def drop_session() -> None:
    """Leave this thread's context: after a failure its state is not to be relied on."""
    _state.session = None


@dataclass(frozen=True)
class BuildOptions:
    """What of a compilation's options shows in the IR."""

    fp_fusion: bool = True
    debug: bool = False
    sanitize_overflow: bool = False
    check_bounds: bool = False
    input_precision: str = "tf32"
    target: str = ""
    arch: str = ""
    num_warps: int = 4
    byte_floats: tuple[str, ...] | None = None
    """Names of the 8-bit floats that the target admits; None: all."""

    def require_available(self, type: dtype) -> None:
        """Refuse a type that the target does not admit."""
        while (element := getattr(type, "element_ty", None)) is not None:
            type = element
        if type.is_fp8() and self.byte_floats is not None and type.name not in self.byte_floats:
            from ..errors import TileTypeError

            raise TileTypeError(f"type {type} not supported in this architecture. "
                                f"The supported fp8 dtypes are {self.byte_floats}")


def _no_calls(*_: Any) -> Any:
    raise NotImplementedError("this builder calls no functions")


class Builder:
    """Writes operations one after another at a current place of one function."""

    def __init__(self, session: Session, options: BuildOptions) -> None:
        self.session = session
        self.ir = session.ir
        self.options = options
        self.entry: Any = None
        self.block: Any = None
        self.point: Any = None
        self.position: Callable[[], Any] = lambda: session.unknown
        self.call: Callable[..., Any] = _no_calls
        self.create_operation = session.ir.Operation.create
        self._constants: dict[Any, Any] = {}
        self._last_constant: Any = None

    def start(self, entry: Any) -> None:
        """Begin a function: its constants stand at the start of its entry block."""
        self.entry = entry
        self._constants = {}
        self._last_constant = None
        self.move(entry)

    def move(self, block: Any) -> None:
        """Write at the end of a block from now on."""
        self.block = block
        self.point = self.ir.InsertionPoint(block)

    @contextmanager
    def inside(self, block: Any) -> Iterator[None]:
        """Write at the end of a block, then go back."""
        saved = self.block, self.point
        self.move(block)
        try:
            yield
        finally:
            self.block, self.point = saved

    def create(self, name: str, operands: Sequence[Any] = (), results: Sequence[Any] = (),
               attributes: dict[str, Any] | None = None, regions: int = 0) -> Any:
        """An operation at the current place and position; operands and results are the IR's."""
        return self.create_operation(name, results, operands, attributes, None, regions,
                                     self.position(), self.point)

    def constant(self, type: dtype, value: bool | int | float) -> Any:
        """A constant, made once a function, where it dominates every use."""
        key = (type, value.__class__, repr(value))
        found = self._constants.get(key)
        if found is None:
            found = self._constants[key] = self._make_constant(type, value)
        return found

    def _make_constant(self, type: dtype, value: bool | int | float) -> Any:
        session = self.session
        attributes = {"value": session.number(type, value)}
        result = [session.ir_type(type)]
        if self._last_constant is not None:
            point = self.ir.InsertionPoint.after(self._last_constant)
        else:
            point = self.ir.InsertionPoint.at_block_begin(self.entry)
        op = self.create_operation("arith.constant", result, (), attributes, None, 0, self.position(), point)
        self._last_constant = op
        return op.results[0]


def find() -> Builder | None:
    """The builder of the compilation that runs in this thread, if one does."""
    return getattr(_state, "builder", None)


def current() -> Builder:
    """The builder of the compilation that runs in this thread."""
    found = find()
    if found is None:
        from ..errors import CompilationError

        raise CompilationError("functions of tilewright.language work inside a @jit function only")
    return found


@contextmanager
def building(builder: Builder) -> Iterator[None]:
    """Make a builder the current one."""
    saved = getattr(_state, "builder", None)
    _state.builder = builder
    try:
        with builder.session.context:
            yield
    finally:
        _state.builder = saved
