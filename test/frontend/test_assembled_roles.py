"""What is compiled for roles is taken by the assembler, which finds nothing to wait for and nothing to spill."""

import pytest
import scheduled_kernels as kernels
import tilewright as tw
from tilewright.runtime.nvidia.assembler import assemble_with_log

SIZES = {"M": "i32:16", "N": "i32:16", "K": "i32:16"}
CASES = [("fp16", (64, 64, 64), 4, 3), ("bf16", (128, 256, 64), 8, 4), ("fp16", (128, 160, 64), 8, 3),
         ("fp16", (256, 128, 64), 16, 3), ("fp32", (64, 64, 32), 4, 2), ("fp8e4nv", (128, 128, 128), 8, 4)]


@pytest.mark.parametrize("element, block, warps, stages", CASES)
def test_products(element, block, warps, stages):
    sides = dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K"), block, strict=True))
    signature = {"a": f"*{element}:16", "b": f"*{element}:16", "c": "*fp16:16", **SIZES, **sides}
    kernel = tw.compile(kernels.tiles, signature, target="nvidia:sm_90a", num_warps=warps, num_stages=stages)
    assert "tile.roles" in kernel.asm["scheduled"]
    assembly = assemble_with_log(kernel.asm["ptx"], "sm_90a")
    if assembly is None:
        pytest.skip("no assembler")
    assert "Performance Loss" not in assembly.log
    assert not assembly.spill_bytes
