"""The main job in one run: real kernels on the CPU, checked, and what they become for each target."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import softmax as softmax_example
import tilewright as tw

EXAMPLES = Path(__file__).parent
SCRIPTS = ["softmax.py", "matmul.py", "dropout.py", "rms_norm.py", "layer_norm.py", "cross_entropy.py", "attention.py",
           "decode_attention.py"]
SIGNATURE = {"output": "*fp32:16", "input": "*fp32:16", "input_stride": "i32:16", "output_stride": "i32:16",
             "columns": "i32", "BLOCK": 1024}
# What to show of each target: a stage or artifact, and a line to start from.
SHOWN = {
    "cpu": [("tile", "func.func"), ("loops", "func.func"), ("asm", None)],
    "nvidia:sm_90a": [("scheduled", "func.func"), ("ptx", ".visible .entry")],
    "amd:gfx942": [("amdgcn", "softmax_kernel:")],
}
LINES = 16


def excerpt(text: str, start: str | None) -> str:
    """A few lines of a stage, from the first that holds `start`."""
    lines = text.splitlines()
    first = next((i for i, line in enumerate(lines) if start and start in line), 0)
    shown = [line[:118] for line in lines[first:first + LINES]]
    return "\n".join(["    " + line for line in shown] + [f"    … {len(lines)} lines in all"])


def show_stages() -> None:
    for target, stages in SHOWN.items():
        kernel = tw.compile(softmax_example.softmax_kernel, SIGNATURE, target=target)
        for stage, start in stages:
            print(f"\n== softmax, {target}, stage '{stage}'")
            print(excerpt(kernel.asm[stage], start))


def run_examples() -> None:
    subprocess.run([sys.executable, "-m", "tilewright.triton", EXAMPLES / "vector_add.py"], check=True)
    for script in SCRIPTS:
        subprocess.run([sys.executable, EXAMPLES / script], check=True)


if __name__ == "__main__":
    print("== kernels on the CPU, compared with numpy in float64")
    run_examples()
    show_stages()
