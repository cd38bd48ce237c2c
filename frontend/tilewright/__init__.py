"""Tilewright: a multi-target compiler for tile kernels."""

__version__ = "0.1.0"
