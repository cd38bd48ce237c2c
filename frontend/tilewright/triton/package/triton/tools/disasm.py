"""A kernel's machine code as text."""

from __future__ import annotations

import re
from typing import Any

from tilewright.kernel import CompiledKernel
from tilewright.triton.aliases import disassemble
from tilewright.triton.refusal import Refusal


def get_sass(kernel: Any, fun: str | None = None) -> str:
    """The instructions of a compiled kernel for an NVIDIA GPU, or of one of its functions.

    Args:
        kernel: A `CompiledKernel`, or the bytes of a cubin.
        fun: The function's name.
    """
    text = kernel.asm["sass"] if isinstance(kernel, CompiledKernel) else disassemble({"cubin": kernel})  # type: ignore
    if fun is None:
        return text
    found = re.search(rf"\.text\.{re.escape(fun)}:.*?(?=\n\.text\.|\Z)", text, re.DOTALL)
    if found is None:
        raise ValueError(f"the binary has no function '{fun}'")
    return found.group()


extract = Refusal("triton.tools.disasm.extract", "use get_sass")
