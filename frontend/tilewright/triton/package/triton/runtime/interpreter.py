"""Kernels that can be looked into. With TRITON_INTERPRET=1 they are ordinary functions that run on the CPU
with every check, so nothing is an `InterpretedFunction`."""

from __future__ import annotations


class InterpretedFunction:
    """A function that Triton's interpreter runs; no function of Tilewright's is one."""
