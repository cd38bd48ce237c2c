"""Calls: of the language, of other kernels' functions, of what runs while compiling."""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import types
from collections.abc import Callable, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any

from ..errors import CompilationError, TileTypeError, UnsupportedLanguageConstruct
from ..language import debug
from ..language.conversion import describe_value, static
from ..language.loops import range as loop_range
from ..language.math import maximum, minimum
from ..language.types import dtype
from .constants import constexpr, open_constant
from .frame import RESULT, Frame
from .jumps import body_without_jumps
from .values import Aggregate, BoundMethod, Value, has_tensor, is_static, tensor, unwrap

if TYPE_CHECKING:
    from .lowering import Lowering

DEEPEST_CALL = 64


class Calls:
    """The part of the lowering that evaluates calls."""

    def call(self: Lowering, node: ast.Call) -> Value:
        function = self.expression(node.func)
        positional: list[Value] = []
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                positional.extend(self.iterate_static(self.expression(argument.value), argument))
            else:
                positional.append(self.expression(argument))
        named: dict[str, Value] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                raise UnsupportedLanguageConstruct("'**' arguments are not supported in kernels")
            named[keyword.arg] = self.expression(keyword.value)
        self.frame.node = node
        if getattr(node, "unused", False):
            self.check_result_is_used(function, node)
        if isinstance(node.func, ast.Attribute) and is_python_function(function):
            return self.call_foreign(function, positional, named)
        return self.call_value(function, positional, named)

    def check_result_is_used(self: Lowering, function: Value, node: ast.Call) -> None:
        """Refuse a call whose result is dropped, of a function that is marked `must_use_result`."""
        mark = getattr(getattr(function, "function", function), "_must_use_result", False)
        if mark:
            raise CompilationError(f"the result of {ast.unparse(node.func)} is not used",
                                   *([mark] if isinstance(mark, str) else []))

    def call_value(self: Lowering, function: Value, positional: Sequence[Value], named: dict[str, Value]) -> Value:
        """Call what a callee turned out to be."""
        if isinstance(function, types.MethodType) and hasattr(function.__func__, "__tile_function__"):
            return self.call_value(function.__func__, [function.__self__, *positional], named)
        kind = getattr(function, "__tile_function__", None)
        if kind == "jit":
            return self.inline(function, positional, named)
        if kind == "method":
            return self.call_method(function, positional, named)
        if kind == "constexpr":
            return self.run_static(function.fn, positional, named)
        if getattr(function, "__triton_builtin__", False):
            return self.call_foreign(function, positional, named)
        builtin = getattr(function, "__tile_builtin__", None)
        if builtin is not None:
            if isinstance(function, types.MethodType):
                positional = [function.__self__, *positional]
            return self.call_builtin(function if builtin is True else builtin, positional, named)
        python = find_python_builtin(function)
        if python is not None:
            return self.call_python(function, python, positional, named)
        if inspect.isclass(function) and is_class_of_values(function):
            return self.call_builtin(function, positional, named)
        if runs_while_compiling(function):
            return self.run_static(function, positional, named)
        if isinstance(getattr(function, "__self__", None), tuple):  # such as `pair._replace(first=x)`
            return self.python_operation(lambda: function(*map(unwrap, positional), **named))
        method = self.special_method(function, "call")
        if method is not None:
            return self.call_value(method, positional, named)
        raise self.not_callable(function)

    def call_method(self: Lowering, method: BoundMethod, positional: Sequence[Value],
                    named: dict[str, Value]) -> Value:
        """A method of a value; of an aggregate also a plain function, which runs while compiling."""
        function, receiver = method.function, method.receiver
        if inspect.isfunction(function) or getattr(function, "__tile_function__", None) == "constexpr":
            python = getattr(function, "fn", function)
            bound = functools.wraps(python)(functools.partial(python, receiver))
            return self.run_static(bound, positional, named)
        return self.call_value(function, [receiver, *positional], named)

    def not_callable(self: Lowering, function: Value) -> CompilationError:
        if isinstance(function, tensor) or not callable(function):
            return TileTypeError(f"{describe_value(function)} is not a function")
        name = getattr(function, "__name__", repr(function))
        return UnsupportedLanguageConstruct(
            f"'{name}' cannot be called in a kernel", "decorate a Python function with @jit to use it in kernels, or "
            "with @constexpr_function to run it while compiling")

    def call_builtin(self: Lowering, function: Callable[..., Any], positional: Sequence[Value],
                     named: dict[str, Value]) -> Value:
        """A function of the language."""
        try:
            return function(*positional, **named)
        except TypeError as error:
            # Raised by the call itself: the arguments do not fit the parameters.
            if error.__traceback__ is not None and error.__traceback__.tb_next is None:
                raise TileTypeError(str(error).replace(".<locals>", "")) from None
            raise

    def call_python(self: Lowering, function: Value, python: Callable[..., Value], positional: Sequence[Value],
                    named: dict[str, Value]) -> Value:
        """A function of Python's, by what stands for it."""
        try:
            return python(self, *positional, **named)
        except TypeError:
            try:
                inspect.signature(python).bind(self, *positional, **named)
            except TypeError as error:
                raise TileTypeError(f"{function.__name__}: {error}") from None
            raise

    def run_static(self: Lowering, function: Callable[..., Any], positional: Sequence[Value],
                   named: dict[str, Value]) -> Value:
        """A function that runs while compiling; of values of the program it may ask types and shapes."""
        arguments = [unwrap(value) for value in positional]
        result = self.python_operation(lambda: function(*arguments, **{k: unwrap(v) for k, v in named.items()}))
        return open_constant(result)

    def call_foreign(self: Lowering, function: Callable[..., Any], positional: Sequence[Value],
                     named: dict[str, Value]) -> Value:
        """A function written for Triton's compiler: constants come wrapped, and it is told that it is compiled."""
        try:
            parameters = inspect.signature(function).parameters
        except (TypeError, ValueError):
            parameters = {}  # type: ignore[assignment]
        hidden = {name: self.builder for name in ("_semantic", "_generator") if name in parameters}
        wrapped = [wrap_constant(value) for value in positional]
        result = self.python_operation(
            lambda: function(*wrapped, **{name: wrap_constant(value) for name, value in named.items()}, **hidden))
        return open_constant(result)

    # --- functions of the user ---------------------------------------------------------------------------
    def inline(self: Lowering, function: Any, positional: Sequence[Value], named: dict[str, Value]) -> Value:
        """Write the body of another function here; gives its result.

        `noinline` asks for a call that stays one, which changes nothing in what the program computes: no
        target keeps calls between the functions of a kernel.
        """
        if self.frame.depth >= DEEPEST_CALL:
            raise UnsupportedLanguageConstruct(f"calls are nested more than {DEEPEST_CALL} deep: functions in kernels "
                                               "cannot be recursive")
        scope = self.bind_parameters(function, positional, named)
        caller = self.frame
        self.frame = Frame(function, caller, self.builder.session)
        self.frame.scope = scope
        self.statements(body_without_jumps(function.source))
        result = self.frame.scope.get(RESULT)
        self.frame = caller
        return result

    def bind_parameters(self: Lowering, function: Any, positional: Sequence[Value],
                        named: dict[str, Value]) -> dict[str, Value]:
        """The callee's variables at its start."""
        try:
            bound = function.signature.bind(*positional, **named)
        except TypeError as error:
            raise TileTypeError(f"'{function.__name__}': {error}") from None
        bound.apply_defaults()
        scope: dict[str, Value] = bound.arguments
        for parameter in function.params:
            value = scope[parameter.name]
            value = value.value if isinstance(value, constexpr) else value
            # Of a function within kernels the annotation does not bind: programs pass blocks to such parameters,
            # and where a constant is needed the use says so.
            if parameter.is_constexpr and is_static(value):
                value = unwrap(value)
            scope[parameter.name] = value
        return scope

    # --- Python's own functions ----------------------------------------------------------------------------
    def python_builtin(self: Lowering, name: str) -> Any:
        """A function or constant of Python that kernels may use."""
        value = getattr(builtins, name, None)
        if value is None:
            return None
        if value in _PYTHON_BUILTINS or inspect.isclass(value):
            return value
        if value is breakpoint:
            raise UnsupportedLanguageConstruct(
                "compiled kernels do not stop at breakpoint()",
                "run the program with TILEWRIGHT_INTERPRET=1, where it stops with the block's values at hand")
        raise UnsupportedLanguageConstruct(f"Python's '{name}' cannot be used in kernels")


def find_python_builtin(function: Value) -> Callable[..., Value] | None:
    """What stands for a function of Python's in a kernel."""
    try:
        return _PYTHON_BUILTINS.get(function)
    except TypeError:  # not hashable
        return None


def is_class_of_values(cls: type) -> bool:
    """Whether instances of a class are values: named tuples and aggregates."""
    return issubclass(cls, Aggregate) or issubclass(cls, tuple) and hasattr(cls, "_fields")


def runs_while_compiling(function: Value) -> bool:
    """Whether a function of Python's takes and gives compile-time constants: of a type, a constant or a module."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, (dtype, str, int, float, dict, frozenset)) or (
            inspect.isclass(function) and issubclass(function, dtype)):
        return True
    # A class whose instances are constants, such as an enumeration; a function such as math.log2.
    if inspect.isclass(function):
        return issubclass(function, Enum)
    return isinstance(function, types.BuiltinFunctionType) and isinstance(owner, types.ModuleType)


def is_python_function(function: Value) -> bool:
    """Whether a callee is a function of Python's, of a module, a class or an object: reached by its owner, it
    runs while compiling, as in Triton; a name of its own must be declared so, with `constexpr_function`."""
    if isinstance(function, types.MethodType):
        function = function.__func__
    marks = ("__tile_function__", "__tile_builtin__", "__triton_builtin__")
    return inspect.isfunction(function) and not any(hasattr(function, mark) for mark in marks)


def wrap_constant(value: Value) -> Value:
    """A constant as functions outside of the language see it."""
    return value if has_tensor(value) or isinstance(value, (tuple, Aggregate)) else constexpr(value)


def _static_call(function: Callable[..., Any]) -> Callable[..., Any]:
    def run(self: Lowering, *values: Value) -> Value:
        arguments = [static(value, f"{function.__name__}: the argument") for value in values]
        return self.python_operation(function, *arguments)

    return run


def _length(self: Lowering, value: Value) -> int:
    if isinstance(value, tensor):
        if not value.type.is_block():
            raise TileTypeError(f"{describe_value(value)} has no length")
        return value.shape[0]
    return self.python_operation(len, value)


def _extremum(on_python: Callable[..., Any], on_values: Callable[..., Any]) -> Callable[..., Any]:
    def run(self: Lowering, *values: Value) -> Value:
        if len(values) == 1:
            values = tuple(self.iterate_static(values[0], self.frame.node))
        if not any(has_tensor(value) for value in values):
            return self.python_operation(on_python, *values)
        result = values[0]
        for value in values[1:]:
            plain = not isinstance(result, tensor) and not isinstance(value, tensor)
            result = on_python(result, value) if plain else on_values(result, value)
        return result

    return run


def _is_instance(self: Lowering, value: Value, classes: Any) -> bool:
    classes = classes if isinstance(classes, tuple) else (classes,)
    for each in classes:
        if not isinstance(each, type):
            raise TileTypeError(f"isinstance: expects classes, got {describe_value(each)}")
    if constexpr in classes and not isinstance(value, tensor):
        return True
    return isinstance(value, classes)


def _get_attribute(self: Lowering, value: Value, name: str, *default: Value) -> Value:
    if default and not hasattr(value, name):
        return default[0]
    if isinstance(value, tensor):
        return self.tensor_attribute(value, name)
    return self.python_operation(getattr, value, name)


def _sequence(self: Lowering, value: Value = ()) -> Value:
    return tuple(self.iterate_static(value, self.frame.node))


def _absolute(self: Lowering, value: Value) -> Value:
    from ..language.math import abs as absolute

    return absolute(value) if isinstance(value, tensor) else self.python_operation(abs, value)


def _constexpr(self: Lowering, value: Value) -> Value:
    return static(unwrap(value), "tl.constexpr: the value")


def _total(self: Lowering, values: Value, start: Value = 0) -> Value:
    for value in self.iterate_static(values, self.frame.node):
        start = self.apply_binary(ast.Add, start, value)
    return start


def _quantifier(kind: type[ast.boolop]) -> Callable[..., Value]:
    """`all` for `and`, `any` for `or`."""
    def run(self: Lowering, values: Value) -> Value:
        result: Value = kind is ast.And
        for value in self.iterate_static(values, self.frame.node):
            if is_static(value) and bool(unwrap(value)) is (kind is ast.Or):
                return kind is ast.Or
            if not is_static(value):
                result = value if is_static(result) else self.combine(kind, result, value)
        return result

    return run


_PYTHON_BUILTINS: dict[Any, Callable[..., Value]] = {
    # Programs give it the options of `tl.range` too.
    range: lambda self, *bounds, **options: self.call_builtin(loop_range, bounds, options),
    len: _length,
    min: _extremum(min, minimum),
    max: _extremum(max, maximum),
    abs: _absolute,
    print: lambda self, *values, **options: debug.python_print(*values, **options),
    isinstance: _is_instance,
    getattr: _get_attribute,
    hasattr: lambda self, value, name: hasattr(value, name),
    float: _static_call(float),
    int: _static_call(int),
    bool: _static_call(bool),
    str: _static_call(str),
    repr: _static_call(repr),
    round: _static_call(round),
    divmod: _static_call(divmod),
    pow: _static_call(pow),
    slice: _static_call(slice),
    sorted: lambda self, values, **options: self.run_static(
        lambda *args, **kwargs: tuple(sorted(*args, **kwargs)), [values], options),
    reversed: lambda self, values: _sequence(self, values)[::-1],
    sum: _total,
    all: _quantifier(ast.And),
    any: _quantifier(ast.Or),
    list: _sequence,
    tuple: _sequence,
    zip: lambda self, *values: tuple(zip(*(_sequence(self, value) for value in values), strict=False)),
    enumerate: lambda self, value: tuple(enumerate(self.iterate_static(value, self.frame.node))),
    constexpr: _constexpr,
}
