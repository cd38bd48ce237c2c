"""Programs of several thread blocks at stage `scheduled`: what is compiled is in order, what is damaged is reported."""

import re

import numpy as np
import pytest
import scheduled_kernels as kernels
import tilewright as tw
from tilewright.interpreter.scheduled import run_scheduled

SIGNATURE = {"a": "*fp16:16", "b": "*fp16:16", "c": "*fp16:16", "M": "i32:16", "N": "i32:16", "K": "i32:16",
             "BLOCK_M": 128, "BLOCK_N": 64, "BLOCK_K": 64}


@pytest.fixture
def rng():
    """Random numbers that differ in every run; a failing test prints the seed."""
    seed = np.random.SeedSequence().entropy
    print(f"seed: {seed}")
    return np.random.default_rng(seed)


@pytest.fixture(scope="module")
def text():
    """A correct program of two thread blocks that copy for each other, to be damaged."""
    text = tw.compile(kernels.tiles, SIGNATURE, target="nvidia:sm_90a", num_stages=2, num_ctas=2).asm["scheduled"]
    assert text.count("everywhere") >= 3
    return text


def run(text, rng):
    a, b = rng.standard_normal((200, 320)).astype(np.float16), rng.standard_normal((320, 64)).astype(np.float16)
    c = np.empty((200, 64), np.float16)
    report = run_scheduled(text, [a, b, c, 200, 64, 320], (1,))
    return report, c, a.astype(np.float64) @ b.astype(np.float64)


def test_the_program_before_it_is_damaged(text, rng):
    report, c, exact = run(text, rng)
    assert not report, report
    np.testing.assert_allclose(c, exact, atol=0.1)


# What is damaged, how, and what has to be found of each place where that can be done.
DAMAGE = {
    "arrivals at the own signals only": (r"(tile\.arrive \S+( together)?) everywhere", r"\1", {"deadlock"}),
    "and no more are awaited": (r"arrivals 8((?:.|\n)*tile\.arrive \S+(?: together)?) everywhere", r"arrivals 4\1",
                                {"race", "deadlock"}),
    "fewer arrivals than come": ("arrivals 8", "arrivals 4", {"race", "deadlock"}),
    "more bytes than come": (r"bytes \d+", "bytes 32768", {"deadlock"}),
    "a share": (r"\n *tile\.block_copy[^\n]* everywhere[^\n]*", "", {"deadlock"}),
}


@pytest.mark.parametrize("what", DAMAGE)
def test_damage(text, rng, what):
    pattern, replacement, kinds = DAMAGE[what]
    matches = list(re.finditer(pattern, text))
    assert matches
    for match in matches:
        report, *_ = run(text[:match.start()] + match.expand(replacement) + text[match.end():], rng)
        assert report.kinds() & kinds, f"{match[0]}: {report}"
