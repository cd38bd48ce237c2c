"""GPUs: their properties, contexts and the compiler's target for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from tilewright import config
from tilewright.runtime.nvidia.driver import bindings, call

#: Architectures that the compiler knows. One with an "a" runs on its own capability alone; the others
#: run on all newer ones of their major number, and as PTX on every newer GPU.
_EXACT = {(9, 0): "sm_90a", (10, 0): "sm_100a", (12, 0): "sm_120a"}
_FORWARD = {(8, 0): "sm_80", (8, 6): "sm_86", (8, 9): "sm_89"}


@dataclass(frozen=True)
class Properties:
    """Facts about a GPU that decide what fits on it."""

    name: str
    capability: tuple[int, int]
    multiprocessors: int
    max_shared_bytes: int  # of a block that opts in
    max_threads: int  # of a block
    max_registers: int  # of a block
    l2_bytes: int
    clock_khz: int
    memory_clock_khz: int
    memory_bus_bits: int


@dataclass(frozen=True)
class Device:
    """A GPU with its primary context, which torch and others use too."""

    index: int
    handle: Any
    context: Any
    properties: Properties

    @staticmethod
    @cache
    def get(index: int) -> Device:
        """The GPU with this index; it stays open."""
        purpose = f"GPU {index}"
        handle = call(purpose, "cuDeviceGet", index)
        context = call(purpose, "cuDevicePrimaryCtxRetain", handle)
        return Device(index, handle, context, _read_properties(purpose, handle))

    @contextmanager
    def current(self, purpose: str) -> Iterator[None]:
        """Make the GPU's context the thread's."""
        call(purpose, "cuCtxPushCurrent", self.context)
        try:
            yield
        finally:
            call(purpose, "cuCtxPopCurrent")


def _read_properties(purpose: str, handle: Any) -> Properties:
    names = bindings().CUdevice_attribute

    def attribute(name: str) -> int:
        return call(purpose, "cuDeviceGetAttribute", getattr(names, f"CU_DEVICE_ATTRIBUTE_{name}"), handle)

    name: bytes = call(purpose, "cuDeviceGetName", 128, handle)
    return Properties(
        name=name.split(b"\0")[0].decode(),
        capability=(attribute("COMPUTE_CAPABILITY_MAJOR"), attribute("COMPUTE_CAPABILITY_MINOR")),
        multiprocessors=attribute("MULTIPROCESSOR_COUNT"),
        max_shared_bytes=attribute("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN"),
        max_threads=attribute("MAX_THREADS_PER_BLOCK"),
        max_registers=attribute("MAX_REGISTERS_PER_BLOCK"),
        l2_bytes=attribute("L2_CACHE_SIZE"), clock_khz=attribute("CLOCK_RATE"),
        memory_clock_khz=attribute("MEMORY_CLOCK_RATE"), memory_bus_bits=attribute("GLOBAL_MEMORY_BUS_WIDTH"))


def architecture_of(capability: tuple[int, int]) -> str:
    """The best architecture of the compiler that runs on a GPU of this capability.

    Raises:
        RuntimeError: If there is none.
    """
    if capability in _EXACT:
        return _EXACT[capability]
    older = [known for known in _FORWARD if known <= capability]
    if not older:
        raise RuntimeError(f"this GPU has compute capability {capability[0]}.{capability[1]}; kernels need 8.0 or "
                           "newer (Ampere)")
    return _FORWARD[max(older)]


def runs_binary(arch: str, capability: tuple[int, int]) -> bool:
    """Whether a GPU of this capability runs machine code for an architecture; PTX for an older one it always runs."""
    digits = arch.removeprefix("sm_").rstrip("a")
    major, minor = int(digits[:-1]), int(digits[-1])
    if arch.endswith("a"):
        return (major, minor) == capability
    return major == capability[0] and minor <= capability[1]


@cache
def _own_architecture(index: int) -> str:
    return architecture_of(Device.get(index).properties.capability)


def target_of(index: int) -> str:
    """The compiler's target for a GPU, such as "nvidia:sm_90a"."""
    return f"nvidia:{config.architecture() or _own_architecture(index)}"
