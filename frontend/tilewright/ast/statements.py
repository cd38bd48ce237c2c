"""Statements without control flow."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import CompilationError, TileTypeError, UnsupportedLanguageConstruct
from ..language import debug
from ..language.conversion import describe_value
from ..language.loops import range as loop_range
from ..language.loops import static_range
from .constants import is_constexpr_annotation, open_constant
from .frame import RESULT
from .values import Aggregate, Value, constant, is_number, is_static, rebuild, tensor, unwrap

if TYPE_CHECKING:
    from .lowering import Lowering

# Each iteration of a static loop is code of its own.
MOST_STATIC_ITERATIONS = 1 << 20


def assigned_value(value: Value) -> Value:
    """What a plain variable holds: a number gets the type that it will have in the program."""
    if isinstance(value, tuple):
        return rebuild(value, [assigned_value(item) for item in value])
    return constant(value) if is_number(value) else value


class Statements:
    """The part of the lowering that runs statements."""

    def statements(self: Lowering, nodes: Sequence[ast.stmt]) -> None:
        for node in nodes:
            self.statement(node)

    def statement(self: Lowering, node: ast.stmt) -> None:
        handler = _HANDLERS.get(node.__class__)
        if handler is None:
            raise self.unsupported(node)
        self.frame.node = node
        handler(self, node)

    def assignment(self: Lowering, node: ast.Assign) -> None:
        value = self.expression(node.value)
        for target in node.targets:
            self.assign(target, value)

    def assign(self: Lowering, target: ast.expr, value: Value, keep: bool = False) -> None:
        """Bind a target, or each target of a tuple, to a value; with `keep`, numbers stay plain constants."""
        if isinstance(target, ast.Name):
            self.bind(target.id, value if keep else assigned_value(value), target)
        elif isinstance(target, (ast.Tuple, ast.List)):
            self.frame.node = target
            if any(isinstance(element, ast.Starred) for element in target.elts):
                raise UnsupportedLanguageConstruct("a starred target is not supported in kernels")
            items = self.iterate_static(value, target)
            if len(items) != len(target.elts):
                raise CompilationError(f"expects {len(target.elts)} values to unpack, got {len(items)}")
            for element, item in zip(target.elts, items, strict=True):
                self.assign(element, item, keep)
        elif isinstance(target, ast.Subscript):
            self.frame.node = target
            raise UnsupportedLanguageConstruct(
                "elements of a block or a tuple cannot be assigned",
                "write to memory with tl.store, or make a new block: x = tl.where(index == i, value, x)")
        else:
            self.assign_attribute(target, value)

    def assign_attribute(self: Lowering, target: ast.expr, value: Value) -> None:
        """Set a field, which the constructor of an aggregate does."""
        assert isinstance(target, ast.Attribute)
        base = self.expression(target.value)
        self.frame.node = target
        if not isinstance(base, Aggregate):
            raise UnsupportedLanguageConstruct("attributes cannot be assigned in kernels")
        setattr(base, target.attr, value)

    def bind(self: Lowering, name: str, value: Value, node: ast.AST) -> None:
        """Give a variable a value."""
        self.frame.scope[name] = value
        self.frame.definitions[name] = node
        if name == RESULT:
            self.frame.result_example = value

    def annotated_assignment(self: Lowering, node: ast.AnnAssign) -> None:
        if node.value is None:
            return
        value = self.expression(node.value)
        if not isinstance(node.target, ast.Name) or not self.is_constexpr(node.annotation):
            self.assign(node.target, value)
            return
        self.frame.node = node
        if not is_static(value):
            raise TileTypeError(f"'{node.target.id}' is annotated tl.constexpr, but its value is "
                                f"{describe_value(value)}, known only when the program runs")
        self.bind(node.target.id, unwrap(value), node.target)

    def is_constexpr(self: Lowering, annotation: ast.expr) -> bool:
        """Whether an annotation in the body says `tl.constexpr`."""
        return is_constexpr_annotation(ast.unparse(annotation))

    def augmented_assignment(self: Lowering, node: ast.AugAssign) -> None:
        if not isinstance(node.target, ast.Name):
            self.frame.node = node.target
            raise UnsupportedLanguageConstruct("augmented assignment is for variables", "write x = x + y")
        self.frame.node = node
        name = node.target.id
        read = getattr(node, "_read", None)
        if read is None:
            read = node._read = ast.copy_location(ast.Name(name, ast.Load()), node.target)  # type: ignore[attr-defined]
        old, operand = self.expression(read), self.expression(node.value)
        self.frame.node = node
        self.bind(name, assigned_value(self.apply_binary(type(node.op), old, operand)), node.target)

    def expression_statement(self: Lowering, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):  # a docstring
            return
        node.value.unused = True  # type: ignore[attr-defined]
        self.expression(node.value)

    def result_statement(self: Lowering, node: ast.Return) -> None:
        """A return, which stands at the end of every path here."""
        value = None if node.value is None else self.expression(node.value)
        self.frame.node = node
        if self.frame.caller is None and value is not None:
            raise UnsupportedLanguageConstruct("a kernel returns nothing", "write results to memory with tl.store")
        self.frame.scope[RESULT] = value

    def assertion(self: Lowering, node: ast.Assert) -> None:
        condition = self.expression(node.test)
        message = "" if node.msg is None else self.expression(node.msg)
        self.frame.node = node
        debug.device_assert(condition, message if message else ast.unparse(node.test))

    def with_statement(self: Lowering, node: ast.With) -> None:
        """Enter and leave objects that the language's functions give, around statements."""
        managers = []
        for item in node.items:
            manager = self.expression(item.context_expr)
            self.frame.node = item.context_expr
            if not hasattr(type(manager), "__enter__") and not self.special_method(manager, "enter"):
                raise UnsupportedLanguageConstruct(f"'with' does not take {describe_value(manager)}")
            entered = self.enter(manager)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, open_constant(entered))
            managers.append(manager)
        self.statements(node.body)
        self.frame.node = node
        for manager in reversed(managers):
            self.leave(manager)

    def enter(self: Lowering, manager: Any) -> Value:
        method = self.special_method(manager, "enter")
        return self.call_value(method, [], {}) if method else self.python_operation(manager.__enter__)

    def leave(self: Lowering, manager: Any) -> None:
        method = self.special_method(manager, "exit")
        if method:
            self.call_value(method, [None, None, None], {})
        else:
            self.python_operation(manager.__exit__, None, None, None)

    def iterate_static(self: Lowering, value: Value, node: ast.AST) -> list[Value]:
        """The items of what is unpacked or looped over while compiling."""
        if isinstance(value, static_range):
            items = range(value.start, value.end, value.step)
            if len(items) > MOST_STATIC_ITERATIONS:
                self.frame.node = node
                raise UnsupportedLanguageConstruct(
                    f"a static loop of {len(items)} iterations would take minutes to compile; the most are "
                    f"{MOST_STATIC_ITERATIONS}", "loop with range or tl.range")
            return list(items)
        if isinstance(value, loop_range):
            bounds = [unwrap(each) for each in (value.start, value.end, value.step)]
            if all(is_number(each) for each in bounds):
                return list(range(*bounds))
        if isinstance(value, (tuple, list, str, range)):
            return list(value)
        self.frame.node = node
        if isinstance(value, tensor):
            raise TileTypeError(f"{describe_value(value)} cannot be unpacked or looped over")
        raise TileTypeError(f"expects a range or a tuple, got {describe_value(value)}")


def _nothing(self: Any, node: ast.stmt) -> None:
    """`pass`."""


_HANDLERS: dict[type[ast.AST], Callable[..., None]] = {
    ast.Assign: Statements.assignment, ast.AnnAssign: Statements.annotated_assignment,
    ast.AugAssign: Statements.augmented_assignment, ast.Expr: Statements.expression_statement,
    ast.Return: Statements.result_statement, ast.Assert: Statements.assertion, ast.Pass: _nothing,
    ast.If: lambda self, node: self.if_statement(node), ast.For: lambda self, node: self.for_statement(node),
    ast.While: lambda self, node: self.while_statement(node), ast.With: Statements.with_statement,
}
