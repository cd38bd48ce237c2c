"""Functions, tuning, devices, caches and errors."""

from tilewright import Autotuner as Autotuner
from tilewright import Config as Config
from tilewright import Heuristics as Heuristics
from tilewright import JITFunction as JITFunction
from tilewright import OutOfResources as OutOfResources
from tilewright import autotune as autotune
from tilewright import heuristics as heuristics

from . import autotuner as autotuner
from . import cache as cache
from . import errors as errors
from . import interpreter as interpreter
from . import jit as jit
from ._allocation import set_allocator as set_allocator
from .autotuner import PTXASError as PTXASError
from .cache import RedisRemoteCacheBackend as RedisRemoteCacheBackend
from .driver import driver as driver
from .errors import InterpreterError as InterpreterError
from .jit import KernelInterface as KernelInterface
from .jit import MockTensor as MockTensor
from .jit import TensorWrapper as TensorWrapper
from .jit import reinterpret as reinterpret
