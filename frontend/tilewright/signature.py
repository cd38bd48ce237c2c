"""What a kernel is compiled for: types of arguments, constants, options, a target."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from .ast.constants import open_constant
from .ast.module import Argument
from .errors import CompilationError, TargetError, list_names, suggest
from .language.types import SPELLINGS, dtype, parse_type, tensor_descriptor_type

if TYPE_CHECKING:
    from .jit import JITFunction


# --- arguments ------------------------------------------------------------------------------------
def parse_argument(text: str, name: str) -> Argument | int:
    """One type of a signature: `*fp32`, `i32`, `*fp32:16` (divisible by 16), `i32:1` (the constant 1)."""
    spelling, _, suffix = text.strip().partition(":")
    type = parse_type(spelling)
    if type is None:
        raise CompilationError(f"parameter '{name}': '{text}' is not a type{suggest(spelling.lstrip('*'), SPELLINGS)}",
                               "types are spelled like i32, fp16 or *fp32; a pointer begins with '*'")
    if not suffix:
        return Argument(type)
    if suffix == "1" and type.is_int():
        return 1
    if not suffix.isdigit() or int(suffix) < 1 or int(suffix) & (int(suffix) - 1):
        raise CompilationError(f"parameter '{name}': '{text}' promises divisibility by '{suffix}'",
                               "give a power of two, such as ':16'")
    if not type.is_ptr() and not type.is_int() and not isinstance(type, tensor_descriptor_type):
        raise CompilationError(f"parameter '{name}': '{text}': only pointers, integers and (their last size) "
                               "descriptors have a divisibility")
    return Argument(type, int(suffix))


def _parse_value(value: Any, name: str) -> Any:
    if isinstance(value, str):
        return parse_argument(value, name)
    if isinstance(value, dtype):
        return Argument(value)
    if isinstance(value, (tuple, list)):
        items = [_parse_value(item, name) for item in value]
        return type(value)._make(items) if hasattr(value, "_make") else tuple(items)
    return open_constant(value)


def bind_signature(fn: JITFunction, signature: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a kernel for what a user gave: types as text, constants as values."""
    try:
        return _bind_signature(fn, signature)
    except CompilationError as error:
        error.locate(fn.source.position(fn.source.tree))
        raise


def _bind_signature(fn: JITFunction, signature: Mapping[str, Any]) -> dict[str, Any]:
    unknown = [name for name in signature if name not in fn.arg_names]
    if unknown:
        raise CompilationError(f"'{fn.__name__}' has no parameter '{unknown[0]}'{suggest(unknown[0], fn.arg_names)}",
                               f"its parameters are {list_names(fn.arg_names)}")
    arguments: dict[str, Any] = {}
    for param in fn.params:
        if param.name in signature:
            value = signature[param.name]
            arguments[param.name] = open_constant(value) if param.is_constexpr else _parse_value(value, param.name)
        elif param.has_default:
            arguments[param.name] = param.default
        elif param.is_constexpr:
            raise CompilationError(f"'{fn.__name__}': the tl.constexpr parameter '{param.name}' has no value",
                                   f"add it to the signature, such as {{..., '{param.name}': 64}}")
        else:
            raise CompilationError(f"'{fn.__name__}': the signature lacks parameter '{param.name}'",
                                   f"add its type, such as {{..., '{param.name}': '*fp32'}}")
        if param.is_const:
            arguments[param.name] = _make_const(arguments[param.name])
    return arguments


def _make_const(value: Any) -> Any:
    from .language.types import pointer_type

    if isinstance(value, Argument) and value.type.is_ptr():
        return Argument(pointer_type(value.type.element_ty, 1, True), value.divisibility)
    return value


def bind_specialization(fn: JITFunction, specialization: Any) -> dict[str, Any]:
    """The arguments of a kernel for what the launcher found."""
    constants, divisors = specialization.constexprs, specialization.divisibility
    tuples = getattr(specialization, "tuple_types", {})

    def visit(path: tuple, kind: Any) -> Any:
        if isinstance(kind, tuple):
            items = [visit((*path, i), inner) for i, inner in enumerate(kind)]
            return tuples[path]._make(items) if hasattr(tuples.get(path), "_make") else tuple(items)
        if kind == "constexpr":
            return open_constant(constants[path])
        spelling, _, known = kind.partition(":")
        type = parse_type(spelling)
        if type is None:
            raise CompilationError(f"parameter '{path[0]}': arguments of type '{kind}' are not supported")
        return Argument(type, divisors.get(path, 1), int(known) if known else None)

    arguments = {name: visit((name,), kind) for name, kind in specialization.signature.items()}
    for param in fn.params:
        if param.is_const:
            arguments[param.name] = _make_const(arguments[param.name])
    return arguments


# --- targets ----------------------------------------------------------------------------------------
@dataclass(frozen=True)
class TargetInfo:
    """A target of this build."""

    architectures: list[str]
    stages: list[str]
    artifacts: list[str]
    byte_floats: dict[str, tuple[str, ...]]
    """For each architecture the 8-bit floats that programs may use."""


@cache
def known_targets() -> dict[str, TargetInfo]:
    """What this build compiles for."""
    from .mlir._mlir_libs import _tileNative

    return {name: TargetInfo(info["architectures"], info["stages"], info["artifacts"],
                             {arch: tuple(types) for arch, types in info["byte_floats"].items()})
            for name, info in json.loads(_tileNative.describe_targets()).items()}


@cache
def parse_target(target: str) -> tuple[str, str]:
    """Name and architecture of a target, such as `cpu` or `<vendor>:<architecture>`."""
    name, _, arch = target.partition(":")
    known = known_targets()
    if name not in known:
        raise TargetError(f"there is no target '{name}'{suggest(name, known)}",
                          f"this build has {list_names(known) or 'none'}")
    architectures = known[name].architectures
    if arch and arch not in architectures:
        raise TargetError(f"target '{name}' has no architecture '{arch}'{suggest(arch, architectures)}",
                          f"it has {list_names(architectures)}")
    return name, arch or architectures[0]
