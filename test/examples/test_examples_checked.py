"""Kernels of the examples as they run on a GPU with copies of blocks and roles: executed at stage `scheduled`, they
give numpy's values and nothing to report."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest
from tilewright.interpreter.scheduled import Checked

EXAMPLES = Path(__file__).parents[2] / "examples"
TARGET = "nvidia:sm_90a"


class CheckedKernel:
    """Stands for a kernel: a launch executes it at stage `scheduled`, and has nothing to report."""

    def __init__(self, kernel):
        self.checked = Checked(kernel, TARGET)

    def __getitem__(self, grid):
        def launch(*args, **kwargs):
            report = self.checked[grid](*args, **kwargs)
            assert not report, report

        return launch


@pytest.fixture
def example(monkeypatch):
    """Import an example and let some of its kernels be checked; few programs stand for the machine's."""
    monkeypatch.syspath_prepend(str(EXAMPLES))

    def load(name, *kernels):
        module = importlib.import_module(name)
        for kernel in kernels:
            monkeypatch.setattr(module, kernel, CheckedKernel(getattr(module, kernel)))
        for function, count in (("programs", lambda array, tiles, num_ctas=1: min(tiles, 2)),
                                ("processors", lambda array: 3)):
            if hasattr(module, function):
                monkeypatch.setattr(module, function, count)
        return module

    return load


def half(*shape):
    return np.random.randn(*shape).astype(np.float16)


def unwritten(*shape, dtype=np.float16):
    return np.full(shape, np.nan, dtype)


def assert_near(result, expected, tolerance=2e-3):
    error = np.linalg.norm(result.astype(np.float64) - expected) / max(np.linalg.norm(expected), 1e-30)
    assert error <= tolerance


@pytest.mark.parametrize("blocks", [(128, 256, 64, 8, 3), (128, 192, 64, 8, 4), (64, 128, 64, 4, 5)])
@pytest.mark.parametrize("transposed, described", [(True, True), (False, True), (True, False)])
def test_persistent(example, blocks, transposed, described):
    a, b = half(136, 200), half(264, 200)
    *sizes, warps, stages = blocks
    c = example("matmul_persistent", "described_kernel", "pointer_kernel").matmul(
        a, b if transposed else np.ascontiguousarray(b.T), unwritten(136, 264), transposed, described, *sizes,
        num_warps=warps, num_stages=stages)
    assert_near(c, a.astype(np.float64) @ b.T)


@pytest.mark.parametrize("blocks, num_ctas, more", [((256, 128, 64, 4, 3), 2, {"FLATTEN": True}),
                                                    ((256, 256, 64, 8, 4), 2, {"PARTS": 2}),
                                                    ((512, 64, 64, 4, 3), 4, {})])
def test_persistent_in_clusters(example, blocks, num_ctas, more):
    a, b = half(328, 200), half(264, 200)
    *sizes, warps, stages = blocks
    c = example("matmul_persistent", "described_kernel").matmul(a, b, unwritten(328, 264), True, True, *sizes,
                                                                num_warps=warps, num_stages=stages,
                                                                num_ctas=num_ctas, **more)
    assert_near(c, a.astype(np.float64) @ b.T)


@pytest.mark.parametrize("schedule", ["split", "stream", "dynamic"])
def test_schedules(example, schedule):
    a, b, counters = half(136, 264), half(72, 264), np.zeros(64, np.int32)
    module = example("matmul_schedules", "split_kernel", "stream_kernel", "dynamic_kernel")
    c = module.matmul(a, b, unwritten(136, 72), counters, schedule, False, 128, 64, 64, SPLITS=2, num_warps=8)
    assert_near(c, a.astype(np.float64) @ b.T)
    assert not counters.any()


@pytest.mark.parametrize("rows", [1, 16])
def test_few_rows(example, rows):
    x, weights, counters = half(rows, 256), half(128, 256), np.zeros(64, np.int32)
    y = example("matmul_schedules", "split_kernel").multiply_few(x, weights, unwritten(rows, 128), counters, SPLITS=2)
    assert_near(y, x.astype(np.float64) @ weights.T)


@pytest.mark.parametrize("causal, peeled, shared", [(False, True, False), (True, True, False), (True, False, False),
                                                    (False, True, True), (True, True, True)])
@pytest.mark.parametrize("size, length, blocks", [(128, 128, (128, 128, 8, 2)), (64, 136, (64, 64, 4, 3))])
def test_attention(example, size, length, blocks, causal, peeled, shared):
    q, k, v = half(4, length, size), half(2, length, size), half(2, length, size)
    module = example("attention_descriptors", "attention_kernel", "shared_kernel")
    block_m, block_n, warps, stages = blocks
    shares = module.share_blocks(q, causal, block_m, block_n) if shared else None
    output, logsums = unwritten(*q.shape), unwritten(4, length, dtype=np.float32)
    module.attention(q, k, v, causal, output, logsums, shares, block_m, block_n, peeled, num_warps=warps,
                     num_stages=stages)
    expected = module.reference(q, k, v, causal)
    assert_near(output, expected[0])
    assert_near(logsums, expected[1])


@pytest.mark.slow
@pytest.mark.parametrize("deterministic", [False, True])
@pytest.mark.parametrize("causal", [False, True])
def test_attention_backward(example, causal, deterministic):
    q, d_output, k, v = half(2, 136, 64), half(2, 136, 64), half(1, 136, 64), half(1, 136, 64)
    module = example("attention_backward", "keys_kernel", "queries_kernel")
    output, logsums = module.reference(q, k, v, causal)
    gradients = unwritten(*q.shape), unwritten(*k.shape), unwritten(*v.shape)
    module.attention_backward(q, k, v, output.astype(np.float16), logsums.astype(np.float32), d_output, causal,
                              gradients, deterministic, 64, 64, num_warps=4, num_stages=2)
    for result, expected in zip(gradients, module.reference_gradients(q, k, v, d_output, causal), strict=True):
        assert_near(result, expected, 4e-3)


def test_fp8(example):
    module = example("matmul_fp8", "scaled_kernel", "block_scaled_kernel")
    x, y = np.random.randn(136, 272), np.random.randn(72, 272)
    (a, a_scale, wide_a), (b, b_scale, wide_b) = module.quantize(x, 136, 272), module.quantize(y, 72, 272)
    c = module.matmul(a, b, unwritten(136, 72), a_scale, b_scale, 128, 64, 128, num_warps=8)
    assert_near(c, wide_a @ wide_b.T)
    (a, a_scale, wide_a), (b, b_scale, wide_b) = module.quantize(x, 1, 128), module.quantize(y, 128, 128)
    scales = np.ascontiguousarray(a_scale.T), b_scale
    c = module.block_scaled_matmul(a, b, unwritten(136, 72), *scales, 128, 64, num_warps=8)
    assert_near(c, wide_a @ wide_b.T)


def test_int4(example):
    module = example("matmul_int4", "int4_kernel")
    x, (packed, scales, exact) = half(16, 256), module.quantize(np.random.randn(64, 256))
    y = module.multiply_int4(x, packed, scales, unwritten(16, 64), np.zeros(64, np.int32))
    assert_near(y, x.astype(np.float64) @ exact.T)


def test_experts(example):
    module = example("matmul_experts", "experts_kernel")
    x, weights, shares = half(20, 128), half(3, 64, 128), np.random.rand(40).astype(np.float32)
    chosen = np.argsort(np.random.rand(20, 3), axis=1)[:, :2]
    slots, experts = module.sort_by_expert(chosen, 3, 16)
    y = module.multiply_experts(x, weights, unwritten(40, 64), shares, slots, experts)
    assert_near(y, np.einsum("tk,tcnk->tcn", x, weights[chosen], dtype=np.float64).reshape(40, 64) * shares[:, None])
