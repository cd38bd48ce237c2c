"""Check that files and Python functions stay small; a larger one needs its reason here."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMITS = {".cpp": 800, ".py": 800, ".h": 300, ".td": 500, ".mlir": 400}
FUNCTION_LIMIT = 80
# path -> why it may be larger
REASONS: dict[str, str] = {}


def function_lengths(path: Path) -> list[tuple[str, int]]:
    tree = ast.parse(path.read_text())
    return [(node.name, node.end_lineno - node.lineno + 1) for node in ast.walk(tree)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.end_lineno]


def main() -> int:
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    problems = []
    for name in files.stdout.split():
        path = ROOT / name
        limit = LIMITS.get(path.suffix)
        if limit is None or name in REASONS or not path.exists():
            continue
        lines = len(path.read_text().splitlines())
        if lines > limit:
            problems.append(f"{name}: {lines} lines, more than {limit}")
        if path.suffix == ".py":
            problems += [f"{name}: {function} has {length} lines, more than {FUNCTION_LIMIT}"
                         for function, length in function_lengths(path) if length > FUNCTION_LIMIT]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
