"""Tuning."""

from tilewright import OutOfResources as OutOfResources
from tilewright.autotune import Autotuner as Autotuner
from tilewright.autotune import AutotunerError as AutotunerError
from tilewright.autotune import Config as Config
from tilewright.autotune import Heuristics as Heuristics
from tilewright.autotune import autotune as autotune
from tilewright.autotune import heuristics as heuristics
from tilewright.jit import KernelInterface as KernelInterface

from .errors import PTXASError as PTXASError
