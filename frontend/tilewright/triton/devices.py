"""The device that kernels run on by default, as programs ask Triton's driver for it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NoReturn, Protocol

from tilewright.triton.targets import GPUTarget, current, from_name

#: Bytes that a benchmark writes between runs so that none finds the second-level cache warm.
_FLUSH_BYTES = 256 * 1024 * 1024


class Benchmarker(Protocol):
    """What times a function."""

    def __call__(self, kernel_call: Callable[[], Any], *, quantiles: list[float], **options: Any) -> list[float]: ...


def _torch() -> Any:
    import torch

    return torch


class DriverBase:
    """A device and what programs ask of it."""

    backend = ""

    @property
    def utils(self) -> Utilities:
        """Properties of devices, and loading."""
        return Utilities(self)

    @classmethod
    def is_active(cls) -> bool:
        """Whether this is the device that kernels run on by default."""
        return current().backend == cls.backend

    def get_current_target(self) -> GPUTarget:
        """What kernels are compiled for."""
        return current()

    def get_active_torch_device(self) -> Any:
        """`torch.device` of the device."""
        return _torch().device("cuda", self.get_current_device())

    def get_device_interface(self) -> Any:
        """The module of torch for the device: streams, events, synchronization."""
        return _torch().cuda

    def get_current_device(self) -> int:
        """Index of the device."""
        return _torch().cuda.current_device()

    def set_current_device(self, device: int) -> None:
        """Make another device the current one."""
        _torch().cuda.set_device(device)

    def get_current_stream(self, device: int | None = None) -> int:
        """Handle of the stream that launches go to."""
        return _torch().cuda.current_stream(device).cuda_stream

    def get_device_capability(self, device: int | None = None) -> tuple[int, int]:
        """The version of the device's architecture."""
        return _torch().cuda.get_device_capability(device)

    def get_benchmarker(self) -> Benchmarker:
        """What times a function on the device."""
        from tilewright.testing import do_bench

        return do_bench

    def get_empty_cache_for_benchmark(self) -> Any:
        """Memory to write between runs, as large as caches."""
        return _torch().empty(_FLUSH_BYTES // 4, dtype=_torch().int, device=self.get_active_torch_device())

    def clear_cache(self, memory: Any) -> None:
        """Write that memory."""
        memory.zero_()

    def map_python_to_cpp_type(self, kind: str) -> str:
        """The C type of an argument of a signature."""
        return c_type(kind)

    def launcher_cls(self, src: Any, metadata: Any) -> NoReturn:
        """Refused: launchers are not made one by one."""
        raise NotImplementedError("kernels are launched by kernel[grid](...), or kernel.run(...) of a compiled kernel")


class CudaDriver(DriverBase):
    """NVIDIA's GPUs."""

    backend = "cuda"


class HipDriver(DriverBase):
    """AMD's GPUs."""

    backend = "hip"


class CpuDriver(DriverBase):
    """The CPU, where there is no GPU that torch can use."""

    backend = "cpu"

    def get_active_torch_device(self) -> Any:
        return _torch().device("cpu")

    def get_device_interface(self) -> Any:
        torch = sys.modules.get("torch")
        return torch.cpu if torch is not None and hasattr(torch, "cpu") else HostInterface()

    def get_current_device(self) -> int:
        return 0

    def set_current_device(self, device: int) -> None:
        if getattr(device, "index", device) not in (0, None):
            raise ValueError(f"there is one CPU, number 0, not {device}")

    def get_current_stream(self, device: int | None = None) -> int:
        return 0

    def get_device_capability(self, device: int | None = None) -> tuple[int, int]:
        return (0, 0)

    def get_empty_cache_for_benchmark(self) -> Any:
        import numpy

        return numpy.empty(_FLUSH_BYTES // 4, numpy.int32)

    def clear_cache(self, memory: Any) -> None:
        memory[...] = 0


class HostInterface:
    """What a module of torch for devices has, for the CPU: runs are over when they return."""

    @staticmethod
    def synchronize(device: Any = None) -> None:
        """Nothing to wait for."""

    @staticmethod
    def current_device() -> int:
        """Number of the CPU."""
        return 0

    @staticmethod
    def is_available() -> bool:
        """There is always one."""
        return True


class Utilities:
    """Properties of devices."""

    def __init__(self, driver: DriverBase) -> None:
        self.driver = driver

    def get_device_properties(self, device: Any = 0) -> Mapping[str, Any]:
        """On-chip memory, registers, processors and lanes, by Triton's names."""
        index = getattr(device, "index", device) or 0
        return cpu_properties() if self.driver.backend == "cpu" else gpu_properties(index)

    def load_binary(self, *args: Any) -> NoReturn:
        """Refused: kernels load themselves."""
        raise NotImplementedError("a compiled kernel loads itself when it is launched")

    def unload_module(self, module: Any) -> None:
        """Nothing to do: what is loaded goes away with its kernel."""


@cache
def cpu_properties() -> dict[str, Any]:
    """The CPU as programs that fit their grid to a GPU see it: a core is a processor, its second-level cache
    the on-chip memory, and registers never are what limits it."""
    from tilewright.runtime.cpu import available_cpus

    facts = Path("/sys/devices/system/cpu/cpu0")
    try:
        level2 = int((facts / "cache/index2/size").read_text().strip().removesuffix("K")) * 1024
    except (OSError, ValueError):
        level2 = 1024 * 1024
    try:
        clock = int((facts / "cpufreq/cpuinfo_max_freq").read_text())
    except (OSError, ValueError):
        clock = 0
    return {"max_shared_mem": level2, "max_num_regs": 65536, "multiprocessor_count": available_cpus(), "warpSize": 1,
            "sm_clock_rate": clock, "mem_clock_rate": 0, "mem_bus_width": 0, "name": os.uname().machine,
            "arch": from_name("cpu").arch}


@cache
def gpu_properties(index: int) -> dict[str, Any]:
    """A GPU as its driver describes it."""
    from tilewright.runtime.nvidia import Device

    facts = Device.get(index).properties
    return {"max_shared_mem": facts.max_shared_bytes, "max_num_regs": facts.max_registers,
            "multiprocessor_count": facts.multiprocessors, "warpSize": 32, "sm_clock_rate": facts.clock_khz,
            "mem_clock_rate": facts.memory_clock_khz, "mem_bus_width": facts.memory_bus_bits, "name": facts.name}


_C_TYPES = {
    "i1": "int8_t", "u1": "int8_t", "i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t",
    "u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t", "fp16": "double", "bf16": "double",
    "fp32": "double", "f32": "double", "fp64": "double"}


def c_type(kind: str) -> str:
    """The C type in which a launcher takes an argument of a signature."""
    if kind.startswith(("*", "tensordesc")):
        return "void*"
    if kind not in _C_TYPES:
        raise ValueError(f"there is no C type for '{kind}'")
    return _C_TYPES[kind]


def default_driver() -> DriverBase:
    """Of the GPU that torch can use, else of the CPU."""
    return {"cuda": CudaDriver, "hip": HipDriver}.get(current().backend, CpuDriver)()
