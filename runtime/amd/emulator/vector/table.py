"""The form of a table of elementwise vector instructions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Operation(NamedTuple):
    """An instruction that computes each lane from that lane's sources."""

    result: str
    sources: tuple[str, ...]
    function: Callable[..., Any]


class Table(dict[str, Operation]):
    """Operations by mnemonic."""

    def define(self, names: str, result: str, sources: str, function: Callable[..., Any]) -> None:
        """Add an operation under each of the blank-separated ``names``."""
        for name in names.split():
            self[name] = Operation(result, tuple(sources.split()), function)


def in_sequence(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any, Any], Any]:
    """A function of two values applied to three."""
    return lambda a, b, c: function(function(a, b), c)


def one_after(
    first: Callable[[Any, Any], Any], second: Callable[[Any, Any], Any]
) -> Callable[[Any, Any, Any], Any]:
    """second(first(a, b), c)."""
    return lambda a, b, c: second(first(a, b), c)
