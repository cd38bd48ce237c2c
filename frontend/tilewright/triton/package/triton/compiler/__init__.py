"""Compiling without a launch."""

from . import compiler as compiler
from . import errors as errors
from .compiler import ASTSource as ASTSource
from .compiler import AttrsDescriptor as AttrsDescriptor
from .compiler import CompiledKernel as CompiledKernel
from .compiler import IRSource as IRSource
from .compiler import LazyDict as LazyDict
from .compiler import compile as compile
from .compiler import get_cache_key as get_cache_key
from .compiler import make_backend as make_backend
from .compiler import max_shared_mem as max_shared_mem
from .errors import CompilationError as CompilationError
