"""Types of stage `scheduled` that the language has not: what is on chip, and what is in flight."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any

from ...language import types as t
from ...language.types import block_type, dtype, pointer_type, tensor_descriptor_type
from .layouts import Layout, parse_layout

_ELEMENTS = {"i1": t.int1, "i8": t.int8, "i16": t.int16, "i32": t.int32, "i64": t.int64, "index": t.int64,
             "f16": t.float16, "bf16": t.bfloat16, "f32": t.float32, "f64": t.float64, "f8E5M2": t.float8e5,
             "f8E4M3FN": t.float8e4nv, "f8E4M3FNUZ": t.float8e4b8, "f8E5M2FNUZ": t.float8e5b16}
_SHAPED = re.compile(r"((?:\d+x)*)(.+)", re.DOTALL)


@dataclass(frozen=True)
class BufferType:
    """A block on chip, or a stack of blocks.

    Attributes:
        shape: Of one block.
        blocks: How many there are; None if it is no stack.
        element: What the blocks consist of.
        layout: Where in a block each element lies.
    """

    shape: tuple[int, ...]
    blocks: int | None
    element: dtype
    layout: Layout

    @property
    def block_bytes(self) -> int:
        return self.layout.size("offset") * self.element.itemsize

    @property
    def bytes(self) -> int:
        return self.block_bytes * (1 if self.blocks is None else self.blocks)

    def block(self) -> BufferType:
        """One block of the stack."""
        return BufferType(self.shape, None, self.element, self.layout)


@dataclass(frozen=True)
class PendingType:
    """A value that an operation in flight still writes."""

    value: Any


@dataclass(frozen=True)
class SignalsType:
    """Counters on chip that roles wait for."""

    count: int


@dataclass(frozen=True)
class Held:
    """A block whose elements threads hold.

    Attributes:
        type: The block, as evaluators know it.
        layout: Which thread holds what.
    """

    type: dtype
    layout: Layout


def plain(type: Any) -> Any:
    """A type as evaluators know it."""
    return type.type if isinstance(type, Held) else type


def layout_of(type: Any) -> Layout | None:
    """The layout of a block; None for a scalar."""
    return type.layout if isinstance(type, Held) else None


def _scalar(text: str) -> dtype:
    if text.startswith("!tile.ptr<"):
        return pointer_type(_scalar(_inside(text)))
    return _ELEMENTS[text]


def _inside(text: str) -> str:
    """What stands between the outermost angle brackets."""
    return text[text.index("<") + 1:text.rindex(">")]


def _shaped(text: str) -> tuple[tuple[int, ...], dtype, Layout | None]:
    """Shape, element and layout of `3x4xf32, #tile.layout<...>`."""
    head, comma, layout = text.partition(", #tile.layout")
    match = _SHAPED.fullmatch(head.strip())
    assert match is not None
    shape = tuple(int(size) for size in match[1].split("x")[:-1])
    return shape, _scalar(match[2]), parse_layout(layout) if comma else None


@cache
def parse_type(text: str) -> Any:
    """A type of the IR by its text, without aliases."""
    if text.startswith("tensor<"):
        shape, element, layout = _shaped(_inside(text))
        block = block_type(element, shape)
        return block if layout is None else Held(block, layout)
    if text.startswith("!tile.buffer<"):
        shape, element, layout = _shaped(_inside(text))
        assert layout is not None
        if len(shape) > layout.rank:
            return BufferType(shape[1:], shape[0], element, layout)
        return BufferType(shape, None, element, layout)
    if text.startswith("!tile.pending<"):
        return PendingType(parse_type(_inside(text)))
    if text.startswith("!tile.signals<"):
        return SignalsType(int(_inside(text)))
    if text.startswith("!tile.desc<"):
        head, *words = (part.strip() for part in _inside(text).split(","))
        shape, element, _ = _shaped(head)
        return tensor_descriptor_type(element, shape, "nan" in words, "tf32" in words)
    return _scalar(text)


def bytes_of(type: dtype) -> int:
    """Bytes of all elements of a block or of a scalar."""
    return prod(type.shape) * max(1, type.scalar.primitive_bitwidth // 8)
