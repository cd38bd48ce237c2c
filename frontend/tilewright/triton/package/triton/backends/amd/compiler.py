"""The compiler for AMD's GPUs."""

from triton.backends.compiler import BaseBackend, Options

HIPBackend = BaseBackend
HIPOptions = Options
