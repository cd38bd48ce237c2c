"""What the tests of the frontend share: a kernel's text at stage `tile`."""

from __future__ import annotations

from typing import Any

import pytest
from tilewright.ast.builder import BuildOptions
from tilewright.ast.module import build_module
from tilewright.signature import bind_signature


def lower_to_text(kernel: Any, *, locations: bool = False, options: BuildOptions | None = None,
                  **signature: Any) -> str:
    """The verified module of a kernel as text."""
    module = build_module(kernel, bind_signature(kernel, signature), options or BuildOptions())
    assert module.operation.verify()
    return module.operation.get_asm(enable_debug_info=locations)


@pytest.fixture
def build():
    """`build(kernel, x="*fp32", BLOCK=64)` gives the module, not verified."""
    return lambda kernel, **signature: build_module(kernel, bind_signature(kernel, signature), BuildOptions())


@pytest.fixture
def lower():
    """`lower(kernel, x="*fp32", n="i32", BLOCK=64)` gives the text."""
    return lower_to_text
