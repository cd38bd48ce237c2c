"""AMD's driver."""

from triton.backends.driver import HipDriver

HIPDriver = HipDriver
