"""Load a compiled kernel on a GPU and check that it can run there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tilewright import _launcher
from tilewright.runtime.errors import DriverError, OutOfResources
from tilewright.runtime.nvidia.advice import read_advice
from tilewright.runtime.nvidia.assembler import describe_assembler
from tilewright.runtime.nvidia.device import Device, runs_binary
from tilewright.runtime.nvidia.driver import bindings, call, describe

if TYPE_CHECKING:
    from tilewright.runtime.launch import CompiledKernel

_LANES = 32
#: Dynamic shared memory that a function may use without asking.
_SHARED_BYTES_BY_DEFAULT = 48 * 1024
_LOG_BYTES = 16 * 1024


class _Module:
    """A module of the driver; unloaded with the last kernel that uses it."""

    def __init__(self, device: Device, handle: Any) -> None:
        self.device, self.handle = device, handle

    def __del__(self) -> None:
        try:
            with self.device.current("unloading a module"):
                call("unloading a module", "cuModuleUnload", self.handle)
        except Exception:  # noqa: BLE001 - the interpreter or the driver is shutting down
            pass


def load(kernel: CompiledKernel, device_index: int) -> _launcher.Executable:
    """Load the kernel's cubin, or its PTX where it was not assembled or is for a GPU of an older kind.

    Sets ``n_regs``, ``n_spills`` (bytes of a thread) and ``n_max_threads`` of the kernel.

    Raises:
        OutOfResources: If the GPU has less on-chip memory, registers or threads than the kernel needs.
        DriverError: If the driver refuses it; the text has the driver's log.
    """
    device = Device.get(device_index)
    purpose = f"kernel '{kernel.name}'"
    # Warps that only copy come on top of those that the program asked for.
    threads = _LANES * kernel.metadata.get("launch_warps", kernel.metadata["num_warps"])
    shared_bytes = kernel.metadata["shared_bytes"]
    _check(kernel, "shared memory", shared_bytes, device.properties.max_shared_bytes)
    _check(kernel, "threads", threads, device.properties.max_threads)
    with device.current(purpose):
        arch = kernel.target.partition(":")[2]
        binary = bool(describe_assembler()) and runs_binary(arch, device.properties.capability)
        image = kernel.asm["cubin" if binary else "ptx"]
        handle, log = _load_image(purpose, image)
        module = _Module(device, handle)
        _advise(kernel, image, log)
        function = call(purpose, "cuModuleGetFunction", module.handle, kernel.name.encode())
        _read_resources(kernel, purpose, function)
        # The registers of this very function may allow fewer than the GPU.
        _check(kernel, "threads", threads, kernel.n_max_threads)
        if shared_bytes > _SHARED_BYTES_BY_DEFAULT:
            name = bindings().CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            call(purpose, "cuFuncSetAttribute", function, name, shared_bytes)
        takes_turns = kernel.metadata.get("launch_grid", False)
        blocks = _count_resident(device, purpose, function, threads, shared_bytes) if takes_turns else 0
    # Older GPUs start kernels one after another, and their drivers refuse to be asked for more.
    overlaps = bool(kernel.metadata.get("launch_pdl")) and device.properties.capability >= (9, 0)
    special = [bool(kernel.metadata.get("launch_cooperative_grid")), overlaps]
    return _launcher.wrap_nvidia(kernel.name, int(function), int(device.context), threads, shared_bytes,
                                 kernel.metadata["num_ctas"], module, *special,
                                 kernel.metadata.get("descriptors", ()), blocks)


def _count_resident(device: Device, purpose: str, function: Any, threads: int, shared_bytes: int) -> int:
    """How many blocks of a function run at once."""
    of_one = call(purpose, "cuOccupancyMaxActiveBlocksPerMultiprocessor", function, threads, shared_bytes)
    return device.properties.multiprocessors * max(1, of_one)


def _check(kernel: CompiledKernel, resource: str, required: int, limit: int) -> None:
    if required > limit:
        raise OutOfResources(required, limit, resource, kernel.name)


def _read_resources(kernel: Any, purpose: str, function: Any) -> None:
    names = bindings().CUfunction_attribute
    for field, name in (("n_regs", names.CU_FUNC_ATTRIBUTE_NUM_REGS),
                        ("n_spills", names.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES),
                        ("n_max_threads", names.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)):
        setattr(kernel, field, call(purpose, "cuFuncGetAttribute", name, function))


def _advise(kernel: Any, image: str | bytes, log: str) -> None:
    """Hand on what the driver's compiler said; it says nothing where it had the code from an earlier process."""
    advice = read_advice(log, image) if isinstance(image, str) else []
    if advice:
        kernel.advise(advice)


def _load_image(purpose: str, image: str | bytes) -> tuple[Any, str]:
    """Load a cubin or PTX; gives the module, and what the driver's compiler wrote."""
    driver = bindings()
    names = driver.CUjit_option
    is_text = isinstance(image, str)
    data = image.encode() + b"\0" if is_text else image
    errors, log = bytearray(_LOG_BYTES), bytearray(_LOG_BYTES)
    options = {names.CU_JIT_ERROR_LOG_BUFFER: errors, names.CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES: len(errors)}
    if is_text:
        options |= {names.CU_JIT_INFO_LOG_BUFFER: log, names.CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES: len(log),
                    names.CU_JIT_LOG_VERBOSE: 1}
    result, module = driver.cuModuleLoadDataEx(data, len(options), list(options), list(options.values()))
    if result != driver.CUresult.CUDA_SUCCESS:
        raise DriverError(f"{purpose}: cuModuleLoadDataEx failed with {describe(driver, result)}\n"
                          f"{_read_text(errors)}".rstrip())
    return module, _read_text(log)


def _read_text(buffer: bytearray) -> str:
    return bytes(buffer).split(b"\0")[0].decode(errors="replace")
