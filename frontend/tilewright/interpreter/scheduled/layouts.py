"""Layouts as the IR prints them: which thread, or which place on chip, holds each element."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from math import prod
from typing import Any

import numpy as np

Array = Any

_ENTRY = re.compile(r"(\w+) = (\[(?:\[[\d, ]*\](?:, )?)*\])")
_REPEAT = re.compile(r"(\w+) x (\d+)(?: -> dim(\d+))?")


@dataclass(frozen=True, eq=False)
class Holders:
    """Who holds the elements of a block.

    Attributes:
        elements: For each warp, the elements that it holds: places in the block, flat and in ascending order.
        lanes: For each warp, the lane that holds each of these; -1 where several lanes do.
        owned: For each warp, which of these no warp before it holds.
    """

    elements: tuple[Array, ...]
    lanes: tuple[Array, ...]
    owned: tuple[Array, ...]


class Layout:
    """A linear map from the indices of hardware to coordinates, times repeats.

    Attributes:
        tile: The shape of the linear part.
        bases: For each input, the coordinates that its bits move along.
        repeats: Input, count, and the dimension that it moves along or None, from the inside out.
    """

    def __init__(self, tile: tuple[int, ...], bases: dict[str, list[tuple[int, ...]]],
                 repeats: list[tuple[str, int, int | None]]) -> None:
        self.tile = tile
        self.bases = bases
        self.repeats = repeats
        self.rank = len(tile)

    def size(self, name: str) -> int:
        """The number of indices of an input."""
        return (1 << len(self.bases.get(name, ()))) * prod(count for each, count, _ in self.repeats if each == name)

    def coordinates(self, **indices: Array) -> list[Array]:
        """The coordinates, an array for each dimension, of indices that broadcast together; inputs left out are 0."""
        total = [np.zeros((), np.int64) for _ in self.tile]
        rest = {}
        for name, columns in self.bases.items():
            index = np.asarray(indices.get(name, 0), np.int64)
            rest[name] = index >> len(columns)
            for bit, column in enumerate(columns):
                for dim, step in enumerate(column):
                    if step:
                        total[dim] = total[dim] ^ (index >> bit & 1) * step
        sizes = list(self.tile)
        for name, count, dim in self.repeats:
            index = rest.get(name, np.asarray(indices.get(name, 0), np.int64))
            rest[name] = index // count
            if dim is not None:
                total[dim] = total[dim] + index % count * sizes[dim]
                sizes[dim] *= count
        return total

    @cache  # noqa: B019 - layouts are interned
    def holders(self, shape: tuple[int, ...]) -> Holders:
        """Who holds the elements of a block of a shape; padding is nobody's."""
        registers, lanes, warps = self.size("register"), self.size("lane"), self.size("warp")
        coordinates = self.coordinates(register=np.arange(registers), lane=np.arange(lanes)[:, None],
                                       warp=np.arange(warps)[:, None, None])
        flat, inside = np.zeros((), np.int64), np.asarray(True)
        for coordinate, size in zip(coordinates, shape, strict=True):
            flat = flat * size + coordinate
            inside = inside & (coordinate < size)
        full = (warps, lanes, registers)
        flat, inside = np.broadcast_to(flat, full), np.broadcast_to(inside, full)
        lane = np.broadcast_to(np.arange(lanes, dtype=np.int16)[:, None], full)
        taken = np.zeros(prod(shape), bool)
        elements, holding, owned = [], [], []
        for warp in range(warps):
            found, chosen = _one_each(flat[warp][inside[warp]], lane[warp][inside[warp]])
            elements.append(found)
            holding.append(chosen)
            owned.append(~taken[found])
            taken[found] = True
        return Holders(tuple(elements), tuple(holding), tuple(owned))

    @cache  # noqa: B019
    def offsets(self, shape: tuple[int, ...]) -> Array:
        """The place on chip, counted in elements, of each element of a block of a shape."""
        size = self.size("offset")
        coordinates = self.coordinates(offset=np.arange(size))
        inside = np.ones(size, bool)
        for coordinate, extent in zip(coordinates, shape, strict=True):
            inside &= np.broadcast_to(coordinate < extent, (size,))
        places = np.full(shape, -1, np.int64)
        places[tuple(np.broadcast_to(coordinate, (size,))[inside] for coordinate in coordinates)] = np.flatnonzero(
            inside)
        return places


def _one_each(elements: Array, lanes: Array) -> tuple[Array, Array]:
    """Each element once, with its lane: -1 if there are several."""
    order = np.lexsort((lanes, elements))
    elements, lanes = elements[order], lanes[order]
    first = np.ones(len(elements), bool)
    first[1:] = elements[1:] != elements[:-1]
    starts = np.flatnonzero(first)
    if not len(starts):
        return elements, lanes
    ends = np.append(starts[1:], len(elements)) - 1
    return elements[starts], np.where(lanes[starts] == lanes[ends], lanes[starts], -1).astype(np.int16)


@cache
def parse_layout(text: str) -> Layout:
    """The layout that `#tile.layout<...>` states."""
    body = text[text.index("<") + 1:text.rindex(">")]
    shape, _, rest = body.partition(":")
    linear, _, repeated = rest.partition("repeat =")
    bases = {name: [tuple(column) for column in ast.literal_eval(columns)]
             for name, columns in _ENTRY.findall(linear)}
    repeats = [(name, int(count), int(dim) if dim else None) for name, count, dim in _REPEAT.findall(repeated)]
    return Layout(tuple(ast.literal_eval(shape.strip())), bases, repeats)
