"""Packs kernel arguments into the kernarg segment, as the metadata lays it out."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import LaunchError
from .code_object import Kernel

Dim3 = tuple[int, int, int]
_FLOAT_FORMS = {2: "<e", 4: "<f", 8: "<d"}


def pack_arguments(kernel: Kernel, values: Sequence[Any], grid: Dim3, block: Dim3) -> bytearray:
    """The kernarg segment for ``values``, the explicit arguments in order.

    Arrays are passed by their address, ints, floats and numpy scalars by value, bytes as they are.

    Raises:
        LaunchError: If the number or the size of the arguments does not fit.
    """
    segment = bytearray(max(kernel.kernarg_size, 8))
    described = kernel.metadata.get(".args", [])
    explicit = [a for a in described if not a[".value_kind"].startswith("hidden_")]
    if len(explicit) != len(values):
        raise LaunchError(f"{kernel.name} takes {len(explicit)} arguments, got {len(values)}")
    for index, (argument, value) in enumerate(zip(explicit, values, strict=True)):
        _place(segment, argument, _encode(value, argument, index))
    hidden = _hidden_values(grid, block)
    for argument in described:
        kind = argument[".value_kind"]
        if kind.startswith("hidden_"):
            size = argument[".size"]
            _place(segment, argument, hidden.get(kind, 0).to_bytes(size, "little"))
    return segment


def _place(segment: bytearray, argument: dict[str, Any], content: bytes) -> None:
    offset = argument[".offset"]
    segment[offset : offset + len(content)] = content


def _encode(value: Any, argument: dict[str, Any], index: int) -> bytes:
    size = argument[".size"]
    is_pointer = argument[".value_kind"] == "global_buffer"
    if isinstance(value, np.ndarray):
        if not is_pointer:
            raise LaunchError(f"argument {index} is passed by value, got an array")
        return value.ctypes.data.to_bytes(8, "little")
    if isinstance(value, np.generic):
        content = value.tobytes()
    elif isinstance(value, (bool, int)):
        content = (int(value) & ((1 << 8 * size) - 1)).to_bytes(size, "little")
    elif isinstance(value, float) and size in _FLOAT_FORMS and not is_pointer:
        content = struct.pack(_FLOAT_FORMS[size], value)
    elif isinstance(value, bytes):
        content = value
    else:
        raise LaunchError(f"argument {index} of {size} bytes cannot hold a {type(value).__name__}")
    if len(content) != size:
        raise LaunchError(f"argument {index} has {len(content)} bytes, the kernel wants {size}")
    return content


def _hidden_values(grid: Dim3, block: Dim3) -> dict[str, int]:
    values = {
        "hidden_grid_dims": 3 if grid[2] * block[2] > 1 else 2 if grid[1] * block[1] > 1 else 1
    }
    for axis, blocks, threads in zip("xyz", grid, block, strict=True):
        values[f"hidden_block_count_{axis}"] = blocks
        values[f"hidden_group_size_{axis}"] = threads
        values[f"hidden_remainder_{axis}"] = 0
    return values
