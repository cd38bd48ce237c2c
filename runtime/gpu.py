"""GPUs of whatever vendor, for what is not a launch: which arrays are there, its name, its clock."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any


def is_array(value: Any) -> bool:
    """Whether an argument is an array on a GPU."""
    if str(getattr(value, "device", "")).startswith("cuda"):
        return True
    # torch's arrays say so by their device; of some types they cannot tell by this.
    return not hasattr(value, "data_ptr") and hasattr(value, "__cuda_array_interface__")


def arrays_of(values: Iterable[Any]) -> Iterator[Any]:
    """Arguments that may be arrays: also those in tuples, and what descriptors describe."""
    for value in values:
        if isinstance(value, (tuple, list)):
            yield from arrays_of(value)
        else:
            yield value.base if hasattr(value, "block_shape") and hasattr(value, "base") else value


def are_used_by(values: Iterable[Any]) -> bool:
    """Whether one of the arguments of a launch is on a GPU."""
    return any(is_array(value) for value in arrays_of(values))


def is_in_use() -> bool:
    """Whether this process works on a GPU: torch can, or a kernel has been loaded there."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        return True
    devices = sys.modules.get("tilewright.runtime.nvidia.device")
    return devices is not None and devices.Device.get.cache_info().currsize > 0


def make_clock() -> Any:
    """Times what is put on the current stream of the current GPU."""
    from tilewright.runtime.nvidia.clock import Clock

    return Clock()


def describe_device(values: Iterable[Any]) -> str:
    """The name of the GPU that the first array of the arguments is on."""
    from tilewright.runtime.nvidia import Device

    devices = (str(getattr(value, "device", "")) for value in arrays_of(values))
    index = next((text.partition(":")[2] for text in devices if text.startswith("cuda:")), "0")
    return Device.get(int(index)).properties.name


def default_device() -> str:
    """Where arrays are if a program does not say: the current GPU if torch can use one, else the CPU."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        return f"cuda:{torch.cuda.current_device()}"
    return "cpu"


def current_stream() -> int:
    """The stream that torch's launches go to; 0, the default one, without torch."""
    torch = sys.modules.get("torch")
    return torch.cuda.current_stream().cuda_stream if torch is not None and torch.cuda.is_available() else 0


@contextmanager
def on_stream(stream: int | None) -> Iterator[None]:
    """Have launches go to a stream, given by its handle; None leaves the current one.

    Raises:
        RuntimeError: If there is no torch, whose current stream decides.
    """
    if not stream:
        yield
        return
    torch = sys.modules.get("torch")
    if torch is None:
        raise RuntimeError("a launch on a stream of its own needs torch tensors: arrays of other libraries name theirs")
    with torch.cuda.stream(torch.cuda.ExternalStream(stream)):
        yield


def copy_to_host(array: Any) -> Any:
    """An array of the same contents on the CPU."""
    return array.cpu() if hasattr(array, "cpu") else array.get()


def copy_from_host(array: Any, copy: Any) -> None:
    """Give an array the contents of its copy."""
    if hasattr(array, "copy_"):
        array.copy_(copy)
    else:
        array.set(copy)


def synchronize() -> None:
    """Wait for all that was put on the current GPU; at once where none is used."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.synchronize()
