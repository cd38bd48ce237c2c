"""Expressions."""

from __future__ import annotations

import ast
import inspect
import operator
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import config
from ..errors import CompilationError, TileTypeError, UndefinedNameError, UnsupportedLanguageConstruct, suggest
from ..language import arithmetic, moving, overflow, shapes
from ..language.conversion import describe_value
from .constants import is_constant_global, open_constant
from .objects import METHODS
from .values import Aggregate, BoundMethod, Undefined, Value, has_tensor, is_static, tensor, unwrap

if TYPE_CHECKING:
    from .lowering import Lowering

# operator of the syntax tree: its symbol, on Python objects, on values of the program
BINARY: dict[type[ast.operator], tuple[str, Callable[[Any, Any], Any], Callable[[Any, Any], Any]]] = {
    ast.Add: ("+", operator.add, arithmetic.add),
    ast.Sub: ("-", operator.sub, arithmetic.sub),
    ast.Mult: ("*", operator.mul, arithmetic.mul),
    ast.Div: ("/", operator.truediv, arithmetic.truediv),
    ast.FloorDiv: ("//", operator.floordiv, arithmetic.floordiv),
    ast.Mod: ("%", operator.mod, arithmetic.mod),
    ast.BitAnd: ("&", operator.and_, arithmetic.and_),
    ast.BitOr: ("|", operator.or_, arithmetic.or_),
    ast.BitXor: ("^", operator.xor, arithmetic.xor),
    ast.LShift: ("<<", operator.lshift, arithmetic.shl),
    ast.RShift: (">>", operator.rshift, arithmetic.shr),
}
UNARY: dict[type[ast.unaryop], tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    ast.USub: (operator.neg, arithmetic.neg),
    ast.UAdd: (operator.pos, lambda x: x),
    ast.Invert: (operator.invert, arithmetic.invert),
    ast.Not: (operator.not_, arithmetic.not_),
}
COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}
PYTHON_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda a, b: a in b, ast.NotIn: lambda a, b: a not in b,
}


class Expressions:
    """The part of the lowering that evaluates expressions."""

    def expression(self: Lowering, node: ast.expr) -> Value:
        """The value of an expression."""
        handler = _HANDLERS.get(node.__class__)
        if handler is None:
            raise self.unsupported(node)
        frame = self.frame
        saved, frame.node = frame.node, node
        value = handler(self, node)
        frame.node = saved
        return value

    def constant_expression(self: Lowering, node: ast.Constant) -> Value:
        if isinstance(node.value, complex):
            raise UnsupportedLanguageConstruct("complex numbers are not supported")
        return node.value

    # --- names ---------------------------------------------------------------------------------------
    def name(self: Lowering, node: ast.Name) -> Value:
        value = self.frame.scope.get(node.id, _MISSING)
        if value is _MISSING:
            return self.outer_name(node)
        if isinstance(value, Undefined):
            raise self.undefined(value)
        return value

    def undefined(self: Lowering, value: Undefined) -> CompilationError:
        return UndefinedNameError(value.message, *value.notes)

    def outer_name(self: Lowering, node: ast.Name) -> Value:
        """A name of the enclosing function, the module or Python."""
        frame, name = self.frame, node.id
        for names in (frame.closure, frame.globals):
            if name in names:
                value = names[name]
                if not is_constant_global(value, name, frame.globals) and not config.plain_globals():
                    raise self.refuse_global(name, value)
                return open_constant(value)
        builtin = self.python_builtin(name)
        if builtin is not None:
            return builtin
        raise UndefinedNameError(f"'{name}' is not defined{frame.close_names(name)}")

    def refuse_global(self: Lowering, name: str, value: Any) -> CompilationError:
        if isinstance(value, types.FunctionType):
            return UnsupportedLanguageConstruct(
                f"'{name}' is a Python function", f"decorate '{name}' with @jit to use it in kernels, "
                "or with @constexpr_function to run it while compiling")
        return TileTypeError(
            f"'{name}' is a variable of the module, which could change after the kernel is compiled",
            f"make it a constant, {name} = tl.constexpr({value!r}), or pass it as a parameter"
            if isinstance(value, (int, float, str)) else "pass it as a parameter",
            "TILEWRIGHT_PLAIN_GLOBALS=1 lets kernels read such variables")

    def attribute(self: Lowering, node: ast.Attribute) -> Value:
        base = self.expression(node.value)
        name = node.attr
        if isinstance(base, tensor):
            return self.tensor_attribute(base, name)
        if isinstance(base, Aggregate):
            return self.aggregate_attribute(base, name)
        if isinstance(base, tuple) and name not in getattr(base, "_fields", ()):
            member = inspect.getattr_static(type(base), name, None)
            if hasattr(member, "__tile_function__"):  # a method of a named tuple
                return BoundMethod(member, base)
        if name == "value" and not hasattr(base, "value"):  # of what a tl.constexpr holds
            return base
        if name == "type" and isinstance(base, (bool, int, float)):
            return arithmetic.to_tensor(base).type
        try:
            value = getattr(base, name)
        except AttributeError:
            what = f"module '{base.__name__}'" if isinstance(base, types.ModuleType) else describe_value(base)
            raise CompilationError(f"{what} has no attribute '{name}'{suggest(name, dir(base))}") from None
        return open_constant(value)

    def tensor_attribute(self: Lowering, base: tensor, name: str) -> Value:
        if name == "T":
            return shapes.trans(base)
        if name == "value" and base.constant is not None:
            return base.constant
        if name.startswith("_") or not hasattr(type(base), name) or name in ("handle", "constant"):
            public = [each for each in dir(base) if not each.startswith("_") and each not in ("handle", "constant")]
            raise CompilationError(f"{describe_value(base)} has no attribute '{name}'{suggest(name, public)}")
        return getattr(base, name)

    # --- operators -----------------------------------------------------------------------------------
    def binary(self: Lowering, node: ast.BinOp) -> Value:
        return self.apply_binary(type(node.op), self.expression(node.left), self.expression(node.right))

    def apply_binary(self: Lowering, kind: type[ast.operator], x: Value, y: Value) -> Value:
        result, defined = self.aggregate_operator(kind, x, y)
        if defined:
            return result
        if kind is ast.Pow and is_static(x) and is_static(y):
            return self.python_operation(operator.pow, unwrap(x), unwrap(y))
        if kind not in BINARY:
            what = "'**' takes compile-time constants only" if kind is ast.Pow else "'@' is not supported"
            hint = "write x * x, or tl.exp2(tl.log2(x) * y)" if kind is ast.Pow else "write tl.dot(x, y)"
            raise UnsupportedLanguageConstruct(what, hint)
        _, on_python, on_values = BINARY[kind]
        if isinstance(x, tensor) or isinstance(y, tensor):
            if isinstance(x, (tuple, str)) or isinstance(y, (tuple, str)):
                x, y = unwrap(x), unwrap(y)  # a tuple repeated by an assigned number
                if not has_tensor(x) or not has_tensor(y):
                    return self.python_operation(on_python, x, y)
            overflow.check(on_values, x, y)
            return on_values(x, y)
        return self.python_operation(on_python, x, y)

    def python_operation(self: Lowering, operation: Callable[..., Any], *operands: Any) -> Value:
        """An operation on compile-time constants."""
        try:
            return operation(*operands)
        except CompilationError:
            raise
        except Exception as error:
            raise CompilationError(f"{error} (while computing with compile-time constants)") from None

    def unary(self: Lowering, node: ast.UnaryOp) -> Value:
        value = self.expression(node.operand)
        method = self.special_method(value, METHODS.get(type(node.op), "bool"))
        if method is not None:
            return self.call_value(method, [], {})
        on_python, on_values = UNARY[type(node.op)]
        return on_values(value) if isinstance(value, tensor) else self.python_operation(on_python, value)

    def compare(self: Lowering, node: ast.Compare) -> Value:
        left = self.expression(node.left)
        result: Value = None
        for op, operand in zip(node.ops, node.comparators, strict=True):
            right = self.expression(operand)
            one = self.compare_one(type(op), left, right)
            result = one if result is None else self.combine(ast.And, result, one)
            left = right
        return result

    def compare_one(self: Lowering, kind: type[ast.cmpop], x: Value, y: Value) -> Value:
        if kind in (ast.Is, ast.IsNot):
            same = unwrap(x) is unwrap(y)
            return same if kind is ast.Is else not same
        result, defined = self.aggregate_operator(kind, x, y)
        if defined:
            return result
        if kind in (ast.In, ast.NotIn) and isinstance(y, tuple):
            found = self.is_item(x, y)
            return found if kind is ast.In else self.negated(found)
        if kind in (ast.Eq, ast.NotEq) and (has_tensor(x) or has_tensor(y)):
            if isinstance(x, tuple) or isinstance(y, tuple):
                same = self.equal_tuples(x, y)
                return same if kind is ast.Eq else self.negated(same)
        if kind in COMPARE and (isinstance(x, tensor) or isinstance(y, tensor)):
            if x is None or y is None or isinstance(x, str) or isinstance(y, str):
                if kind not in (ast.Eq, ast.NotEq):
                    raise TileTypeError(f"{describe_value(x)} and {describe_value(y)} have no order",
                                        "compare with a number; `is None` asks whether there is a value")
                return kind is ast.NotEq
            if not isinstance(x, tuple) and not isinstance(y, tuple):
                return arithmetic.compare(COMPARE[kind], x, y)
        x, y = unwrap(x), unwrap(y)
        if has_tensor(x) or has_tensor(y):
            raise UnsupportedLanguageConstruct("tuples of values of the program have no order",
                                               "compare their items one by one")
        return self.python_operation(PYTHON_COMPARE[kind], x, y)

    def combine(self: Lowering, kind: type[ast.boolop], x: Value, y: Value) -> Value:
        """`x and y` or `x or y` of two evaluated operands."""
        if isinstance(x, tensor) or isinstance(y, tensor):
            return (arithmetic.logical_and if kind is ast.And else arithmetic.logical_or)(x, y)
        return (x and y) if kind is ast.And else (x or y)

    def boolean(self: Lowering, node: ast.BoolOp) -> Value:
        kind = type(node.op)
        result = self.expression(node.values[0])
        for operand in node.values[1:]:
            if is_static(result) and bool(unwrap(result)) is (kind is ast.Or):
                return result
            right = self.expression(operand)
            result = right if is_static(result) else self.combine(kind, result, right)
        return result

    def conditional(self: Lowering, node: ast.IfExp) -> Value:
        condition = self.condition(node.test)
        if isinstance(condition, bool):
            return self.expression(node.body if condition else node.orelse)
        return self.branch_expression(node, condition)

    def walrus(self: Lowering, node: ast.NamedExpr) -> Value:
        value = self.expression(node.value)
        self.assign(node.target, value)
        return self.frame.scope[node.target.id]

    # --- tuples and strings ----------------------------------------------------------------------------
    def sequence(self: Lowering, node: ast.Tuple | ast.List) -> Value:
        items: list[Value] = []
        for element in node.elts:
            if isinstance(element, ast.Starred):
                items.extend(self.iterate_static(self.expression(element.value), element))
            else:
                items.append(self.expression(element))
        return tuple(items)

    def subscript(self: Lowering, node: ast.Subscript) -> Value:
        base = self.expression(node.value)
        if isinstance(base, tensor):
            items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            return moving.index(base, tuple(self.index_item(item) for item in items))
        method = self.special_method(base, "getitem")
        if method is not None:
            return self.call_value(method, [self.index_item(node.slice)], {})
        key = unwrap(self.index_item(node.slice))
        if has_tensor(key):
            raise TileTypeError("a tuple is indexed by compile-time constants only",
                                "loop over it with tl.static_range(len(t)), or choose with tl.where")
        return self.python_operation(operator.getitem, base, key)

    def index_item(self: Lowering, node: ast.expr) -> Value:
        if isinstance(node, ast.Slice):
            return slice(*(None if part is None else unwrap(self.expression(part))
                           for part in (node.lower, node.upper, node.step)))
        return self.expression(node)

    def comprehension(self: Lowering, node: ast.ListComp) -> Value:
        if len(node.generators) != 1:
            raise UnsupportedLanguageConstruct("a comprehension has one 'for'")
        generator = node.generators[0]
        saved = dict(self.frame.scope)
        result = []
        for item in self.iterate_static(self.expression(generator.iter), generator.iter):
            self.assign(generator.target, item, keep=True)
            conditions = [self.condition(test) for test in generator.ifs]
            if not all(isinstance(each, bool) for each in conditions):
                raise TileTypeError("the condition of a comprehension must be known while compiling")
            if all(conditions):
                result.append(self.expression(node.elt))
        self.frame.scope = saved
        return tuple(result)

    def formatted(self: Lowering, node: ast.JoinedStr) -> Value:
        parts = []
        for part in node.values:
            if isinstance(part, ast.Constant):
                parts.append(str(part.value))
            else:
                parts.append(self.formatted_part(part))  # type: ignore[arg-type]
        return "".join(parts)

    def formatted_part(self: Lowering, node: ast.FormattedValue) -> str:
        value = self.expression(node.value)
        if not is_static(value):
            raise TileTypeError("an f-string holds compile-time constants only",
                                "tl.device_print prints values of the program")
        value = unwrap(value)
        conversion = {115: str, 114: repr, 97: ascii}.get(node.conversion)
        spec = "" if node.format_spec is None else self.expression(node.format_spec)
        return format(conversion(value) if conversion else value, spec)

    def unsupported(self: Lowering, node: ast.AST) -> CompilationError:
        """The error of a construct that is not part of the language."""
        self.frame.node = node if hasattr(node, "lineno") else self.frame.node
        name, hint = _REFUSED.get(type(node), (f"'{type(node).__name__}'", ""))
        return UnsupportedLanguageConstruct(f"{name} is not supported in kernels", *([hint] if hint else []))


_MISSING = object()
_HANDLERS: dict[type[ast.AST], Callable[..., Value]] = {
    ast.Constant: Expressions.constant_expression, ast.Name: Expressions.name, ast.Attribute: Expressions.attribute,
    ast.BinOp: Expressions.binary, ast.UnaryOp: Expressions.unary, ast.Compare: Expressions.compare,
    ast.BoolOp: Expressions.boolean, ast.IfExp: Expressions.conditional, ast.NamedExpr: Expressions.walrus,
    ast.Tuple: Expressions.sequence, ast.List: Expressions.sequence, ast.Subscript: Expressions.subscript,
    ast.ListComp: Expressions.comprehension, ast.JoinedStr: Expressions.formatted,
    ast.Call: lambda self, node: self.call(node),
}
_REFUSED: dict[type[ast.AST], tuple[str, str]] = {
    ast.Lambda: ("a lambda", "define a function with @jit and pass its name"),
    ast.Dict: ("a dictionary", "use a tuple, or separate variables"),
    ast.Set: ("a set", "use a tuple"),
    ast.DictComp: ("a dictionary", "use a tuple, or separate variables"),
    ast.SetComp: ("a set", "use a tuple"),
    ast.GeneratorExp: ("a generator", "use a list comprehension over a tuple"),
    ast.Await: ("'await'", ""),
    ast.Yield: ("'yield'", "return a tuple"),
    ast.YieldFrom: ("'yield'", "return a tuple"),
    ast.Try: ("'try'", "there are no exceptions in kernels: test with 'if', or mask"),
    ast.Raise: ("'raise'", "use tl.static_assert while compiling, or tl.device_assert in the program"),
    ast.ClassDef: ("a class", "define it outside of the kernel"),
    ast.FunctionDef: ("a function definition", "define it at module level with @jit"),
    ast.AsyncFunctionDef: ("an async function", ""),
    ast.AsyncWith: ("'async with'", ""),
    ast.AsyncFor: ("'async for'", ""),
    ast.Import: ("'import'", "import at the top of the file"),
    ast.ImportFrom: ("'import'", "import at the top of the file"),
    ast.Global: ("'global'", "kernels return values through memory"),
    ast.Nonlocal: ("'nonlocal'", "kernels return values through memory"),
    ast.Delete: ("'del'", ""),
    ast.Match: ("'match'", "use if and elif"),
    ast.Starred: ("a starred expression here", ""),
}
