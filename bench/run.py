"""Run workloads, print a table of ratios and keep the figures."""

from __future__ import annotations

import json
import platform
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np

from bench.measure import time_cpu, time_cuda
from bench.workload import Workload


def run(device: str, only: list[str] | None, rounds: int, output: str | None) -> int:
    """Check and time the workloads of a device; 1 if a result was wrong."""
    if device == "cpu":
        from bench.cpu import workloads
    else:
        from bench.cuda import workloads
    machine = describe_machine(device)
    print("  ".join(f"{key}: {value}" for key, value in machine.items()))
    rows, wrong = [], 0
    for make in workloads():
        if only and not any(part in make.__name__ for part in only):
            continue
        for workload in make():
            problem = check(workload)
            wrong += bool(problem)
            seconds = {} if problem else measure(device, workload, rounds)
            rows.append({"name": workload.name, "seconds": seconds, "problem": problem})
            print(format_row(workload, seconds, problem), flush=True)
    path = Path(output) if output else default_path(device)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"machine": machine, "after": describe_machine(device), "rows": rows}, indent=1))
    print(f"figures in {path}")
    return 1 if wrong else 0


def measure(device: str, workload: Workload, rounds: int) -> dict[str, float]:
    on_gpu = device == "cuda" and not workload.name.startswith("host:")
    return (time_cuda if on_gpu else time_cpu)(workload.candidates, rounds)


def check(workload: Workload) -> str:
    """Empty, or which candidate's result differs from the reference."""
    if workload.reference is None:
        return ""
    reference = np.asarray(workload.reference, np.float64)
    for name, compute in workload.results.items():
        result = np.asarray(compute(), np.float64)
        error = np.linalg.norm(result - reference) / max(np.linalg.norm(reference), 1e-30)
        if not error <= workload.tolerance:
            return f"{name} is wrong: relative error {error:.2e}"
    return ""


def format_row(workload: Workload, seconds: dict[str, float], problem: str) -> str:
    if problem:
        return f"{workload.name:34} {problem}"
    ours, *peers = seconds
    cells = [f"{ours} {workload.rate(seconds[ours])}"]
    cells += [f"{peer} {workload.rate(seconds[peer])} (ratio {seconds[peer] / seconds[ours]:.2f})"
              for peer in peers]
    return f"{workload.name:34} " + "  ".join(cells)


def describe_machine(device: str) -> dict[str, Any]:
    facts: dict[str, Any] = {"python": platform.python_version(), "numpy": np.__version__,
                             "cpu": _cpu_name()}
    if device == "cuda":
        import torch
        import triton

        facts |= {"torch": torch.__version__, "triton": triton.__version__,
                  "gpu": torch.cuda.get_device_name()}
        query = "driver_version,clocks.sm,clocks.mem,power.draw,temperature.gpu"
        values = subprocess.run(["nvidia-smi", f"--query-gpu={query}", "--format=csv,noheader"],
                                capture_output=True, text=True).stdout.strip()
        facts["driver, clocks, power, temperature"] = values
    return facts


def _cpu_name() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def default_path(device: str) -> Path:
    return Path(__file__).parent / "results" / f"{device}-{time.strftime('%Y%m%d-%H%M%S')}.json"
