"""Whole programs as they are written for Triton, each in a process of its own."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAMS = sorted(path.stem for path in (Path(__file__).parent / "programs").glob("*.py"))


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_run_unchanged(program, tmp_path):
    file = Path(__file__).parent / "programs" / f"{program}.py"
    done = subprocess.run([sys.executable, "-m", "tilewright.triton", str(file), str(tmp_path / "out")],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    if program == "vector_add":
        assert done.stdout.startswith("vector-add-performance:\n")
        rows = list(csv.reader((tmp_path / "out" / "vector-add-performance.csv").open()))
        assert rows[0] == ["size", "Triton", "NumPy"] and [row[0] for row in rows[1:]] == ["4096", "8192"]


def test_suites_run_through_pytest(tmp_path):
    (tmp_path / "test_suite.py").write_text("""
import numpy as np, pytest, triton, triton.language as tl

@triton.jit
def scale(x, n, FACTOR: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * FACTOR, mask=i < n)

@pytest.mark.parametrize("dtype", ["float16", "float32", "int32"])
@pytest.mark.parametrize("n", [1, 7, 16])
def test_scale(dtype, n):
    x = np.arange(16).astype(dtype)
    scale[(1,)](x, n, FACTOR=3, BLOCK=16)
    np.testing.assert_array_equal(x, np.where(np.arange(16) < n, 3, 1) * np.arange(16))

def test_error():
    with pytest.raises(triton.CompilationError, match="number of elements|arange"):
        scale[(1,)](np.zeros(4), 4, FACTOR=3, BLOCK=0)
""")
    done = subprocess.run([sys.executable, "-m", "tilewright.triton", "-m", "pytest", "-q", "-p", "no:cacheprovider",
                           str(tmp_path / "test_suite.py")], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0 and "10 passed" in done.stdout, done.stdout + done.stderr
