"""`triton._internal_testing`: what tests of kernels import to make arrays and to ask for the device."""

import os

import ml_dtypes
import numpy as np
import pytest
import triton
import triton.language as tl
from triton import _internal_testing as shared
from triton import knobs


@pytest.mark.parametrize("dtype", [*shared.dtypes_with_bfloat16, "bool", "float8_e5m2"])
def test_random_arrays(dtype):
    x = shared.numpy_random((8, 4), dtype)
    assert x.shape == (8, 4) and np.array_equal(x, shared.numpy_random((8, 4), dtype))
    assert not np.array_equal(x, shared.numpy_random((8, 4), dtype, np.random.RandomState(3)))
    if dtype in shared.integral_dtypes:
        drawn = shared.numpy_random(1000, dtype, low=2, high=9)
        assert drawn.dtype == dtype and x.all() and set(drawn.tolist()) == set(range(2, 9))
        assert np.unique(shared.numpy_random(1000, dtype, low=-1, high=3)).tolist() == (
            [1, 2] if dtype.startswith("u") else [-1, 1, 2])
    elif dtype == "bfloat16":
        assert np.array_equal(x.astype(ml_dtypes.bfloat16).astype(np.float32), x)
    elif "float8" in dtype:
        assert x.dtype == np.int8 and 20 <= x.min() and x.max() < 40


def test_types_without_a_name():
    with pytest.raises(RuntimeError, match="there is no type 'float12'"):
        shared.numpy_random(4, "float12")
    assert shared.str_to_triton_dtype("float16") is tl.float16 and shared.str_to_triton_dtype("bool") is tl.int1
    assert shared.torch_dtype_name(tl.uint16) == "uint16"
    with pytest.raises(TypeError, match="expects a type of torch"):
        shared.torch_dtype_name(np.dtype("f4"))
    with pytest.raises(ValueError, match="expects a tensor, got int"):
        shared.to_numpy(3)
    x = np.zeros(4, np.int16)
    assert shared.unwrap_tensor(triton.reinterpret(x, tl.uint16)) is x and shared.unwrap_tensor(x) is x


def test_the_device():
    target = shared.get_current_target()
    assert shared.is_cuda() == (target.backend == "cuda") and shared.is_hip() == (target.backend == "hip")
    assert not shared.is_interpreter() and not shared.is_xpu() and shared.supports_tma()
    if not shared.is_cuda():
        assert not (shared.is_hopper() or shared.is_blackwell() or shared.is_ampere_or_newer() or shared.supports_ws())


def test_the_interpreter(monkeypatch):
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    assert shared.is_interpreter() and shared.get_current_target() is None and not shared.is_cuda()


def test_fresh_settings(monkeypatch):
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    fresh, restore = shared._fresh_knobs_impl()
    try:
        settings = fresh()
        assert settings is knobs and not knobs.compilation.always_compile
        knobs.runtime.debug = True
        assert knobs.runtime.debug and os.environ["TRITON_DEBUG"] == "1"
    finally:
        restore()
    assert not knobs.runtime.debug and "TRITON_DEBUG" not in os.environ and knobs.compilation.always_compile
    assert "debug" in knobs.runtime.knob_descriptors and knobs.runtime.copy() is knobs.runtime


def fails(number):
    os.write(2, b"about to fail\n")
    raise ValueError(f"number {number}")


def stops():
    os._exit(3)


def test_functions_in_processes_of_their_own():
    result = shared.run_in_process(fails, (3,))
    assert isinstance(result.exc, ValueError) and str(result.exc) == "number 3"
    assert "about to fail" in result.driver_stderr_output
    assert shared.run_in_process(os.getenv, ("NOTHING",), env={"SOMETHING": "1"}).exc is None
    assert "code 3" in str(shared.run_in_process(stops).exc)
