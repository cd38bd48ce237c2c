"""One descriptor for the parts of an array that have different lengths.

A part is `slice_size` rows from `slice_off` on. The descriptor has two dimensions more than the array.
Their strides and indices cancel out: what they leave is the place of the part, while the index of a row
counts to a bound that is the same for all parts, so that rows beyond a part are outside of the array.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import language as tl
from ..jit import jit
from .tensor_descriptor import DescriptorError, TensorDescriptor

# Indices of rows end here; the first dimension has this index as well.
_END = 1 << 30
_MOST_INDICES = 0x7FFF0000
# A stride that wraps around to nothing once it is taken _END times.
_WRAPPING = 1 << 34


def create_ragged_descriptor(T: Any, block_shape: Sequence[int], ragged_dim: int = 0) -> TensorDescriptor:
    """The descriptor of an array whose parts along ``ragged_dim`` are read and written on their own.

    Args:
        T: An array of two or three dimensions.
        block_shape: The sizes of the blocks that kernels access.
        ragged_dim: The dimension of which the parts have different lengths; not the last one.
    """
    whole = TensorDescriptor.from_tensor(T, block_shape)
    rank = len(whole.shape)
    axis = ragged_dim + rank if ragged_dim < 0 else ragged_dim
    if not 0 <= axis < rank - 1:
        raise DescriptorError(f"the ragged dimension must be one before the last of {rank}, got {ragged_dim}")
    if rank > 3:
        raise DescriptorError(f"a ragged descriptor is of an array of at most three dimensions, got {rank}")
    if whole.shape[axis] > _END:
        raise DescriptorError(f"a ragged dimension has at most {_END} rows, got {whole.shape[axis]}")
    step = whole.strides[axis]
    sizes = [_END if dim == axis else size for dim, size in enumerate(whole.shape)]
    return TensorDescriptor(T, [_MOST_INDICES, _MOST_INDICES, *sizes], [_WRAPPING - step, step, *whole.strides],
                            [1, 1, *block_shape])


@jit
def to_ragged_indices(slice_off, slice_size, row):
    """The first two indices of a block in the descriptor, and that of the ragged dimension.

    The first dimension takes away `_END` rows, the second adds the part's end, the row counts from the
    part's size below `_END`.
    """
    end: tl.constexpr = 1 << 30
    return end, slice_off + slice_size, end - slice_size + row


@jit
def _indices(slice_off, slice_size, coords, axis: tl.constexpr):
    """The indices of a block in the descriptor."""
    first, second, row = to_ragged_indices(slice_off, slice_size, coords[axis])
    return (first, second, *coords[:axis], row, *coords[axis + 1:])


@jit
def load_ragged(TMA, slice_off, slice_size, coords, ragged_dim: tl.constexpr = 0):
    """Read a block of the part of ``slice_size`` rows from ``slice_off`` on; beyond it there is padding."""
    axis: tl.constexpr = ragged_dim if ragged_dim >= 0 else ragged_dim + len(coords)
    block = TMA.load(_indices(slice_off, slice_size, coords, axis))
    return tl.reshape(block, block.shape[2:])


@jit
def store_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Write a block of a part; what is beyond it is dropped."""
    axis: tl.constexpr = ragged_dim if ragged_dim >= 0 else ragged_dim + len(coords)
    TMA.store(_indices(slice_off, slice_size, coords, axis), tl.reshape(data, [1, 1] + data.shape))


@jit
def atomic_add_ragged(TMA, slice_off, slice_size, coords, data, ragged_dim: tl.constexpr = 0):
    """Add a block to a part; what is beyond it is dropped."""
    axis: tl.constexpr = ragged_dim if ragged_dim >= 0 else ragged_dim + len(coords)
    TMA.atomic_add(_indices(slice_off, slice_size, coords, axis), tl.reshape(data, [1, 1] + data.shape))
