"""Kernels for tests of the runtime: C functions with the interface of compiled CPU kernels."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass, field
from inspect import Parameter
from pathlib import Path
from typing import Any

import pytest
from tilewright.runtime import launch

PRELUDE = """
#include <stdint.h>
#define SLOT(type, i) (*(type *)&slots[i])
#define KERNEL(name) void name(uint64_t *slots, char *scratch, const int32_t *position)
void (*tile_rt_print)(const int32_t *, const char *, const char *, int32_t, const void *, int32_t, const int64_t *);
void (*tile_rt_assert)(const int32_t *, const char *, const char *);
"""


@dataclass
class Param:
    """A parameter as the launcher is told of it."""

    name: str
    default: Any = Parameter.empty
    is_constexpr: bool = False
    is_const: bool = False
    annotation_type: str | None = None
    do_not_specialize: bool = False
    do_not_specialize_on_alignment: bool = False


@dataclass
class Kernel:
    """A compiled kernel."""

    name: str
    target: str
    asm: dict[str, Any]
    metadata: dict[str, Any]


@dataclass
class Source:
    """A function that is "compiled" by taking a ready library; it keeps what it was asked for."""

    name: str
    params: list[Param]
    library: bytes
    scratch_bytes: int = 0
    tile: str = ""
    requests: list[launch.Specialization] = field(default_factory=list)
    used_globals: dict[str, Any] = field(default_factory=dict)
    cache_key: str | None = None

    def __post_init__(self) -> None:
        self.__name__ = self.name

    def watched_globals(self) -> list[tuple[dict[str, Any], str, Any]]:
        return [(self.used_globals, name, value) for name, value in self.used_globals.items()]

    def compile_for(self, specialization: launch.Specialization) -> Kernel:
        self.requests.append(specialization)
        return Kernel(self.name, "cpu", {"object": self.library, "tile": self.tile},
                      {"scratch_bytes": self.scratch_bytes, "shared_bytes": 0, "num_warps": 4, "num_ctas": 1})


@pytest.fixture(scope="session")
def build_library(tmp_path_factory):
    """Compile C text to the bytes of a shared library."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    built: dict[str, bytes] = {}

    def build(text: str) -> bytes:
        if text not in built:
            folder: Path = tmp_path_factory.mktemp("library")
            (folder / "kernel.c").write_text(PRELUDE + text)
            subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-nostdlib", "-o", "kernel.so", "kernel.c"],
                           cwd=folder, check=True)
            built[text] = (folder / "kernel.so").read_bytes()
        return built[text]

    return build


@pytest.fixture
def make_kernel(build_library):
    """A launcher of C text: the function's name, its parameters, the text."""

    def make(name: str, params: list[Param | str], text: str, **more: Any):
        params = [Param(param) if isinstance(param, str) else param for param in params]
        source = Source(name, params, build_library(text), **more)
        return launch.make_launcher(source), source

    return make
