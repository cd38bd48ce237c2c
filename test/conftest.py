"""What the whole suite shares: its options, a cache of its own, fresh random numbers."""

from __future__ import annotations

import os
import tempfile

import numpy as np
import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--device", choices=("cpu", "cuda", "emulator", "interpreter", "scheduled"), default="cpu",
                     help="where the kernels of test/e2e run: numpy's arrays as they are, copies of them on a GPU, in "
                          "the emulator of AMD GPUs, or interpreted, without code generation: as they are written, or "
                          "as they are scheduled for a GPU, with races reported")
    parser.addoption("--scheduled-for", default="nvidia:sm_90a", help="the target of --device scheduled")


def pytest_configure(config: pytest.Config) -> None:
    """A cache of this run alone: what happens while kernels are compiled is under test as well.

    Functions are interpreted or not from their definition on.
    """
    cache = tempfile.TemporaryDirectory(prefix="tilewright-cache-", ignore_cleanup_errors=True)
    os.environ["XDG_CACHE_HOME"] = cache.name
    config.add_cleanup(cache.cleanup)
    if config.getoption("--device") == "interpreter":
        os.environ["TILEWRIGHT_INTERPRET"] = "1"


@pytest.fixture
def rng() -> np.random.Generator:
    """Random numbers that differ in every run; a failing test prints the seed."""
    seed = np.random.SeedSequence().entropy
    print(f"seed: {seed}")
    return np.random.default_rng(seed)
