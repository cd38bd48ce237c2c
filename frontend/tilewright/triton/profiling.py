"""Sessions that record how long launches and scopes take, in the form of Proton's trees (``<name>.hatchet``)."""

from __future__ import annotations

import functools
import itertools
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tilewright import config, hooks
from tilewright.triton.refusal import NotOffered


@dataclass
class _Node:
    """A scope, or a kernel inside one."""

    name: str
    children: dict[str, _Node] = field(default_factory=dict)
    metrics: dict[str, float] = field(default_factory=dict)

    def child(self, name: str) -> _Node:
        if name not in self.children:
            self.children[name] = _Node(name)
        return self.children[name]

    def add(self, metrics: dict[str, float]) -> None:
        for name, value in metrics.items():
            self.metrics[name] = self.metrics.get(name, 0) + value

    def to_json(self) -> dict[str, Any]:
        return {"frame": {"name": self.name, "type": "function"}, "metrics": self.metrics,
                "children": [child.to_json() for child in self.children.values()]}


class _Session:
    def __init__(self, name: str, launches: bool) -> None:
        self.name = name
        self.launches = launches
        self.root = _Node("ROOT")
        self.path = [self.root]
        self.active = True


_sessions: dict[int, _Session] = {}
_numbers = itertools.count()
_starts: list[int] = []


def start(name: str | None = None, *, context: str = "shadow", data: str = "tree", backend: str | None = None,
          mode: Any = None, hook: Any = None) -> int | None:
    """Begin a session; gives its number, or None if TRITON_PROTON_DISABLE is set.

    Args:
        name: Of the file that `finalize` writes, without its suffix.
        context: "shadow": scopes are those that the program enters.
        data: "tree".
        backend: Kept; launches are timed from their call to their end.
        mode: Must be None.
        hook: "triton" also records the facts that a kernel's `launch_metadata` gives, such as flops.

    Raises:
        NotOffered: For traces, stacks of Python, and modes of hardware counters.
    """
    if (config.raw("TRITON_PROTON_DISABLE") or "").lower() in ("1", "true", "on", "yes"):
        return None
    if context != "shadow" or data != "tree" or mode is not None:
        raise NotOffered("proton.start records trees of scopes (context='shadow', data='tree', mode=None) of "
                         "launches; Tilewright has no traces and reads no counters of the hardware")
    number = next(_numbers)
    _sessions[number] = _Session(name or "proton", launches=hook is not None)
    if _enter_launch not in hooks.launch_enter.calls:
        hooks.launch_enter.add(_enter_launch)
        hooks.launch_exit.add(_exit_launch)
    return number


def _chosen(session: int | None) -> list[_Session]:
    if session is None:
        return list(_sessions.values())
    if session not in _sessions:
        raise ValueError(f"there is no session {session}")
    return [_sessions[session]]


def activate(session: int | None = None) -> None:
    """Record again."""
    for each in _chosen(session):
        each.active = True


def deactivate(session: int | None = None, flushing: bool = False) -> None:
    """Stop recording for now."""
    for each in _chosen(session):
        each.active = False


def finalize(session: int | None = None, output_format: str = "hatchet") -> None:
    """End sessions, and write each to a file."""
    for each in _chosen(session):
        Path(f"{each.name}.{output_format}").write_text(json.dumps([each.root.to_json(), {}]))
    if session is None:
        _sessions.clear()
    else:
        del _sessions[session]
    if not _sessions:
        hooks.launch_enter.remove(_enter_launch)
        hooks.launch_exit.remove(_exit_launch)


def _active() -> list[_Session]:
    return [each for each in _sessions.values() if each.active]


def _enter_launch(facts: hooks.LazyFacts) -> None:
    _starts.append(time.perf_counter_ns())


def _exit_launch(facts: hooks.LazyFacts) -> None:
    from tilewright.runtime import gpu

    gpu.synchronize()
    duration = time.perf_counter_ns() - _starts.pop()
    for each in _active():
        known = facts.get() if each.launches else facts.data
        node = each.path[-1].child(known["name"])
        numbers = {name: value for name, value in known.items() if isinstance(value, (int, float)) and name != "stream"}
        node.add({"time (ns)": duration, "count": 1, **numbers})


def enter_scope(name: str, *, triton_op: bool = False, metrics: dict[str, float] | None = None) -> None:
    """What follows belongs to a scope."""
    for each in _active():
        each.path.append(each.path[-1].child(name))
        each.path[-1].add(metrics or {})


def exit_scope(name: str | None = None, *, triton_op: bool = False, metrics: dict[str, float] | None = None) -> None:
    """The innermost scope ends."""
    for each in _active():
        if len(each.path) > 1:
            each.path.pop().add(metrics or {})


class scope:  # noqa: N801 - Proton's name
    """A scope as a context manager and as a decorator."""

    def __init__(self, name: str, metrics: dict[str, float] | None = None) -> None:
        self.name, self.metrics = name, metrics

    def __enter__(self) -> scope:
        enter_scope(self.name, metrics=self.metrics)
        return self

    def __exit__(self, *error: object) -> None:
        exit_scope(self.name)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return inside


class cpu_timed_scope(scope):  # noqa: N801
    """A scope whose own time is recorded too."""

    def __enter__(self) -> cpu_timed_scope:
        super().__enter__()
        self._start = time.perf_counter_ns()
        return self

    def __exit__(self, *error: object) -> None:
        exit_scope(self.name, metrics={"cpu_time (ns)": time.perf_counter_ns() - self._start})


class state(scope):  # noqa: N801
    """A phase of the program, which is shown as a scope."""


@contextmanager
def metadata_state() -> Iterator[None]:
    """What is launched inside computes metrics and is not recorded."""
    active = _active()
    for each in active:
        each.active = False
    try:
        yield
    finally:
        for each in active:
            each.active = True


def profile(function: Callable[..., Any] | None = None, *, name: str | None = None, **options: Any) -> Any:
    """Record a function's calls, each in a session of its own."""
    if function is None:
        return lambda fn: profile(fn, name=name, **options)

    @functools.wraps(function)
    def recorded(*args: Any, **kwargs: Any) -> Any:
        session = start(name, **options)
        try:
            return function(*args, **kwargs)
        finally:
            if session is not None:
                finalize(session)

    return recorded
