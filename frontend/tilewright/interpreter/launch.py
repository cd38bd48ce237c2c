"""A launch that is interpreted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from .. import config
from ..ast.builder import BuildOptions
from ..ast.module import Argument
from ..language.types import tensor_descriptor_type
from ..launching import bind, evaluate_grid
from ..options import CompileOptions
from ..runtime.launch import Resolver, Specialization, make_specialization
from ..signature import bind_specialization
from . import arithmetic, blocks, debugger, descriptors  # noqa: F401 - they register what evaluates operations
from .descriptors import Description
from .formats import fit
from .machine import Machine
from .memory import Addresses, Buffer
from .record import Program, record


class _Found(Exception):
    """Carries what a launch would be compiled for."""

    def __init__(self, specialization: Specialization) -> None:
        self.specialization = specialization


class Describer(Resolver):
    """Takes the launcher's description of the arguments, and stops there."""

    target = "cpu"

    def describe(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Specialization:
        """What a launch would be compiled for."""
        try:
            self.launcher.compile(*args, **kwargs)
        except _Found as found:
            return found.specialization
        raise AssertionError("the launcher asked for nothing to be compiled")

    def __call__(self, descriptions: list, options: dict, device_type: int, device_index: int,
                 read_only: list[int]) -> Any:
        raise _Found(make_specialization(self.names, descriptions, options, self.target))


class Interpreted:
    """A function whose launches are interpreted; keeps the programs that it recorded."""

    def __init__(self, fn: Any) -> None:
        self.fn = fn
        self.describer = Describer(fn)
        self.programs: dict[tuple, tuple[Mapping[str, Any], Program]] = {}

    def launch(self, grid: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
        """Run the kernel over a grid.

        Raises:
            CompilationError: As compiling does.
            InterpreterError: Where a program does what it must not.
            DeviceAssertionError: Where a `tl.device_assert` does not hold.
        """
        arguments, program = self.program(args, kwargs)
        named = bind(self.fn, args, kwargs)
        extents = evaluate_grid(self.fn.__name__, grid, {**named, **kwargs})
        Machine(program, pack_all(arguments, named), extents, debugger.Debugger()).run()  # type: ignore[arg-type]

    def program(self, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[Mapping[str, Any], Program]:
        """The arguments that are passed, and the recorded kernel."""
        specialization = self.describer.describe(args, kwargs)
        known = self.programs.get(specialization.key)
        if known is None:
            arguments = bind_specialization(self.fn, specialization)
            options = CompileOptions.parse(specialization.options, self.fn.debug or config.debug_is_asked())
            known = self.programs[specialization.key] = arguments, record(
                self.fn, arguments, build_options(options))
        return known


def build_options(options: CompileOptions) -> BuildOptions:
    """What of the options shows while a kernel is recorded."""
    return BuildOptions(fp_fusion=options.enable_fp_fusion, debug=True, target="cpu",
                        sanitize_overflow=options.debug and options.sanitize_overflow)


@lru_cache(maxsize=256)
def interpreted(fn: Any) -> Interpreted:
    """The interpreter's side of a function."""
    return Interpreted(fn)


def _leaves(value: Any, argument: Any) -> Iterator[tuple[Any, Argument]]:
    """The values that are passed, with their types."""
    if isinstance(argument, Argument):
        yield value, argument
    elif isinstance(argument, tuple):
        for item, inner in zip(value, argument, strict=True):
            yield from _leaves(item, inner)


def pack_all(arguments: Mapping[str, Any], named: Mapping[str, Any]) -> list[Any]:
    """What is passed of a launch's arguments, as machines hold it."""
    return [_pack(value, argument, name)
            for name, each in arguments.items() for value, argument in _leaves(named.get(name), each)]


def _pack(value: Any, argument: Argument, name: str) -> Any:
    """An argument as the machine holds it."""
    if isinstance(argument.type, tensor_descriptor_type):
        return Description(_pointer(value.base, name), tuple(value.shape), tuple(value.strides[:-1]))
    if not argument.type.is_ptr():
        return fit(np.asarray(value), argument.type)
    return _pointer(value, name)


def _pointer(value: Any, name: str) -> Addresses:
    """The address of an array's first element."""
    buffer = find_buffer(value, name)
    return Addresses(np.asarray(buffer.first, np.int64), buffer)


def find_buffer(value: Any, name: str) -> Buffer:
    """The memory of an array, from the beginning of what holds it to the end."""
    if isinstance(value, np.ndarray):
        owner = value
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        reach = [(size - 1) * stride for size, stride in zip(owner.shape, owner.strides, strict=True)]
        low = owner.ctypes.data + sum(each for each in reach if each < 0)
        high = owner.ctypes.data + sum(each for each in reach if each > 0) + owner.itemsize
        return Buffer(name, value.ctypes.data, low, high if owner.size else low, value.flags.writeable, value)
    pointer: Callable[[], int] | None = getattr(value, "data_ptr", None)
    if pointer is None:
        return find_buffer(np.from_dlpack(value), name)
    first = pointer()
    storage = getattr(value, "untyped_storage", None)
    if storage is not None:
        held = storage()
        return Buffer(name, first, held.data_ptr(), held.data_ptr() + held.nbytes(), True, value)
    base = getattr(value, "base", None)
    if base is not None and base is not value:
        return find_buffer(base, name)
    return Buffer(name, first, 0, 1 << 63, True, value)  # its size is not known
