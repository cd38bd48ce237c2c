"""What can go wrong between a compiled kernel and its results."""

from __future__ import annotations

from tilewright.errors import OutOfResources, TilewrightError

__all__ = ["AssemblerError", "DeviceAssertionError", "DriverError", "MissingDriverError", "OutOfResources"]


class DeviceAssertionError(TilewrightError, AssertionError, RuntimeError):
    """A ``tl.device_assert`` did not hold for some element.

    Programs know it as what an interpreter raises, and as what a device's failure is.
    """

    def __init__(self, kernel: str, message: str, place: str) -> None:
        super().__init__(kernel, message, place)
        self.kernel, self.message, self.place = kernel, message, place

    def __str__(self) -> str:
        place = f"{self.place}: " if self.place else ""
        return f"{place}error: kernel '{self.kernel}': assertion failed: {self.message}"


class DriverError(TilewrightError, RuntimeError):
    """A call of a GPU's driver failed."""


class MissingDriverError(DriverError):
    """There is no driver, or no binding of Python to it."""


class AssemblerError(TilewrightError):
    """An assembler refused the text that the compiler made."""
