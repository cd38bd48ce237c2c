"""Errors that users see: one clear message at a place in their source."""

from __future__ import annotations

import difflib
import linecache
from collections.abc import Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Position:
    """A stretch of a line of source; lines and columns count from 1, ``end`` is exclusive."""

    file: str
    line: int
    column: int
    end: int = 0
    text: str | None = None

    def excerpt(self) -> list[str]:
        """The line of source and a caret range under it; nothing where the source is not at hand."""
        text = self.text if self.text is not None else linecache.getline(self.file, self.line)
        text = text.rstrip("\n")
        if not text.strip():
            return []
        width = max(1, min(self.end, len(text) + 1) - self.column)
        # Tabs stay tabs under the source, so that the caret stands where the reader sees it.
        indent = "".join("\t" if char == "\t" else " " for char in text[: self.column - 1])
        return [f"{self.line:5} | {text}", f"      | {indent}{'^' * width}"]

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Note:
    """What to do, where something comes from, or what a pass remarks."""

    message: str
    position: Position | None = None
    severity: str = "note"

    def lines(self) -> list[str]:
        """The note as it is shown, with the source where its place is known."""
        if self.position is None:
            return [f"{self.severity}: {self.message}"]
        return [f"{self.position}: {self.severity}: {self.message}", *self.position.excerpt()]

    def __str__(self) -> str:
        return "\n".join(self.lines())


@dataclass
class _Report:
    message: str
    position: Position | None = None
    notes: list[Note] = field(default_factory=list)

    def __str__(self) -> str:
        head = f"{self.position}: error: {self.message}" if self.position else self.message
        lines = [head, *(self.position.excerpt() if self.position else [])]
        for note in self.notes:
            lines += note.lines()
        return "\n".join(lines)


class TilewrightError(Exception):
    """Base of everything that Tilewright raises on its own account."""


class CompilationError(TilewrightError):
    """A kernel cannot be compiled; the text names the place, what is wrong and what to do.

    Attributes:
        message: What is wrong, in one sentence.
        position: Where in the user's source, if known.
        notes: What to do, and the chain of calls that led here.
    """

    def __init__(self, message: str, *notes: str | Note, position: Position | None = None) -> None:
        super().__init__(message)
        self.report = _Report(message, position,
                              [Note(note) if isinstance(note, str) else note for note in notes])

    @property
    def message(self) -> str:
        return self.report.message

    @property
    def position(self) -> Position | None:
        return self.report.position

    @property
    def notes(self) -> list[Note]:
        return self.report.notes

    def locate(self, position: Position) -> None:
        """Set the place where it has none yet."""
        if self.report.position is None:
            self.report.position = position

    def attach_note(self, message: str, position: Position | None = None) -> None:
        """Append a note."""
        self.report.notes.append(Note(message, position))

    def __str__(self) -> str:
        return str(self.report)

    def __reduce__(self) -> tuple:
        return (_restore, (type(self), self.report))


def _restore(cls: type[CompilationError], report: _Report) -> CompilationError:
    return cls(report.message, *report.notes, position=report.position)


class TileTypeError(CompilationError):
    """Operands of types or shapes that an operation does not take."""


class UndefinedNameError(CompilationError):
    """A name that has no value where it is used."""


class UnsupportedLanguageConstruct(CompilationError):
    """Python that cannot be compiled."""


class CompileTimeAssertionFailure(CompilationError):
    """A ``tl.static_assert`` does not hold."""


class LoweringError(CompilationError):
    """A pass or a code generator refused the kernel."""


class InternalError(CompilationError):
    """A defect of the compiler, at the place that it was compiling."""


class TargetError(CompilationError):
    """A target, an architecture or an option that does not exist."""


class InterpreterError(CompilationError):
    """A kernel did what it must not while it was interpreted; the text names the place and the program."""


class OutOfResources(TilewrightError):
    """A kernel needs more of a resource than the device has."""

    def __init__(self, required: int, limit: int, name: str, kernel: str = "") -> None:
        super().__init__(required, limit, name, kernel)
        self.required = required
        self.limit = limit
        self.name = name
        self.kernel = kernel

    def __str__(self) -> str:
        what = f"kernel {self.kernel}" if self.kernel else "the kernel"
        return (f"{what} needs {self.required} of {self.name}, the device has {self.limit}; "
                "use smaller blocks or a smaller num_stages")


def suggest(name: str, candidates: Iterable[str]) -> str:
    """`; did you mean 'x'?` where a candidate is close to the name, else nothing."""
    close = difflib.get_close_matches(name, list(candidates), n=1, cutoff=0.6)
    return f"; did you mean '{close[0]}'?" if close else ""


def list_names(names: Iterable[str]) -> str:
    """Names in a sentence: `a, b and c`."""
    items = list(names)
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"
