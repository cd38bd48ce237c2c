"""What programs look for beside the language: the rules of types are in `promotion`."""

from __future__ import annotations

from .promotion import *  # noqa: F403
