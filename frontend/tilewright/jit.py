"""`@jit`: functions that are compiled from their source."""

from __future__ import annotations

import ast
import functools
import hashlib
import inspect
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from types import FunctionType
from typing import Any, Generic, TypeVar, overload

from . import config
from .ast.aggregates import members, text_of
from .ast.constants import constexpr, is_constexpr_annotation, open_constant
from .ast.source import FunctionSource
from .ast.values import Aggregate, tensor
from .hooks import watched
from .language.types import const, dtype, parse_type
from .launching import AttendedLaunch, compile_for_launch, mock_arguments

Function = Callable[..., Any]
R = TypeVar("R")

#: All functions there are, for changes of settings that make their kernels others.
_functions: weakref.WeakSet[JITFunction] = weakref.WeakSet()


def forget_kernels() -> None:
    """Drop all kernels that this process has compiled."""
    for function in list(_functions):
        function.forget()


@dataclass(frozen=True)
class KernelParam:
    """A parameter of a kernel, and what its declaration asks for."""

    index: int
    name: str
    default: Any
    is_constexpr: bool
    is_const: bool
    annotation_type: str | None
    do_not_specialize: bool
    do_not_specialize_on_alignment: bool
    annotation: Any = None

    @property
    def num(self) -> int:
        """Another name of `index`."""
        return self.index

    @property
    def has_default(self) -> bool:
        return self.default is not inspect.Parameter.empty


# What scalars annotated with types of Python and C are.
_PLAIN_TYPES = {"int": "i32", "float": "fp32", "half": "fp16", "double": "fp64"}


def _annotated_type(annotation: Any) -> str | None:
    """The type that an annotation pins a scalar to, as a signature spells it."""
    if isinstance(annotation, dtype):
        return annotation.short
    if annotation in (bool, int, float):
        annotation = annotation.__name__
    if isinstance(annotation, str):
        name = annotation.strip().split(".")[-1]
        parsed = parse_type(_PLAIN_TYPES.get(name, name))
        return None if parsed is None or parsed.is_ptr() else parsed.short
    return None


def _is_const_annotation(annotation: Any) -> bool:
    return annotation is const or (isinstance(annotation, str) and annotation.split(".")[-1] == "const")


class KernelInterface:
    """What can be launched over a grid: a kernel, or a wrapper that completes its arguments."""

    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> Any:
        """Launch over a grid; with `warmup` only compile."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it runs")

    def warmup(self, *args: Any, grid: Any = None, **kwargs: Any) -> Any:
        """Compile for these arguments without running."""
        return self.run(*args, grid=grid, warmup=True, **kwargs)

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        return functools.partial(self.run, grid=grid)


class JITFunction(KernelInterface, Generic[R]):
    """A function that is compiled when it is launched; see `jit`.

    Attributes:
        params: Its parameters, see `KernelParam`.
        signature: Its Python signature, which binds arguments to parameters.
        fn: The Python function.
    """

    __tile_function__ = "jit"

    def __init__(self, fn: Function, version: Any = None, do_not_specialize: Iterable[str | int] | None = None,
                 do_not_specialize_on_alignment: Iterable[str | int] | None = None, debug: bool | None = None,
                 noinline: bool | None = None, repr: Function | None = None,
                 launch_metadata: Function | None = None) -> None:
        functools.update_wrapper(self, fn)
        self.fn = fn
        self.signature = inspect.signature(fn)
        self.debug = bool(debug)
        self.noinline = bool(noinline)
        self.version = version
        self.repr = repr
        self.launch_metadata = launch_metadata
        self.params = self._make_params(set(do_not_specialize or ()), set(do_not_specialize_on_alignment or ()))
        self.arg_names = [param.name for param in self.params]
        self.source = FunctionSource(fn)
        self.interpreted = config.interpret()
        self.pre_run_hooks: list[Function] = []
        self.starred = next((param.index for param in self.params
                             if self.signature.parameters[param.name].kind is inspect.Parameter.VAR_POSITIONAL), None)
        self._attended = self.interpreted or self.starred is not None
        self._launcher: Any = None
        self._resolver: Any = None
        _functions.add(self)

    def _make_params(self, keep: set[str | int], keep_alignment: set[str | int]) -> list[KernelParam]:
        params = []
        for index, (name, parameter) in enumerate(self.signature.parameters.items()):
            annotation = parameter.annotation
            general = index in keep or name in keep
            params.append(KernelParam(
                index, name, open_constant(parameter.default), is_constexpr_annotation(annotation),
                _is_const_annotation(annotation), _annotated_type(annotation), general,
                general or index in keep_alignment or name in keep_alignment, annotation))
        unknown = {name for name in keep | keep_alignment if isinstance(name, str)} - set(self.signature.parameters)
        if unknown:
            raise ValueError(f"{self.__name__} has no parameter {', '.join(sorted(map(str, unknown)))}")
        return params

    @cached_property
    def closure(self) -> dict[str, Any]:
        """Variables of enclosing functions that the function uses."""
        return dict(inspect.getclosurevars(self.fn).nonlocals) if self.fn.__closure__ else {}

    @property
    def src(self) -> str:
        """The text of the function."""
        return self.source.text

    @property
    def raw_src(self) -> list[str]:
        """The lines of the function as they are in its file."""
        return self.source.lines

    @property
    def starting_line_number(self) -> int:
        """The line of the file where the function begins."""
        return self.source.first_line

    @property
    def module(self) -> str:
        """The name of the module that the function is in."""
        return self.fn.__module__

    @property
    def hash(self) -> str:
        """Another name of `cache_key`."""
        return self.cache_key

    @hash.setter
    def hash(self, value: str | None) -> None:
        self.__dict__.pop("cache_key", None)
        if value is not None:
            self.__dict__["cache_key"] = value

    def parse(self) -> ast.Module:
        """The function's syntax tree."""
        return ast.parse(self.src)

    @staticmethod
    def is_gluon() -> bool:
        """Whether the function is of the sibling language, which none is."""
        return False

    def _unsafe_update_src(self, new_src: str) -> None:
        """Take another text for the function; what was compiled from the old one is forgotten."""
        self.source.replace(new_src)
        for name in ("_used", "cache_key"):
            self.__dict__.pop(name, None)
        self.forget()

    # --- identity ----------------------------------------------------------------------------------------
    @cached_property
    def _used(self) -> tuple[list[JITFunction], dict[str, Any]]:
        """Functions of kernels that are called, and constants from outside that are read."""
        functions: list[JITFunction] = []
        constants: dict[str, Any] = {}
        for path in self.source.outer_names:
            value, found = _resolve(path, self.closure, self.fn.__globals__)
            if found:
                _note_use(".".join(path), value, functions, constants)
        return [each for each in functions if each is not self], constants

    @property
    def used_globals(self) -> dict[str, Any]:
        """Constants from outside that the function reads, by the name it uses."""
        return dict(self._used[1])

    def watched_globals(self) -> list[tuple[dict[str, Any], str, Any]]:
        """Global variables whose values are compiled into the kernel: their module's names, name, value."""
        watched = []
        for function in self._reachable():
            names = function.fn.__globals__
            watched += [(names, name, value) for name, value in function.used_globals.items()
                        if name not in function.closure and names.get(name) is value]
        return watched

    @cached_property
    def cache_key(self) -> str:
        """A hash of all that the function's meaning depends on: its text and place, and those of the
        functions it calls, and the constants they read."""
        first, *others = [function._describe() for function in self._reachable()]
        return hashlib.sha256("\0".join([first, *sorted(others)]).encode()).hexdigest()

    def _describe(self) -> str:
        """What of the function itself its meaning depends on."""
        constants = [(name, open_constant(value)) for name, value in sorted(self._used[1].items())]
        parts = (self.fn.__qualname__, self.source.file, self.source.first_line, self.version, self.src, constants,
                 [(param.name, param.default) for param in self.params])
        return repr(parts)

    def _reachable(self) -> list[JITFunction]:
        found: dict[int, JITFunction] = {}
        waiting = [self]
        while waiting:
            function = waiting.pop()
            if id(function) not in found:
                found[id(function)] = function
                waiting.extend(reversed(function._used[0]))
        return list(found.values())

    # --- compiling and launching ---------------------------------------------------------------------------
    def compile_for(self, specialization: Any) -> Any:
        """The kernel for one specialization of the arguments; see the runtime's description."""
        from .compile import compile_specialization

        return compile_specialization(self, specialization)

    @property
    def launcher(self) -> Any:
        """What specializes, finds and launches."""
        if self._launcher is None:
            from .runtime.launch import Resolver

            self._resolver = Resolver(self)
            self._launcher = self._resolver.launcher
        return self._launcher

    def forget(self) -> None:
        """Drop the kernels that this process has compiled."""
        self._launcher = self._resolver = None

    @property
    def device_caches(self) -> Any:
        """By device: the kernels compiled so far, and what they were compiled for; see `DeviceCaches`."""
        from .runtime.launch import DeviceCaches

        return DeviceCaches(self)

    def add_pre_run_hook(self, hook: Function) -> None:
        """Call a function with the arguments before each run."""
        if not callable(hook):
            raise TypeError(f"{self.__name__}.add_pre_run_hook: expects a function, got {hook!r}")
        self.pre_run_hooks.append(hook)
        self._attended = True

    def preload(self, specialization_data: str) -> Any:
        """Compile what a compile hook wrote down in another process (``compile["specialization_data"]``)."""
        from .hooks import deserialize

        _ = self.launcher
        return self._resolver.preload(deserialize(self, specialization_data))

    def pack(self, args: tuple) -> tuple:
        """Positional arguments, one a parameter: those of `*args` as one tuple."""
        return args if self.starred is None else (*args[:self.starred], args[self.starred:])

    def __getitem__(self, grid: Any) -> Any:
        if watched.launches or self._attended:
            return AttendedLaunch(self, grid)
        launcher = self._launcher  # on the path of every launch: no property
        return (self.launcher if launcher is None else launcher)[grid]

    def warmup(self, *args: Any, grid: Any = None, **kwargs: Any) -> Any:
        """Compile for these arguments without running; a type stands for an array of it."""
        return compile_for_launch(self, *mock_arguments(self, self.pack(args), kwargs), is_warmup=True)

    def run(self, *args: Any, grid: Any, warmup: bool = False, **kwargs: Any) -> Any:
        """Launch over a grid."""
        return self.warmup(*args, **kwargs) if warmup else self[grid](*args, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> R:
        name = self.__name__
        raise RuntimeError(f"'{name}' is a kernel: launch it over a grid, {name}[grid](...), or call it in a kernel")

    def __repr__(self) -> str:
        return f"<jit function {self.__module__}.{self.__qualname__}>"

    __name__: str


def _resolve(path: tuple[str, ...], closure: dict[str, Any], names: dict[str, Any]) -> tuple[Any, bool]:
    if path[0] in closure:
        value = closure[path[0]]
    elif path[0] in names:
        value = names[path[0]]
    else:
        return None, False
    for name in path[1:]:
        if isinstance(value, (tensor, constexpr)) or not hasattr(value, name):
            break
        value = getattr(value, name)
    return value, True


def _note_use(name: str, value: Any, functions: list[JITFunction], constants: dict[str, Any]) -> None:
    """Sort what a function reads from outside into functions and constants."""
    if isinstance(value, JITFunction):
        functions.append(value)
    elif isinstance(value, (constexpr, bool, int, float, str, list, dict, dtype)):
        constants[name] = value
    elif isinstance(value, tuple):
        if not any(isinstance(item, (JITFunction, ConstexprFunction, tuple)) for item in value):
            constants[name] = value
            return
        for place, item in enumerate(value):
            _note_use(f"{name}[{place}]", item, functions, constants)
    elif isinstance(value, ConstexprFunction):
        constants[name] = value.cache_key
    elif isinstance(value, FunctionType):
        # The language's own functions change with the build, which is a part of keys by itself.
        if not hasattr(value, "__tile_builtin__"):
            constants[name] = text_of(value)
    elif isinstance(value, type) and issubclass(value, Aggregate):
        constants[name] = repr(value.__tile_fields__)
        for member_name, member in members(value):
            if not isinstance(member, type):
                _note_use(f"{name}.{member_name}", member, functions, constants)
    elif isinstance(value, type) and hasattr(value, "_field_defaults"):  # a named tuple
        constants[name] = (value._fields, open_constant(tuple(value._field_defaults.values())))
        functions += [member for member in vars(value).values() if isinstance(member, JITFunction)]


class ConstexprFunction:
    """A Python function that kernels call while they are compiled; see `constexpr_function`."""

    __tile_function__ = "constexpr"

    def __init__(self, fn: Function) -> None:
        functools.update_wrapper(self, fn)
        self.fn = fn

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.fn(*(open_constant(arg) for arg in args), **{k: open_constant(v) for k, v in kwargs.items()})

    @cached_property
    def cache_key(self) -> str:
        """A hash of the function's text, or of its code where there is no text."""
        return hashlib.sha256(text_of(self.fn).encode()).hexdigest()


def must_use_result(mark: Any, message: str | bool = True) -> Any:
    """Refuse calls of a function in kernels that drop its result.

    Args:
        mark: The function, or a text that the error adds.
    """
    if isinstance(mark, str):
        return lambda function: must_use_result(function, mark)
    mark._must_use_result = message
    return mark


def constexpr_function(fn: Function) -> ConstexprFunction:
    """Let kernels call a Python function on compile-time constants while they are compiled."""
    return ConstexprFunction(fn)


@overload
def jit(fn: Callable[..., R]) -> JITFunction[R]: ...
@overload
def jit(fn: None = None, *, version: Any = None, repr: Function | None = None,
        launch_metadata: Function | None = None, do_not_specialize: Iterable[str | int] | None = None,
        do_not_specialize_on_alignment: Iterable[str | int] | None = None, debug: bool | None = None,
        noinline: bool | None = None) -> Callable[[Callable[..., R]], JITFunction[R]]: ...


def jit(fn: Function | None = None, *, version: Any = None, repr: Function | None = None,
        launch_metadata: Function | None = None, do_not_specialize: Iterable[str | int] | None = None,
        do_not_specialize_on_alignment: Iterable[str | int] | None = None, debug: bool | None = None,
        noinline: bool | None = None) -> Any:
    """Make a function a kernel, or a function that kernels call.

    One call of the body is one program of the launch grid. Parameters annotated
    ``tl.constexpr`` are fixed while compiling.

    Args:
        fn: The function.
        version: A different value makes a different kernel in caches.
        repr: Gives the kernel's name for a specialization.
        launch_metadata: Kept for tools that read it.
        do_not_specialize: Parameters, by name or position, for whose values no special code is made.
        do_not_specialize_on_alignment: The same for divisibility only.
        debug: Check ``tl.device_assert`` while the program runs.
        noinline: Calls of the function stay calls; calling such a function is refused.

    Example:
        >>> @jit
        ... def copy(x, y, BLOCK: tl.constexpr):
        ...     i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        ...     tl.store(y + i, tl.load(x + i))
    """
    def decorate(function: Function) -> JITFunction:
        return JITFunction(function, version, do_not_specialize, do_not_specialize_on_alignment, debug, noinline, repr,
                           launch_metadata)

    return decorate if fn is None else decorate(fn)
