"""Write `docs/reference` from the language's docstrings and the examples; `--check` only compares.

The package must be importable: PYTHONPATH=build/python.
"""

from __future__ import annotations

import argparse
import inspect
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import tilewright.language as tl
from reference_examples import EXAMPLES, THEMES, Example

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "reference"
INPUTS = {"x": "np.linspace(0.5, 4.0, 8, dtype=np.float32)", "n": "np.arange(8, dtype=np.int32)",
          "m": "np.arange(32, dtype=np.float32).reshape(4, 8) % 7"}
LOADS = {"x": "x + tl.arange(0, 8)", "n": "n + tl.arange(0, 8)",
         "m": "m + tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :]"}
HEAD = "<!-- Written by tools/reference.py from the docstrings; edit those, or the examples beside it. -->\n\n"


# --- examples -----------------------------------------------------------------------------------------------
def shape_of(example: Example) -> tuple[int, ...]:
    """The shape of what an example stores."""
    values = {name: eval(text, {"np": np}) for name, text in INPUTS.items()}
    return np.shape(eval(example.expected, {"np": np, **values}))


def place_of(shape: tuple[int, ...]) -> str:
    """Pointers to an output of a shape."""
    terms = []
    for axis, size in enumerate(shape):
        step = int(np.prod(shape[axis + 1:], dtype=int))
        index = ", ".join(":" if other == axis else "None" for other in range(len(shape)))
        block = f"tl.arange(0, {size})" + (f"[{index}]" if len(shape) > 1 else "")
        terms.append(f"{block} * {step}" if step > 1 else block)
    return " + ".join(["out", *terms])


def program_of(example: Example) -> str:
    """An example as a complete program."""
    shape = shape_of(example)
    body = "\n".join(line for line in (f"a = tl.load({LOADS[example.input]})", example.before,
                                       f"tl.store({place_of(shape)}, {example.value})") if line)
    outside = example.outside + "\n\n" if example.outside else ""
    size = shape[0] if len(shape) == 1 else shape or 1
    return (f"import numpy as np\nimport tilewright as tw\nimport tilewright.language as tl\n\n{outside}@tw.jit\n"
            f"def example({example.input}, out):\n{textwrap.indent(body, '    ')}\n\n"
            f"{example.input} = {INPUTS[example.input]}\nout = np.empty({size}, np.{example.dtype})\n"
            f"example[(1,)]({example.input}, out)\n"
            f"np.testing.assert_allclose(out, {example.expected}, rtol=1e-5, atol=1e-6)\n")


# --- docstrings ---------------------------------------------------------------------------------------------
def signature_of(function: Any) -> str:
    """Parameters and defaults as a user writes them."""
    signature = getattr(function, "signature", None) or inspect.signature(function)
    parameters = []
    for each in signature.parameters.values():
        text = f"*{each.name}" if each.kind is each.VAR_POSITIONAL else \
            f"**{each.name}" if each.kind is each.VAR_KEYWORD else each.name
        if each.default is not each.empty:
            text += f"={show_default(each.default)}"
        parameters.append(text)
    return ", ".join(parameters)


def show_default(value: Any) -> str:
    """A default's spelling."""
    if isinstance(value, tl.constexpr):
        value = value.value
    if isinstance(value, tl.PropagateNan):
        return f"tl.PropagateNan.{value.name}"
    return repr(value).replace("tilewright.language.", "tl.")


def render_docstring(text: str) -> str:
    """A docstring as Markdown: sections of named things become lists."""
    lines: list[str] = []
    section = ""
    for line in inspect.cleandoc(text).splitlines():
        heading = re.fullmatch(r"(Args|Returns|Raises|Example|Attributes):", line)
        if heading:
            section = heading[1]
            lines += ["", f"**{'Arguments' if section == 'Args' else section}**", ""]
        elif section in ("Args", "Raises", "Attributes") and (item := re.fullmatch(r"    (\S+): (.*)", line)):
            lines.append(f"- `{item[1]}`: {item[2]}")
        else:
            lines.append(line.removeprefix("    ") if section else line)
    return re.sub(r"``([^`]+)``", r"`\1`", re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip())


# --- pages --------------------------------------------------------------------------------------------------
def render_entry(name: str) -> str:
    function = getattr(tl, name)
    return (f"## `tl.{name}`\n\n```\ntl.{name}({signature_of(function)})\n```\n\n"
            f"{render_docstring(function.__doc__)}\n\n```python\n{program_of(EXAMPLES[name])}```\n")


def render_libdevice() -> str:
    from tilewright.language.extra import libdevice

    names = [name for name in sorted(libdevice.__all__) if hasattr(libdevice, name)]
    rows = "\n".join(f"| `{name}({signature_of(getattr(libdevice, name))})` | {summary(getattr(libdevice, name))} |"
                     for name in names)
    example = program_of(Example("x", "libdevice.log1p(a)", "np.log1p(x)",
                                 outside="from tilewright.language.extra import libdevice"))
    return (f"{HEAD}# libdevice\n\nFunctions under the names of NVIDIA's libdevice, computed by Tilewright itself on "
            f"every target.\n\n| function | what it gives |\n|---|---|\n{rows}\n\n```python\n{example}```\n")


def summary(function: Any) -> str:
    """The first line of a docstring."""
    return re.sub(r"``([^`]+)``", r"`\1`", inspect.cleandoc(function.__doc__ or "").split("\n")[0]).replace("|", "\\|")


def render_pages() -> dict[str, str]:
    """All files of the reference by name."""
    pages = {"libdevice.md": render_libdevice()}
    index = [f"{HEAD}# Reference of the language\n", "`import tilewright.language as tl`, or `triton.language`.\n"]
    for page, title, about, names in THEMES:
        entries = "\n".join(render_entry(name) for name in names.split())
        pages[f"{page}.md"] = f"{HEAD}# {title}\n\n{about}\n\n{entries}"
        rows = "\n".join(f"| [`{name}`]({page}.md#tl{name}) | {summary(getattr(tl, name))} |" for name in names.split())
        index.append(f"## [{title}]({page}.md)\n\n| function | what it does |\n|---|---|\n{rows}\n")
    index.append("## [libdevice](libdevice.md)\n\n"
                 "More mathematics, `from tilewright.language.extra import libdevice`.\n")
    pages["README.md"] = "\n".join(index)
    return pages


def find_differences() -> list[str]:
    """Names of files that are not what would be written."""
    pages = render_pages()
    present = {path.name for path in FOLDER.glob("*.md")}
    return sorted({name for name, text in pages.items()
                   if not (FOLDER / name).exists() or (FOLDER / name).read_text() != text} | (present - set(pages)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="say which files differ, and write nothing")
    if parser.parse_args().check:
        different = find_differences()
        print("\n".join(f"docs/reference/{name} is not what tools/reference.py writes" for name in different))
        return 1 if different else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in render_pages().items():
        (FOLDER / name).write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
