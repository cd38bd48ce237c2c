"""Timing on the CPU, comparison, tables of measurements."""

from __future__ import annotations

import csv
import time

import numpy as np
import pytest
from tilewright.testing import Benchmark, assert_close, do_bench, perf_report


def test_times_are_in_milliseconds_and_their_modes_ordered():
    times = do_bench(lambda: time.sleep(0.002), warmup=1, rep=20, return_mode="all", device="cpu")
    assert 2 <= len(times) <= 10 and min(times) >= 2
    results = {mode: do_bench(lambda: time.sleep(0.001), 1, 10, return_mode=mode, device="cpu")
               for mode in ("min", "median", "mean", "max")}
    assert all(isinstance(value, float) and value >= 1 for value in results.values())
    low, high = do_bench(lambda: time.sleep(0.001), 1, 10, quantiles=[0.1, 0.9], device="cpu")
    assert 1 <= low <= high
    assert isinstance(do_bench(lambda: None, 1, 2, quantiles=[0.5], device="cpu"), float)


def test_gradients_are_dropped_before_each_run():
    class Tensor:
        grad = 1

    tensor = Tensor()

    def run():
        assert tensor.grad is None
        tensor.grad = 2

    do_bench(run, 1, 1, grad_to_none=[tensor], device="cpu")


def test_unknown_modes_and_devices_are_refused():
    with pytest.raises(ValueError, match="return_mode='best': expected one of min, max, mean, median, all"):
        do_bench(lambda: None, return_mode="best")
    with pytest.raises(ValueError, match="device='tpu': expected 'gpu' or 'cpu'"):
        do_bench(lambda: None, device="tpu")


def test_assert_close_has_bounds_and_takes_nan_for_equal():
    x = np.array([1.0, np.nan, np.inf])
    assert_close(x, x + 0.009)
    assert_close(100.0, 101.0, rtol=0.011)
    assert_close([1, 2], (1, 2), atol=0)
    for actual, wanted, bounds in [(x, x + 0.011, {}), (1.0, 1.1, {"atol": 0.05}), (np.nan, 1.0, {}),
                                   (np.zeros(3), np.zeros(4), {}), (np.inf, 1e30, {})]:
        with pytest.raises(AssertionError):
            assert_close(actual, wanted, **bounds)
    with pytest.raises(AssertionError, match="of the sum"):
        assert_close(1, 2, err_msg="of the sum")


def test_assert_close_reads_small_floats():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for dtype in (ml_dtypes.bfloat16, ml_dtypes.float8_e5m2):
        x = np.array([0.5, -2.0], dtype)
        assert_close(x, np.array([0.5, -2.0]))
        with pytest.raises(AssertionError):
            assert_close(x, np.array([0.5, -2.5]))


def test_reports(tmp_path, capsys):
    @perf_report([Benchmark(["n"], [4, 8], "provider", ["a", "b"], ["A", "B"], "plain", {"scale": 2}),
                  Benchmark(["n", "m"], [(1, 2), 3], "provider", ["a"], ["A"], "with-range", {"scale": 1})])
    def measure(n, provider, scale, m=0, extra=0):
        value = float((n + m) * scale + (provider == "b") + extra)
        return value if m == 0 else (value, value - 0.5, value + 0.5)

    measure.run(print_data=True, save_path=str(tmp_path), extra=100)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines == [["plain:"], ["n", "A", "B"], ["4", "108", "109"], ["8", "116", "117"],
                     ["with-range:"], ["n", "m", "A"], ["1", "2", "103"], ["3", "3", "106"]]
    with open(tmp_path / "plain.csv", newline="") as file:
        assert list(csv.reader(file)) == [["n", "A", "B"], ["4", "108.0", "109.0"], ["8", "116.0", "117.0"]]


def test_a_report_with_too_few_values_is_refused():
    benchmark = Benchmark(["n", "m"], [(1, 2, 3)], "provider", ["a"], ["A"], "p", {})
    with pytest.raises(ValueError, match=r"p: \(1, 2, 3\) has 3 values for 2 arguments"):
        perf_report(benchmark)(lambda n, m, provider: 1.0).run()
