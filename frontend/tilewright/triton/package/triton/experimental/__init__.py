"""Parts of Triton that are not offered."""

from __future__ import annotations

from typing import NoReturn


def __getattr__(name: str) -> NoReturn:
    if name.startswith("__"):
        raise AttributeError(name)
    raise ImportError(f"triton.experimental.{name} is not offered by Tilewright, which runs this program in Triton's "
                      "place: Gluon's explicit layouts have no counterpart; write the kernel in triton.language")
