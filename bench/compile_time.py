"""Cold compilation in a warm process: no cache, no second use of a module."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import tilewright as tw

from bench.kernels import add_kernel
from bench.workload import Workload

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))
from matmul import matmul_kernel  # noqa: E402
from softmax import softmax_kernel  # noqa: E402

SIGNATURES = {
    "add": (add_kernel, {"x": "*fp32:16", "y": "*fp32:16", "z": "*fp32:16", "n": "i32"}),
    "softmax": (softmax_kernel, {"output": "*fp32:16", "input": "*fp32:16", "input_stride": "i32:16",
                                 "output_stride": "i32:16", "columns": "i32:16"}),
    "matmul": (matmul_kernel, {"a": "*fp16:16", "b": "*fp16:16", "c": "*fp16:16", "M": "i32:16",
                               "N": "i32:16", "K": "i32:16", "stride_am": "i32:16", "stride_ak": 1,
                               "stride_bk": "i32:16", "stride_bn": 1, "stride_cm": "i32:16",
                               "stride_cn": 1, "GROUP_M": 8, "ACTIVATION": ""}),
}
SIZES = {"add": [{"BLOCK": 256}, {"BLOCK": 16384}], "softmax": [{"BLOCK": 1024}, {"BLOCK": 16384}],
         "matmul": [{"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32}, {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64}]}
TARGETS = {"cpu": "object", "nvidia:sm_90a": "ptx", "amd:gfx942": "hsaco"}


def compile_times() -> Iterator[Workload]:
    """Python source to machine code (PTX for NVIDIA), for each target of the build."""
    for target, artifact in TARGETS.items():
        if target.partition(":")[0] not in tw.targets():
            continue
        for name, (kernel, signature) in SIGNATURES.items():
            for sizes in SIZES[name]:
                def compile_once(kernel=kernel, signature=signature, sizes=sizes, target=target, artifact=artifact):
                    return tw.compile(kernel, {**signature, **sizes}, target=target).asm[artifact]

                label = "x".join(str(size) for size in sizes.values())
                yield Workload(f"host: compile {name} {label} {target}", {"tilewright": compile_once})
