"""Workloads on the CPU, against numpy and, where it is installed, torch."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import tilewright as tw

from bench.compile_time import compile_times
from bench.kernels import add_kernel, argmax_kernel, empty_kernel
from bench.workload import Workload

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))
from matmul import matmul as tile_matmul  # noqa: E402
from softmax import softmax_kernel  # noqa: E402


def workloads() -> list[Callable[[], Iterator[Workload]]]:
    return [add, softmax, matmul, argmax, launch, compile_times]


def add() -> Iterator[Workload]:
    for exponent in (13, 24):
        n = 1 << exponent
        x, y = (np.random.randn(n).astype(np.float32) for _ in range(2))
        ours, theirs = np.empty_like(x), np.empty_like(x)
        grid = (tw.cdiv(n, 4096),)
        candidates = {"tilewright": lambda x=x, y=y, z=ours, n=n, grid=grid: add_kernel[grid](x, y, z, n, BLOCK=4096),
                      "numpy": lambda x=x, y=y, z=theirs: np.add(x, y, out=z)}
        yield Workload(f"add 2^{exponent} f32", candidates, _results(candidates, ours, theirs), x + y,
                       bytes=12.0 * n)


def softmax() -> Iterator[Workload]:
    rows, columns = 512, 4096
    x = np.random.randn(rows, columns).astype(np.float32)
    ours, theirs = np.empty_like(x), np.empty_like(x)

    def numpy_softmax() -> None:
        np.subtract(x, x.max(axis=1, keepdims=True), out=theirs)
        np.exp(theirs, out=theirs)
        np.divide(theirs, theirs.sum(axis=1, keepdims=True), out=theirs)

    candidates = {"tilewright": lambda: softmax_kernel[(rows,)](ours, x, columns, columns, columns, BLOCK=4096),
                  "numpy": numpy_softmax}
    exponentials = np.exp(x.astype(np.float64))
    yield Workload(f"softmax {rows}x{columns} f32", candidates, _results(candidates, ours, theirs),
                   exponentials / exponentials.sum(axis=1, keepdims=True), bytes=8.0 * rows * columns)


def matmul() -> Iterator[Workload]:
    for size in (512, 1024):
        a, b = (np.random.randn(size, size).astype(np.float32) for _ in range(2))
        ours, theirs = np.empty_like(a), np.empty_like(a)
        candidates = {"tilewright": lambda a=a, b=b, c=ours: tile_matmul(a, b, c),
                      "numpy": lambda a=a, b=b, c=theirs: np.matmul(a, b, out=c)}
        yield Workload(f"matmul {size}^3 f32", candidates, _results(candidates, ours, theirs),
                       a.astype(np.float64) @ b, flops=2.0 * size**3)


def argmax() -> Iterator[Workload]:
    rows, columns = 512, 4096
    x = np.random.randn(rows, columns).astype(np.float32)
    ours, theirs = np.empty(rows, np.int32), np.empty(rows, np.int64)
    candidates = {"tilewright": lambda: argmax_kernel[(rows,)](x, ours, columns, BLOCK=4096),
                  "numpy": lambda: np.argmax(x, axis=1, out=theirs)}
    yield Workload(f"argmax {rows}x{columns} f32", candidates, _results(candidates, ours, theirs),
                   x.argmax(axis=1), tolerance=0.0, bytes=4.0 * rows * columns)


def launch() -> Iterator[Workload]:
    arrays = [np.zeros(16, np.float32) for _ in range(4)]
    yield Workload("launch of an empty kernel", {"tilewright": lambda: empty_kernel[(1,)](*arrays, 33, 34)})


def _results(candidates: dict, ours: np.ndarray, theirs: np.ndarray) -> dict:
    """Poison the output, run, and give the output."""
    outputs = dict(zip(candidates, (ours, theirs), strict=True))

    def compute(name: str) -> np.ndarray:
        outputs[name].fill(-7)
        candidates[name]()
        return outputs[name]

    return {name: lambda name=name: compute(name) for name in candidates}
