"""What `triton.compile` compiles."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tilewright.ast.constants import open_constant
from tilewright.ast.module import Argument
from tilewright.compile import compile_arguments
from tilewright.errors import TargetError
from tilewright.jit import JITFunction
from tilewright.kernel import CompiledKernel
from tilewright.options import option_names
from tilewright.signature import parse_argument

ArgumentPath = tuple[Any, ...]


class ASTSource:
    """A kernel's function with the types of its arguments.

    Args:
        fn: The function.
        signature: For each parameter its type, or "constexpr".
        constexprs: Values of constants, by name, by position, or by path of positions.
        attrs: What is known of arguments, by path of positions: ``{(0,): [["tt.divisibility", 16]]}``.
    """

    def __init__(self, fn: JITFunction, signature: Mapping[str, Any], constexprs: Mapping[Any, Any] | None = None,
                 attrs: Mapping[ArgumentPath, Any] | None = None) -> None:
        if not isinstance(fn, JITFunction):
            raise TypeError(f"ASTSource: expects a function decorated with @triton.jit, got {fn!r}")
        unknown = [name for name in signature if name not in fn.arg_names]
        if unknown:
            raise ValueError(f"ASTSource: '{fn.__name__}' has no parameter '{unknown[0]}'")
        self.fn = fn
        self.ext = "ttir"
        self.name = fn.__name__
        self.signature = dict(signature)
        self.constants = {self._path(key): value for key, value in (constexprs or {}).items()}
        self.attrs = dict(attrs or {})

    def _path(self, key: Any) -> ArgumentPath:
        """A constant's place as a path of positions."""
        if isinstance(key, str):
            return (self.fn.arg_names.index(key),)
        return key if isinstance(key, tuple) else (key,)

    def hash(self) -> str:
        """A text that differs where kernels do."""
        parts = (self.fn.cache_key, sorted(self.signature.items()), sorted(map(repr, self.constants.items())),
                 sorted(map(repr, self.attrs.items())))
        return hashlib.sha256(repr(parts).encode()).hexdigest()

    def _divisibility(self, path: ArgumentPath) -> int:
        return next((value for name, value in self.attrs.get(path, ()) if name == "tt.divisibility"), 1)

    def _bind(self, path: ArgumentPath, kind: Any, name: str) -> Any:
        """An argument: a constant, or what is known of it."""
        if path in self.constants:
            return open_constant(self.constants[path])
        if isinstance(kind, (tuple, list)):
            return tuple(self._bind((*path, i), inner, name) for i, inner in enumerate(kind))
        if kind == "constexpr":
            raise ValueError(f"ASTSource: the constant '{name}' of '{self.name}' has no value in constexprs")
        argument = parse_argument(str(kind), name)
        divisibility = self._divisibility(path)
        is_known = isinstance(argument, Argument) and divisibility > 1
        return Argument(argument.type, divisibility) if is_known else argument

    def arguments(self) -> dict[str, Any]:
        """All arguments by name."""
        bound: dict[str, Any] = {}
        for position, param in enumerate(self.fn.params):
            if param.name in self.signature or (position,) in self.constants:
                kind = self.signature.get(param.name, "constexpr")
                bound[param.name] = self._bind((position,), kind, param.name)
            elif param.has_default:
                bound[param.name] = param.default
            else:
                raise ValueError(f"ASTSource: parameter '{param.name}' of '{self.name}' is not in the signature")
        return bound

    def parse_options(self) -> dict[str, Any]:
        """Options that the function itself brings: none."""
        return {}

    def compile(self, target: str, options: Mapping[str, Any], name: str | None = None) -> CompiledKernel:
        """The kernel for a target, under a name of its own; options that only describe the target are left out."""
        chosen = {name: value for name, value in options.items() if name in option_names()}
        return compile_arguments(self.fn, self.arguments(), target, chosen, name)


class IRSource:
    """A file with a stage of Triton's, which is refused: the stages here are others."""

    def __init__(self, path: str, context: Any = None, backend: Any = None) -> None:
        suffix = Path(path).suffix
        raise TargetError(f"{path}: Triton's '{suffix}' files are not read, as Tilewright's stages are others",
                          "tile-opt and tile-translate read those of .asm, and the option ir_override goes on from one")
