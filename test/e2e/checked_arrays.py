"""Launches of numpy arrays at stage `scheduled`: a race, a missing wait or a deadlock fails a test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tilewright.interpreter.scheduled import Checked
from tilewright.jit import JITFunction


def launch_checked(monkeypatch: Any, target: str) -> None:
    """Let launches run as the compiler schedules them for a target."""
    functions: dict[JITFunction, Checked] = {}

    def launch(function: JITFunction, grid: Any, args: tuple, named: dict[str, Any]) -> None:
        if function not in functions:
            functions[function] = Checked(function, target)
        report = functions[function].launch(grid, args, named)
        if report:
            pytest.fail(f"{function.__name__} for {target}:\n{report}")

    def getitem(self: JITFunction, grid: Any) -> Callable[..., Any]:
        return lambda *args, **named: launch(self, grid, args, named)

    def run(self: JITFunction, *args: Any, grid: Any, warmup: bool = False, **named: Any) -> None:
        launch(self, grid, args, named)

    monkeypatch.setattr(JITFunction, "__getitem__", getitem)
    monkeypatch.setattr(JITFunction, "run", run)
