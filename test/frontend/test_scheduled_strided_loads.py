"""Loads by pointers that one thread copies as whole blocks, or all threads do, at stage `scheduled`: what is compiled
is in order, and what is damaged is reported."""

import numpy as np
import pytest
import scheduled_kernels as kernels
import tilewright as tw
from tilewright.interpreter.scheduled import run_scheduled

TARGET = "nvidia:sm_90a"
SIDES = {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64}
SIGNATURE = {**dict.fromkeys("abc", "*fp16:16"), **dict.fromkeys("MNK", "i32:16"), **SIDES}


@pytest.fixture(scope="module")
def text():
    """A correct program whose fetching role copies in both ways, one after the other."""
    text = tw.compile(kernels.product, SIGNATURE, target=TARGET, num_stages=3, num_warps=8).asm["scheduled"]
    assert " alone " in text and "tile.arrive_copies" in text
    return text


def run(text, rng):
    """Six blocks and a part of one: those go around the buffers twice, so that parities are the first ones again."""
    K = 6 * 64 + 16
    a, b = (rng.standard_normal(shape).astype(np.float16) for shape in ((128, K), (K, 128)))
    c = np.empty((128, 128), np.float16)
    report = run_scheduled(text, [a, b, c, 128, 128, K], (1, 1))
    return report, c, a.astype(np.float64) @ b


def test_the_program_before_it_is_damaged(text, rng):
    report, c, expected = run(text, rng)
    assert not report, report
    np.testing.assert_allclose(c, expected, atol=0.1)


DAMAGE = {
    "where warps meet that have left out phases": (r"\n *tile\.barrier\n", "\n", {"race"}),
    "one thread's arrivals for all": (r"(tile\.expect [^\n]*) arrivals 129", r"\1", {"deadlock"}),
    "one thread's arrival beside others": (r"\n *tile\.expect [^\n]* bytes 0 [^\n]*", "", {"deadlock"}),
    "a copy": (r"\n *tile\.block_copy[^\n]*", "", {"deadlock"}),
    "what publishes": (r"(tile\.acquire [^\n]*) publish", r"\1", {"unpublished"}),
    "always the even phase": (r"(tile\.acquire \S+ phase) %\w+ alone", r"\1 %c0_i32 alone", {"race", "deadlock"}),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damage(text, rng, what):
    pattern, replacement, kinds = DAMAGE[what]
    for damaged in kernels.replace_each(pattern, replacement, text):
        assert run(damaged, rng)[0].kinds() & kinds, damaged
