"""Console scripts of the compiler's command line tools, which ship inside the package."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn


def _execute(name: str) -> NoReturn:
    path = Path(__file__).parent.parent / "_tools" / name
    os.execv(path, [name, *sys.argv[1:]])


def tile_opt() -> NoReturn:
    """Run passes and pipelines on an IR file."""
    _execute("tile-opt")


def tile_translate() -> NoReturn:
    """Go from any stage of an IR file to LLVM IR, assembly or a binary."""
    _execute("tile-translate")


def tile_lsp_server() -> NoReturn:
    """Serve an editor that shows IR files."""
    _execute("tile-lsp-server")
