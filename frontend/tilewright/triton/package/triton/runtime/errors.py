"""What goes wrong when kernels are launched."""

from tilewright.autotune import AutotunerError as AutotunerError
from tilewright.errors import OutOfResources as OutOfResources
from tilewright.runtime.errors import AssemblerError

from triton.errors import InterpreterError as InterpreterError
from triton.errors import TritonError as TritonError

PTXASError = AssemblerError
