"""A function in a process of its own, where it may crash or leave a device unusable."""

from __future__ import annotations

import multiprocessing
import os
import queue
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass
class ProcessResult:
    """How a process ended.

    Attributes:
        exc: What the function raised.
        driver_stderr_output: What the process wrote to its standard error.
    """

    exc: BaseException | None
    driver_stderr_output: str


def _work(function: Callable[..., Any], answers: Any, args: Sequence[Any], kwargs: Mapping[str, Any],
          env: Mapping[str, str], errors: str) -> None:
    os.environ.update(env)
    with open(errors, "w") as file:
        os.dup2(file.fileno(), 2)
        error = None
        try:
            function(*args, **kwargs)
        except BaseException as raised:
            error = raised
        answers.put(error)


def run_in_process(client_fn: Callable[..., Any], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None,
                   env: Mapping[str, str] | None = None) -> ProcessResult:
    """Call a function of a module in another process; tells what it raised, and what was written to stderr.

    Args:
        client_fn: The function.
        args: Its arguments.
        kwargs: Those by name.
        env: Environment variables for the process.
    """
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory(prefix="tilewright-") as folder:
        errors = os.path.join(folder, "stderr")
        answers = context.Queue()
        process = context.Process(target=_work, args=(client_fn, answers, args, dict(kwargs or {}), dict(env or {}),
                                                      errors))
        process.start()
        error: BaseException | None = None
        answered = False
        while not answered and (process.is_alive() or not answers.empty()):
            try:
                error, answered = answers.get(timeout=0.05), True
            except queue.Empty:
                continue
        process.join()
        if not answered:
            error = RuntimeError(f"the process ended with code {process.exitcode} before the function did")
        text = ""
        if os.path.exists(errors):
            with open(errors, errors="replace") as file:
                text = file.read()
    return ProcessResult(error, text)
