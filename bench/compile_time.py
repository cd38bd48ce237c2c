"""Cold compilation in a warm process: no cache, no second use of a module. On an NVIDIA GPU beside Triton.

``TILEWRIGHT_TIMES=1`` shows the time of each stage.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import tilewright as tw
from tilewright.runtime.nvidia import describe_assembler

from bench import place
from bench.kernels import add_kernel
from bench.twin import load_twin
from bench.workload import Workload

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))
from attention import attention_kernel  # noqa: E402
from attention_backward import keys_kernel  # noqa: E402
from layer_norm import forward_kernel  # noqa: E402
from matmul import matmul_kernel  # noqa: E402
from softmax import softmax_kernel  # noqa: E402

SIGNATURES: dict[str, tuple[Any, dict[str, Any]]] = {
    "add": (add_kernel, {"x": "*fp32:16", "y": "*fp32:16", "z": "*fp32:16", "n": "i32"}),
    "softmax": (softmax_kernel, {"output": "*fp32:16", "input": "*fp32:16", "input_stride": "i32:16",
                                 "output_stride": "i32:16", "columns": "i32:16"}),
    "layer norm": (forward_kernel, {"x": "*fp16:16", "y": "*fp16:16", "weight": "*fp16:16", "bias": "*fp16:16",
                                    "mean": "*fp32:16", "rstd": "*fp32:16", "stride": "i32:16",
                                    "rows": "i32:16", "columns": "i32:16", "eps": "fp32", "STAGES": 1,
                                    "WALKS": False}),
    "matmul": (matmul_kernel, {"a": "*fp16:16", "b": "*fp16:16", "c": "*fp16:16", "M": "i32:16",
                               "N": "i32:16", "K": "i32:16", "stride_am": "i32:16", "stride_ak": 1,
                               "stride_bk": "i32:16", "stride_bn": 1, "stride_cm": "i32:16",
                               "stride_cn": 1, "GROUP_M": 8, "ACTIVATION": ""}),
    "attention": (attention_kernel, {"q": "*fp16:16", "k": "*fp16:16", "v": "*fp16:16", "output": "*fp16:16",
                                     "scale": "fp32", "stride_head": "i32:16", "stride_row": "i32:16",
                                     "length": "i32:16"}),
    "attention backward": (keys_kernel, {
        **dict.fromkeys(("queries", "d_output"), "tensordesc<fp16[64,64]>:16"),
        **dict.fromkeys(("keys", "values", "dk", "dv"), "tensordesc<fp16[128,64]>:16"),
        **dict.fromkeys(("sums", "deltas"), "tensordesc<fp32[64]>:16"), "dq": "tensordesc<fp32[64,64]>:16",
        "scale": "fp32", "length": "i32:16", "padded": "i32:16", "kv_heads": "i32:16", "together": "i32:16",
        "GROUP": 1, "EVEN": True, "ADD": True}),
}
MODULES = {"add": "bench/kernels.py", "softmax": "examples/softmax.py", "layer norm": "examples/layer_norm.py",
           "matmul": "examples/matmul.py", "attention": "examples/attention.py",
           "attention backward": "examples/attention_backward.py"}


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


def _backward(causal: bool) -> Case:
    return Case("attention backward", {"HEAD": 64, "BLOCK_M": 64, "BLOCK_N": 128, "CAUSAL": causal},
                {"num_warps": 8, "num_stages": 2})


CASES = [
    Case("add", {"BLOCK": 256}, {}), Case("add", {"BLOCK": 1024}, {}), Case("add", {"BLOCK": 16384}, {}),
    Case("softmax", {"BLOCK": 1024}, {}), Case("softmax", {"BLOCK": 16384}, {}),
    Case("layer norm", {"BLOCK": 4096}, {"num_warps": 8}),
    _matmul(64, 64, 32, 4, 3), _matmul(128, 128, 64, 4, 3), _matmul(128, 256, 64, 8, 4),
    _attention(64, False), _attention(64, True), _attention(128, False), _attention(128, True), _backward(False),
    _backward(True),
]
TARGETS = {"cpu": "object", "nvidia:sm_90a": "cubin" if describe_assembler() else "ptx", "amd:gfx942": "hsaco"}


def compile_times() -> Iterator[Workload]:
    """Python source to machine code (PTX where there is no assembler), for each target of the build; on a GPU for
    that one."""
    for target, artifact in TARGETS.items():
        vendor = target.partition(":")[0]
        if vendor not in tw.targets() or (place.has_gpu() and vendor != "nvidia"):
            continue
        for case in CASES:
            def compile_once(case=case, target=target, artifact=artifact):
                kernel, signature = SIGNATURES[case.name]
                return tw.compile(kernel, {**signature, **case.sizes}, target=target, **case.options).asm[artifact]

            candidates = {"tilewright": compile_once}
            if vendor == "nvidia" and place.has_gpu():
                candidates["triton"] = lambda case=case: _compile_twin(load_twin(MODULES[case.name]), case)
            label = "x".join(str(size) for size in case.sizes.values())
            yield Workload(f"host: compile {case.name} {label} {target}", candidates)


def _compile_twin(module: ModuleType, case: Case) -> Any:
    """The same by Triton: its caches in memory are emptied, that on disk is passed by."""
    import triton

    triton.knobs.compilation.always_compile = True
    kernel, signature = SIGNATURES[case.name]
    twin = getattr(module, kernel.__name__)
    twin.device_caches.clear()
    arguments = {name: _example(kind) for name, kind in signature.items()}
    return twin.warmup(**arguments, **case.sizes, grid=(1,), **case.options)


def _example(kind: Any) -> Any:
    """An argument of a type in a signature; constants stand for themselves."""
    import torch
    from triton.tools.tensor_descriptor import TensorDescriptor

    types = {"fp16": torch.float16, "fp32": torch.float32}
    if not isinstance(kind, str) or not kind:
        return kind
    if block := re.fullmatch(r"tensordesc<(\w+)\[([\d,]+)\]>:16", kind):
        shape = [int(size) for size in block[2].split(",")]
        return TensorDescriptor.from_tensor(torch.empty(shape, dtype=types[block[1]], device="cuda"), shape)
    if kind.startswith("*"):
        return torch.empty(16, dtype=types[kind[1:].partition(":")[0]], device="cuda")
    return 0.5 if kind == "fp32" else 4096 if kind.endswith(":16") else 4097
