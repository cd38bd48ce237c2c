"""Kernels that can be looked into. With TRITON_INTERPRET=1 they are functions of the same class as without,
whose launches are interpreted, so nothing is an `InterpretedFunction`."""

from __future__ import annotations


class InterpretedFunction:
    """A function that Triton's interpreter runs; no function of Tilewright's is one."""
