"""Tensor descriptors under Triton's names."""

from __future__ import annotations

import numpy as np
import pytest
import triton
import triton.language as tl
from triton.tools.ragged_tma import create_ragged_descriptor, load_ragged
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def _descriptor(desc_or_ptr, shape, strides, block_shape):
    if isinstance(desc_or_ptr, tl.tensor_descriptor):
        return desc_or_ptr
    return tl.make_tensor_descriptor(desc_or_ptr, shape, strides, block_shape)


@triton.jit
def copy(source, target, m, n, BM: tl.constexpr, BN: tl.constexpr):
    source = _descriptor(source, shape=[m, n], strides=[n, 1], block_shape=[BM, BN])
    target = _descriptor(target, shape=[m, n], strides=[n, 1], block_shape=[BM, BN])
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    target.store([i, j], source.load([i, j]))


@pytest.mark.parametrize("on_host", [False, True])
def test_arrays_and_descriptors_are_taken_alike(on_host):
    triton.set_allocator(lambda size, alignment, stream: np.empty(size, np.int8))
    x = np.random.default_rng().standard_normal((50, 72)).astype(np.float32)
    out = np.zeros_like(x)
    arguments = [TensorDescriptor.from_tensor(each, [16, 32]) if on_host else each for each in (x, out)]
    copy[(4, 3)](*arguments, 50, 72, BM=16, BN=32)
    assert np.array_equal(out, x)


def test_what_is_refused_is_an_assertion():
    with pytest.raises(AssertionError):
        TensorDescriptor(np.zeros((4, 5), np.float32), [4, 5], [5, 1], [2, 4])


@triton.jit
def part(source, out, start, size):
    block = load_ragged(source, start, size, [0, 0])
    i, j = tl.arange(0, 8), tl.arange(0, 16)
    tl.store(out + i[:, None] * 16 + j[None, :], block)


def test_ragged_arrays():
    x, out = np.arange(320, dtype=np.float32).reshape(20, 16), np.empty((8, 16), np.float32)
    part[(1,)](create_ragged_descriptor(x, [8, 16]), out, 5, 3)
    assert np.array_equal(out, np.pad(x[5:8], ((0, 5), (0, 0))))
