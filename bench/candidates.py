"""What competes: a kernel with the fastest of its configurations, and outputs that show whether it ran."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from bench import place
from bench.measure import time_cuda

Options = dict[str, Any]


def best(name: str, configs: Sequence[Options], call: Callable[[Options], Any]) -> Callable[[], Any]:
    """The call with its fastest configuration; a configuration that does not work is left out, and if none does, the
    call raises why."""
    _compile_together(configs, call)
    works: dict[str, Callable[[], Any]] = {}
    failure: Exception | None = None
    for options in configs[:1] if place.is_dry() and name != "tilewright" else configs:
        try:
            call(options)
            synchronize()
        except Exception as error:  # resources and what is supported differ between compilers
            print(f"    {name} without {_short(options)}: {describe(error)}", flush=True)
            failure = error
            continue
        works[_short(options)] = lambda options=options: call(options)
    if not works:
        return _failing(failure)
    if len(works) == 1 or place.is_dry():
        return next(iter(works.values()))
    seconds = time_cuda(works, rounds=3, calls=12)
    fastest = min(seconds, key=seconds.__getitem__)
    print(f"    {name}, best of {len(works)}: {fastest}", flush=True)
    return works[fastest]


def _compile_together(configs: Sequence[Options], call: Callable[[Options], Any]) -> None:
    """Compile side by side; what fails does so again, and is told, when it is tried."""
    if place.is_dry() or place.workers() == 1:
        return
    import torch

    def attempt(options: Options) -> None:
        torch.zeros(1, device="cuda")  # a new thread has no context yet
        with contextlib.suppress(Exception):
            call(options)

    attempt(configs[0])  # what is initialised once is, before there are threads
    with ThreadPoolExecutor(place.workers()) as pool:
        list(pool.map(attempt, configs[1:]))
    synchronize()


def synchronize() -> None:
    """Wait for the GPU, where there is one."""
    if not place.is_dry():
        import torch

        torch.cuda.synchronize()


def describe(error: BaseException) -> str:
    """An error in one short line."""
    lines = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {lines[0][:120]}"


def results(candidates: Mapping[str, Callable[[], Any]], outputs: Sequence[Any]) -> dict[str, Callable[[], Any]]:
    """For each candidate: poison its output, run it, and give the output."""
    def compute(call: Callable[[], Any], output: Any) -> Any:
        output.fill_(-7)
        call()
        return output

    return {name: lambda call=call, output=output: compute(call, output)
            for (name, call), output in zip(candidates.items(), outputs, strict=True)}


def _failing(error: Exception | None) -> Callable[[], Any]:
    def call() -> Any:
        raise error or RuntimeError("no configuration was given")

    return call


def _short(options: Options) -> str:
    return " ".join(f"{key.lower()}={value}" for key, value in options.items())
