"""Options of the whole suite."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--device", choices=("cpu", "cuda"), default="cpu",
                     help="where the kernels of test/e2e run: numpy's arrays as they are, or copies of them on a GPU")
