"""The same kernel sources under the peer: modules whose imports name Triton instead of Tilewright."""

from __future__ import annotations

import importlib
import re
import sys
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parent.parent


def load_twin(path: str) -> ModuleType:
    """The module at `path` (relative to the checkout) with `tw` and `tl` bound to Triton, and so those modules
    beside it that it imports."""
    return importlib.import_module(_write_twin((ROOT / path).resolve()))


@cache
def _folder() -> Path:
    """Where twins are written: Triton reads sources from files."""
    folder = Path(tempfile.mkdtemp(prefix="bench-"))
    sys.path.insert(0, str(folder))
    return folder


@cache
def _write_twin(file: Path) -> str:
    """Write the twin of a module and of its siblings; gives its name."""
    text = file.read_text()
    for sibling in re.findall(r"^(?:from|import) (\w+)", text, re.MULTILINE):
        other = file.with_name(f"{sibling}.py")
        if other.exists():
            twin = _write_twin(other)
            text = re.sub(rf"^from {sibling} import", f"from {twin} import", text, flags=re.MULTILINE)
            text = re.sub(rf"^import {sibling}$", f"import {twin} as {sibling}", text, flags=re.MULTILINE)
    text = re.sub(r"^(from|import) tilewright\b", r"\1 triton", text, flags=re.MULTILINE)
    name = f"twin_{file.parent.name}_{file.stem}"
    (_folder() / f"{name}.py").write_text(text)
    return name


def assemble_for_this_gpu() -> None:
    """Let Triton make machine code for this GPU from PTX for an older one, as TRITON_OVERRIDE_ARCH asks for: it would
    make what only the older one runs."""
    from triton.backends.nvidia.compiler import CUDABackend

    make_cubin = CUDABackend.make_cubin

    def assemble(self: Any, source: str, metadata: Any, options: Any, capability: int) -> Any:
        return make_cubin(self, source, metadata, options, self.target.arch)

    CUDABackend.make_cubin = assemble
