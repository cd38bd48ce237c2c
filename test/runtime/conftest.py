"""Fixtures of the runtime's tests."""

from c_kernels import build_library, make_kernel
from driver_stand_in import fake_driver, old_driver

__all__ = ["build_library", "fake_driver", "make_kernel", "old_driver"]
