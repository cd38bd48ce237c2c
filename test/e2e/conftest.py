"""What the tests of values share: they run kernels on the CPU and compare with numpy."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture
def rng():
    """Random numbers that differ in every run; a failing test prints the seed."""
    seed = np.random.SeedSequence().entropy
    print(f"seed: {seed}")
    return np.random.default_rng(seed)


@pytest.fixture(autouse=True)
def quiet_references():
    """Infinities and NaN are meant; numpy need not warn of them."""
    with np.errstate(all="ignore"):
        yield
