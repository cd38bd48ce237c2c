"""Each file beside this one holds a kernel that is refused, and the whole message."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
import tilewright as tw
from tilewright.ast.builder import BuildOptions
from tilewright.ast.module import build_module
from tilewright.signature import bind_signature

FILES = sorted(path for path in Path(__file__).parent.glob("*.py") if not path.name.startswith("test_"))


def message_of(path: Path) -> str:
    """What the compiler says to the kernel of a file, with the file's name alone."""
    names = runpy.run_path(str(path))
    with pytest.raises(tw.CompilationError) as caught:
        kernel = names["kernel"]
        build_module(kernel, bind_signature(kernel, names["SIGNATURE"]), BuildOptions())
    return str(caught.value).replace(str(path), path.name)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_message(path):
    expected = path.with_suffix(".txt").read_text().rstrip("\n")
    assert message_of(path) == expected
