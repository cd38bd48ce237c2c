"""Remarks on a kernel: what an assembler says of its text, at places in the source; and showing them."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from . import config
from .errors import Note, Position, list_names

if TYPE_CHECKING:
    from .kernel import CompiledKernel, Stages


class Advice(Protocol):
    """What an assembler says: a message, and the lines of its text that it is about; none for all of it."""

    @property
    def message(self) -> str: ...
    @property
    def lines(self) -> Sequence[int]: ...


def add_advice(remarks: list[Note], advice: Iterable[Advice], fn: Any, stages: Stages) -> None:
    """Append what an assembler says to a kernel's remarks, each once, at the places that it is about.

    Args:
        remarks: Of the kernel.
        advice: With lines of the assembled text.
        fn: The kernel's function.
        stages: With the text.
    """
    for each in advice:
        places = _find_places(fn, stages, each.lines) if each.lines else []
        first = places[0] if places else _place_of(fn)
        others = list(dict.fromkeys(str(place.line) for place in places if place.line != places[0].line))
        also = f"; the same at line{'s' if len(others) > 1 else ''} {list_names(others)}" if others else ""
        remark = Note(each.message + also, first, "remark")
        if remark not in remarks:
            remarks.append(remark)


def _find_places(fn: Any, stages: Stages, lines: Sequence[int]) -> list[Position]:
    """Where in the source lines of the assembled text come from. Code generation says so in a second text: to
    have it in each would take time, and room in binaries."""
    from .compile import locate
    from .kernel import ASSEMBLED

    text = next(source for source in ASSEMBLED.values() if source in stages)
    runtime = importlib.import_module(f"tilewright.runtime.{stages.target}")
    found = runtime.find_places(stages[text], stages.located(text), lines)
    return [place for place in (locate(fn, *each) for each in found) if place is not None]


def _place_of(fn: Any) -> Position | None:
    source = getattr(fn, "source", None)
    return None if source is None else source.position(source.tree)


def show(kernel: CompiledKernel) -> None:
    """Print a kernel's remarks where `TILEWRIGHT_REMARKS` asks for it."""
    if config.print_remarks():
        for remark in getattr(kernel, "remarks", ()):
            print(remark, file=sys.stderr)
