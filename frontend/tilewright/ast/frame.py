"""One function being compiled: its names, its source, and the call that led to it."""

from __future__ import annotations

import ast
from typing import Any

from ..errors import CompilationError, Position, suggest
from .builder import Session
from .source import FunctionSource
from .values import Value

RESULT = "return"
"""The name under which a function's result is kept; no variable can have it."""


CALLS_SHOWN = 4
"""Calls at the inner end of a chain that an error lists; of a long one it adds the outermost."""


class Frame:
    """The state of one function: the kernel, or a function whose body is written in its caller."""

    def __init__(self, function: Any, caller: Frame | None, session: Session) -> None:
        self.function = function
        self.source: FunctionSource = function.source
        self.globals: dict[str, Any] = function.fn.__globals__
        self.closure: dict[str, Any] = function.closure
        self.caller = caller
        self.call_node: ast.AST | None = caller.node if caller else None
        self.scope: dict[str, Value] = {}
        self.definitions: dict[str, ast.AST] = {}
        self.result_example: Value = None
        self.node: ast.AST = self.source.tree
        self._session = session
        self._locations: dict[tuple[int, int], Any] = {}
        self._file = self.source.file
        self._call_location: Any = None

    @property
    def depth(self) -> int:
        """The number of calls that led here."""
        return 0 if self.caller is None else 1 + self.caller.depth

    def location(self, node: ast.AST | None = None) -> Any:
        """The IR's location of the node that is being compiled, or of another one."""
        key = self.source.line_and_column(self.node if node is None else node)
        found = self._locations.get(key)
        if found is None:
            ir = self._session.ir
            found = ir.Location.file(self._file, *key, self._session.context)
            if self.caller is not None:
                if self._call_location is None:
                    self._call_location = self.caller.location(self.call_node)
                found = ir.Location.callsite(found, [self._call_location], self._session.context)
            self._locations[key] = found
        return found

    def position(self, node: ast.AST | None = None) -> Position:
        """Where the current or another node is in the source."""
        return self.source.position(self.node if node is None else node)

    def locate(self, error: CompilationError) -> None:
        """Give an error the current position and the chain of calls, where it has none yet."""
        error.locate(self.position())
        chain: list[tuple[str, Position]] = []
        frame = self
        while frame.caller is not None:
            chain.append((frame.function.__name__, frame.caller.position(frame.call_node)))
            frame = frame.caller
        hidden = range(CALLS_SHOWN, len(chain) - 1) if len(chain) > CALLS_SHOWN + 2 else range(0)
        for place, (name, position) in enumerate(chain):
            if place == hidden.start and hidden:
                error.attach_note(f"and {len(hidden)} more calls")
            if place not in hidden:
                error.attach_note(f"in the call of '{name}'", position)

    def close_names(self, name: str) -> str:
        """A suggestion for a name that is not defined."""
        import builtins

        return suggest(name, [*self.scope, *self.closure, *self.globals, *dir(builtins)])


