"""What programs ask Triton's runtime for: the active device, functions' and errors' classes."""

from tilewright import Config as Config
from tilewright import JITFunction as JITFunction
from tilewright import OutOfResources as OutOfResources
from tilewright import autotune as autotune
from tilewright import heuristics as heuristics

from . import driver as driver
