"""`triton.runtime.driver.active`: the device that kernels run on by default."""

from __future__ import annotations

from typing import Any


class _ActiveDriver:
    """The GPU that torch uses, or the CPU where there is none."""

    def get_active_torch_device(self) -> Any:
        """`torch.device` of the GPU, or of the CPU."""
        import torch

        return torch.device("cuda", torch.cuda.current_device()) if torch.cuda.is_available() \
            else torch.device("cpu")

    def get_current_device(self) -> int:
        """Index of the GPU; 0 on the CPU."""
        device = self.get_active_torch_device()
        return device.index or 0


active = _ActiveDriver()
