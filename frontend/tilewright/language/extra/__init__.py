"""More functions, under the names that kernels import them by."""

from . import cuda, hip, libdevice

__all__ = ["cuda", "hip", "libdevice"]
