"""The compiler for NVIDIA's GPUs."""

from triton.backends.compiler import BaseBackend, Options

CUDABackend = BaseBackend
CUDAOptions = Options
