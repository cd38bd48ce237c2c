"""Triton's environment variables: which setting of ours each stands for, and those without a meaning here."""

from __future__ import annotations

import os
import warnings
from functools import cache
from pathlib import Path

from tilewright import config

#: Variables with the same meaning as one of ours.
SAME = {
    "TRITON_CACHE_DIR": "TILEWRIGHT_CACHE_DIR", "TRITON_CACHE_AUTOTUNING": "TILEWRIGHT_CACHE_AUTOTUNING",
    "TRITON_PRINT_AUTOTUNING": "TILEWRIGHT_PRINT_AUTOTUNING", "TRITON_ALWAYS_COMPILE": "TILEWRIGHT_ALWAYS_COMPILE",
    "TRITON_DEBUG": "TILEWRIGHT_DEBUG", "TRITON_INTERPRET": "TILEWRIGHT_INTERPRET",
    "TRITON_F32_DEFAULT": "TILEWRIGHT_DOT_PRECISION", "TRITON_ALLOW_NON_CONSTEXPR_GLOBALS": "TILEWRIGHT_PLAIN_GLOBALS",
    "TRITON_FRONT_END_DEBUGGING": "TILEWRIGHT_TRACEBACK", "TRITON_PTXAS_PATH": "TILEWRIGHT_PTXAS",
}

#: Variables that are read in another way than by name.
DERIVED = ("TRITON_HOME", "TRITON_KERNEL_DUMP", "TRITON_DUMP_DIR", "TRITON_KERNEL_OVERRIDE", "TRITON_OVERRIDE_DIR",
           "TRITON_DEFAULT_FP_FUSION", "TRITON_FORCE_DISABLE_FP_FUSION", "PTXAS_OPTIONS", "DISABLE_PTXAS_OPT",
           "TRITON_OVERRIDE_ARCH")

#: Variables that change what a program computes, or what it is shown, and that cannot be obeyed: one that is
#: set is named in a warning. Others only tune Triton's own code, and what they do is not missed.
WITHOUT_MEANING = (
    "TRITON_CACHE_MANAGER", "TRITON_REMOTE_CACHE_BACKEND", "TRITON_INSTRUMENTATION_MODE", "TRITON_ENABLE_ASAN",
    "USE_IR_LOC", "TRITON_DEFAULT_BACKEND", "MLIR_ENABLE_DUMP", "LLVM_IR_ENABLE_DUMP",
    "TRITON_ENABLE_LLVM_DEBUG", "MLIR_ENABLE_TIMING", "LLVM_ENABLE_TIMING", "DISABLE_LLVM_OPT", "NVPTX_ENABLE_DUMP",
    "AMDGCN_ENABLE_DUMP", "LLVM_PASS_PLUGIN_PATH", "TRITON_PLUGIN_PATHS", "TRITON_MOCK_PTX_VERSION")


def is_on(variable: str) -> bool:
    """Whether a flag of Triton's is set."""
    return (config.raw(variable) or "").strip().lower() in ("1", "true", "on", "y", "yes")


def home() -> Path:
    """The folder that Triton keeps its files in."""
    return Path(config.raw("TRITON_HOME") or "~").expanduser() / ".triton"


def _cache_dir() -> str | None:
    # Without it our own folder is used: kernels of both would only be in each other's way.
    return str(home() / "cache") if config.raw("TRITON_HOME") else None


def _dump_dir() -> str | None:
    return (config.raw("TRITON_DUMP_DIR") or str(home() / "dump")) if is_on("TRITON_KERNEL_DUMP") else None


def _override_dir() -> str | None:
    return (config.raw("TRITON_OVERRIDE_DIR") or str(home() / "override")) if is_on("TRITON_KERNEL_OVERRIDE") else None


def _fp_fusion() -> str | None:
    return "0" if is_on("TRITON_FORCE_DISABLE_FP_FUSION") else config.raw("TRITON_DEFAULT_FP_FUSION")


def _ptxas_options() -> str | None:
    options = (config.raw("PTXAS_OPTIONS") or "") + (" -O0" if is_on("DISABLE_PTXAS_OPT") else "")
    return options.strip() or None


def _architecture() -> str | None:
    digits = (config.raw("TRITON_OVERRIDE_ARCH") or "").strip().removeprefix("sm")
    return f"sm_{digits}{'a' if int(digits) >= 90 else ''}" if digits.isdigit() else None


@cache
def install() -> None:
    """Let Triton's variables stand for ours in this process."""
    for variable, name in SAME.items():
        config.adopt(name, lambda variable=variable: config.raw(variable))
    config.adopt("TILEWRIGHT_CACHE_DIR", _cache_dir)
    config.adopt("TILEWRIGHT_DUMP", _dump_dir)
    config.adopt("TILEWRIGHT_OVERRIDE", _override_dir)
    config.adopt("TILEWRIGHT_FP_FUSION", _fp_fusion)
    config.adopt("TILEWRIGHT_PTXAS_OPTIONS", _ptxas_options)
    config.adopt("TILEWRIGHT_ARCH", _architecture)
    ignored = [name for name in WITHOUT_MEANING if os.environ.get(name)]
    if ignored:
        warnings.warn(f"Tilewright, which runs this program in Triton's place, has no use for {', '.join(ignored)}; "
                      "`tilewright settings` lists what it reads", RuntimeWarning, stacklevel=2)
