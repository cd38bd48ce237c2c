"""Launches of numpy arrays in the emulator of AMD GPUs.

Kernels are specialized as on a GPU, compiled for it, and run where the arrays are.
Races in on-chip memory and accesses beyond the arrays fail a test.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tilewright as tw
from tilewright.jit import JITFunction
from tilewright.runtime import launch as runtime
from tilewright.runtime.amd.emulator import CodeObject, HostMemory, launch

ARCH = "gfx942"
LANES = 64


@tw.jit
def _nothing(x):
    pass


def _owner(array: np.ndarray) -> np.ndarray:
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _arrays(value: Any) -> Iterator[np.ndarray]:
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _arrays(item)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from _arrays(getattr(value, field.name))


def _passed(value: Any, kind: Any) -> Iterator[Any]:
    """What the kernel is passed of an argument."""
    if isinstance(kind, tuple):
        for item, inner in zip(value, kind, strict=True):
            yield from _passed(item, inner)
    elif kind != "constexpr":
        yield value.ctypes.data if isinstance(value, np.ndarray) else _as_type(value, kind)


def _as_type(value: Any, kind: str) -> Any:
    types = {"fp32": np.float32, "fp64": np.float64, "fp16": np.float16}
    return types[kind](value) if kind in types else value


class _Kernels:
    """What was compiled for which specialization."""

    def __init__(self, monkeypatch: Any) -> None:
        self.specializations: dict[int, Any] = {}
        self.codes: dict[int, CodeObject] = {}
        self.kernels: list[Any] = []  # alive, so that no other has their number
        compiled = _nothing.warmup(np.zeros(1, np.float32))
        executable = runtime.load(compiled)  # what the launcher asks for; it never runs

        def compile_noted(source: Any, specialization: Any) -> Any:
            kernel = source.compile_for(specialization)
            self.kernels.append(kernel)
            self.specializations[id(kernel)] = specialization
            return kernel

        monkeypatch.setattr(runtime, "obtain", compile_noted)
        monkeypatch.setattr(runtime, "load", lambda kernel, index=0: executable)
        monkeypatch.setattr(runtime, "target_of", lambda kind, index: f"amd:{ARCH}")

    def run(self, function: JITFunction, grid: Any, args: tuple, named: dict[str, Any]) -> Any:
        kernel = function.launcher.compile(*args, **named)
        specialization = self.specializations[id(kernel)]
        parameters = {name: value for name, value in named.items() if name in function.arg_names}
        bound = function.signature.bind(*args, **parameters)
        bound.apply_defaults()
        sides = grid(named | dict(bound.arguments)) if inspect.isroutine(grid) else grid
        sides = tuple(sides) if isinstance(sides, (tuple, list)) else (sides,)
        memory = HostMemory()
        owners = {id(_owner(array)): _owner(array) for array in _arrays(tuple(bound.arguments.values()))}
        for owner in owners.values():
            memory.add_array(owner, "an array")
        values = [passed for name, value in bound.arguments.items()
                  for passed in _passed(value, specialization.signature[name])]
        if all(sides):
            if id(kernel) not in self.codes:
                self.codes[id(kernel)] = CodeObject(kernel.asm["hsaco"])
            warps = kernel.metadata.get("num_warps", 4)
            launch(self.codes[id(kernel)], kernel.name, sides, (LANES * warps,), values, memory=memory)
        return kernel


def launch_in_emulator(monkeypatch: Any) -> None:
    """Let launches run in the emulator."""
    kernels = _Kernels(monkeypatch)

    def getitem(self: JITFunction, grid: Any) -> Callable[..., Any]:
        return lambda *args, **named: kernels.run(self, grid, args, named)

    def run(self: JITFunction, *args: Any, grid: Any, warmup: bool = False, **named: Any) -> Any:
        return kernels.run(self, grid, args, named)

    monkeypatch.setattr(JITFunction, "__getitem__", getitem)
    monkeypatch.setattr(JITFunction, "run", run)
    # A launcher of another test has kernels for the CPU.
    monkeypatch.setattr(JITFunction, "launcher", property(lambda self: _fresh(self, kernels)))


def _fresh(function: JITFunction, kernels: _Kernels) -> Any:
    launchers = kernels.__dict__.setdefault("launchers", {})
    if function not in launchers:
        launchers[function] = runtime.make_launcher(function)
    return launchers[function]
