"""NVIDIA's driver."""

from triton.backends.driver import CudaDriver as CudaDriver
