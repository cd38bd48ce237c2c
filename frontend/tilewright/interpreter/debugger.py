"""Where a debugger can stop in a kernel: at `breakpoint()`, and from there statement by statement.

The kernel's functions are no Python frames. To stop, frames are made: code that has the name, file and
line of each function that runs, with its variables as numpy arrays. Any debugger that Python starts by
`breakpoint()` works in them, and one that traces lines sees those of the kernel.
"""

from __future__ import annotations

import bdb
import os
import pdb
import sys
from functools import lru_cache
from typing import Any

import numpy as np

from ..ast.values import Undefined, map_leaves, tensor
from .machine import Machine, evaluates
from .memory import Addresses
from .record import BREAK, MARK, Operation

_INNER = "__tilewright_inner__"


class Debugger:
    """What a run asks at each mark.

    Attributes:
        depth: While stepping, how deep calls are followed; None while running.
    """

    def __init__(self) -> None:
        self.depth: float | None = None

    def stops_at(self, op: Operation) -> bool:
        """Whether stepping ends at a mark."""
        return self.depth is not None and len(op.attributes["frames"]) <= self.depth


class _Pdb(pdb.Pdb):
    """Python's debugger, whose steps go from statement to statement of the kernel."""

    def __init__(self, debugger: Debugger, depth: int) -> None:
        super().__init__()
        self.prompt = "(kernel) "
        self.debugger = debugger
        self.here = depth

    def _go(self, depth: float | None) -> bool:
        self.debugger.depth = depth
        return True

    def do_step(self, arg: str) -> bool:
        """Run to the next statement, also in a function that is called."""
        return self._go(float("inf"))

    def do_next(self, arg: str) -> bool:
        """Run to the next statement of this function or of its callers."""
        return self._go(self.here)

    def do_return(self, arg: str) -> bool:
        """Run to the next statement of the caller."""
        return self._go(self.here - 1)

    def do_continue(self, arg: str) -> bool:
        """Run to the next breakpoint()."""
        return self._go(None)

    do_s, do_n, do_r, do_c, do_cont = do_step, do_next, do_return, do_continue, do_continue


class Pointer:
    """How a pointer is shown."""

    def __init__(self, value: Addresses, element: str) -> None:
        self.addresses = value.array
        self.buffer = value.buffer
        self.element = element

    def __repr__(self) -> str:
        if self.buffer is None:
            return f"<pointer to {self.element}: {self.addresses}>"
        return f"<pointer to {self.element} in '{self.buffer.name}', bytes {self.addresses - self.buffer.first}>"


def shown(machine: Machine, value: Any) -> Any:
    """A variable as a debugger shows it: blocks as arrays, scalars as numbers."""
    def one(leaf: Any) -> Any:
        if isinstance(leaf, Undefined):
            return f"<{leaf.message}>"
        if not isinstance(leaf, tensor):
            return leaf
        if leaf._handle is None:
            return leaf.constant
        found = machine.values.get(leaf._handle)
        if isinstance(found, Addresses):
            return Pointer(found, leaf.dtype.element_ty.name)
        return None if found is None else np.array(found) if leaf.type.is_block() else np.asarray(found)[()]

    return map_leaves(value, one)


@evaluates(MARK)
def _mark(machine: Machine, op: Operation) -> None:
    debugger = machine.debugger
    if debugger.stops_at(op):
        _stop(machine, op)
    elif _is_traced():
        _enter(machine, op, "pass", {})


@evaluates(BREAK)
def _break(machine: Machine, op: Operation) -> None:
    _stop(machine, op)


def _is_traced() -> bool:
    """Whether something looks at each line that runs."""
    if sys.gettrace() is not None:
        return True
    monitoring = getattr(sys, "monitoring", None)
    return monitoring is not None and monitoring.get_tool(monitoring.DEBUGGER_ID) is not None


def _stop(machine: Machine, op: Operation) -> None:
    """Hand over to the debugger at a statement."""
    debugger = machine.debugger
    debugger.depth = None
    depth = len(op.attributes["frames"])
    own = sys.breakpointhook is sys.__breakpointhook__ and not os.environ.get("PYTHONBREAKPOINT")

    def stop() -> None:
        own_debugger = _Pdb(debugger, depth)
        own_debugger.reset()
        own_debugger.interaction(sys._getframe(1), None)
        if own_debugger.quitting:
            raise bdb.BdbQuit

    try:
        _enter(machine, op, "__tilewright_stop__()" if own else "breakpoint()", {"__tilewright_stop__": stop})
    except bdb.BdbQuit:
        raise KeyboardInterrupt("left the debugger") from None


def _enter(machine: Machine, op: Operation, text: str, names: dict[str, Any]) -> None:
    """Run code in frames for all functions that run, innermost."""
    code, variables = text, names
    for frame, node, scope in reversed(op.attributes["frames"]):
        local = {name: shown(machine, value) for name, value in scope.items()}
        around = {**frame.function.fn.__globals__, **frame.closure, **variables}
        source = frame.source
        line: int = getattr(node, "lineno", source.first_line)
        run = _compiled(source.file, line, frame.function.__name__, code)
        code, variables = f"{_INNER}()", {_INNER: _Inner(run, around, local)}
    variables[_INNER]()


class _Inner:
    """The code of a frame, to be run by the one around it."""

    def __init__(self, code: Any, around: dict[str, Any], local: dict[str, Any]) -> None:
        self.run = code, around, local

    def __call__(self) -> None:
        exec(*self.run)


@lru_cache(maxsize=4096)
def _compiled(file: str, line: int, name: str, text: str) -> Any:
    """Code that seems to stand at a place of a function's source."""
    return compile("\n" * (line - 1) + text, file, "exec").replace(co_name=name, co_qualname=name)
