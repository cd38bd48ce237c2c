"""The lowering of one kernel: statements and expressions become operations as they are met."""

from __future__ import annotations

from typing import Any

from .branches import Branches
from .builder import Builder
from .calls import Calls
from .expressions import Expressions
from .frame import Frame
from .loops import Loops
from .objects import Objects
from .statements import Statements
from .values import Value


class Lowering(Expressions, Statements, Branches, Loops, Calls, Objects):
    """Walks the syntax tree of a kernel and of the functions that it calls.

    The mixed-in classes hold the rules by theme; the state is here.
    """

    def __init__(self, builder: Builder, function: Any) -> None:
        self.builder = builder
        self.frame = Frame(function, None, builder.session)
        self.loop_options: dict[str, Any] = {}
        builder.position = lambda: self.frame.location()
        builder.call = self.call_value

    def run(self, arguments: dict[str, Value]) -> None:
        """Lower the kernel's body for the values of its parameters."""
        from .jumps import body_without_jumps

        self.frame.scope = dict(arguments)
        self.statements(body_without_jumps(self.frame.source))
