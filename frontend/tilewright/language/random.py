"""Random numbers as a function of a seed and a position: Philox 4x32."""

from __future__ import annotations

from ..ast.constants import constexpr
from ..jit import jit
from .arithmetic import where
from .conversion import to_tensor
from .loops import static_range
from .math import cos, log, maximum, sin, sqrt, umulhi
from .overflow import add, mul
from .shapes import full, zeros_like
from .types import int32, int64, uint32, uint64

ROUNDS = constexpr(10)
"""Rounds of Philox by default."""

# What the key grows by in each round, and the factors of a round, for each width.
KEYS_32, FACTORS_32 = constexpr((0x9E3779B9, 0xBB67AE85)), constexpr((0xD2511F53, 0xCD9E8D57))
KEYS_64 = constexpr((0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B))
FACTORS_64 = constexpr((0xD2E7470EE14C6C93, 0xCA5A826395121157))


@jit
def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds: constexpr = ROUNDS):
    """The rounds of Philox on unsigned counters and keys of 32 or 64 bits."""
    keys: constexpr = KEYS_32 if c0.dtype == uint32 else KEYS_64
    factors: constexpr = FACTORS_32 if c0.dtype == uint32 else FACTORS_64
    for _ in static_range(n_rounds):
        a, b = c0, c2
        c0 = umulhi(b, factors[1]) ^ c1 ^ k0
        c2 = umulhi(a, factors[0]) ^ c3 ^ k1
        # These overflow on purpose, in kernels that are debugged too.
        c1 = mul(b, factors[1], sanitize_overflow=False)
        c3 = mul(a, factors[0], sanitize_overflow=False)
        k0 = add(k0, keys[0], sanitize_overflow=False)
        k1 = add(k1, keys[1], sanitize_overflow=False)
    return c0, c1, c2, c3


@jit
def philox(seed, c0, c1, c2, c3, n_rounds: constexpr = ROUNDS):
    """Four random unsigned integers for a seed and four counters."""
    seed = to_tensor(seed).to(uint64)
    c0 = to_tensor(c0)
    if c0.dtype.primitive_bitwidth == 32:
        return philox_impl(c0.to(uint32), to_tensor(c1).to(uint32), to_tensor(c2).to(uint32), to_tensor(c3).to(uint32),
                           seed.to(uint32), (seed >> 32).to(uint32), n_rounds)
    else:
        return philox_impl(c0.to(uint64), to_tensor(c1).to(uint64), to_tensor(c2).to(uint64), to_tensor(c3).to(uint64),
                           seed, full((1,), 0, uint64), n_rounds)


@jit
def randint4x(seed, offset, n_rounds: constexpr = ROUNDS):
    """Four blocks of random uint32 for a seed and a block of offsets.

    The cheapest way to many random numbers: the other functions use one or two of the four.
    """
    offset = to_tensor(offset)
    low = offset.to(uint32)
    zero = zeros_like(low)
    if offset.dtype.primitive_bitwidth > 32:
        high = (offset >> 32).to(uint32)
    else:
        high = zero
    return philox(seed, low, high, zero, zero, n_rounds)


@jit
def randint(seed, offset, n_rounds: constexpr = ROUNDS):
    """A block of random uint32 for a seed and a block of offsets."""
    result, _, _, _ = randint4x(seed, offset, n_rounds)
    return result


@jit
def uint_to_uniform_float(x):
    """Random integers as floats from 0 up to, not including, 1."""
    if x.dtype.primitive_bitwidth == 32:
        signed = x.to(int32, bitcast=True)
        scale: constexpr = 4.6566127342e-10
    else:
        signed = x.to(int64, bitcast=True)
        scale: constexpr = 1.0842020432385337e-19
    # The largest integer times the scale stays below 1 in fp32.
    return where(signed < 0, ~signed, signed) * scale


@jit
def rand(seed, offset, n_rounds: constexpr = ROUNDS):
    """A block of random fp32, uniform from 0 up to, not including, 1."""
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


@jit
def rand4x(seed, offset, n_rounds: constexpr = ROUNDS):
    """Four blocks of random fp32, uniform from 0 up to, not including, 1."""
    i1, i2, i3, i4 = randint4x(seed, offset, n_rounds)
    return (uint_to_uniform_float(i1), uint_to_uniform_float(i2), uint_to_uniform_float(i3),
            uint_to_uniform_float(i4))


@jit
def pair_uniform_to_normal(u1, u2):
    """Two normal random numbers from two uniform ones (Box-Muller)."""
    radius = sqrt(-2.0 * log(maximum(1.0e-7, u1)))
    angle = 6.283185307179586 * u2
    return radius * cos(angle), radius * sin(angle)


@jit
def randn(seed, offset, n_rounds: constexpr = ROUNDS):
    """A block of random fp32, normal with mean 0 and variance 1."""
    i1, i2, _, _ = randint4x(seed, offset, n_rounds)
    result, _ = pair_uniform_to_normal(uint_to_uniform_float(i1), uint_to_uniform_float(i2))
    return result


@jit
def randn4x(seed, offset, n_rounds: constexpr = ROUNDS):
    """Four blocks of random fp32, normal with mean 0 and variance 1."""
    u1, u2, u3, u4 = rand4x(seed, offset, n_rounds)
    n1, n2 = pair_uniform_to_normal(u1, u2)
    n3, n4 = pair_uniform_to_normal(u3, u4)
    return n1, n2, n3, n4
