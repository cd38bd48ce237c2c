"""What can go wrong between a compiled kernel and its results."""

from __future__ import annotations

from tilewright.errors import OutOfResources, TilewrightError

__all__ = ["AssemblerError", "DeviceAssertionError", "DriverError", "MissingDriverError", "OutOfResources"]


class DeviceAssertionError(TilewrightError, AssertionError):
    """A ``tl.device_assert`` did not hold for some element."""

    def __init__(self, kernel: str, message: str, file: str, line: int) -> None:
        super().__init__(kernel, message, file, line)
        self.kernel, self.message, self.file, self.line = kernel, message, file, line

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.file else ""
        return f"{place}error: kernel '{self.kernel}': assertion failed: {self.message}"


class DriverError(TilewrightError, RuntimeError):
    """A call of a GPU's driver failed."""


class MissingDriverError(DriverError):
    """There is no driver, or no binding of Python to it."""


class AssemblerError(TilewrightError):
    """An assembler refused the text that the compiler made."""
