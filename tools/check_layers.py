"""Check who includes whom, and that vendors are named only in their own folders.

dialects <- core, analysis <- transforms, conversion <- targets/X <- registry <- bindings, tools.
Never sideways between targets, never upwards.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# A folder may include itself and what is listed.
ALLOWED = {
    "dialects/tile": ["compiler/analysis/LinearLayout"],
    "compiler/analysis": ["dialects/tile", "compiler/core"],
    "compiler/core": ["dialects/tile"],
    "compiler/transforms": ["dialects/tile", "compiler/core", "compiler/analysis"],
    "compiler/conversion": ["dialects/tile", "compiler/core", "compiler/analysis", "compiler/transforms"],
    "compiler/targets": ["dialects/tile", "compiler/core", "compiler/analysis", "compiler/transforms",
                         "compiler/conversion"],
    "compiler/registry": ["dialects/tile", "compiler/core", "compiler/analysis", "compiler/transforms",
                          "compiler/conversion", "compiler/targets"],
}
INCLUDE = re.compile(r'#include "((?:dialects|compiler)/[^"]+)"')
VENDORS = re.compile(r"\b(nvidia|nvvm|ptx|cuda|rocdl|mfma|wmma|wgmma|hopper|gfx\d+\w*|sm_\d+\w*|amdgpu|hip)\b",
                     re.IGNORECASE)
NEUTRAL = ("dialects/", "compiler/core/", "compiler/analysis/", "compiler/transforms/", "compiler/conversion/")
# The list of LLVM's code generators, and the registration of upstream's dialects.
VENDOR_EXCEPTIONS = {"compiler/core/Generators.def", "compiler/core/UnusedGenerators.cpp"}


def folder_of(path: str) -> str | None:
    """The layer that a file belongs to; a target is a layer of its own."""
    if path.startswith("compiler/targets/"):
        return "/".join(path.split("/")[:3])
    return next((folder for folder in ALLOWED if path.startswith(folder + "/")), None)


def check_includes(path: str, text: str) -> list[str]:
    layer = folder_of(path)
    if layer is None:
        return []
    allowed = [layer, *ALLOWED["compiler/targets" if layer.startswith("compiler/targets/") else layer]]
    return [f"{path}: includes {name}, which is above or beside {layer}" for name in INCLUDE.findall(text)
            if not any(name.startswith(folder + "/") for folder in allowed)]


def check_vendors(path: str, text: str) -> list[str]:
    if not path.startswith(NEUTRAL) or path in VENDOR_EXCEPTIONS:
        return []
    return [f"{path}:{number}: names a vendor: {line.strip()}"
            for number, line in enumerate(text.splitlines(), 1) if VENDORS.search(line)]


def main() -> int:
    files = subprocess.run(["git", "ls-files", "*.h", "*.cpp", "*.td"], cwd=ROOT, capture_output=True,
                           text=True, check=True).stdout.split()
    problems: list[str] = []
    for path in files:
        if (ROOT / path).exists():
            text = (ROOT / path).read_text()
            problems += check_includes(path, text) + check_vendors(path, text)
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
