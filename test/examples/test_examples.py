"""Each example runs and finds its results right: `pytest test/examples --device cuda` runs them on a GPU."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
NAMES = sorted(file.stem for file in EXAMPLES.glob("*.py") if "parse_device(__doc__)" in file.read_text())


@pytest.mark.parametrize("name", NAMES)
def test_example(name, monkeypatch, request, capsys):
    device = request.config.getoption("--device")
    if device not in ("cpu", "cuda"):
        pytest.skip("examples run on the CPU or on a GPU")
    if device == "cuda":
        pytest.importorskip("torch")
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.setattr(sys, "argv", [f"{name}.py", "--device", device])
    importlib.import_module(name).main()  # which ends the program where a result is wrong
    assert "(ok)" in capsys.readouterr().out  # a result was compared
