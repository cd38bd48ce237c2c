"""Programs that say `import triton`, run by Tilewright.

`python -m tilewright.triton script.py` and `python -m tilewright.triton -m module` run a program
with a `triton` package of ours first on the path, whether or not the real one is installed; its
child processes see it too. `install()` does the same inside a process.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

PACKAGE_FOLDER = Path(__file__).parent / "package"


def install() -> None:
    """Make `import triton` in this process and its children mean Tilewright.

    Raises:
        ImportError: If the real triton was imported already: objects of both would mix.
    """
    loaded = sys.modules.get("triton")
    if loaded is not None and not str(getattr(loaded, "__file__", "")).startswith(str(PACKAGE_FOLDER)):
        raise ImportError("tilewright.triton.install() must come before the first 'import triton'; "
                          f"triton was already imported from {getattr(loaded, '__file__', 'elsewhere')}")
    folder = str(PACKAGE_FOLDER)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    paths = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path and path != folder]
    # Children need our own package as well where it is not installed.
    root = str(Path(__file__).parent.parent.parent)
    if root not in paths:
        paths.append(root)
    os.environ["PYTHONPATH"] = os.pathsep.join([folder, *paths])
