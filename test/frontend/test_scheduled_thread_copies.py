"""Copies by threads of the fetching role at stage `scheduled`: what is compiled is in order, and what is damaged is
reported."""

import numpy as np
import pytest
import scheduled_kernels as kernels
import tilewright as tw
from tilewright.interpreter.scheduled import Checked, run_scheduled

TARGET = "nvidia:sm_90a"
SIDES = {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 64}
SIGNATURE = {"rows": "*i32:16", **dict.fromkeys("abc", "*fp16:16"), **dict.fromkeys("MNK", "i32:16"), **SIDES}


def half(rng, *shape):
    return rng.standard_normal(shape).astype(np.float16)


@pytest.mark.parametrize("M, K, programs", [(128, 256, 1), (200, 72, 2), (64, 0, 1)])
@pytest.mark.parametrize("stages, warps", [(1, 4), (3, 4), (4, 8)])
def test_rows_of_a_table_beside_whole_blocks(rng, M, K, programs, stages, warps):
    rows = rng.integers(0, 300, M).astype(np.int32)
    a, b, c = half(rng, 300, K), half(rng, K, 64), np.empty((M, 64), np.float16)
    report = Checked(kernels.gathered, TARGET)[(programs,)](
        rows, a, b, c, M, 64, K, **{**SIDES, "BLOCK_M": 128 if warps == 8 else 64}, num_stages=stages, num_warps=warps)
    assert not report, report
    np.testing.assert_allclose(c, a[rows].astype(np.float64) @ b, atol=0.1)


@pytest.mark.parametrize("K", [0, 64, 200])
@pytest.mark.parametrize("warps", [8, 16])
def test_all_operands_by_pointers(rng, K, warps):
    a, b, c = half(rng, 16 * warps, K), half(rng, K, 64), np.empty((16 * warps, 64), np.float16)
    report = Checked(kernels.product, TARGET)[(1, 1)](a, b, c, len(a), 64, K, BLOCK_M=len(a), BLOCK_N=64, BLOCK_K=64,
                                                      num_warps=warps)
    assert not report, report
    np.testing.assert_allclose(c, a.astype(np.float64) @ b, atol=0.1)


@pytest.mark.parametrize("warps, parts", [(12, 1), (4, 2), (4, 1)])
@pytest.mark.parametrize("end, unroll", [(0, 1), (64, 2), (128, 1), (192, 2)])
def test_loops_of_no_iterations_beside_whole_blocks(rng, warps, parts, end, unroll):
    a, b, c = half(rng, 256, 192), half(rng, 192, 64), np.empty((256, 64), np.float32)
    sides = {"BLOCK_M": 128, "BLOCK_N": 64, "BLOCK_K": 64, "UNROLL": unroll}
    report = Checked(kernels.beside_blocks, TARGET)[(2,)](a, b, c, 192, end, **sides, num_warps=warps, num_ctas=parts)
    assert not report, report
    np.testing.assert_allclose(c, 1 + a[:, :end].astype(np.float64) @ b[:end], atol=0.1)


@pytest.mark.parametrize("warps", [4, 8, 12, 16])
@pytest.mark.parametrize("stages", [1, 2, 3])
def test_blocks_of_few_elements_a_thread(rng, warps, stages):
    a, b, c = half(rng, 64, 96), half(rng, 96, 128), np.empty((64, 128), np.float32)
    sides = {"BLOCK_M": 64, "BLOCK_N": 128, "BLOCK_K": 32, "UNROLL": 1}
    report = Checked(kernels.beside_blocks, TARGET)[(1,)](a, b, c, 96, 96, **sides, num_warps=warps, num_stages=stages)
    assert not report, report
    np.testing.assert_allclose(c, 1 + a.astype(np.float64) @ b, atol=0.1)


@pytest.mark.parametrize("unroll", [1, 2, 6])
def test_what_does_not_fit_on_chip_is_left_to_the_programs_warps(unroll):
    sides = {"BLOCK_M": 128, "BLOCK_N": 256 if unroll == 1 else 128, "BLOCK_K": 64, "UNROLL": unroll}
    signature = {**dict.fromkeys("abc", "*fp16:16"), **dict.fromkeys("MNK", "i32:16"), **sides}
    texts = [tw.compile(kernels.unrolled, signature, target=TARGET, num_warps=warps).asm["scheduled"]
             for warps in (4, 8, 16)]
    assert ("tile.arrive_copies" in texts[1]) == (unroll < 6)


@pytest.mark.parametrize("warps", [4, 8])
def test_arrays_that_a_loop_exchanges(rng, warps):
    arrays = half(rng, 128, 128), np.zeros((128, 128), np.float16), (half(rng, 128, 128) / 8).astype(np.float16)
    expected = arrays[0].astype(np.float64)
    for _ in range(3):
        expected = (expected @ arrays[2].astype(np.float64)).astype(np.float16).astype(np.float64)
    out = np.zeros((128, 128), np.float16)
    report = Checked(kernels.ping_pong, TARGET)[(1,)](*arrays, out, 3, SIDE=128, num_warps=warps)
    assert not report, report
    np.testing.assert_allclose(out, expected, atol=0.1)


@pytest.fixture(scope="module")
def text():
    """A correct program whose fetching role copies in both ways, to be damaged."""
    text = tw.compile(kernels.gathered, SIGNATURE, target=TARGET, num_stages=3).asm["scheduled"]
    assert "tile.arrive_copies" in text and "tile.block_copy" in text
    return text


def run(text, rng):
    rows = rng.integers(0, 128, 128).astype(np.int32)
    arrays = [rows, half(rng, 128, 320), half(rng, 320, 64), np.empty((128, 64), np.float16)]
    return run_scheduled(text, [*arrays, 128, 64, 320], (1,))


def test_the_program_before_it_is_damaged(text, rng):
    report = run(text, rng)
    assert not report, report


DAMAGE = {
    "what publishes": (r"(tile\.acquire [^\n]*) publish", r"\1", {"unpublished"}),
    "arrivals of copies": (r"\n *tile\.arrive_copies[^\n]*", "", {"deadlock"}),
    "fewer arrivals than come": ("arrivals 129", "arrivals 128", {"race", "deadlock", "unpublished"}),
    "more arrivals than come": ("arrivals 129", "arrivals 130", {"deadlock"}),
    "a copy": (r"\n *tile\.block_copy[^\n]*", "", {"deadlock"}),
    "what is released": (r"\n *tile\.arrive [^\n]*", "", {"deadlock"}),
    "always the even phase": (r"(tile\.acquire \S+ phase) %\w+", r"\1 %c0_i32", {"race", "deadlock", "unpublished"}),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damage(text, rng, what):
    pattern, replacement, kinds = DAMAGE[what]
    for damaged in kernels.replace_each(pattern, replacement, text):
        assert run(damaged, rng).kinds() & kinds, damaged
