"""From a decorated function to numbers on the CPU."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl

SCALE = tl.constexpr(3)


@tw.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)


@tw.jit
def scale(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + i, mask=i < n) * SCALE, mask=i < n)


@tw.jit
def count_programs(cells):
    row = tl.program_id(2) * tl.num_programs(1) + tl.program_id(1)
    tl.atomic_add(cells + row * tl.num_programs(0) + tl.program_id(0), 1)


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("TILEWRIGHT_CACHE_DIR", str(tmp_path))


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "int32", "int64", "uint8", "uint32"])
def test_vector_addition_of_every_type(dtype):
    random = np.random.default_rng(3)
    for n in (1, 7, 64, 1000, 4097):
        x, y = (random.integers(0, 50, n).astype(dtype) for _ in range(2))
        out = np.zeros(n + 3, dtype)
        add[lambda meta: (tw.cdiv(meta["n"], meta["BLOCK"]),)](x, y, out, n, BLOCK=256)
        np.testing.assert_array_equal(out[:n], x + y)
        assert not out[n:].any()


def test_read_only_arrays_are_inputs_only():
    x = np.ones(100, np.float32)
    x.flags.writeable = False
    out = np.zeros(100, np.float32)
    add[(1,)](x, x, out, 100, BLOCK=128)
    assert (out == 2).all()
    with pytest.raises(ValueError, match="kernel 'add': argument 'out' is a read-only array"):
        add[(1,)](out, out, x, 100, BLOCK=128)


def test_a_grid_of_three_sides():
    cells = np.zeros((3, 5, 7), np.int32)
    for _ in range(4):
        count_programs[(7, 5, 3)](cells)
    assert (cells == 4).all()


def test_options_and_their_errors():
    x = np.ones(10, np.float32)
    assert add[(1,)](x, x, x, 10, BLOCK=16, num_warps=8).metadata.num_warps == 8
    with pytest.raises(KeyError, match="no parameter or option 'num_wraps'; the options are num_warps"):
        add[(1,)](x, x, x, 10, BLOCK=16, num_wraps=8)
    with pytest.raises(tw.TilewrightError, match="num_warps"):
        add[(1,)](x, x, x, 10, BLOCK=16, num_warps=3)


def test_a_global_that_changed_is_refused(monkeypatch):
    x = np.ones(10, np.float32)
    scale[(1,)](x, 10, BLOCK=16)
    assert (x == 3).all()
    monkeypatch.setitem(globals(), "SCALE", tl.constexpr(4))
    with pytest.raises(RuntimeError, match="global variable SCALE = .*3.*, which is now .*4"):
        scale[(1,)](x, 10, BLOCK=16)


@tw.jit
def fill(x, length, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, 1.0, mask=i < length)


def test_a_global_of_a_parameters_name_is_another_thing(monkeypatch):
    for length in (4, 5):
        monkeypatch.setitem(globals(), "length", length)
        monkeypatch.setitem(globals(), "BLOCK", length)
        x = np.zeros(8, np.float32)
        fill[(1,)](x, length, BLOCK=8)
        assert x.sum() == length


@tw.jit
def tell(x, BLOCK: tl.constexpr):
    v = tl.load(x + tl.arange(0, BLOCK))
    tl.device_print("v", v)
    tl.device_assert(v < 3, "too large")


def test_prints_and_assertions(capsys):
    x = np.arange(4, dtype=np.float32)
    tell[(1,)](x, BLOCK=4)
    lines = [f"pid (0, 0, 0) idx ({i}) v: {i}" for i in range(4)]
    assert capsys.readouterr().out.splitlines() == lines
    with pytest.raises(AssertionError, match=r"test_end_to_end.py:\d+:\d+: error: kernel 'tell': .*too large"):
        tell[(1,)](x, BLOCK=4, debug=True)
    tell[(1,)](x, BLOCK=2, debug=True)


def test_threads_that_ask_for_the_same_kernel_at_once():
    @tw.jit
    def fresh(x, n, BLOCK: tl.constexpr):
        i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(x + i, tl.load(x + i, mask=i < n) + 1, mask=i < n)

    arrays = [np.zeros(500, np.float32) for _ in range(8)]
    threads = [threading.Thread(target=fresh[(8,)], args=(array, 500, 64)) for array in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((array == 1).all() for array in arrays)


def test_autotuning_keeps_values(monkeypatch):
    tuned = tw.autotune([tw.Config({"BLOCK": 64}), tw.Config({"BLOCK": 1024})], key=["n"], restore_value=["x"],
                        warmup=1, rep=2)(scale)
    x = np.arange(3000, dtype=np.float32)
    tuned[lambda meta: (tw.cdiv(3000, meta["BLOCK"]),)](x, 3000)
    np.testing.assert_array_equal(x, np.arange(3000, dtype=np.float32) * 3)
    assert len(tuned.configs_timings) == 2 and tuned.best_config in tuned.configs


PROGRAM = """
import sys
import numpy as np
sys.path.insert(0, sys.argv[1])
from test_end_to_end import add
x = np.arange(1000, dtype=np.float32)
out = np.zeros_like(x)
kernel = add[(4,)](x, x, out, 1000, BLOCK=256)
assert (out == 2 * x).all()
print(type(kernel).__name__, any(name.startswith("tilewright.mlir") for name in sys.modules))
"""


def test_a_second_process_launches_without_the_compiler(tmp_path):
    environment = {**os.environ, "TILEWRIGHT_CACHE_DIR": str(tmp_path / "shared"), "TILEWRIGHT_CACHE": "1"}
    results = []
    for _ in range(2):
        command = [sys.executable, "-c", PROGRAM, os.path.dirname(__file__)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        results.append(done.stdout.split())
    assert results == [["CompiledKernel", "True"], ["StoredKernel", "False"]]
