"""Lit: tests of the dialect, the passes, the pipelines and the targets, and the unit tests.

`lit test compiler` from the root of the checkout runs them all; TILEWRIGHT_BUILD_DIR names the
build folder (default: build).
"""

import os
import shutil

import lit.formats

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
BUILD = os.path.abspath(os.environ.get("TILEWRIGHT_BUILD_DIR", os.path.join(ROOT, "build")))
LLVM_BIN = "/usr/lib/llvm-22/bin"

config.name = "tilewright"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Output", "lit.cfg.py"]
config.test_exec_root = os.path.join(BUILD, "lit")
tools = os.path.join(BUILD, "python", "tilewright", "_tools")
config.environment["PATH"] = os.pathsep.join([tools, LLVM_BIN, os.environ.get("PATH", "")])
config.substitutions.append(("%unit", os.path.join(BUILD, "unit")))
for tool in ("ptxas", "llvm-objdump"):
    if shutil.which(tool, path=config.environment["PATH"]):
        config.available_features.add(tool)
