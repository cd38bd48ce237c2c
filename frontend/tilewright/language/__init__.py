"""The language of kernels, imported as ``tl``."""

from typing import TYPE_CHECKING

from ..ast.aggregates import aggregate_replace
from ..ast.values import tensor
from . import extra, math, standard
from .arithmetic import logical_and, logical_or, where
from .atomics import (
    atomic_add,
    atomic_and,
    atomic_cas,
    atomic_load,
    atomic_max,
    atomic_min,
    atomic_or,
    atomic_poll,
    atomic_store,
    atomic_xchg,
    atomic_xor,
)
from .block_pointers import advance, make_block_ptr
from .conversion import cast, to_tensor
from .debug import device_assert, device_print, static_assert, static_print
from .descriptors import (
    load_tensor_descriptor,
    make_tensor_descriptor,
    store_tensor_descriptor,
    tensor_descriptor,
)
from .elements import inline_asm_elementwise, map_elementwise
from .linalg import dot
from .loops import condition, range, static_range
from .math import (
    PropagateNan,
    abs,
    ceil,
    clamp,
    cos,
    div_rn,
    erf,
    exp,
    exp2,
    fdiv,
    floor,
    fma,
    log,
    log2,
    maximum,
    minimum,
    rsqrt,
    sin,
    sqrt,
    sqrt_rn,
    umulhi,
)
from .memory import load, store
from .moving import cat, flip, gather, unpack_int4
from .overflow import add, mul, sub
from .program import (
    assume,
    debug_barrier,
    expect_zero,
    max_constancy,
    max_contiguous,
    multiple_of,
    num_programs,
    program_id,
)
from .random import (
    pair_uniform_to_normal,
    philox,
    philox_impl,
    rand,
    rand4x,
    randint,
    randint4x,
    randn,
    randn4x,
    uint_to_uniform_float,
)
from .reductions import argmax, argmin, max, min, reduce, reduce_or, sum, xor_sum
from .scaled import dot_scaled
from .scans import associative_scan, cumprod, cumsum
from .shapes import (
    arange,
    broadcast,
    broadcast_to,
    expand_dims,
    full,
    interleave,
    item,
    join,
    permute,
    ravel,
    reshape,
    split,
    squeeze,
    trans,
    unsqueeze,
    view,
    zeros,
    zeros_like,
)
from .sorting import argsort, bitonic_merge, histogram, sort, topk
from .standard import cdiv, sigmoid, softmax, swizzle2d
from .tuples import slice, tuple
from .types import (
    bfloat16,
    block_type,
    const,
    dtype,
    float8e4b8,
    float8e4b15,
    float8e4nv,
    float8e5,
    float8e5b16,
    float16,
    float32,
    float64,
    int1,
    int8,
    int16,
    int32,
    int64,
    pi32_t,
    pointer_type,
    str_to_ty,
    tensor_descriptor_type,
    uint8,
    uint16,
    uint32,
    uint64,
    void,
)

if TYPE_CHECKING:
    # A module that does not exist: checkers then let a parameter that is annotated tl.constexpr take any
    # value, and compute with it as with that value, which no type of Python says.
    from ._constants import constexpr  # type: ignore[import-not-found]
else:
    from ..ast.constants import constexpr

TRITON_MAX_TENSOR_NUMEL = 1 << 20
"""The largest number of elements of a block."""
