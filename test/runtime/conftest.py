"""Fixtures of the runtime's tests."""

from c_kernels import build_library, make_kernel

__all__ = ["build_library", "make_kernel"]
