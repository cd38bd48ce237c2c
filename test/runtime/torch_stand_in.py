"""A module named torch with as much of it as the launcher touches."""

from __future__ import annotations

import sys
import types


class dtype:  # noqa: N801 - torch's name
    def __init__(self, name):
        self.text = name

    def __repr__(self):
        return f"torch.{self.text}"


class Tensor:
    def __init__(self, address, type_name="float32", device="cpu"):
        self.address, self.dtype, self.device = address, dtype(type_name), device
        self.is_cpu, self.is_cuda = device == "cpu", device.startswith("cuda")

    def data_ptr(self):
        return self.address

    def get_device(self):
        return int(self.device.partition(":")[2]) if self.is_cuda else -1


Tensor.__module__ = "torch"


class Parameter(Tensor):
    pass


def install():
    """Make it the torch of this process."""
    torch = types.ModuleType("torch")
    torch.Tensor, torch.Parameter = Tensor, Parameter
    torch.version = types.SimpleNamespace(hip=None)
    torch._C = types.SimpleNamespace(_cuda_getCurrentRawStream=lambda index: 0x500 + index)
    torch.cuda = types.SimpleNamespace(is_available=lambda: True, current_device=lambda: 0,
                                       current_stream=lambda: types.SimpleNamespace(cuda_stream=0x500))
    sys.modules["torch"] = torch
    return torch
