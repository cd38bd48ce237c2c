"""How the functions of the language write operations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..language.types import dtype
from .builder import current
from .values import tensor

Attributes = dict[str, Any]


def emit(name: str, operands: Sequence[tensor], type: dtype, attributes: Attributes | None = None) -> tensor:
    """An operation with one result, a value of the given type."""
    builder = current()
    op = builder.create(name, [operand.handle for operand in operands], [builder.session.ir_type(type)], attributes)
    return tensor(op.results[0], type)


def emit_many(name: str, operands: Sequence[tensor], types: Sequence[dtype],
              attributes: Attributes | None = None) -> list[tensor]:
    """An operation with several results."""
    builder = current()
    results = [builder.session.ir_type(type) for type in types]
    op = builder.create(name, [operand.handle for operand in operands], results, attributes)
    return [tensor(result, type) for result, type in zip(op.results, types, strict=True)]


def emit_effect(name: str, operands: Sequence[tensor], attributes: Attributes | None = None) -> None:
    """An operation without a result."""
    current().create(name, [operand.handle for operand in operands], (), attributes)


def emit_inferred(name: str, operands: Sequence[tensor], attributes: Attributes, arguments: Sequence[dtype],
                  body: Callable[[list[tensor]], Sequence[tensor]],
                  types_of: Callable[[Sequence[tensor]], Sequence[dtype]]) -> list[tensor]:
    """An operation with a region whose results' types follow from what the region yields."""
    builder = current()
    session = builder.session
    # The region is filled in a place of its own, since an operation is made with its results.
    draft = builder.create(name, (), (), attributes, regions=1)
    block = draft.regions[0].blocks.append(*[session.ir_type(type) for type in arguments],
                                           arg_locs=[builder.position()] * len(arguments))
    with builder.inside(block):
        values = body([tensor(value, type) for value, type in zip(block.arguments, arguments, strict=True)])
        builder.create("tile.yield", [value.handle for value in values])
    types = types_of(values)
    op = builder.create(name, [operand.handle for operand in operands],
                        [session.ir_type(type) for type in types], attributes, regions=1)
    block.append_to(op.regions[0])
    draft.erase()
    return [tensor(result, type) for result, type in zip(op.results, types, strict=True)]


def emit_region(name: str, operands: Sequence[tensor], types: Sequence[dtype], attributes: Attributes,
                arguments: Sequence[dtype], body: Callable[[list[tensor]], Sequence[tensor]]) -> list[tensor]:
    """An operation with a region that `body` fills from the region's arguments and that yields its result."""
    builder = current()
    session = builder.session
    op = builder.create(name, [operand.handle for operand in operands],
                        [session.ir_type(type) for type in types], attributes, regions=1)
    position = builder.position()
    block = op.regions[0].blocks.append(*[session.ir_type(type) for type in arguments],
                                        arg_locs=[position] * len(arguments))
    with builder.inside(block):
        values = body([tensor(value, type) for value, type in zip(block.arguments, arguments, strict=True)])
        builder.create("tile.yield", [value.handle for value in values])
    return [tensor(result, type) for result, type in zip(op.results, types, strict=True)]
