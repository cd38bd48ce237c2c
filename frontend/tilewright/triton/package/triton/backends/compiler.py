"""Targets, and what programs ask of a target's compiler."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import fields
from types import SimpleNamespace
from typing import Any, NoReturn

from tilewright import cache
from tilewright.options import CompileOptions
from tilewright.signature import known_targets
from tilewright.triton.targets import GPUTarget as GPUTarget
from tilewright.triton.targets import to_name


class Language:
    """The languages that Triton compiles."""

    TRITON = 0
    GLUON = 1


class BaseBackend:
    """A target's compiler: its options and its name. Its stages are Tilewright's own."""

    supports_native_tensor_specialization = True

    def __init__(self, target: GPUTarget) -> None:
        self.target = target
        self.name = to_name(target)
        self.binary_ext = known_targets()[self.name.partition(":")[0]].artifacts[-1]
        if self.target.backend == "cuda":
            self.binary_ext = "cubin"

    @staticmethod
    def supports_target(target: GPUTarget) -> bool:
        """Whether kernels can be compiled for a target."""
        return target.backend in ("cuda", "hip", "cpu")

    def hash(self) -> str:
        """Changes with every build of the compiler."""
        return f"{cache.build_id()}-{self.name}"

    def parse_options(self, options: Mapping[str, Any]) -> Options:
        """Options as a launch takes them; those of other targets are left out."""
        known = {each.name for each in fields(CompileOptions)}
        chosen = CompileOptions.parse({name: value for name, value in options.items() if name in known})
        values = {each.name: getattr(chosen, each.name) for each in fields(CompileOptions)}
        return Options(**values, backend_name=self.target.backend, arch=self.target.arch,
                       warp_size=self.target.warp_size, cluster_dims=(chosen.num_ctas, 1, 1))

    def add_stages(self, stages: dict[str, Any], options: Any, language: Any = None) -> NoReturn:
        """Refused: a program cannot change the stages."""
        raise NotImplementedError("a program cannot take Tilewright's stages apart: use .asm of a compiled kernel")

    def load_dialects(self, context: Any) -> None:
        """Nothing to load: the dialect is part of the compiler."""

    def get_module_map(self) -> dict[str, Any]:
        """Modules of the language that a target replaces: none, as functions are the same on all targets."""
        return {}

    def get_codegen_implementation(self, options: Any) -> dict[str, Any]:
        """What a target implements of the language itself: nothing."""
        return {}

    def pack_metadata(self, metadata: Any) -> tuple[int, int, int]:
        """What a launcher is told."""
        return (metadata.num_warps, metadata.num_ctas, metadata.shared)

    @staticmethod
    def parse_attr(description: str) -> list[list[Any]]:
        """Attributes that a letter of a key stands for."""
        return [["tt.divisibility", 16]] if "D" in description else []

    @staticmethod
    def get_int_specialization(value: int, **options: Any) -> str:
        """The letter of an integer's key."""
        return "D" if value % 16 == 0 and options.get("align", False) else ""

    @staticmethod
    def get_tensor_specialization(value: Any, **options: Any) -> str:
        """The letter of an array's key."""
        return "D" if value.data_ptr() % 16 == 0 and options.get("align", False) else ""

    @staticmethod
    def get_arg_specialization(value: Any, kind: str, **options: Any) -> str:
        """The letter of an argument's key."""
        if kind == "int":
            return BaseBackend.get_int_specialization(value, **options)
        return BaseBackend.get_tensor_specialization(value, **options) if kind == "tensor" else ""


class Options(SimpleNamespace):
    """Options of a compilation with the facts of its target, as attributes."""

    def hash(self) -> str:
        """A text that differs where options do."""
        return hashlib.sha256(repr(sorted(vars(self).items(), key=str)).encode()).hexdigest()
