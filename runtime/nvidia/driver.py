"""Calls of the driver that are checked: one that fails raises an error naming it."""

from __future__ import annotations

from functools import cache
from types import ModuleType
from typing import Any

from tilewright.runtime.errors import DriverError, MissingDriverError


def missing_driver() -> MissingDriverError:
    """What to say where arrays are on a GPU, or a GPU is asked for, and nothing drives it."""
    return MissingDriverError(
        "there is no NVIDIA driver here (libcuda.so.1 cannot be opened), so kernels cannot run on an NVIDIA GPU. "
        "Run on a machine with a GPU and its driver, pass numpy arrays or CPU tensors to run on the CPU, or "
        "compile without a GPU: tilewright.compile(kernel, signature, target='nvidia:sm_90a')")


@cache
def bindings() -> ModuleType:
    """cuda-python's binding of the driver, initialised.

    Raises:
        MissingDriverError: If it is not installed, or finds no driver.
    """
    try:
        from cuda.bindings import driver
    except ImportError as error:
        raise MissingDriverError("kernels on NVIDIA GPUs are loaded through cuda-python, which cannot be imported "
                                 f"({error}): pip install cuda-python") from error
    try:
        (result,) = driver.cuInit(0)
    except RuntimeError as error:  # what it raises where it finds no library
        raise missing_driver() from error
    if result != driver.CUresult.CUDA_SUCCESS:
        raise DriverError(f"cuInit failed with {describe(driver, result)}; is a GPU visible to this process?")
    return driver


def describe(driver: ModuleType, result: Any) -> str:
    """A result's name, number and text."""
    _, name = driver.cuGetErrorName(result)
    _, text = driver.cuGetErrorString(result)
    return f"{(name or b'?').decode()} ({int(result)}): {(text or b'').decode()}"


def call(purpose: str, function: str, *args: Any) -> Any:
    """Call a driver function; gives its result, None, or a tuple of several.

    Args:
        purpose: What the call is for, as the error's beginning.
        function: Its name.
        args: As cuda-python takes them.
    """
    driver = bindings()
    result, *values = getattr(driver, function)(*args)
    if result != driver.CUresult.CUDA_SUCCESS:
        raise DriverError(f"{purpose}: {function} failed with {describe(driver, result)}")
    return values[0] if len(values) == 1 else (tuple(values) or None)
