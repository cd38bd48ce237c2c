"""Aggregates: classes whose fields are values of a program.

    @tw.aggregate
    class Mean:
        total: tl.tensor
        count: tl.tensor
        WIDTH: tl.constexpr = 64

        @tw.jit
        def add(self, x):
            return Mean(self.total + x, self.count + 1, self.WIDTH)

An instance is made in a kernel, does not change afterwards, and goes wherever a value goes: into
calls, through branches and around loops.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, dataclass_transform

from ..errors import TileTypeError, list_names, suggest
from ..language.conversion import convert, describe_value
from ..language.types import dtype
from .builder import current
from .constants import constexpr, is_constexpr_annotation, open_constant
from .values import Aggregate, constant, is_number, is_static, make_instance, tensor, unwrap

C = TypeVar("C")


@dataclass_transform()
def aggregate(cls: type[C]) -> type[C]:
    """Make a class an aggregate: its annotated names are fields, which its constructor sets.

    Fields are annotated ``tl.tensor``, ``tl.constexpr`` (known while compiling), ``tl.tuple``, a type of a number, or
    another aggregate. A class without ``__init__`` gets one that takes the fields in order; a value in the class is a
    field's default. Methods are ``@jit`` functions. Aggregates inherit from aggregates only.
    """
    for base in cls.__bases__:
        if base is not object and not issubclass(base, Aggregate):
            raise TypeError(f"{cls.__name__}: an aggregate inherits from aggregates only, not from {base.__name__}")
    fields: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        fields.update(_own_annotations(base))
    namespace = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__,
                 "__tile_fields__": fields, "__setattr__": _set_field, "__slots__": ()}
    if "__init__" in cls.__dict__ or cls.__init__ is object.__init__:
        namespace["__init__"] = _make_constructor(cls.__dict__.get("__init__"))
    # A subclass, so that super() in the methods finds the class that they were written in.
    bases = (cls,) if issubclass(cls, Aggregate) else (cls, Aggregate)
    return type(cls)(cls.__name__, bases, namespace)


def _own_annotations(cls: type) -> dict[str, Any]:
    found = inspect.get_annotations(cls)
    module = sys.modules.get(cls.__module__)
    return {name: _read_annotation(text, vars(module) if module else {}) for name, text in found.items()
            if not name.startswith("__")}


def _read_annotation(annotation: Any, names: dict[str, Any]) -> Any:
    """An annotation's object, also where it was postponed; as text where it has none."""
    if not isinstance(annotation, str) or is_constexpr_annotation(annotation):
        return constexpr if is_constexpr_annotation(annotation) else annotation
    try:
        return eval(annotation, dict(names))  # the class's own text
    except (NameError, AttributeError):
        return annotation


# --- construction -------------------------------------------------------------------------------------
def _make_constructor(written: Any) -> Callable[..., None]:
    """The constructor of a class: the one that was written, or one that takes the fields in order."""
    def construct(self: Any, *args: Any, **kwargs: Any) -> None:
        if getattr(self, "_constructing", None) is not None:  # super().__init__ in the class of an heir
            _run_constructor(self, written, args, kwargs)
            return
        object.__setattr__(self, "_constructing", current().block)
        _run_constructor(self, written, args, kwargs)
        _complete(self)
        object.__delattr__(self, "_constructing")

    return construct


def _complete(instance: Any) -> None:
    """Fill in defaults, and put the fields in order."""
    cls, given = type(instance), dict(instance.__dict__)
    missing = [name for name in cls.__tile_fields__ if name not in given and not hasattr(cls, name)]
    if missing:
        raise TileTypeError(f"the constructor of {cls.__name__} does not set "
                            f"{list_names(repr(name) for name in missing)}")
    instance.__dict__.clear()
    for name in cls.__tile_fields__:
        instance.__dict__[name] = given[name] if name in given else checked_field(cls, name, getattr(cls, name))


def _run_constructor(instance: Any, function: Any, args: tuple, kwargs: dict[str, Any]) -> None:
    if function is None:
        _set_all(instance, args, kwargs)
        return
    kind = getattr(function, "__tile_function__", None)
    if kind == "jit":
        current().call(function, [instance, *args], kwargs)
        return
    if kind == "constexpr":
        function.fn(instance, *args, **kwargs)
        return
    function(instance, *map(_as_python, args), **{name: _as_python(value) for name, value in kwargs.items()})


def _as_python(value: Any) -> Any:
    """A value for plain Python code: constants come wrapped, as they do in annotations."""
    return constexpr(value) if not isinstance(value, (tensor, tuple, Aggregate)) else value


def _set_all(instance: Any, args: tuple, kwargs: dict[str, Any]) -> None:
    """The constructor of a class without one: the fields in order."""
    cls = type(instance)
    parameters = []
    for name in cls.__tile_fields__:
        default = getattr(cls, name, inspect.Parameter.empty)
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        if default is inspect.Parameter.empty and parameters and parameters[-1].default is not default:
            kind = inspect.Parameter.KEYWORD_ONLY
        if parameters and parameters[-1].kind is inspect.Parameter.KEYWORD_ONLY:
            kind = inspect.Parameter.KEYWORD_ONLY
        parameters.append(inspect.Parameter(name, kind, default=default))
    try:
        bound = inspect.Signature(parameters).bind(*args, **kwargs)
    except TypeError as error:
        raise TileTypeError(f"{cls.__name__}: {error}", f"its fields are {list_names(cls.__tile_fields__)}") from None
    for name, value in bound.arguments.items():
        setattr(instance, name, value)


def _set_field(self: Any, name: str, value: Any) -> None:
    cls = type(self)
    where = getattr(self, "_constructing", None)
    if name not in cls.__tile_fields__:
        raise TileTypeError(f"{cls.__name__} has no field '{name}'{suggest(name, cls.__tile_fields__)}",
                            "fields are annotated in the class, such as 'x: tl.tensor'")
    if where is None:
        raise TileTypeError(f"fields of {cls.__name__} are set by its constructor only",
                            f"make a changed copy: tl.aggregate_replace(x, {name}=...)")
    if where is not current().block:
        raise TileTypeError(f"field '{name}' is set on a path that the program may not take",
                            "compute the value with 'if', and set the field after it")
    self.__dict__[name] = checked_field(cls, name, value)


def checked_field(cls: type, name: str, value: Any) -> Any:
    """What a field holds when it is given a value."""
    annotation = cls.__tile_fields__[name]  # type: ignore[attr-defined]
    value = open_constant(value)
    if annotation is constexpr:
        if not is_static(value):
            raise TileTypeError(f"field '{name}' of {cls.__name__} is a tl.constexpr and takes a compile-time "
                                f"constant, got {describe_value(value)}")
        return unwrap(value)
    if isinstance(annotation, dtype):
        return _typed(cls, name, annotation, value)
    if annotation is tensor:
        value = constant(value) if is_number(value) else value
    if isinstance(annotation, type) and not isinstance(unwrap(value), annotation) and not isinstance(value, annotation):
        raise TileTypeError(f"field '{name}' of {cls.__name__} takes {_name_kind(annotation)}, "
                            f"got {describe_value(value)}")
    return value


def _typed(cls: type, name: str, type: dtype, value: Any) -> tensor:
    value = constant(value) if is_number(value) else value
    if isinstance(value, tensor) and value.constant is not None:
        value = convert(value, type)
    if not isinstance(value, tensor) or value.type is not type:
        raise TileTypeError(f"field '{name}' of {cls.__name__} takes a value of type {type}, "
                            f"got {describe_value(value)}")
    return value


def _name_kind(annotation: type) -> str:
    return "a value of the program" if annotation is tensor else f"an instance of {annotation.__name__}"


def aggregate_replace(instance: Any, **changes: Any) -> Any:
    """A copy of an aggregate with other values in some fields."""
    if not isinstance(instance, Aggregate):
        raise TileTypeError(f"aggregate_replace: expects an aggregate, got {describe_value(instance)}")
    cls = type(instance)
    for name in changes:
        if name not in cls.__tile_fields__:
            raise TileTypeError(f"{cls.__name__} has no field '{name}'{suggest(name, cls.__tile_fields__)}")
    checked = {name: checked_field(cls, name, value) for name, value in changes.items()}
    return make_instance(cls, {**instance.__dict__, **checked})


aggregate_replace.__tile_builtin__ = True  # type: ignore[attr-defined]


# --- what depends on a class -----------------------------------------------------------------------------
def find_member(cls: type, name: str) -> Any:
    """A method, property or constant that the user's classes define; None if they define none."""
    for base in cls.__mro__:
        if base is not object and base is not Aggregate and "__tile_fields__" not in base.__dict__ \
                and name in base.__dict__:
            return base.__dict__[name]
    return None


def members(cls: type) -> Iterator[tuple[str, Any]]:
    """All that the user's classes define, by name."""
    for base in cls.__mro__:
        if base in (object, Aggregate) or "__tile_fields__" in base.__dict__:
            continue
        for name, member in base.__dict__.items():
            if isinstance(member, (staticmethod, classmethod)):
                member = member.__func__
            if isinstance(member, property):
                member = member.fget
            yield name, member


def text_of(function: Callable[..., Any]) -> str:
    """A text that tells a Python function from another."""
    try:
        return inspect.getsource(function)
    except OSError:
        return repr(function.__code__.co_code) + repr(function.__code__.co_consts)
