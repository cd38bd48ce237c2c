"""`triton.runtime.driver.active`: the device that kernels run on by default."""

from __future__ import annotations

from tilewright.triton.devices import DriverBase, default_driver


class DriverConfig:
    """The default driver, and the active one, which a program may change."""

    def __init__(self) -> None:
        self._active: DriverBase | None = None

    @property
    def default(self) -> DriverBase:
        """Of the GPU that torch can use, else of the CPU."""
        return default_driver()

    @property
    def active(self) -> DriverBase:
        """The one that was set, else the default one."""
        return self._active or default_driver()

    def set_active(self, driver: DriverBase) -> None:
        """Answer questions about the active device by another driver."""
        self._active = driver

    def reset_active(self) -> None:
        """Back to the default one."""
        self._active = None


driver = DriverConfig()


def __getattr__(name: str) -> object:
    """The module has what its object has: programs reach either."""
    if name in ("active", "default", "set_active", "reset_active"):
        return getattr(driver, name)
    raise AttributeError(f"module 'triton.runtime.driver' has no attribute '{name}'")
