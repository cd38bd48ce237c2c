"""Read by `ir` when it loads: our dialects and passes are in every context.

Contexts run without MLIR's own threads: kernels are small, and a compilation
holds no lock of Python, so that several can run beside each other.
"""

from ._tileNative import register_dialects, register_passes  # noqa: F401

register_passes()
disable_multithreading = True
