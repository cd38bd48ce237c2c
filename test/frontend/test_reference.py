"""The reference of the language: every function is in it, it is up to date, and its examples run."""

from __future__ import annotations

import inspect
import re
import sys
from pathlib import Path

import pytest
import tilewright.language as tl
from tilewright.jit import JITFunction

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import reference  # noqa: E402
from reference_examples import EXAMPLES, THEMES  # noqa: E402

DOCUMENTED = {name for _, _, _, names in THEMES for name in names.split()}


def test_every_function_is_in_the_reference():
    functions = {name for name, value in vars(tl).items() if not name.startswith("_") and not inspect.ismodule(value)
                 and (hasattr(value, "__tile_builtin__") or isinstance(value, JITFunction))}
    assert functions <= DOCUMENTED, f"give tools/reference_examples.py an entry of {sorted(functions - DOCUMENTED)}"
    assert set(EXAMPLES) >= DOCUMENTED


def test_the_reference_is_up_to_date():
    assert not reference.find_differences(), "run tools/reference.py"


@pytest.mark.parametrize("page", sorted(path.name for path in reference.FOLDER.glob("*.md")))
def test_examples_run(page, tmp_path, capfd):
    text = (reference.FOLDER / page).read_text()
    examples = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert examples or page == "README.md"
    for number, code in enumerate(examples):
        file = tmp_path / f"example_{number}.py"
        file.write_text(code)
        exec(compile(code, str(file), "exec"), {"__name__": "example"})
