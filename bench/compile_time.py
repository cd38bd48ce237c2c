"""Cold compilation in a warm process: no cache, no second use of a module.

``TILEWRIGHT_TIMES=1`` shows the time of each stage.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import tilewright as tw
from tilewright.runtime.nvidia import describe_assembler

from bench.kernels import add_kernel
from bench.workload import Workload

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))
from attention import attention_kernel  # noqa: E402
from layer_norm import forward_kernel  # noqa: E402
from matmul import matmul_kernel  # noqa: E402
from softmax import softmax_kernel  # noqa: E402

SIGNATURES: dict[str, tuple[Any, dict[str, Any]]] = {
    "add": (add_kernel, {"x": "*fp32:16", "y": "*fp32:16", "z": "*fp32:16", "n": "i32"}),
    "softmax": (softmax_kernel, {"output": "*fp32:16", "input": "*fp32:16", "input_stride": "i32:16",
                                 "output_stride": "i32:16", "columns": "i32:16"}),
    "layer norm": (forward_kernel, {"x": "*fp16:16", "y": "*fp16:16", "weight": "*fp16:16", "bias": "*fp16:16",
                                    "mean": "*fp32:16", "rstd": "*fp32:16", "stride": "i32:16",
                                    "columns": "i32:16", "eps": "fp32"}),
    "matmul": (matmul_kernel, {"a": "*fp16:16", "b": "*fp16:16", "c": "*fp16:16", "M": "i32:16",
                               "N": "i32:16", "K": "i32:16", "stride_am": "i32:16", "stride_ak": 1,
                               "stride_bk": "i32:16", "stride_bn": 1, "stride_cm": "i32:16",
                               "stride_cn": 1, "GROUP_M": 8, "ACTIVATION": ""}),
    "attention": (attention_kernel, {"q": "*fp16:16", "k": "*fp16:16", "v": "*fp16:16", "output": "*fp16:16",
                                     "scale": "fp32", "stride_head": "i32:16", "stride_row": "i32:16",
                                     "length": "i32:16"}),
}


class Case(NamedTuple):
    """One compilation: which kernel, its constants, and the options."""

    name: str
    sizes: dict[str, Any]
    options: dict[str, Any]


def _matmul(m: int, n: int, k: int, warps: int, stages: int) -> Case:
    return Case("matmul", {"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k}, {"num_warps": warps, "num_stages": stages})


def _attention(head: int, causal: bool) -> Case:
    return Case("attention", {"HEAD": head, "BLOCK_M": 128, "BLOCK_N": 64, "CAUSAL": causal},
                {"num_warps": 8, "num_stages": 2})


CASES = [
    Case("add", {"BLOCK": 256}, {}), Case("add", {"BLOCK": 1024}, {}), Case("add", {"BLOCK": 16384}, {}),
    Case("softmax", {"BLOCK": 1024}, {}), Case("softmax", {"BLOCK": 16384}, {}),
    Case("layer norm", {"BLOCK": 4096}, {"num_warps": 8}),
    _matmul(64, 64, 32, 4, 3), _matmul(128, 128, 64, 4, 3), _matmul(128, 256, 64, 8, 4),
    _attention(64, False), _attention(64, True), _attention(128, False), _attention(128, True),
]
TARGETS = {"cpu": "object", "nvidia:sm_90a": "cubin" if describe_assembler() else "ptx", "amd:gfx942": "hsaco"}


def compile_times() -> Iterator[Workload]:
    """Python source to machine code (PTX where there is no assembler), for each target of the build."""
    for target, artifact in TARGETS.items():
        if target.partition(":")[0] not in tw.targets():
            continue
        for case in CASES:
            def compile_once(case=case, target=target, artifact=artifact):
                kernel, signature = SIGNATURES[case.name]
                return tw.compile(kernel, {**signature, **case.sizes}, target=target, **case.options).asm[artifact]

            label = "x".join(str(size) for size in case.sizes.values())
            yield Workload(f"host: compile {case.name} {label} {target}", {"tilewright": compile_once})
