"""Asynchronous products: units read on-chip memory while the program goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..blocks import multiply
from ..record import Operation
from .memory import Buffer
from .roles import Role, schedules
from .shadow import Access
from .types import PendingType

Array = Any


class Product:
    """A product in flight, or accumulators that none writes.

    Attributes:
        op: What started it; None for accumulators.
        number: Its place among the role's products, from 1; 0 for accumulators.
    """

    def __init__(self, op: Operation | None, number: int, compute: Callable[[], Array]) -> None:
        self.op = op
        self.number = number
        self._compute: Callable[[], Array] | None = compute
        self._value: Array = None

    def value(self) -> Array:
        """The accumulators once it is complete: computed when first asked for."""
        if self._compute is not None:
            self._value, self._compute = self._compute(), None
        return self._value


@schedules("tile.pend")
def _pend(role: Role, op: Operation, value: Array) -> Product:
    return Product(None, 0, lambda: value)


@schedules("tile.async_dot")
def _start(role: Role, op: Operation, a: Any, b: Buffer, acc: Any) -> Product:
    memory = role.world.memory

    def compute() -> Array:
        operands = [memory.load(each) if isinstance(each, Buffer) else each for each in (a, b)]
        return multiply(op, *operands, acc.value() if isinstance(acc, Product) else acc,
                        op.results[0].kind.value.type)  # type: ignore[attr-defined]

    product = Product(op, role.started_products + 1, compute)
    role.started_products = product.number
    _note_reads(role, op, product, a, b)
    role.products.append(product)
    if role.world.schedule.is_early():
        for each in role.products:  # they end in order
            each.value()
    return product


def _note_reads(role: Role, op: Any, product: Product, *operands: Any) -> None:
    """Warps multiply together: each of them needs the operands until it has waited."""
    memory = role.world.memory
    memory.begin()
    for buffer in operands:
        if not isinstance(buffer, Buffer):
            continue
        granules = memory.all_granules(buffer)
        for warp in role.warps:
            access = Access(op, warp, warp.products, product.number, True, buffer.owner)
            memory.read(access, memory.note(access), granules, None)


@schedules("tile.await_dots")
def _await(role: Role, op: Operation, *pending: Product) -> Any:
    complete = role.started_products - op.attributes["inFlight"]
    for warp in role.warps:
        warp.complete(warp.products, complete)
    for product in role.products:
        if product.number <= complete:
            product.value()
    role.products = [product for product in role.products if product.number > complete]
    given = tuple(product if isinstance(result.kind, PendingType)  # type: ignore[attr-defined]
                  else _result(role, op, product, complete)
                  for product, result in zip(pending, op.results, strict=True))
    return given[0] if len(given) == 1 else given


def _result(role: Role, op: Operation, product: Product, complete: int) -> Array:
    """Accumulators that the program goes on with."""
    value = product.value()
    if product.number > complete:
        role.world.find("in flight", f"{op.name} gives accumulators that a product in flight still writes", op,
                        product.op)
        value = np.full_like(value, -1 if value.dtype.kind == "i" else np.nan)
    return value


def end_products(role: Role) -> None:
    """What is in flight when a role ends."""
    for product in role.products:
        role.world.find("not awaited", f"{role.name} ends while a product is in flight", product.op)
    role.products = []
