"""Kernels for programs without Python: C source with the binary, and a header."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from .errors import TargetError
from .kernel import CompiledKernel

_C_TYPES = {
    "i1": "bool", "i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t", "u8": "uint8_t",
    "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t", "fp32": "float", "fp64": "double",
    "fp16": "uint16_t", "bf16": "uint16_t"}


@dataclass(frozen=True)
class Parameter:
    """A parameter of a C function."""

    name: str
    type: str


@dataclass(frozen=True)
class Entry:
    """A kernel as a C function.

    Attributes:
        kernel: What is compiled.
        function: The C function's name.
        parameters: Its parameters after the stream.
        grid: The sides of the grid, as C expressions of the parameters.
    """

    kernel: CompiledKernel
    function: str
    parameters: Sequence[Parameter]
    grid: Sequence[str]

    def declare(self) -> str:
        """The parameters as C declares them, each after a comma."""
        return "".join(f", {each.type}{'' if each.type.endswith('*') else ' '}{each.name}" for each in self.parameters)


@dataclass(frozen=True)
class Sources:
    """Files of a kernel by their suffixes."""

    files: Mapping[str, str | bytes] = field(default_factory=dict)

    def write(self, prefix: Path) -> list[Path]:
        """Write them beside each other, as `<prefix>.<suffix>`."""
        prefix.parent.mkdir(parents=True, exist_ok=True)
        paths = []
        for suffix, data in self.files.items():
            paths.append(prefix.with_name(f"{prefix.name}.{suffix}"))
            paths[-1].write_bytes(data.encode() if isinstance(data, str) else data)
        return paths


def make_sources(kernel: CompiledKernel, grid: Sequence[str], function: str | None = None,
                 comment: str = "") -> Sources:
    """C source and header of a kernel; for the CPU an object file as well.

    Args:
        kernel: From `compile`.
        grid: The sides of the grid, as C expressions of the kernel's parameters.
        function: The C function's name; the kernel's without it.
        comment: A line for the header.

    Raises:
        TargetError: If the target, or something the kernel does, needs the runtime.
    """
    vendor = kernel.target.partition(":")[0]
    try:
        writer = importlib.import_module(f"tilewright.runtime.{vendor}.ahead")
    except ModuleNotFoundError:
        raise TargetError(f"target '{vendor}' has no C interface", "there is one for cpu and nvidia") from None
    sides = [*grid, "1", "1", "1"][:3]
    entry = Entry(kernel, function or kernel.name, list_parameters(kernel), sides)
    return Sources(writer.write(entry, comment))


def list_parameters(kernel: CompiledKernel) -> list[Parameter]:
    """The C parameters of what is passed to a kernel; of a tuple one for each element."""
    from .ast.module import flatten

    parameters = []
    for name, value in kernel.arguments.items():
        passed = flatten(value)
        for i, argument in enumerate(passed):
            spelling = argument.spelling
            kind = "void *" if spelling.startswith("*") else _C_TYPES.get(spelling)
            if kind is None:
                raise TargetError(f"parameter '{name}' has type {spelling}, which C functions cannot take")
            parameters.append(Parameter(name if len(passed) == 1 else f"{name}_{i}", kind))
    return parameters


def format_bytes(data: bytes, width: int = 24) -> str:
    """The elements of an array of C."""
    rows = (data[i:i + width] for i in range(0, len(data), width))
    return ",\n".join("  " + ", ".join(f"0x{byte:02x}" for byte in row) for row in rows)
