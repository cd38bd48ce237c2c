"""Compiling without a launch."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tilewright.errors import TargetError
from tilewright.hooks import LazyFacts
from tilewright.kernel import CompiledKernel as CompiledKernel
from tilewright.triton import targets
from tilewright.triton.sources import ASTSource as ASTSource
from tilewright.triton.sources import IRSource as IRSource

from triton.backends.compiler import BaseBackend
from triton.backends.compiler import GPUTarget as GPUTarget
from triton.runtime.cache import get_cache_key as get_cache_key
from triton.runtime.cache import triton_key as triton_key

LazyDict = LazyFacts


class AttrsDescriptor(dict):
    """Attributes of arguments by path: ``{(0,): [["tt.divisibility", 16]]}``."""


def max_shared_mem(device: int) -> int:
    """Bytes of on-chip memory that a program may have."""
    from triton.runtime.driver import driver

    return driver.active.utils.get_device_properties(device)["max_shared_mem"]


def make_backend(target: GPUTarget) -> BaseBackend:
    """What compiles for a target.

    Raises:
        TargetError: If nothing does.
    """
    if not isinstance(target, GPUTarget):
        raise TypeError(f"make_backend: expects a GPUTarget, got {target!r}")
    return BaseBackend(target)


def compile(src: Any, target: Any = None, options: Mapping[str, Any] | None = None) -> CompiledKernel:
    """Compile a source for a target; needs no device.

    Args:
        src: An `ASTSource`, or the path of a file with a stage.
        target: A `GPUTarget`; by default the device that kernels run on.
        options: As a launch takes them.
    """
    if isinstance(src, (str, Path)):
        src = IRSource(str(src))
    if not isinstance(src, ASTSource):
        raise TargetError(f"compile: expects an ASTSource, got {type(src).__name__}")
    name = targets.to_name(targets.current() if target is None else target)
    return src.compile(name, dict(options or {}))
