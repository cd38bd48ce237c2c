"""Attributes, methods and operators of aggregates, and the comparison of tuples."""

from __future__ import annotations

import ast
import inspect
from typing import TYPE_CHECKING

from ..errors import CompilationError, suggest
from .aggregates import find_member
from .constants import open_constant
from .values import Aggregate, BoundMethod, Value, is_static, tensor, unwrap

if TYPE_CHECKING:
    from .lowering import Lowering

# operator of the syntax tree: the method that an aggregate may define for it
METHODS: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.Pow: "pow", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.LShift: "lshift",
    ast.RShift: "rshift", ast.MatMult: "matmul", ast.USub: "neg", ast.UAdd: "pos", ast.Invert: "invert",
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
}
_SWAPPED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


class Objects:
    """The part of the lowering that knows aggregates and compares tuples."""

    def aggregate_attribute(self: Lowering, base: Aggregate, name: str) -> Value:
        """A field, a method, a property or a constant of the class."""
        if name in base.__dict__:
            return base.__dict__[name]
        cls = type(base)
        member = find_member(cls, name)
        if member is None:
            public = [*base.__dict__, *(each for each in dir(cls) if not each.startswith("_"))]
            raise CompilationError(f"{cls.__name__} has no attribute '{name}'{suggest(name, public)}")
        if isinstance(member, property):
            return self.call_value(BoundMethod(member.fget, base), [], {})
        if isinstance(member, staticmethod):
            return member.__func__
        if isinstance(member, classmethod):
            return BoundMethod(member.__func__, cls)
        if inspect.isfunction(member) or hasattr(member, "__tile_function__"):
            return BoundMethod(member, base)
        return open_constant(member)

    def special_method(self: Lowering, value: Value, name: str) -> BoundMethod | None:
        """What an aggregate's class defines for an operator."""
        if not isinstance(value, Aggregate):
            return None
        member = find_member(type(value), f"__{name}__")
        return None if member is None else BoundMethod(member, value)

    def aggregate_operator(self: Lowering, kind: type[ast.AST], x: Value, y: Value) -> tuple[Value, bool]:
        """The result of an operator that an operand's class defines; whether one does."""
        name = METHODS.get(kind)
        if name is not None and (isinstance(x, Aggregate) or isinstance(y, Aggregate)):
            method = self.special_method(x, name)
            if method is not None:
                return self.call_value(method, [y], {}), True
            method = self.special_method(y, _SWAPPED.get(name, f"r{name}"))
            if method is not None:
                return self.call_value(method, [x], {}), True
        return None, False

    # --- tuples ------------------------------------------------------------------------------------------
    def equal_tuples(self: Lowering, x: Value, y: Value) -> Value:
        """Whether two tuples are equal; a value of the program where their items are."""
        if not (isinstance(x, tuple) and isinstance(y, tuple)) or len(x) != len(y):
            return False
        result: Value = True
        for left, right in zip(x, y, strict=True):
            one = self.compare_one(ast.Eq, left, right)
            if is_static(one) and not unwrap(one):
                return False
            result = one if is_static(result) else result if is_static(one) else self.combine(ast.And, result, one)
        return result

    def is_item(self: Lowering, value: Value, items: tuple) -> Value:
        """`value in items`."""
        result: Value = False
        for item in items:
            one = self.compare_one(ast.Eq, value, item)
            if is_static(one):
                if unwrap(one):
                    return True
                continue
            result = one if is_static(result) else self.combine(ast.Or, result, one)
        return result

    def negated(self: Lowering, value: Value) -> Value:
        """`not value`."""
        from ..language.arithmetic import not_

        return not_(value) if isinstance(value, tensor) else not value
