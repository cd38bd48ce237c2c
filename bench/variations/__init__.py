"""Kernels in the many ways that users write them, against Triton: a variation keeps the speed of its kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import torch

from bench.candidates import best, results
from bench.twin import load_twin
from bench.variations import attention, backward, elements, experts, narrow, products, rows
from bench.variations.problem import Problem
from bench.workload import Workload


def variations_products() -> Iterator[Workload]:
    """Products of floats of 16 and 32 bits."""
    return _compare(products)


def variations_narrow() -> Iterator[Workload]:
    """Products with operands of 8 bits and less."""
    return _compare(narrow)


def variations_experts() -> Iterator[Workload]:
    """Groups of products, layers of experts, convolutions."""
    return _compare(experts)


def variations_attention() -> Iterator[Workload]:
    """Attention forward."""
    return _compare(attention)


def variations_backward() -> Iterator[Workload]:
    """Attention backward, and other loops of several products."""
    return _compare(backward)


def variations_rows() -> Iterator[Workload]:
    """Norms, losses, scans."""
    return _compare(rows)


def variations_elements() -> Iterator[Workload]:
    """Elements, gathers and scatters, counts, sums of all."""
    return _compare(elements)


GROUPS = [variations_products, variations_narrow, variations_experts, variations_attention, variations_backward,
          variations_rows, variations_elements]


def _compare(module: object) -> Iterator[Workload]:
    """A workload for each of the module's PROBLEMS, whose kernels and launches Triton takes from the same source."""
    twin = load_twin(str(Path(module.__file__).relative_to(Path(__file__).parent.parent.parent)))
    for make in module.PROBLEMS:
        ours, peers = (_make(each, make.__name__) for each in (module, twin))
        candidates = {name: best(name, problem.configs, problem.launch)
                      for name, problem in (("tilewright", ours), ("triton", peers))}
        yield Workload(f"{module.__name__.rpartition('.')[2]}: {make.__name__}", candidates,
                       results(candidates, (ours.output, peers.output)), ours.expected(), tolerance=ours.tolerance,
                       flops=ours.flops, bytes=ours.bytes)


def _make(module: object, name: str) -> Problem:
    """The problem with the same random values for all."""
    torch.manual_seed(0)
    make: Callable[[], Problem] = getattr(module, name)
    return make()
