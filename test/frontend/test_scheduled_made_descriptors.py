"""Descriptors that a program makes, at stage `scheduled`: in order as compiled, and reported where damaged."""

import numpy as np
import pytest
import scheduled_kernels as kernels
import tilewright as tw
from tilewright.interpreter.scheduled import run_scheduled

TARGET = "nvidia:sm_90a"
SIGNATURE = {"table": "*ki64:16", "count": "i32", "a": "*fp16:16", "b": "*fp16:16", "c": "*fp16:16", "BLOCK": 64}
ROWS, DEPTHS = (128, 0, 70, 64), (256, 256, 200, 0)


@pytest.fixture(scope="module")
def text():
    """A correct program that makes descriptors, to be damaged."""
    text = tw.compile(kernels.packed_tiles, SIGNATURE, target=TARGET, num_stages=2).asm["scheduled"]
    assert text.count("tile.descriptor_set") == 3 and text.count("tile.descriptor_publish") == 2
    return text


def run(text, rng, compare=False):
    starts = np.cumsum([0, *ROWS])[:-1]
    table = np.asarray([[rows, depth, start * 256, 0] for rows, depth, start in zip(ROWS, DEPTHS, starts, strict=True)],
                       np.int64)
    a, b = (rng.standard_normal((sum(ROWS) + 64, 256)).astype(np.float16) for _ in range(2))
    c = np.zeros((sum(ROWS) + 64, 256), np.float16)
    report = run_scheduled(text, [table, len(ROWS), a, b, c], (1,))
    for rows, depth, start in zip(ROWS if compare else (), DEPTHS, starts, strict=False):
        x, y = a[start:start + rows, :depth], b[start:start + 64, :depth]
        exact = x.astype(np.float64) @ y.astype(np.float64).T
        np.testing.assert_allclose(c[start:start + rows, :64], exact, atol=0.2)
    return report


def test_the_program_before_it_is_damaged(text, rng):
    report = run(text, rng, compare=True)
    assert not report, report


# What is damaged, how, and what has to be found of each place where that can be done.
DAMAGE = {
    "a wait before a descriptor is made again":
        (r"\n *tile\.acquire \S+ phase %\w+ :[^\n]*(?!(.|\n)*\}, \{)", "", {"race"}),
    "a wait for stores": (r"\n *tile\.await_block_stores[^\n]*", "", {"race", "not awaited"}),
    "publishing": (r"\n *tile\.descriptor_publish[^\n]*", "", {"unpublished"}),
    "making": (r"\n *tile\.descriptor_set[^\n]*", "", {"unpublished"}),
    "the last arrival": (r"\n *tile\.arrive[^\n]*signals<1>", "", {"deadlock"}),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damage(text, rng, what):
    pattern, replacement, kinds = DAMAGE[what]
    for damaged in kernels.replace_each(pattern, replacement, text):
        assert run(damaged, rng).kinds() & kinds, damaged


def test_what_no_descriptor_says(text, rng):
    damaged = text.replace("arith.maxsi", "arith.minsi")
    assert "out of bounds" in run(damaged, rng).kinds()
