"""What a run found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ...errors import Position


@dataclass
class Finding:
    """Something that a kernel does wrong.

    Attributes:
        kind: `race`, `unpublished`, `uninitialised`, `overwritten`, `in flight`, `not awaited`, `out of bounds`,
            `deadlock` or `values`.
        text: What happens.
        op: The operation that meets it, by name; empty where none does.
        place: The user's line.
        other_op: The operation that it conflicts with.
        other_place: That one's line.
        program: The first program of the grid that met it.
        count: How often it was met.
    """

    kind: str
    text: str
    op: str = ""
    place: Position | None = None
    other_op: str = ""
    other_place: Position | None = None
    program: tuple[int, int, int] = (0, 0, 0)
    count: int = 1

    def __str__(self) -> str:
        lines = [f"{self.place}: {self.kind}: {self.text}" if self.place else f"{self.kind}: {self.text}"]
        lines += self.place.excerpt() if self.place else []
        if self.other_place:
            lines += [f"{self.other_place}: the other access: {self.other_op}", *self.other_place.excerpt()]
        times = f", {self.count} times" if self.count > 1 else ""
        return "\n".join([*lines, f"note: first in program {self.program}{times}"])


@dataclass
class Report:
    """All findings of a run; true if there are any."""

    findings: list[Finding] = field(default_factory=list)
    _known: dict[tuple, Finding] = field(default_factory=dict)

    def add(self, kind: str, text: str, program: tuple[int, int, int], step: Any = None, other: Any = None) -> None:
        """Note something wrong; the same again only counts."""
        key = (kind, getattr(step, "number", text), getattr(other, "number", None))
        found = self._known.get(key)
        if found is not None:
            found.count += 1
            return
        finding = Finding(kind, text, getattr(step, "name", ""), getattr(step, "place", None),
                          getattr(other, "name", ""), getattr(other, "place", None), program)
        self._known[key] = finding
        self.findings.append(finding)

    def kinds(self) -> set[str]:
        """The kinds of what was found."""
        return {finding.kind for finding in self.findings}

    def __bool__(self) -> bool:
        return bool(self.findings)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.findings)) or "nothing found"
