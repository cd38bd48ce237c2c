"""Descriptors of arrays as arguments of kernels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..language.types import dtype, float32, parse_type, tensor_descriptor_type
from ..runtime.dtypes import classify

_ALIGNMENT = 16
_MOST_DIMENSIONS = 5
_LARGEST_BLOCK = 1 << 20
_PADDINGS = ("zero", "nan")


class DescriptorError(ValueError, AssertionError):
    """What a descriptor cannot be."""


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise DescriptorError(message)


def _address(base: Any) -> int | None:
    """Where an array begins; None if it does not say, as stand-ins of arrays do not."""
    if hasattr(base, "data_ptr"):
        return int(base.data_ptr())
    for interface in ("__array_interface__", "__cuda_array_interface__"):
        if hasattr(base, interface):
            return int(getattr(base, interface)["data"][0])
    return None


def _element(base: Any) -> dtype:
    """The type of an element, as kernels have it."""
    found = parse_type(classify(base.dtype))
    _require(found is not None and not found.is_bool(), f"elements of type {base.dtype} are not supported")
    return found  # type: ignore[return-value]


@dataclass
class TensorDescriptor:
    """An array that a kernel accesses block by block.

    Attributes:
        base: The array: of numpy, torch, or any other kind that kernels take.
        shape: Its sizes, one to five.
        strides: Elements from one index to the next, for each dimension; the last one is 1.
        block_shape: The sizes of the blocks that the kernel accesses.
        padding: What blocks hold outside of the array: ``"zero"``, or ``"nan"`` for floats.
        round_f32_to_tf32: Round elements of type fp32 to tf32 when they are loaded.
    """

    base: Any
    shape: Sequence[int]
    strides: Sequence[int]
    block_shape: Sequence[int]
    padding: str = "zero"
    round_f32_to_tf32: bool = False

    def __post_init__(self) -> None:
        rank = len(self.shape)
        _require(rank > 0, "rank must not be zero")
        _require(rank <= _MOST_DIMENSIONS, f"rank cannot be more than {_MOST_DIMENSIONS}, got {rank}")
        _require(len(self.strides) == rank, f"rank mismatch: {rank} sizes and {len(self.strides)} strides")
        _require(len(self.block_shape) == rank,
                 f"rank mismatch: {rank} sizes and {len(self.block_shape)} sizes of a block")
        _require(all(size > 0 for size in self.shape), f"shape must be positive, got {list(self.shape)}")
        _check_block_shape(self.block_shape)
        _check_layout(self.base, self.strides)
        _require(self.padding in _PADDINGS, f"padding must be 'zero' or 'nan', got {self.padding!r}")
        element = _element(self.base)
        _require(self.padding == "zero" or element.is_floating(),
                 f"padding 'nan' is for floats, got elements of type {element}")
        _require(not self.round_f32_to_tf32 or element is float32,
                 f"round_f32_to_tf32 is for fp32, got elements of type {element}")

    @property
    def type(self) -> dtype:
        """What a kernel sees it as."""
        return tensor_descriptor_type(_element(self.base), self.block_shape, self.padding == "nan",
                                      self.round_f32_to_tf32)

    @staticmethod
    def from_tensor(tensor: Any, block_shape: Sequence[int], padding: str = "zero",
                    round_f32_to_tf32: bool = False) -> TensorDescriptor:
        """The descriptor of a whole array."""
        shape = [int(size) for size in tensor.shape]
        return TensorDescriptor(tensor, shape, _strides(tensor, shape), block_shape, padding, round_f32_to_tf32)


def _check_block_shape(block_shape: Sequence[int]) -> None:
    elements = 1
    for size in block_shape:
        _require(isinstance(size, int) and size > 0, f"sizes of block_shape must be positive, got {list(block_shape)}")
        elements *= size
    _require(elements <= _LARGEST_BLOCK, f"block_shape has {elements} elements; the largest block has {_LARGEST_BLOCK}")


def _check_layout(base: Any, strides: Sequence[int]) -> None:
    """What accesses to the array rely on."""
    address, bytes = _address(base), _element(base).itemsize
    _require(address is None or address % _ALIGNMENT == 0, f"base must be {_ALIGNMENT}-byte aligned")
    for stride in strides[:-1]:
        _require(stride * bytes % _ALIGNMENT == 0,
                 f"strides must be {_ALIGNMENT}-byte aligned, got {stride} elements of {bytes} bytes")
    _require(strides[-1] == 1, f"the last dimension must be contiguous, got the stride {strides[-1]}")


def _strides(tensor: Any, shape: list[int]) -> list[int]:
    """The strides of an array in elements."""
    stride = getattr(tensor, "stride", None)
    if callable(stride):
        return [int(each) for each in stride()]
    given = getattr(tensor, "strides", None)
    if given is not None:
        size = _element(tensor).itemsize
        return [int(each) // size for each in given]
    steps, step = [], 1
    for extent in reversed(shape):
        steps.append(step)
        step *= extent
    return steps[::-1]
