#!/usr/bin/env python3
"""Writes what editors and type checkers know of values: `frontend/tilewright/language/methods.pyi`.

Operators and methods of values are functions that are attached when the language is imported, where no
checker sees them. Run it when methods change: `PYTHONPATH=build/python python tools/make_stubs.py`.
"""

from __future__ import annotations

import inspect
import textwrap
from pathlib import Path

HEAD = '''"""Operators and methods of values, written by tools/make_stubs.py."""

from collections.abc import Iterator
from typing import Any

from ..ast.values import tensor
from .types import dtype

class Methods:
'''
BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift")
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
# The types that signatures name; any other becomes Any.
KNOWN = ("tensor", "dtype", "int", "bool", "str", "float", "None", "Any", "tuple", "list")
TARGET = Path(__file__).parent.parent / "frontend" / "tilewright" / "language" / "methods.pyi"


def annotation(text: object) -> str:
    """An annotation of a function as the stub spells it."""
    if text is inspect.Parameter.empty or not isinstance(text, str):
        return "Any"
    names = text.replace("|", " ").replace("[", " ").replace("]", " ").replace(",", " ").replace("...", " ").split()
    short = [name.rpartition(".")[2] for name in names]
    if not all(name in KNOWN for name in short):
        return "Any"
    return text.replace("t.dtype", "dtype")


def parameter(each: inspect.Parameter) -> str:
    """One parameter; numbers serve where values do."""
    kind = annotation(each.annotation)
    stars = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
    if kind in ("tensor", "int", "bool", "float", "str"):
        kind = "Any" if kind == "tensor" else kind
    default = "" if each.default is each.empty else " = ..."
    return f"{stars}{each.name}: {kind}{default}"


def method(name: str, function: object) -> str:
    """A method's line."""
    signature = inspect.signature(function)  # type: ignore[arg-type]
    _, *rest = signature.parameters.values()
    listed = ["self"]
    for place, each in enumerate(rest):
        if each.kind is each.KEYWORD_ONLY and (place == 0 or rest[place - 1].kind not in (
                each.KEYWORD_ONLY, each.VAR_POSITIONAL)):
            listed.append("*")
        listed.append(parameter(each))
    line = f"def {name}({', '.join(listed)}) -> {annotation(signature.return_annotation)}: ..."
    return "\n".join(textwrap.wrap(line, 120, initial_indent="    ", subsequent_indent=" " * 9 + " " * len(name),
                                   break_on_hyphens=False))


def methods() -> dict[str, object]:
    """The functions that are methods of values, by name."""
    from tilewright.ast.values import BoundMethod, tensor
    from tilewright.jit import JITFunction

    found: dict[str, object] = {}
    for name in sorted(vars(tensor)):
        value = inspect.getattr_static(tensor, name)
        function = getattr(value, "function", value)
        if name.startswith("_") or isinstance(value, (property, BoundMethod)) or not callable(function):
            continue
        found[name] = function.fn if isinstance(function, JITFunction) else function
    return found


def stub() -> str:
    """The text of the stub."""
    import tilewright.language  # noqa: F401 - it attaches the methods

    lines = [f"    def __{name}__(self, other: Any) -> tensor: ..." for name in BINARY]
    lines += [f"    def __r{name}__(self, other: Any) -> tensor: ..." for name in BINARY]
    lines += [f"    def __{name}__(self, other: Any) -> tensor: ...  # type: ignore[override]" for name in COMPARISONS]
    lines += [f"    def __{name}__(self) -> tensor: ..." for name in ("neg", "pos", "invert")]
    lines += ["    def __getitem__(self, items: Any) -> tensor: ...", "    def __index__(self) -> int: ...",
              "    def __iter__(self) -> Iterator[Any]: ...", "    @property", "    def T(self) -> tensor: ..."]
    lines += [method(name, function) for name, function in methods().items()]
    return HEAD + "\n".join(lines) + "\n"


if __name__ == "__main__":
    TARGET.write_text(stub())
