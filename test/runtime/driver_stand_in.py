"""Launches of NVIDIA's runtime against a driver without a GPU."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

HERE = Path(__file__).parent

PRELUDE = """
import gc
import numpy as np
from c_kernels import Kernel, Param, Source
from tilewright.runtime import launch, nvidia
from tilewright.runtime.nvidia import loader

loader.describe_assembler = lambda: None  # the images here are no PTX

class Array:
    def __init__(self, address, typestr="<f4", read_only=False, stream=None):
        self.__cuda_array_interface__ = {"data": (address, read_only), "typestr": typestr, "shape": (4,),
                                         "version": 3, "stream": stream}

class GpuSource(Source):
    facts = {}

    def compile_for(self, specialization):
        self.requests.append(specialization)
        return Kernel(self.name, specialization.target, {"ptx": self.library},
                      {"num_warps": specialization.options.get("num_warps", 4),
                       "num_ctas": specialization.options.get("num_ctas", 1), "shared_bytes": self.scratch_bytes,
                       **{name: specialization.options.get(name) for name in
                          ("launch_cooperative_grid", "launch_pdl", "maxnreg")}, **self.facts})

def make(image="image", shared_bytes=0, params=("x", "n"), **facts):
    params = [Param(param) if isinstance(param, str) else param for param in params]
    source = GpuSource("kernel", params, image, shared_bytes)
    source.facts = facts
    return launch.make_launcher(source), source
"""


def build_driver(folder: Path, *flags: str) -> Path:
    """The driver's library, in a folder that lets programs find it."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    command = [compiler, "-shared", "-fPIC", "-o", folder / "libcuda.so.1", *flags, HERE / "fake_driver.c", "-ldl"]
    subprocess.run(command, check=True)
    return folder


def make_runner(folder: Path):
    """Run code in a process whose driver is the one in the folder; gives what it prints."""
    pytest.importorskip("cuda.bindings.driver")

    def run(code: str) -> list[str]:
        path = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = {**os.environ, "LD_LIBRARY_PATH": str(folder), "PYTHONPATH": path, "TILEWRIGHT_CACHE": "0"}
        done = subprocess.run([sys.executable, "-u", "-"], input=PRELUDE + textwrap.dedent(code), env=environment,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    return run


@pytest.fixture(scope="session")
def fake_driver(tmp_path_factory):
    """Run code in a process whose driver is ours; gives what it prints."""
    return make_runner(build_driver(tmp_path_factory.mktemp("driver")))


@pytest.fixture(scope="session")
def old_driver(tmp_path_factory):
    """The same with a driver that knows no tensor maps."""
    return make_runner(build_driver(tmp_path_factory.mktemp("driver"), "-DWITHOUT_TENSOR_MAPS"))
