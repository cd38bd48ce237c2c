"""Run workloads, print a table of ratios and keep the figures."""

from __future__ import annotations

import json
import platform
import subprocess
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bench import place
from bench.candidates import describe
from bench.measure import time_cpu, time_cuda, time_cuda_bursts
from bench.workload import Workload

NAME_WIDTH = 42


def run(device: str, only: list[str] | None, rounds: int, output: str | None, burst: bool = False) -> int:
    """Check and time the workloads of a device; 1 if a result was wrong or a workload could not run."""
    if device == "cpu":
        from bench.cpu import workloads
    else:
        from bench.cuda import workloads
    machine = describe_machine(device)
    print("  ".join(f"{key}: {value}" for key, value in machine.items()))
    rows: list[dict[str, Any]] = []
    groups = workloads()
    for make in groups:
        if not only or any(selects(part, make.__name__, {each.__name__ for each in groups}) for part in only):
            start = time.perf_counter()
            rows += run_group(make, device, rounds=rounds, burst=burst)
            print(f"    {make.__name__}: {time.perf_counter() - start:.0f} s", flush=True)
    path = Path(output) if output else default_path(device)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"machine": machine, "after": describe_machine(device), "rows": rows}, indent=1))
    print(f"figures in {path}")
    return 1 if any(row["problem"] for row in rows) else 0


def selects(part: str, name: str, names: set[str]) -> bool:
    """Whether what the command line gives means a group: a whole name that group alone, else a part of names."""
    return part == name if part in names else part in name


def run_group(make: Callable[[], Iterator[Workload]], device: str, rounds: int, burst: bool) -> list[dict[str, Any]]:
    """The figures of workloads that belong together; an error ends this group, not the run."""
    rows: list[dict[str, Any]] = []
    try:
        for workload in make():
            rows.append(run_workload(workload, device, rounds, burst))
    except Exception as error:
        traceback.print_exc()
        rows.append({"name": make.__name__, "seconds": {}, "problem": describe(error)})
    return rows


def run_workload(workload: Workload, device: str, rounds: int, burst: bool) -> dict[str, Any]:
    """Check all candidates, and time those that are right."""
    problems = check(workload)
    for name, problem in problems.items():
        print(f"    {name} left out: {problem}")
    right = {name: call for name, call in workload.candidates.items() if name not in problems}
    on_gpu = device == "cuda" and not workload.name.startswith("host:")
    timed = {} if place.is_dry() else {"": (time_cuda if on_gpu else time_cpu)(right, rounds)}
    if burst and on_gpu and timed:
        timed[" (bursts)"] = time_cuda_bursts(right)
    for kind, seconds in timed.items():
        print(format_row(workload, kind, seconds), flush=True)
    if place.is_dry():
        print(f"{workload.name:{NAME_WIDTH}} {', '.join(right)}: right", flush=True)
    return {"name": workload.name, "seconds": timed.get("", {}), "bursts": timed.get(" (bursts)", {}),
            "problem": "; ".join(f"{name}: {problem}" for name, problem in problems.items())}


def check(workload: Workload) -> dict[str, str]:
    """The candidates that fail or whose result differs from the reference, and how."""
    problems: dict[str, str] = {}
    if workload.reference is None:
        return problems
    for name, compute in workload.results.items():
        try:
            error = difference(compute(), workload.reference)
        except Exception as failure:
            problems[name] = describe(failure)
            continue
        if not error <= workload.tolerance:
            problems[name] = f"wrong: relative error {error:.2e}"
    return problems


def difference(result: Any, reference: Any) -> float:
    """‖result − reference‖ / ‖reference‖, where they are."""
    if hasattr(result, "double") and hasattr(reference, "double"):
        expected = reference.double()
        return float((result.double() - expected).norm() / expected.norm().clamp_min(1e-30))
    expected = np.asarray(reference, np.float64)
    return float(np.linalg.norm(np.asarray(result, np.float64) - expected) / max(np.linalg.norm(expected), 1e-30))


def format_row(workload: Workload, kind: str, seconds: dict[str, float]) -> str:
    """Rates of all candidates; the ratio is a peer's time over that of the first, ours."""
    ours = next(iter(workload.candidates))
    cells = [f"{name} {workload.rate(value)}" + (
        f" (ratio {value / seconds[ours]:.3f})" if name != ours and ours in seconds else "")
        for name, value in seconds.items()]
    return f"{workload.name + kind:{NAME_WIDTH}} " + "  ".join(cells)


def describe_machine(device: str) -> dict[str, Any]:
    facts: dict[str, Any] = {"python": platform.python_version(), "numpy": np.__version__,
                             "cpu": _cpu_name()}
    if device == "cuda" and not place.is_dry():
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
