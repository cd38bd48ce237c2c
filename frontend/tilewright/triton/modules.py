"""Modules that are the same under Triton's name: a kernel may mix names of both."""

from __future__ import annotations

import sys
from importlib import import_module

#: Modules of the language that programs import by path, and that nothing else may have imported yet.
_LANGUAGE = ("core", "extra", "extra.cuda", "extra.hip", "extra.libdevice", "math", "random", "semantic", "standard",
             "target_info")


def share_modules() -> None:
    """Let `triton.language` be ours, with all that is inside."""
    for name in _LANGUAGE:
        import_module(f"tilewright.language.{name}")
    for name in [name for name in sys.modules if name.startswith("tilewright.language")]:
        sys.modules["triton" + name.removeprefix("tilewright")] = sys.modules[name]
    for part in ("gdc", "utils"):
        sys.modules[f"triton.language.extra.cuda.{part}"] = sys.modules["tilewright.language.extra.cuda"]
    for vendor in ("cuda", "hip"):
        sys.modules[f"triton.language.extra.{vendor}.libdevice"] = sys.modules["tilewright.language.extra.libdevice"]
