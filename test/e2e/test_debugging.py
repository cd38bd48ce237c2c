"""What kernels print, and how they stop where an assertion does not hold."""

import ctypes

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright.runtime.errors import DeviceAssertionError


@tw.jit
def print_kernel(x, n):
    tl.device_print("x: ", tl.load(x + tl.arange(0, 4)))
    print("n is", n)


def test_prints_each_element_with_its_place(capfd):
    print_kernel[(2,)](np.array([1.5, -2.0, np.inf, 0.0], np.float32), 7)
    ctypes.CDLL(None).fflush(None)  # a GPU's lines come through C's buffer
    lines = capfd.readouterr().out.splitlines()
    for program in range(2):
        for place, value in enumerate(("1.5", "-2", "inf", "0")):
            assert f"pid ({program}, 0, 0) idx ({place}) x: {value}" in lines
        assert f"pid ({program}, 0, 0) n is 7" in lines
    assert len(lines) == 10


@tw.jit
def assert_kernel(x, n):
    i = tl.arange(0, 4)
    tl.device_assert(tl.load(x + i) > 0, "must be positive", mask=i < n)
    assert n > 1, "n is small"


@pytest.mark.cpu_only(reason="an assertion that fails on a GPU ends all work of the process there")
def test_assertions_hold_or_name_the_line():
    x = np.array([1, 2, -3, 4], np.float32)
    line = assert_kernel.source.first_line + 3
    assert_kernel[(1,)](x, 2, debug=True)
    assert_kernel[(1,)](x, 4)  # checked in debug mode only
    with pytest.raises(DeviceAssertionError, match=f"test_debugging.py:{line}:.*must be positive"):
        assert_kernel[(1,)](x, 4, debug=True)
    with pytest.raises(DeviceAssertionError, match=f"test_debugging.py:{line + 1}:.*n is small"):
        assert_kernel[(1,)](x, 1, debug=True)
