"""The place where kernels look for `libdevice`; the functions are the same on all targets."""

from . import libdevice

__all__ = ["libdevice"]
