"""What can go wrong in the emulator. Every error names the instruction and its place once known."""

from __future__ import annotations


class EmulatorError(RuntimeError):
    """Base of all errors of the emulator."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.where: str | None = None

    def locate(self, where: str) -> None:
        """Append the place of the failing instruction, once."""
        if self.where is None:
            self.where = where
            self.args = (f"{self.args[0]} [{where}]",)


class InvalidCodeObject(EmulatorError):
    """The bytes are no AMDGPU code object, or one of a kind that is not emulated."""


class LaunchError(EmulatorError):
    """The kernel's name, its arguments or the launch geometry do not fit the code object."""


class ToolNotFound(EmulatorError):
    """A program that the emulator needs is not installed."""


class MemoryFault(EmulatorError):
    """An access outside every allocation, or a store to read-only memory."""


class DataRace(EmulatorError):
    """Two waves use the same bytes of LDS without a barrier in between, and one of them writes."""


class IllegalExecution(EmulatorError):
    """The program did something that the hardware leaves undefined, or never ended."""


class UnsupportedInstruction(EmulatorError):
    """The instruction, or this form of it, has no semantics in the emulator."""
