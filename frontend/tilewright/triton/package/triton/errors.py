"""The base of all errors."""

from tilewright.errors import CompilationError as CompilationError
from tilewright.errors import OutOfResources as OutOfResources
from tilewright.errors import TilewrightError

TritonError = TilewrightError


class InterpreterError(TritonError):
    """A kernel failed in the interpreter; here it raises the error itself instead."""
