"""Calls: of the language, of other kernels' functions, of what runs while compiling."""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import CompilationError, TileTypeError, UnsupportedLanguageConstruct
from ..language import debug
from ..language.conversion import describe_value, static
from ..language.loops import range as loop_range
from ..language.math import maximum, minimum
from ..language.types import dtype
from .constants import constexpr
from .expressions import has_tensor
from .frame import RESULT, Frame
from .jumps import body_without_jumps
from .values import Value, is_static, tensor, unwrap

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
        return self.call_value(function, positional, named)

    def call_value(self: Lowering, function: Value, positional: Sequence[Value], named: dict[str, Value]) -> Value:
        """Call what a callee turned out to be."""
        kind = getattr(function, "__tile_function__", None)
        if kind == "jit":
            return self.inline(function, positional, named)
        if kind == "method":
            return self.inline(function.function, [function.receiver, *positional], named)
        if kind == "constexpr":
            return self.run_static(function.fn, positional, named)
        if hasattr(function, "__tile_builtin__"):
            return self.call_builtin(function, positional, named)
        try:
            python = _PYTHON_BUILTINS.get(function)
        except TypeError:
            python = None
        if python is not None:
            return self.call_builtin(lambda *args, **kwargs: python(self, *args, **kwargs), positional, named)
        if inspect.isclass(function) and issubclass(function, tuple) and hasattr(function, "_fields"):
            return self.call_builtin(function, positional, named)
        # Types, and methods of what is known while compiling, such as `x.dtype.is_floating()`.
        owner = getattr(function, "__self__", None)
        if isinstance(owner, (dtype, str, int, float)) or inspect.isclass(function) and issubclass(function, dtype):
            return self.run_static(function, positional, named)
        if isinstance(owner, tuple):  # such as `pair._replace(first=x)`
            return self.python_operation(lambda: function(*map(unwrap, positional), **named))
        raise self.not_callable(function)

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

    def run_static(self: Lowering, function: Callable[..., Any], positional: Sequence[Value],
                   named: dict[str, Value]) -> Value:
        """A function that runs while compiling."""
        for value in [*positional, *named.values()]:
            if not is_static(value):
                raise TileTypeError(f"'{function.__name__}' runs while compiling and takes compile-time constants, "
                                    f"got {describe_value(value)}")
        arguments = [unwrap(value) for value in positional]
        result = self.python_operation(lambda: function(*arguments, **{k: unwrap(v) for k, v in named.items()}))
        return result.value if isinstance(result, constexpr) else result

    # --- functions of the user ---------------------------------------------------------------------------
    def inline(self: Lowering, function: Any, positional: Sequence[Value], named: dict[str, Value]) -> Value:
        """Write the body of another function here; gives its result."""
        if function.noinline:
            raise UnsupportedLanguageConstruct(
                f"'{function.__name__}' is declared noinline, and calls that stay calls are not supported",
                "drop noinline=True")
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
        scope: dict[str, Value] = dict(bound.arguments)
        for parameter in function.params:
            value = scope[parameter.name]
            value = value.value if isinstance(value, constexpr) else value
            if parameter.is_constexpr:
                if not is_static(value):
                    raise TileTypeError(
                        f"'{function.__name__}': parameter '{parameter.name}' is a tl.constexpr and takes a "
                        f"compile-time constant, got {describe_value(value)}")
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
        raise UnsupportedLanguageConstruct(f"Python's '{name}' cannot be used in kernels")


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
    if constexpr in classes and not isinstance(value, tensor):
        return True
    return isinstance(value, tuple(each for each in classes if isinstance(each, type)))


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


_PYTHON_BUILTINS: dict[Any, Callable[..., Value]] = {
    range: lambda self, *bounds: loop_range(*bounds),
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
    list: _sequence,
    tuple: _sequence,
    zip: lambda self, *values: tuple(zip(*(_sequence(self, value) for value in values), strict=False)),
    enumerate: lambda self, value: tuple(enumerate(self.iterate_static(value, self.frame.node))),
    constexpr: _constexpr,
}
