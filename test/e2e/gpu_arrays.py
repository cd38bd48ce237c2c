"""Launches of numpy arrays on a GPU: copied there before, and back after.

A kernel then sees the same addresses relative to each other, the same strides and
the same types as on the CPU, so that a test need not know where it runs.
"""

from __future__ import annotations

import ctypes
import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from tilewright.jit import JITFunction


def _owner(array: np.ndarray) -> np.ndarray:
    """The array whose memory this one views."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _memory(array: np.ndarray) -> np.ndarray:
    """The bytes that an array spans, in place."""
    low, high = np.lib.array_utils.byte_bounds(array)
    return np.ndarray(high - low, np.uint8, (ctypes.c_char * (high - low)).from_address(low))


class _Storage:
    """The memory of one array on the GPU; what views it on the CPU views the copy there."""

    def __init__(self, owner: np.ndarray) -> None:
        self.owner = owner
        self.memory = _memory(owner)
        # Bytes, because torch lacks some of numpy's types and of ours.
        self.bytes = torch.empty(max(self.memory.size, 1), dtype=torch.uint8, device="cuda")
        self.bytes[:self.memory.size] = torch.from_numpy(self.memory.copy())

    def address_of(self, array: np.ndarray) -> int:
        return self.bytes.data_ptr() + array.ctypes.data - self.memory.ctypes.data

    def copy_back(self) -> None:
        if self.owner.flags.writeable:
            self.memory[:] = self.bytes[:self.memory.size].cpu().numpy()


class GpuArray:
    """What a launch needs of an array: an address, a type, a device."""

    device = "cuda:0"

    def __init__(self, array: np.ndarray, address: int) -> None:
        self.dtype = array.dtype
        self.shape = array.shape
        self.strides = array.strides
        self._address = address

    def data_ptr(self) -> int:
        return self._address

    def stride(self, axis: int | None = None) -> Any:
        """Steps in elements, as torch counts them."""
        steps = tuple(step // self.dtype.itemsize for step in self.strides)
        return steps if axis is None else steps[axis]

    def element_size(self) -> int:
        return self.dtype.itemsize


class _Launch:
    """The arguments of one launch, moved."""

    def __init__(self) -> None:
        self.storages: dict[int, _Storage] = {}

    def move(self, value: Any) -> Any:
        """An argument with the arrays inside it replaced."""
        if isinstance(value, np.ndarray):
            owner = _owner(value)
            storage = self.storages.get(id(owner)) or self.storages.setdefault(id(owner), _Storage(owner))
            return GpuArray(value, storage.address_of(value))
        if isinstance(value, tuple):
            items = [self.move(item) for item in value]
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):  # a descriptor of an array
            arrays = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
            moved = {name: self.move(part) for name, part in arrays.items() if isinstance(part, np.ndarray)}
            return dataclasses.replace(value, **moved) if moved else value
        return value

    def __call__(self, launch: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> Any:
        args, kwargs = self.move(args), {name: self.move(value) for name, value in kwargs.items()}
        try:
            return launch(*args, **kwargs)
        finally:
            for storage in self.storages.values():
                storage.copy_back()


def launch_on_gpu(monkeypatch: Any) -> None:
    """Let launches take numpy arrays to the GPU and back."""
    launcher_of, run = JITFunction.__getitem__, JITFunction.run

    def getitem(self: JITFunction, grid: Any) -> Callable[..., Any]:
        return lambda *args, **kwargs: _Launch()(launcher_of(self, grid), args, kwargs)

    def run_moved(self: JITFunction, *args: Any, **kwargs: Any) -> Any:
        return _Launch()(lambda *args, **kwargs: run(self, *args, **kwargs), args, kwargs)

    monkeypatch.setattr(JITFunction, "__getitem__", getitem)
    monkeypatch.setattr(JITFunction, "run", run_moved)
