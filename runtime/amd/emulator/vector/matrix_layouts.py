"""Which lane and register holds which element of a matrix instruction's operands.

A lane holds a run of ``elements`` consecutive k of one row of A (or column of B); lanes that
differ by the number of rows hold the next run.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import UnsupportedInstruction


@dataclass(frozen=True)
class Shape:
    """D is ``rows`` x ``columns``, the sum runs over ``depth``."""

    rows: int
    columns: int
    depth: int


@dataclass(frozen=True)
class MatrixLayout:
    """The layout of one instruction's operands."""

    shape: Shape
    elements: int
    """Elements of A and of B in each lane."""
    replicated: bool
    """Whether the halves of the wave hold the same A and B."""
    rows: Any
    """Row of D in (register, lane)."""
    columns: Any
    half_accumulators: bool = False
    """Whether a 16-bit result fills one half of a register instead of both."""

    @property
    def results(self) -> int:
        """Elements of C and of D in each lane."""
        return len(self.rows)


def mfma_layout(shape: Shape, width: int, result: str) -> MatrixLayout:
    """CDNA's single-block MFMA."""
    if shape.rows != shape.columns or shape.rows not in (16, 32):
        raise UnsupportedInstruction(f"MFMA of {shape.rows}x{shape.columns}")
    elements = shape.depth * shape.rows // width
    if elements == 0:
        raise UnsupportedInstruction("MFMA of several blocks")
    register, lane = _grid(shape, width)
    if shape.rows == 32:
        rows = 8 * (register // 4) + 4 * (lane // 32) + register % 4
    elif result == "f64":
        rows = 4 * register + lane // 16
    else:
        rows = 4 * (lane // 16) + register
    return MatrixLayout(shape, elements, False, rows, lane % shape.columns)


def wmma_gfx11_layout(shape: Shape, width: int) -> MatrixLayout:
    """RDNA3's WMMA: every lane has a whole row, and rows of D alternate between the halves."""
    register, lane = _grid(shape, width)
    rows = register * (width // 16) + lane // 16
    return MatrixLayout(shape, shape.depth, True, rows, lane % 16, half_accumulators=True)


def wmma_gfx12_layout(shape: Shape, width: int) -> MatrixLayout:
    """RDNA4's WMMA: the halves of the wave share out k, and the rows of D."""
    if width != 32:
        raise UnsupportedInstruction("WMMA of gfx12 in a wave of 64")
    register, lane = _grid(shape, width)
    rows = register + shape.rows // 2 * (lane // 16)
    return MatrixLayout(shape, shape.depth // 2, False, rows, lane % 16)


def _grid(shape: Shape, width: int) -> tuple[Any, Any]:
    results = shape.rows * shape.columns // width
    register = np.arange(results)[:, None]
    return np.broadcast_arrays(register, np.arange(width)[None, :])
