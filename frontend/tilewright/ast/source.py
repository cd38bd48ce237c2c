"""The source of a function: its text, its tree, and positions in both."""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
import threading
from collections.abc import Callable
from functools import cached_property
from typing import Any

from ..errors import CompilationError, Position


class FunctionSource:
    """Text and syntax tree of a Python function, read when first asked for."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.file = function.__code__.co_filename
        self.first_line = function.__code__.co_firstlineno
        self.lock = threading.Lock()
        self.structured: list[ast.stmt] | None = None
        """The body without jumps, once it was asked for."""

    @cached_property
    def lines(self) -> list[str]:
        """The function's lines as they are in the file, decorators included."""
        lines = linecache.getlines(self.file, self.function.__globals__)
        if len(lines) < self.first_line:
            raise CompilationError(
                f"the source of '{self.function.__name__}' is not available",
                "kernels are compiled from their source: define them in a file, a notebook or IPython")
        return inspect.getblock(lines[self.first_line - 1:])

    def replace(self, text: str) -> None:
        """Take another text for the function, which begins at its `def` or a decorator."""
        for name in ("text", "tree", "outer_names"):
            self.__dict__.pop(name, None)
        self.structured = None
        self.lines = textwrap.dedent(text).splitlines(keepends=True)

    @cached_property
    def text(self) -> str:
        """The function without its decorators and indentation: what its meaning depends on."""
        text = textwrap.dedent("".join(self.lines))
        return text[self._definition_offset(text):]

    @staticmethod
    def _definition_offset(text: str) -> int:
        offset = 0
        for line in text.splitlines(keepends=True):
            if line.startswith(("def ", "async ")):
                return offset
            offset += len(line)
        return 0

    @cached_property
    def tree(self) -> ast.FunctionDef:
        """The function's syntax tree; lines and columns count in the file."""
        text = "".join(self.lines)
        indented = text[:1].isspace()
        name = self.function.__name__
        try:
            module = ast.parse("if 1:\n" + text if indented else text)
        except SyntaxError:
            raise CompilationError(f"the source of '{name}' cannot be read on its own",
                                   "define kernels by a plain 'def', with its decorators before it") from None
        definition: ast.AST = module.body[0].body[0] if indented else module.body[0]  # type: ignore[attr-defined]
        if not isinstance(definition, ast.FunctionDef):
            raise CompilationError(f"'{name}' is not defined by a plain 'def'")
        if definition.name != self.function.__code__.co_name:
            raise CompilationError(f"{self.file} has changed since '{name}' was defined: another function is in its "
                                   "place", "start the program again")
        ast.increment_lineno(definition, self.first_line - (2 if indented else 1))
        return definition

    @cached_property
    def outer_names(self) -> list[tuple[str, ...]]:
        """Names and dotted names from outside that the function reads, in the order of the tree.

        Those of its decorators do not count: they are no part of what the function means.
        """
        paths: dict[tuple[str, ...], None] = {}
        own = set(self.function.__code__.co_varnames)
        read = ast.Module([self.tree.args, *self.tree.body], [])  # type: ignore[list-item]
        for node in ast.walk(read):
            path: list[str] = []
            while isinstance(node, ast.Attribute):
                path.insert(0, node.attr)
                node = node.value
            if isinstance(node, ast.Name) and node.id not in own:
                paths.setdefault((node.id, *path))
        return list(paths)

    def line_and_column(self, node: ast.AST) -> tuple[int, int]:
        """Line and column of a node, from 1."""
        return node.lineno, node.col_offset + 1  # type: ignore[attr-defined]

    def position(self, node: ast.AST) -> Position:
        """Where a node is, with the text of its line."""
        line: int = node.lineno  # type: ignore[attr-defined]
        index = line - self.first_line
        text = self.lines[index].rstrip("\n") if 0 <= index < len(self.lines) else ""
        # Columns of a tree count bytes of UTF-8.
        raw = text.encode()
        start = len(raw[: node.col_offset].decode(errors="replace"))  # type: ignore[attr-defined]
        last_line = getattr(node, "end_lineno", line) or line
        if last_line == line and getattr(node, "end_col_offset", None) is not None:
            end = len(raw[: node.end_col_offset].decode(errors="replace"))  # type: ignore[attr-defined]
        else:
            end = len(text)
        return Position(self.file, line, start + 1, end + 1, text)

    def find(self, file: str, line: int, column: int) -> Position | None:
        """The range of the longest expression or statement that begins at a place; None if none does."""
        if file != self.file or not self.first_line <= line < self.first_line + len(self.lines):
            return None
        nodes = [node for node in ast.walk(self.tree)
                 if getattr(node, "lineno", None) == line and node.col_offset == column - 1]  # type: ignore[attr-defined]
        return self.position(max(nodes, key=lambda node: (node.end_lineno, node.end_col_offset))) if nodes else None
