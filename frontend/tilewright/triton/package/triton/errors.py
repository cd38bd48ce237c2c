"""The base of all errors."""

from tilewright.errors import CompilationError as CompilationError
from tilewright.errors import InterpreterError as InterpreterError
from tilewright.errors import OutOfResources as OutOfResources
from tilewright.errors import TilewrightError

TritonError = TilewrightError
