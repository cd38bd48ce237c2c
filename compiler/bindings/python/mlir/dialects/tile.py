"""The `tile` dialect: op classes, enumerations and types."""

from .._mlir_libs._tileDialect import PtrType  # noqa: F401
from ._tile_enum_gen import *  # noqa: F401,F403
from ._tile_ops_gen import *  # noqa: F401,F403
