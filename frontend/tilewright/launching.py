"""Launches that something watches: hooks, compilation elsewhere, or a look into the kernel.

The plain way of a launch is all in the launcher; a function takes this one only while it is needed.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, as_completed
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from . import hooks
from .arrays import MockTensor, is_dtype
from .ast.values import rebuild

if TYPE_CHECKING:
    from .jit import JITFunction
    from .kernel import CompiledKernel


class CompilationPrevented(Exception):
    """A hook asked for a kernel not to be compiled."""


class AttendedLaunch:
    """A kernel with a grid, whose launches are watched: call it with the kernel's arguments."""

    def __init__(self, fn: JITFunction, grid: Any) -> None:
        self.fn = fn
        self.grid = grid

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        fn = self.fn
        for hook in fn.pre_run_hooks:
            hook(*args, **kwargs)
        args = fn.pack(args)
        with host_copies(args, kwargs, fn.interpreted) as (args, kwargs):
            if fn.interpreted:
                from .interpreter.launch import interpreted

                interpreted(fn).launch(self.grid, args, kwargs)
                return None
            try:
                kernel = compile_for_launch(fn, args, kwargs)
                if isinstance(kernel, FutureKernel):
                    kernel = kernel.result()
                if kernel is None:
                    return None
                named = bind(fn, args, kwargs)
                grid = evaluate_grid(fn.__name__, self.grid, {**named, **kwargs})
                facts = hooks.describe_launch(kernel, grid, current_stream(named), named)
                hooks.launch_enter(facts)
                fn.launcher[grid](*args, **kwargs)
                hooks.launch_exit(facts)
            except CompilationPrevented:
                return None
        return kernel


def bind(fn: JITFunction, args: Sequence[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    """All arguments by the names of their parameters."""
    named = {param.name: param.default for param in fn.params if param.has_default}
    named.update(zip(fn.arg_names, args, strict=False))
    named.update((name, value) for name, value in kwargs.items() if name in fn.arg_names)
    return {name: named[name] for name in fn.arg_names if name in named}


def evaluate_grid(name: str, grid: Any, meta: dict[str, Any]) -> tuple[int, ...]:
    """The grid of a kernel as three numbers.

    Raises:
        TypeError: If it is no int, nor one to three of them.
        ValueError: If it has another number of sides, or a negative one.
    """
    if callable(grid) and not isinstance(grid, (tuple, list)):
        grid = grid(meta)
    try:
        sides = tuple(map(operator.index, grid if isinstance(grid, (tuple, list)) else (grid,)))
    except TypeError:
        raise TypeError(f"kernel '{name}': the grid is {grid!r}; expected an int, a tuple of 1 to 3 ints, or a "
                        f"function that returns one") from None
    if not 1 <= len(sides) <= 3:
        raise ValueError(f"kernel '{name}': the grid is {grid!r}; expected 1 to 3 sides")
    if min(sides) < 0:
        raise ValueError(f"kernel '{name}': the grid {grid!r} has a negative side")
    return (*sides, *(1 for _ in range(3 - len(sides))))


def current_stream(named: dict[str, Any]) -> int:
    """The stream that a launch with these arguments goes to; 0 on the CPU."""
    from .runtime import gpu

    return gpu.current_stream() if gpu.are_used_by(named.values()) else 0


@contextmanager
def host_copies(args: Sequence[Any], kwargs: dict[str, Any], wanted: bool) -> Iterator[tuple[Sequence[Any], dict]]:
    """Arrays on a GPU as copies on the CPU, whose contents go back afterwards."""
    from .runtime import gpu

    copies: list[tuple[Any, Any]] = []

    def move(value: Any) -> Any:
        if wanted and isinstance(value, tuple):
            return rebuild(value, [move(item) for item in value])
        if not wanted or not gpu.is_array(value):
            return value
        copies.append((value, gpu.copy_to_host(value)))
        return copies[-1][1]

    yield tuple(map(move, args)), {name: move(value) for name, value in kwargs.items()}
    for array, copy in copies:
        gpu.copy_from_host(array, copy)


def mock_arguments(fn: JITFunction, args: Sequence[Any], kwargs: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    """Arguments in which types stand for arrays of them, where a parameter is not a constant."""
    constants = {param.name for param in fn.params if param.is_constexpr}

    def mock(name: str, value: Any) -> Any:
        return MockTensor(value) if name not in constants and is_dtype(value) else value

    named = [mock(name, value) for name, value in zip(fn.arg_names, args, strict=False)]
    return ([*named, *args[len(fn.arg_names):]], {name: mock(name, value) for name, value in kwargs.items()})


def compile_for_launch(fn: JITFunction, args: Sequence[Any], kwargs: dict[str, Any], is_warmup: bool = False) -> Any:
    """The kernel of these arguments, or a `FutureKernel` where kernels are compiled elsewhere.

    Args:
        fn: The function.
        args: Its arguments.
        kwargs: Those by name, and options.
        is_warmup: Whether no launch follows, which hooks are told.
    """
    mode = _mode.get()

    def compile_now() -> CompiledKernel | None:
        before = hooks.is_warmup.set(is_warmup)
        try:
            return fn.launcher.compile(*args, **kwargs)
        except CompilationPrevented:
            return None
        finally:
            hooks.is_warmup.reset(before)

    return compile_now() if mode is None else mode.submit(compile_now)


# --- compiling elsewhere --------------------------------------------------------------------------------
class FutureKernel:
    """A kernel that is being compiled."""

    def __init__(self, future: Future) -> None:
        self.future = future

    def result(self, ignore_errors: bool = False) -> Any:
        """Wait for the kernel; with `ignore_errors` an error gives None."""
        try:
            return self.future.result()
        except Exception:
            if ignore_errors:
                return None
            raise

    def __getattr__(self, name: str) -> Any:
        # A pickled or copied object has no future yet.
        if name.startswith("__") or name == "future":
            raise AttributeError(name)
        return getattr(self.result(), name)

    def __getitem__(self, grid: Any) -> Any:
        return self.result()[grid]


class AsyncCompileMode:
    """While it is entered, kernels are compiled by an executor's threads.

    ``kernel.warmup(...)`` gives a `FutureKernel` at once; a launch waits for its own kernel. Leaving
    waits for all of them.

    Args:
        executor: Of `concurrent.futures`; its workers must be threads of this process.
        ignore_errors: Drop errors of kernels that nobody asked for.
    """

    def __init__(self, executor: Executor, *, ignore_errors: bool = False) -> None:
        self.executor = executor
        self.ignore_errors = ignore_errors
        self.pending: list[FutureKernel] = []

    def submit(self, compile_now: Callable[[], Any]) -> FutureKernel:
        """Have a kernel compiled."""
        self.pending.append(FutureKernel(self.executor.submit(compile_now)))
        return self.pending[-1]

    def __enter__(self) -> AsyncCompileMode:
        if _mode.get() is not None:
            raise RuntimeError("another AsyncCompileMode is active already")
        self._token = _mode.set(self)
        hooks.watched.keep(self)
        return self

    def __exit__(self, *error: object) -> None:
        _mode.reset(self._token)
        hooks.watched.release(self)
        by_future = {kernel.future: kernel for kernel in self.pending}
        for future in as_completed(by_future):
            by_future[future].result(self.ignore_errors)
        self.pending.clear()


_mode: ContextVar[AsyncCompileMode | None] = ContextVar("compile_mode", default=None)
