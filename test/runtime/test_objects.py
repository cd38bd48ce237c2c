"""The loader of objects: what compiled kernels contain, and damaged files."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
import tilewright as tw
import tilewright.language as tl
from tilewright import _launcher


@tw.jit
def kernel(x, y, n, BLOCK: tl.constexpr):
    """Constants, and a variable that the runtime sets."""
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=1)
    tl.device_assert(v != 12345.0, "never")
    tl.store(y + i, v % 3.0 + tl.exp(-v), mask=i < n)


@pytest.fixture(scope="module")
def compiled():
    return tw.compile(kernel, {"x": "*fp64", "y": "*fp64", "n": "i32", "BLOCK": 128}, debug=True)


def test_an_object_and_a_library_compute_the_same(compiled):
    x = np.random.standard_normal(128) * 10
    expected = np.fmod(x, 3) + np.exp(-x)
    y = np.empty_like(x)
    kernel[(1,)](x, y, 128, BLOCK=128, debug=True)
    assert np.allclose(y, expected)
    for artifact in ("object", "library"):
        assert _launcher.load_cpu(compiled.name, compiled.asm[artifact], compiled.metadata["scratch_bytes"])


def test_truncated_objects_are_refused(compiled):
    data = compiled.asm["object"]
    for size in sorted({64, 65, 100, *np.random.randint(64, len(data), 60).tolist()}):
        with pytest.raises(RuntimeError, match="cannot be loaded: "):
            _launcher.load_cpu(compiled.name, data[:size], 0)


def test_damaged_objects_end_no_process():
    compiled = tw.compile(kernel, {"x": "*fp64", "y": "*fp64", "n": "i32", "BLOCK": 128})
    outcomes = set()
    for _ in range(300):
        data = bytearray(compiled.asm["object"])
        for place in np.random.randint(16, len(data), 8):
            data[place] = np.random.randint(256)
        try:
            _launcher.load_cpu(compiled.name, bytes(data), 0)
            outcomes.add("loaded")
        except RuntimeError as error:
            assert str(error).startswith(f"kernel '{compiled.name}': "), error
            outcomes.add("refused")
    assert "refused" in outcomes


CALLS_A_FUNCTION = """
llvm.func @fmox(f64) -> f64
llvm.func @kernel(%args: !llvm.ptr, %scratch: !llvm.ptr, %position: !llvm.ptr) {
  %x = llvm.mlir.constant(1.0 : f64) : f64
  %y = llvm.call @fmox(%x) : (f64) -> f64
  llvm.store %y, %args : f64, !llvm.ptr
  llvm.return
}
"""


def test_a_missing_function_is_named(tmp_path):
    source, result = tmp_path / "kernel.mlir", tmp_path / "kernel.o"
    source.write_text(CALLS_A_FUNCTION)
    translate = Path(tw.__file__).parent / "_tools" / "tile-translate"
    subprocess.run([translate, source, "--target", "cpu", "--from", "llvm", "--emit", "object", "-o", result],
                   check=True)
    with pytest.raises(RuntimeError, match="it needs 'fmox', which no library here has"):
        _launcher.load_cpu("kernel", result.read_bytes(), 0)
