"""Launches of kernels that run at stage `scheduled`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...compile import lower_specialization
from ...launching import bind, evaluate_grid, host_copies
from ..descriptors import Description
from ..launch import Describer, pack_all
from .reader import Kernel, read_kernel
from .report import Report
from .run import SCHEDULES, run_kernel


class Checked:
    """A function whose launches are run and checked: ``checked[grid](*args, **options)`` gives the report.

    Args:
        fn: A function decorated with `jit`.
        target: What it is compiled for, such as a GPU and its architecture.
        schedules: As `run_scheduled` takes them.
    """

    def __init__(self, fn: Any, target: str, schedules: Sequence[str | int] = SCHEDULES) -> None:
        self.fn = fn
        self.schedules = schedules
        self.describer = Describer(fn)
        self.describer.target = target
        self.kernels: dict[tuple, tuple[Mapping[str, Any], Kernel]] = {}

    def __getitem__(self, grid: Any) -> Callable[..., Report]:
        return lambda *args, **kwargs: self.launch(grid, args, kwargs)

    def launch(self, grid: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Report:
        """Compile for the arguments, run all programs of the grid, and say what they do wrong.

        Raises:
            CompilationError: As compiling does.
            InterpreterError: Where a program accesses memory outside of an array.
            DeviceAssertionError: Where a `tl.device_assert` does not hold.
        """
        with host_copies(self.fn.pack(args), kwargs, True) as (args, kwargs):
            arguments, kernel = self.kernel(args, kwargs)
            named = bind(self.fn, args, kwargs)
            extents = evaluate_grid(self.fn.__name__, grid, {**named, **kwargs})
            return run_kernel(kernel, list(_flat(pack_all(arguments, named))), extents, self.schedules)

    def kernel(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Mapping[str, Any], Kernel]:
        """The arguments that are passed, and the kernel that was compiled for them."""
        specialization = self.describer.describe(args, kwargs)
        known = self.kernels.get(specialization.key)
        if known is None:
            arguments, text = lower_specialization(self.fn, specialization, "scheduled")
            known = self.kernels[specialization.key] = arguments, read_kernel(text)
        return known


def _flat(values: Sequence[Any]) -> Iterator[Any]:
    """A descriptor is passed as its parts."""
    for value in values:
        if isinstance(value, Description):
            yield from (value.base, *value.sizes, *value.strides)
        else:
            yield value
