"""The same kernel sources under the peer: a module whose imports name Triton instead of Tilewright."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parent.parent


def load_twin(path: str) -> ModuleType:
    """The module at `path` (relative to the checkout) with `tw` and `tl` bound to Triton."""
    text = (ROOT / path).read_text()
    text = text.replace("import tilewright.language as tl", "import triton.language as tl")
    text = text.replace("import tilewright as tw", "import triton as tw")
    name = "twin_" + Path(path).stem
    file = Path(tempfile.mkdtemp(prefix="bench-")) / f"{name}.py"  # Triton reads sources from files
    file.write_text(text)
    specification = importlib.util.spec_from_file_location(name, file)
    assert specification and specification.loader
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    return module
