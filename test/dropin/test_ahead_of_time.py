"""Kernels as C sources: compiled, linked and run without Python."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

KERNEL = """
import triton
import triton.language as tl

@triton.autotune([triton.Config({"BLOCK": 128})], key=[])
@triton.jit
def axpy(x, y, factor, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(y + i, tl.load(x + i, mask=m) * factor + tl.load(y + i, mask=m), mask=m)

@triton.jit
def noisy(x):
    tl.device_print("x", tl.load(x))
"""

MAIN = """
#include "axpy.h"
#include <stdio.h>
int main(void) {
  static float x[1001], y[1001];
  for (int i = 0; i < 1001; ++i) x[i] = i, y[i] = 1;
  load_axpy();
  int failed = axpy(NULL, x, y, 2.0f, 500);           /* aligned */
  failed |= axpy(NULL, x + 501, y + 501, 3.0f, 499);  /* not */
  unload_axpy();
  printf("%d %g %g %g %g\\n", failed, y[0], y[499], y[500], y[999]);
  return 0;
}
"""


@pytest.fixture
def tool(tmp_path):
    (tmp_path / "kernels.py").write_text(KERNEL)

    def run(name, *arguments):
        return subprocess.run([sys.executable, "-m", "tilewright.triton", "-m", f"triton.tools.{name}", *arguments],
                              capture_output=True, text=True, cwd=tmp_path)

    return run


def compile_variant(tool, signature, target, kernel="axpy", grid="(n + 127) / 128"):
    done = tool("compile", "kernels.py", "-n", kernel, "-s", signature, "-g", grid, "-t", target, "-w", "4")
    assert done.returncode == 0, done.stderr
    return [Path(line) for line in done.stdout.split()]


def test_variants_are_linked_and_run(tool, tmp_path):
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    files = compile_variant(tool, "*fp32:16, *fp32:16, fp32, i32, 128", "cpu")
    files += compile_variant(tool, "*fp32, *fp32, fp32, i32, 128", "cpu")
    assert [file.suffix for file in files] == [".h", ".c", ".o"] * 2
    headers = [file.name for file in files if file.suffix == ".h"]
    linked = tool("link", *headers, "-o", "axpy")
    assert linked.returncode == 0, linked.stderr
    (tmp_path / "main.c").write_text(MAIN)
    sources = [*(file.name for file in files if file.suffix != ".h"), "axpy.c", "main.c"]
    subprocess.run([compiler, "-Wall", "-Wextra", "-Werror", *sources, "-o", "main"], cwd=tmp_path, check=True)
    done = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True)
    assert done.stdout == f"0 1 {2 * 499 + 1} 1 {3 * 999 + 1}\n"


def test_sources_for_a_gpu(tool, tmp_path):
    header, source = compile_variant(tool, "*fp32:16, *fp32:16, fp32, i32, 128", "cuda:90:32")
    text = (tmp_path / source).read_text()
    assert "cuLaunchKernel(tw_kernel, tw_x, tw_y, tw_z, 128, 1, 1" in text and "cuModuleLoadData" in text
    assert f"CUresult {header.stem}(CUstream stream, void *x, void *y, float factor, int32_t n);" in \
        (tmp_path / header).read_text()


@pytest.mark.parametrize("arguments, message", [
    (["-n", "axpz", "-s", "i32", "-g", "1"], "kernels has no kernel 'axpz'"),
    (["-n", "axpy", "-s", "i32", "-g", "1"], "the signature has 1 entries, but 'axpy' has 5 parameters: x, y"),
    (["-n", "noisy", "-s", "*fp32", "-g", "1"], "'noisy' prints or asserts, which needs the runtime"),
    (["-n", "axpy", "-s", "*fp32,*fp32,fp32,i32,128", "-g", "1", "-t", "hip:gfx942:64"], "has no C interface"),
    (["-n", "axpy", "-s", "*fp33,*fp32,fp32,i32,128", "-g", "1"], "'\\*fp33' is not a type"),
])
def test_what_cannot_be_compiled(tool, arguments, message):

    done = tool("compile", "kernels.py", *(["-t", "cpu"] if "-t" not in arguments else []), *arguments)
    assert done.returncode == 1 and re.search(message, done.stderr), done.stderr


def test_headers_that_do_not_fit_together(tool, tmp_path):
    (tmp_path / "other.h").write_text("// nothing")
    assert "none of the headers was written by" in tool("link", "other.h", "-o", "out").stderr
    (tmp_path / "one.h").write_text("// tilewright-link: k k_1 int32_t:n:1\n")
    (tmp_path / "two.h").write_text("// tilewright-link: k k_2 int64_t:n:1\n")
    assert "the variants of 'k' have different parameters" in tool("link", "one.h", "two.h", "-o", "out").stderr


def test_the_command_line_writes_sources_too(tmp_path):
    (tmp_path / "own.py").write_text(KERNEL.replace("import triton.language", "import tilewright.language").replace(
        "import triton\n", "import tilewright as triton\n"))
    done = subprocess.run([sys.executable, "-m", "tilewright.cli", "compile", "own.py:noisy", "x=*fp32", "--c-source",
                           "out/noisy", "--target", "cpu"], capture_output=True, text=True, cwd=tmp_path,
                          env=dict(os.environ))
    assert "prints or asserts" in done.stderr
