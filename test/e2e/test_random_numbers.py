"""Random numbers: Philox bit by bit, and what is made of it."""

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

KEYS = {32: (0x9E3779B9, 0xBB67AE85), 64: (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)}
FACTORS = {32: (0xD2511F53, 0xCD9E8D57), 64: (0xD2E7470EE14C6C93, 0xCA5A826395121157)}


def philox(counter, key, rounds=10, width=32):
    """Philox of four words as published, on integers or arrays of them, without overflow."""
    mask = (1 << width) - 1
    c0, c1, c2, c3 = (np.asarray(c, dtype=object) & mask for c in counter)
    k0, k1 = key
    for _ in range(rounds):
        first, second = c0 * FACTORS[width][0], c2 * FACTORS[width][1]
        c0, c1, c2, c3 = (second >> width) ^ c1 ^ k0, second & mask, (first >> width) ^ c3 ^ k1, first & mask
        k0, k1 = (k0 + KEYS[width][0]) & mask, (k1 + KEYS[width][1]) & mask
    return np.stack([c.astype(f"u{width // 8}") for c in np.broadcast_arrays(c0, c1, c2, c3)])


def words(seed, offsets, rounds=10):
    """The four words for a seed and offsets of up to 64 bits."""
    seed, offsets = int(seed) & (2**64 - 1), np.asarray(offsets).astype(object)
    counter = (offsets, offsets >> 32 if offsets.max() >= 2**32 else 0, 0, 0)
    return philox(counter, (seed & 0xFFFFFFFF, seed >> 32), rounds)


@tw.jit
def integers_kernel(offsets, seed, out, one, ROUNDS: tl.constexpr):
    i = tl.arange(0, 128)
    a, b, c, d = tl.randint4x(seed, tl.load(offsets + i), ROUNDS)
    tl.static_assert(a.dtype == tl.uint32)
    tl.store(out + i, a)
    tl.store(out + 128 + i, b)
    tl.store(out + 256 + i, c)
    tl.store(out + 384 + i, d)
    tl.store(one + i, tl.randint(seed, tl.load(offsets + i), n_rounds=ROUNDS))


@pytest.mark.parametrize("seed, dtype, rounds", [
    (0, "int32", 10), (1, "uint32", 10), (2**31, "int64", 10), (2**40 + 7, "uint64", 10), (2**63 + 5, "int64", 10),
    (12345, "int32", 7), (12345, "int64", 1)])
def test_integers_are_philox(rng, seed, dtype, rounds):
    top = 2**31 if dtype.endswith("32") else 2**62
    offsets = rng.integers(0, top, 128).astype(dtype)
    out, one = np.empty((4, 128), np.uint32), np.empty(128, np.uint32)
    integers_kernel[(1,)](offsets, seed, out, one, ROUNDS=rounds)
    expected = words(seed, offsets, rounds)
    assert np.array_equal(out, expected) and np.array_equal(one, expected[0])


@tw.jit
def seeds_kernel(seeds, out):
    i = tl.arange(0, 64)
    tl.store(out + i, tl.randint(tl.load(seeds), i))
    tl.store(out + 64 + i, tl.randint(tl.load(seeds + 1), i + 2**20))


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
def test_seeds_come_from_memory_as_well(rng, dtype):
    seeds = rng.integers(0, 2**31, 2).astype(dtype)
    if dtype == "int32":
        seeds[1] = -5
    out = np.empty((2, 64), np.uint32)
    seeds_kernel[(1,)](seeds, out)
    expected = [words(seeds[0], np.arange(64))[0], words(seeds[1], np.arange(64) + 2**20)[0]]
    assert np.array_equal(out, expected)


@tw.jit
def philox_kernel(counters, seed, out, TYPE: tl.constexpr, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    c0, c1, c2, c3 = [tl.load(counters + k * SIZE + i) for k in (0, 1, 2, 3)]
    a, b, c, d = tl.philox(seed, c0, c1, c2, c3)
    tl.static_assert(a.dtype == TYPE)
    tl.store(out + i, a)
    tl.store(out + SIZE + i, b)
    tl.store(out + 2 * SIZE + i, c)
    tl.store(out + 3 * SIZE + i, d)


@pytest.mark.parametrize("width", [32, 64])
def test_philox_of_counters(rng, width):
    counters = rng.integers(0, 2**width, (4, 64), f"u{width // 8}")
    seed = int(rng.integers(0, 2**63))
    out = np.empty_like(counters)
    philox_kernel[(1,)](counters, seed, out, TYPE=tl.uint32 if width == 32 else tl.uint64, SIZE=64)
    key = (seed & 0xFFFFFFFF, seed >> 32) if width == 32 else (seed, 0)
    assert np.array_equal(out, philox(counters.astype(object), key, width=width))


def uniform(bits):
    """Integers as floats from 0 up to, not including, 1."""
    signed = bits.view(np.int32)
    return np.where(signed < 0, -signed - 1, signed).astype(np.float32) * np.float32(4.6566127342e-10)


@tw.jit
def floats_kernel(flat, four, normal, normals, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    size = tl.num_programs(0) * BLOCK
    tl.store(flat + i, tl.rand(seed, i))
    tl.store(normal + i, tl.randn(seed, i))
    a, b, c, d = tl.rand4x(seed, i)
    tl.store(four + i, a)
    tl.store(four + size + i, b)
    tl.store(four + 2 * size + i, c)
    tl.store(four + 3 * size + i, d)
    a, b, c, d = tl.randn4x(seed, i)
    tl.store(normals + i, a)
    tl.store(normals + size + i, b)
    tl.store(normals + 2 * size + i, c)
    tl.store(normals + 3 * size + i, d)


def test_uniform_and_normal_numbers():
    size = 2**14
    flat, normal = np.empty(size, np.float32), np.empty(size, np.float32)
    four, normals = np.empty((4, size), np.float32), np.empty((4, size), np.float32)
    floats_kernel[(16,)](flat, four, normal, normals, 99, BLOCK=1024)
    u = uniform(words(99, np.arange(size)))
    assert np.array_equal(four, u) and np.array_equal(flat, u[0])
    assert u.min() >= 0 and u.max() < 1
    radius = np.sqrt(-2 * np.log(np.maximum(1e-7, u[::2].astype(np.float64))))
    angle = 6.283185307179586 * u[1::2].astype(np.float64)
    expected = np.stack([radius[0] * np.cos(angle[0]), radius[0] * np.sin(angle[0]),
                         radius[1] * np.cos(angle[1]), radius[1] * np.sin(angle[1])])
    assert np.allclose(normals, expected, rtol=1e-5, atol=5e-6) and np.array_equal(normals[0], normal)
    assert np.all(np.abs(normals.mean(1)) < 0.05) and np.all(np.abs(normals.std(1) - 1) < 0.05)


@tw.jit
def wide_kernel(x, out):
    i = tl.arange(0, 64)
    tl.store(out + i, tl.uint_to_uniform_float(tl.load(x + i)))


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
def test_integers_become_uniform_floats(rng, dtype):
    x = rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max, 64, dtype, endpoint=True)
    out = np.empty(64, np.float32)
    wide_kernel[(1,)](x, out)
    signed = x.view(f"i{x.itemsize}").astype(object)
    scale = np.float32(4.6566127342e-10 if x.itemsize == 4 else 1.0842020432385337e-19)
    expected = np.array([-v - 1 if v < 0 else v for v in signed]).astype(np.int64).astype(np.float32) * scale
    assert np.array_equal(out, expected) and out.min() >= 0 and out.max() <= 1
